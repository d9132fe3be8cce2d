# build/kindred_sqlite.so: a loadable extension of SQLite. It brings its own zstd code with it and
# takes SQLite from the program that loads it.
add_library(kindred_sqlite MODULE ${CMAKE_CURRENT_LIST_DIR}/door.c
  ${CMAKE_CURRENT_LIST_DIR}/../data.c)
target_link_libraries(kindred_sqlite PRIVATE kd_options kd_informer)
target_link_options(kindred_sqlite PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
set_target_properties(kindred_sqlite PROPERTIES PREFIX "" OUTPUT_NAME kindred_sqlite
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS kindred_sqlite LIBRARY DESTINATION lib/kindred COMPONENT runtime)
