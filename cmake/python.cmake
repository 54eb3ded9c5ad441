# The Python package: python/macmi over the extension module macmi._native. `make test` builds it beside the library,
# ready to import from build/python; `pip install .` builds it through pyproject.toml.
option(MACMI_PYTHON "Build the Python package (needs Python's headers and pybind11)" OFF)
if(NOT MACMI_PYTHON)
  return()
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir OUTPUT_VARIABLE pybind11_of_python
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(pybind11 2.12 REQUIRED CONFIG HINTS ${pybind11_of_python})

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cpp)
python_add_library(macmi_python MODULE WITH_SOABI ${python_sources})
set(python_package ${PROJECT_BINARY_DIR}/python/macmi)
set_target_properties(macmi_python PROPERTIES OUTPUT_NAME _native LIBRARY_OUTPUT_DIRECTORY ${python_package}
                                              CXX_VISIBILITY_PRESET hidden)
target_include_directories(macmi_python PRIVATE src)
target_link_libraries(macmi_python PRIVATE macmi_verbs macmi macmi_flags pybind11::headers fmt::fmt)
# Symbols of the static libraries stay inside: another extension may bring its own fmt or SQLite.
target_link_options(macmi_python PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/python/src/exported.map)
set_target_properties(macmi_python PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/exported.map)

# build/python/macmi is the package as it is installed, of links.
file(MAKE_DIRECTORY ${python_package})
file(GLOB python_files CONFIGURE_DEPENDS python/macmi/*.py python/macmi/*.pyi python/macmi/py.typed)
foreach(file IN LISTS python_files)
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${python_package}/${name} SYMBOLIC)
endforeach()
install(TARGETS macmi_python LIBRARY DESTINATION macmi COMPONENT python EXCLUDE_FROM_ALL)
