# What a plugin out of this tree is built and tested with: the headers, libkindred-test, a CMake
# package and two pkg-config files. All find each other by relative paths, so a prefix can move.
include(CMakePackageConfigHelpers)

# Users link what they use of it: nothing here needs more than the C library.
add_library(kindred_test STATIC $<TARGET_OBJECTS:kd_base> $<TARGET_OBJECTS:kd_json>
  $<TARGET_OBJECTS:kd_plugin> $<TARGET_OBJECTS:kd_kit>)
add_library(kindred_plugin INTERFACE)
set_target_properties(kindred_test PROPERTIES
  OUTPUT_NAME kindred-test EXPORT_NAME test LINKER_LANGUAGE C)
set_target_properties(kindred_plugin PROPERTIES EXPORT_NAME plugin)
target_include_directories(kindred_plugin INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(kindred_test INTERFACE kindred_plugin ${CMAKE_DL_LIBS} pthread)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kindred)
set(KINDRED_PLUGIN_FOLDER lib/kindred/plugins)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kindredConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/kindredConfig.cmake INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR KINDRED_PLUGIN_FOLDER)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kindredConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kindredConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/kindredConfigVersion.cmake DESTINATION ${package_folder}
  COMPONENT development)
install(TARGETS kindred_test kindred_plugin EXPORT kindredTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT kindredTargets NAMESPACE kindred:: DESTINATION ${package_folder}
  COMPONENT development)

file(RELATIVE_PATH KINDRED_PREFIX_FROM_PC
  /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # "../.." or one more
foreach(name kindred kindred-test)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()
