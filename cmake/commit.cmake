# The commit that is built, for `macmi doctor`: asked at every build, written only when it is another.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=10 --dirty --exclude=* OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT EXISTS ${SOURCE}/.git)
    set(commit "")
  endif()
  set(text "constexpr const char* built_from_commit = \"${commit}\";\n")
  if(EXISTS ${HEADER})
    file(READ ${HEADER} before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE ${HEADER} "${text}")
  endif()
  return()
endif()
set(commit_header ${PROJECT_BINARY_DIR}/generated/built_from_commit.hpp)
add_custom_target(macmi_commit BYPRODUCTS ${commit_header} COMMENT "Asking which commit this is"
                  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${commit_header}
                          -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake)
add_dependencies(macmi_verbs macmi_commit)
set_source_files_properties(cli/doctor.cpp PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/generated)
