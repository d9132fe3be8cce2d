# cmake -C tests/presets/tsan.cmake -S . -B build-tsan
set(KINDRED_SANITIZE thread CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
