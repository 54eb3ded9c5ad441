# What a newcomer waits for. Headers that nearly every file reads are read once; text, JSON and files,
# which no run spends its time on, are not optimised to the last.
set(everyday_headers <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <optional> <span> <string>
                     <vector> <fmt/format.h>)
target_precompile_headers(macmi PRIVATE ${everyday_headers})
target_precompile_headers(macmi_verbs PRIVATE ${everyday_headers} <nlohmann/json.hpp>)

# Kernels are compiled once for every instruction set, each time from their own first line on.
file(GLOB_RECURSE kernel_sources src/*_kernel.cpp src/knn/leaf_scan.cpp src/base/vector/sort.cpp src/base/vector/simd.cpp src/citest/engines/slice_choices.cpp)
set_source_files_properties(${kernel_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  file(GLOB text_sources src/report/*.cpp src/experiments/*.cpp src/experiments/simulations/*.cpp src/evaluate/*.cpp src/run/*.cpp src/cluster/*.cpp src/prepare/*.cpp
       src/select/*.cpp src/data/describe.cpp src/data/health_text.cpp)
  set_source_files_properties(${text_sources} PROPERTIES COMPILE_OPTIONS -O1)
  target_compile_options(macmi_verbs PRIVATE -O1)
endif()
