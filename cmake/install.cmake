# SPDX-License-Identifier: MIT
#
# The installed tree: libraries, headers, Fortran modules, tool, man pages, and what
# find_package(redist) and pkg-config read. Their names have the suffix of the libraries too.
include(CMakePackageConfigHelpers)

install(TARGETS redist redist_static redist_scalapack redist_scalapack_static EXPORT redist
    PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/redist)
if(TARGET redist_tool)
    install(TARGETS redist_tool)
endif()

# Completion of shells, which the tool writes from its own table of options, for its own name.
if(TARGET redist_tool AND NOT REDIST_SUFFIX AND NOT CMAKE_CROSSCOMPILING AND NOT REDIST_SIMULATED)
    set(completion_bash bash-completion/completions/redist)
    set(completion_zsh zsh/site-functions/_redist)
    set(completion_fish fish/vendor_completions.d/redist.fish)
    foreach(shell bash zsh fish)
        set(script ${PROJECT_BINARY_DIR}/completion/${completion_${shell}})
        cmake_path(GET script PARENT_PATH folder)
        cmake_path(GET completion_${shell} PARENT_PATH installed)
        add_custom_command(OUTPUT ${script} DEPENDS redist_tool VERBATIM
            COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
            COMMAND redist_tool completion ${shell} > ${script})
        list(APPEND completion_scripts ${script})
        install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${installed})
    endforeach()
    add_custom_target(redist_completion ALL DEPENDS ${completion_scripts})
endif()

foreach(section 1 3)
    file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
    if(pages)
        install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endif()
endforeach()

set(package redist${REDIST_SUFFIX})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${package})
install(EXPORT redist NAMESPACE redist:: FILE redistTargets.cmake
    DESTINATION ${package_dir})
set(redist_mpi ${MPI_C_LIBRARIES}) # by their names
list(TRANSFORM redist_mpi REPLACE ".*/|\\..*" "")
configure_package_config_file(cmake/redistConfig.cmake.in
    ${PROJECT_BINARY_DIR}/${package}Config.cmake INSTALL_DESTINATION ${package_dir})
# The Fortran module, in an export of its own: who asks for C alone needs no Fortran. Its files
# are for one MPI, as the headers are not.
if(TARGET redist_fortran)
    install(TARGETS redist_fortran redist_fortran_static EXPORT redistFortran)
    install(EXPORT redistFortran NAMESPACE redist:: FILE redistFortranTargets.cmake
        DESTINATION ${package_dir})
    install(DIRECTORY ${PROJECT_BINARY_DIR}/fortran/modules/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/redist${REDIST_SUFFIX}
        FILES_MATCHING PATTERN *.mod)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/${package}Config.cmake
              ${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake
    DESTINATION ${package_dir})

# pkg-config: a file for each library, and one, <library>_static, that links it statically
# although both lie side by side. The prefix is found from where the file lies, so that a
# tree may be moved and `cmake --install --prefix` needs no new configuration. A directory
# that is given as an absolute path stays there.
file(RELATIVE_PATH pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
foreach(dir includedir libdir)
    string(TOUPPER ${dir} name)
    set(pc_${dir} "\${prefix}")
    cmake_path(APPEND pc_${dir} "${CMAKE_INSTALL_${name}}") # an absolute one replaces it
endforeach()

function(redist_install_pc pc_name pc_description pc_requires pc_cflags pc_libs pc_private)
    configure_file(cmake/redist.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# `requires` the shared library, `static_requires` the static one, all names without _static
# and suffix.
function(redist_install_pcs name description requires static_requires cflags libs)
    foreach(names name requires static_requires)
        list(TRANSFORM ${names} APPEND "${REDIST_SUFFIX}")
    endforeach()
    redist_install_pc(${name} "${description}" "${requires}" "${cflags}"
        "-L\${libdir} -l${name}" "${libs}")
    list(TRANSFORM static_requires APPEND _static)
    redist_install_pc(${name}_static "${description}; static" "${static_requires}" "${cflags}"
        "\${libdir}/lib${name}.a${libs}" "")
endfunction()

set(openmp)
if(REDIST_OPENMP)
    set(openmp " ${OpenMP_C_FLAGS}")
endif()
list(JOIN codec_names " -l" codecs)
if(codecs)
    set(codecs " -l${codecs}")
endif()
redist_install_pcs(redist "${PROJECT_DESCRIPTION}; compile and link with the MPI's own mpicc"
    "" "" "-I\${includedir}" " -lm -ldl${openmp}${codecs}")
redist_install_pcs(redist_scalapack
    "A drop-in for ScaLAPACK's redistribution; link it before ScaLAPACK" "" redist "" "")
if(TARGET redist_fortran)
    redist_install_pcs(redist_fortran
        "The Fortran module of redist; compile and link with the MPI's own mpifort"
        redist redist "-I\${includedir}/redist${REDIST_SUFFIX}" "")
endif()
