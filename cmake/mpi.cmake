# libmacmi-mpi.so carries a selection over several machines. macmi opens it only when mpirun or srun started it; nothing
# else needs MPI. -DMACMI_MPI=ON insists on it, OFF leaves it out.
set(MACMI_MPI AUTO CACHE STRING "Build libmacmi-mpi.so: ON, OFF, or AUTO (where MPI is installed)")
if(NOT MACMI_MPI)
  return()
endif()
file(GLOB mpi_compilers CONFIGURE_DEPENDS /usr/bin/mpicxx)  # installed later: configure again
find_package(MPI 3.0 COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  if(NOT MACMI_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "MPI was not found: apt-get install libopenmpi-dev openmpi-bin, or configure with -DMACMI_MPI=OFF "
                        "(macmi then runs on one machine)")
  endif()
  return()
endif()
add_library(macmi_mpi MODULE src/cluster/mpi/plugin.cpp)
set_target_properties(macmi_mpi PROPERTIES OUTPUT_NAME macmi-mpi CXX_VISIBILITY_PRESET hidden
                                           LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(macmi_mpi PRIVATE src)
target_compile_definitions(macmi_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(macmi_mpi PRIVATE macmi_flags MPI::MPI_CXX)
add_dependencies(macmi_cli macmi_mpi)
install(TARGETS macmi_mpi LIBRARY DESTINATION lib/macmi)
