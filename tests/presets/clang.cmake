# cmake -C tests/presets/clang.cmake -S . -B build-clang
find_program(KINDRED_CLANG NAMES clang clang-14 clang-15 clang-16 REQUIRED)
set(CMAKE_C_COMPILER ${KINDRED_CLANG} CACHE FILEPATH "")
