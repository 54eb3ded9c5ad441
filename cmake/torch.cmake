# LibTorch trains the feature maps. Only src/maps sees it, in the library macmi_maps and the program macmi-maps, which
# macmi runs as a process of its own. -DMACMI_MAPS=OFF builds without.
option(MACMI_MAPS "Build the program that trains feature maps (needs LibTorch)" ON)
if(NOT MACMI_MAPS)
  return()
endif()
find_library(TORCH_CPU_LIBRARY torch_cpu)
find_library(TORCH_LIBRARY torch)
find_library(C10_LIBRARY c10)
find_path(TORCH_INCLUDE_DIR ATen/ATen.h)
if(NOT TORCH_CPU_LIBRARY OR NOT TORCH_LIBRARY OR NOT C10_LIBRARY OR NOT TORCH_INCLUDE_DIR)
  message(FATAL_ERROR "LibTorch was not found: apt-get install libtorch-dev libopenblas0-pthread, or configure with -DMACMI_MAPS=OFF "
                      "(macmi then works on features as they are, without feature maps)")
endif()

file(GLOB maps_sources CONFIGURE_DEPENDS src/maps/*.cpp)
list(REMOVE_ITEM maps_sources ${PROJECT_SOURCE_DIR}/src/maps/main.cpp)
add_library(macmi_maps STATIC ${maps_sources})
target_include_directories(macmi_maps PUBLIC src)
target_include_directories(macmi_maps SYSTEM PUBLIC ${TORCH_INCLUDE_DIR})
target_link_libraries(macmi_maps PUBLIC macmi fmt::fmt ${TORCH_CPU_LIBRARY} ${TORCH_LIBRARY} ${C10_LIBRARY} PRIVATE macmi_flags)
# Public, because the tests share the precompiled header, which holds for the same definitions only.
target_link_libraries(macmi_maps PUBLIC PkgConfig::HWY)
# The fused GRU's kernels know nothing of LibTorch.
set_source_files_properties(src/maps/fused_gru.cpp src/maps/gru_kernel.cpp src/maps/gru_packing.cpp
                            PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
target_precompile_headers(macmi_maps PRIVATE src/maps/torch.hpp)

add_executable(macmi_maps_worker src/maps/main.cpp)
set_target_properties(macmi_maps_worker PROPERTIES OUTPUT_NAME macmi-maps)
target_link_libraries(macmi_maps_worker PRIVATE macmi_maps macmi_flags)
if(MACMI_SANITIZE)
  target_sources(macmi_maps_worker PRIVATE tests/maps/sanitizer_options.cpp)
endif()
add_dependencies(macmi_cli macmi_maps_worker)
