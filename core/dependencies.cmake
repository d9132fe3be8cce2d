# Libraries from Debian packages; a missing one is named with its package.
find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config is missing: install the Debian package pkg-config")
endif()
find_package(Threads REQUIRED)

function(kd_dependency target module package)
  pkg_check_modules(${target} IMPORTED_TARGET QUIET ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR
      "The library ${module} is missing: install the Debian package ${package} "
      "(deploy/install-deps installs all of them)")
  endif()
endfunction()

kd_dependency(CURL libcurl libcurl4-openssl-dev)
kd_dependency(JSONC json-c libjson-c-dev)
kd_dependency(OPENSSL openssl libssl-dev)
kd_dependency(LIBCONFIG libconfig libconfig-dev)
kd_dependency(YAML yaml-0.1 libyaml-dev)
kd_dependency(ZSTD libzstd libzstd-dev)
kd_dependency(SQLITE sqlite3 libsqlite3-dev)
kd_dependency(EVENT libevent libevent-dev)
kd_dependency(EVENT_OPENSSL libevent_openssl libevent-dev)
kd_dependency(EVENT_PTHREADS libevent_pthreads libevent-dev)
if(KINDRED_TESTS)
  kd_dependency(CMOCKA cmocka libcmocka-dev)
endif()
