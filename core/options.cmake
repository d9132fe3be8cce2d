# Warnings and hardening for everything that is compiled here.
add_library(kd_options INTERFACE)
target_compile_definitions(kd_options INTERFACE _GNU_SOURCE KINDRED_VERSION="${PROJECT_VERSION}")
target_compile_options(kd_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wswitch-enum -fno-strict-overflow -fstack-protector-strong)
if(KINDRED_WERROR)
  target_compile_options(kd_options INTERFACE -Werror)
endif()
target_link_options(kd_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)

if(KINDRED_SANITIZE STREQUAL "address")
  target_compile_options(kd_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kd_options INTERFACE -fsanitize=address,undefined)
elseif(KINDRED_SANITIZE STREQUAL "thread")
  target_compile_options(kd_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(kd_options INTERFACE -fsanitize=thread)
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(kd_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
if(KINDRED_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  target_compile_options(kd_options INTERFACE -shared-libasan)
  target_link_options(kd_options INTERFACE -shared-libasan)
endif()
