# `cmake --install` gives a package that another project finds with find_package(macmi).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/macmi)
install(TARGETS macmi EXPORT macmi_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS macmi_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/macmi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT macmi_targets NAMESPACE macmi:: DESTINATION ${package_dir})
set(macmi_has_libraries_inside OFF)
if(MACMI_SOURCES)
  set(macmi_has_libraries_inside ON)
endif()
configure_package_config_file(cmake/macmi-config.cmake.in ${PROJECT_BINARY_DIR}/macmi-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/macmi-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/macmi-config.cmake ${PROJECT_BINARY_DIR}/macmi-config-version.cmake
        DESTINATION ${package_dir})
