# cmake -C tests/presets/asan.cmake -S . -B build-asan
set(KINDRED_SANITIZE address CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
