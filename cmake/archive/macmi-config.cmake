# find_package(macmi) from the archive that `make dist` packs, wherever it is unpacked. The libraries that macmi is made of
# come along as libmacmi_inside.a; GCC 12 or newer, or a Clang that uses GCC's C++ library, is needed to link.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(macmi_folder "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET macmi::macmi)
  add_library(macmi::macmi STATIC IMPORTED)
  # Programs find DuckDB in the archive through their run path.
  set_target_properties(macmi::macmi PROPERTIES
    IMPORTED_LOCATION "${macmi_folder}/lib/libmacmi.a"
    INTERFACE_INCLUDE_DIRECTORIES "${macmi_folder}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "${macmi_folder}/lib/libmacmi_inside.a;Threads::Threads;${CMAKE_DL_LIBS}"
    INTERFACE_LINK_OPTIONS "-Wl,-rpath,${macmi_folder}/lib/macmi")
endif()
