# The HTML report: one page, bundled from src/report/page and pinned npm packages, kept in the library as a string.
option(MACMI_REPORT "Build the HTML report (needs Node.js and npm at build time only)" ON)
set(report_page_source ${PROJECT_BINARY_DIR}/report_page.cpp)
if(MACMI_REPORT)
  set(report_packages ${PROJECT_SOURCE_DIR}/.cache/report-page)  # shared by all presets
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/fetch_report_packages ${report_packages} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "The HTML report cannot be built; the lines above say what to do")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/report/page/package-lock.json)
  find_program(NODE NAMES node nodejs REQUIRED)
  file(GLOB page_files CONFIGURE_DEPENDS src/report/page/*)
  add_custom_command(OUTPUT ${report_page_source}
                     COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/src/report/page/build.mjs ${report_packages} ${report_page_source}
                     DEPENDS ${page_files}
                     COMMENT "Bundling the report page" VERBATIM)
else()
  file(WRITE ${report_page_source} "#include \"report/html.hpp\"\nnamespace macmi::report {\nstd::string_view report_page() { return {}; }\nstd::string_view experiment_page() { return {}; }\n}\n")
endif()
target_sources(macmi PRIVATE ${report_page_source})
