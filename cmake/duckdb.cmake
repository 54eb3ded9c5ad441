# DuckDB reads CSV, Parquet and JSON. It is opened at run time, on first use (src/data/tables/duckdb_library.cpp), so that
# `macmi --help` does not wait for its 60 MB and a program that reads no tables does not need it.
set(MACMI_DUCKDB_DIR "" CACHE PATH "Directory with libduckdb.so and duckdb.h of DuckDB 1.4; fetched when empty")
set(duckdb_dir "${MACMI_DUCKDB_DIR}")
if(NOT duckdb_dir)
  set(duckdb_dir ${PROJECT_SOURCE_DIR}/.cache/duckdb-1.4.4)  # shared by all presets
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/fetch_duckdb ${duckdb_dir} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "DuckDB is not available; the lines above say what to do")
  endif()
endif()
foreach(file libduckdb.so duckdb.h)
  if(NOT EXISTS ${duckdb_dir}/${file})
    message(FATAL_ERROR "MACMI_DUCKDB_DIR: there is no ${duckdb_dir}/${file}")
  endif()
endforeach()

target_include_directories(macmi SYSTEM PRIVATE ${duckdb_dir})
target_link_libraries(macmi PRIVATE ${CMAKE_DL_LIBS})
file(CREATE_LINK ${duckdb_dir}/libduckdb.so ${PROJECT_BINARY_DIR}/libduckdb.so SYMBOLIC)
install(FILES ${duckdb_dir}/libduckdb.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/macmi)
# Programs that link the installed library find DuckDB beside it, wherever they live themselves.
target_link_options(macmi INTERFACE "$<INSTALL_INTERFACE:-Wl,-rpath,$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/macmi>")
set_target_properties(macmi_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/macmi")
