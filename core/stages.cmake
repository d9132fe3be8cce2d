# kd_stage(NAME DEPS stages... LIBS targets...): core/NAME/*.c as the static library kd_NAME.
function(kd_stage name)
  cmake_parse_arguments(ARG "" "" "DEPS;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/${name}/*.c)
  if(NOT sources)
    add_library(kd_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(kd_${name} STATIC ${sources})
    target_link_libraries(kd_${name} PRIVATE kd_options)
    set(scope PUBLIC)
  endif()
  target_include_directories(kd_${name} ${scope}
    ${CMAKE_SOURCE_DIR}/core ${CMAKE_SOURCE_DIR}/include)
  list(TRANSFORM ARG_DEPS PREPEND kd_)
  target_link_libraries(kd_${name} ${scope} ${ARG_DEPS} ${ARG_LIBS})
endfunction()

# kd_plugin(NAME SOURCES files...): one loadable plugin in build/plugins/NAME.so.
function(kd_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(plugin_${name} MODULE ${ARG_SOURCES})
  target_include_directories(plugin_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(plugin_${name} PRIVATE kd_options)
  set_target_properties(plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  install(TARGETS plugin_${name} LIBRARY DESTINATION lib/kindred/plugins
    COMPONENT plugins)
endfunction()
