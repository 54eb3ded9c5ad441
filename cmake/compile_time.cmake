# What a newcomer waits for. Headers that nearly every file reads are read once; text, JSON and files,
# which no run spends its time on, are not optimised to the last.
set(everyday_headers <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <optional> <span> <string>
                     <vector> <fmt/format.h>)
target_precompile_headers(macmi PRIVATE ${everyday_headers})
target_precompile_headers(macmi_verbs PRIVATE ${everyday_headers} <nlohmann/json.hpp>)

# Kernels are compiled once for every instruction set, each time from their own first line on.
file(GLOB_RECURSE kernel_sources src/*_kernel.cpp src/knn/leaf_scan.cpp src/base/vector/sort.cpp src/base/vector/simd.cpp src/citest/engines/slice_choices.cpp)
set_source_files_properties(${kernel_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")  # or trainings take so long that tests give up; assertions stay
  set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS -O2)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(macmi_verbs PRIVATE -O1)
endif()

# Processors with SSSE3 and without SSE4 are of 2006: they take the plain version, and kernels are compiled once less.
target_compile_definitions(macmi_flags INTERFACE HWY_DISABLED_TARGETS=HWY_SSSE3)

# The files of these folders are compiled together, one folder at a time: most of the time of a small file goes into the
# templates of headers. clang-tidy reads every file by itself (preset lint), so that each keeps the includes it needs.
option(MACMI_TOGETHER "Compile small files of a folder together" ON)
if(MACMI_TOGETHER)
  set_target_properties(macmi PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(texts base/files cluster data data/columns data/samples data/tables evaluate experiments prepare report run select)
  foreach(folder blanket citest citest/null cmi maps maps/training/rounds ${texts})
    file(GLOB together src/${folder}/*.cpp)
    list(REMOVE_ITEM together ${kernel_sources})
    list(FILTER together EXCLUDE REGEX "src/select/sufficiency\\.cpp$")  # has names that another file has
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${together} PROPERTIES UNITY_GROUP ${group})
    if(folder IN_LIST texts AND CMAKE_BUILD_TYPE STREQUAL "Release")
      set_source_files_properties(${CMAKE_BINARY_DIR}/CMakeFiles/macmi.dir/Unity/unity_${group}_cxx.cxx
                                  PROPERTIES COMPILE_OPTIONS -O1)
    endif()
  endforeach()
endif()
