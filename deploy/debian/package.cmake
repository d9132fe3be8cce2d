# Debian packages, by `cpack` in the build folder: kindred, kindred-plugins and kindred-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kindred)
set(CPACK_PACKAGE_VENDOR "kindred")
set(CPACK_PACKAGE_CONTACT "kindred maintainers <kindred@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "live graph of a Kubernetes cluster")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime plugins development)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)

set(version "${PROJECT_VERSION}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME kindred)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "ca-certificates, passwd")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "kindred-plugins (= ${version})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_LIST_DIR}/conffiles;${CMAKE_CURRENT_LIST_DIR}/postinst"
  "${CMAKE_CURRENT_LIST_DIR}/prerm;${CMAKE_CURRENT_LIST_DIR}/postrm")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Host, command line and systemd unit.\nThe unit is not started by itself: tell kindred its \
cluster in /etc/kindred/kindred.conf, then enable it.")

set(CPACK_DEBIAN_PLUGINS_PACKAGE_NAME kindred-plugins)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_DEPENDS "kindred (= ${version})")
set(CPACK_COMPONENT_PLUGINS_DESCRIPTION "A plugin for each of the kinds that come with kindred.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME kindred-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "kindred (= ${version}), cmake, pkg-config")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers of the plugin interface and libkindred-test, with which a plugin is built and tested.")
include(CPack)
