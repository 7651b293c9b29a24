# SPDX-License-Identifier: MIT
#
# The installed tree: libraries, headers, Fortran modules, tool, man pages, and what
# find_package(redist) and pkg-config read.
include(CMakePackageConfigHelpers)

install(TARGETS redist redist_static redist_scalapack redist_scalapack_static EXPORT redist
    PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/redist)
if(TARGET redist_tool)
    install(TARGETS redist_tool)
endif()

foreach(section 1 3)
    file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
    if(pages)
        install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/redist)
install(EXPORT redist NAMESPACE redist:: FILE redistTargets.cmake
    DESTINATION ${package_dir})
configure_package_config_file(cmake/redistConfig.cmake.in
    ${PROJECT_BINARY_DIR}/redistConfig.cmake INSTALL_DESTINATION ${package_dir})
# The Fortran module, in an export of its own: who asks for C alone needs no Fortran.
if(TARGET redist_fortran)
    install(TARGETS redist_fortran redist_fortran_static EXPORT redistFortran)
    install(EXPORT redistFortran NAMESPACE redist:: FILE redistFortranTargets.cmake
        DESTINATION ${package_dir})
    install(DIRECTORY ${PROJECT_BINARY_DIR}/fortran/modules/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/redist FILES_MATCHING PATTERN *.mod)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/redistConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/redistConfig.cmake
              ${PROJECT_BINARY_DIR}/redistConfigVersion.cmake
    DESTINATION ${package_dir})

# The prefix is found from where the file lies, so that a tree may be moved and
# `cmake --install --prefix` needs no new configuration.
file(RELATIVE_PATH pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
set(pc_openmp "")
if(REDIST_OPENMP)
    set(pc_openmp " ${OpenMP_C_FLAGS}")
endif()
set(packages redist)
if(TARGET redist_fortran)
    list(APPEND packages redist_fortran)
endif()
foreach(package ${packages})
    configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
