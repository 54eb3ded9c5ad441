# Libraries that macmi is made of. The system's, as shared libraries, unless MACMI_SOURCES says where the sources of all of
# them lie (tools/ship/fetch_sources): those are compiled into one static library, and what is built needs none of them.
set(MACMI_SOURCES "" CACHE PATH "Folder with the sources of fmt, Highway, zlib and SQLite, to be compiled in; empty: the system's libraries")
find_package(Threads REQUIRED)
if(MACMI_SOURCES)
  enable_language(C)
  file(GLOB zlib_sources ${MACMI_SOURCES}/zlib/*.c)
  # Of the sorts of Highway only those that src/base/vector/sort.cpp calls.
  add_library(macmi_inside STATIC ${zlib_sources} ${MACMI_SOURCES}/sqlite3/sqlite3.c
              ${MACMI_SOURCES}/fmtlib/src/format.cc ${MACMI_SOURCES}/fmtlib/src/os.cc
              ${MACMI_SOURCES}/highway/hwy/aligned_allocator.cc ${MACMI_SOURCES}/highway/hwy/targets.cc
              ${MACMI_SOURCES}/highway/hwy/per_target.cc ${MACMI_SOURCES}/highway/hwy/contrib/sort/vqsort.cc
              ${MACMI_SOURCES}/highway/hwy/contrib/sort/vqsort_f64a.cc ${MACMI_SOURCES}/highway/hwy/contrib/sort/vqsort_u64a.cc)
  foreach(folder fmtlib/include highway zlib sqlite3 include include/eigen3)
    target_include_directories(macmi_inside SYSTEM PUBLIC $<BUILD_INTERFACE:${MACMI_SOURCES}/${folder}>)
  endforeach()
  target_compile_definitions(macmi_inside PRIVATE SQLITE_THREADSAFE=1 SQLITE_OMIT_LOAD_EXTENSION HAVE_UNISTD_H HAVE_STDARG_H
                                                  _LARGEFILE64_SOURCE)
  target_compile_features(macmi_inside PRIVATE cxx_std_17)
  target_compile_options(macmi_inside PRIVATE -w -fvisibility=hidden)
  target_link_libraries(macmi_inside PUBLIC Threads::Threads)
  foreach(name fmt::fmt PkgConfig::HWY ZLIB::ZLIB SQLite::SQLite3 Eigen3::Eigen nlohmann_json::nlohmann_json CLI11::CLI11)
    add_library(${name} ALIAS macmi_inside)
  endforeach()
  install(TARGETS macmi_inside EXPORT macmi_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
else()
  find_package(fmt REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(PkgConfig REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(SQLite3 3.40 REQUIRED)
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy libhwy-contrib)
endif()
