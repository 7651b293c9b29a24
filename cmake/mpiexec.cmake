# SPDX-License-Identifier: MIT
#
# bin/mpiexec of the build tree: the one place that knows how to run a program of this build
# under its MPI. Tests, demo and benchmarks all go through it.
set(mpich_flags "")
if(MPI_C_LIBRARY_VERSION_STRING MATCHES "MPICH")
    add_library(mpich_yield MODULE ${CMAKE_CURRENT_LIST_DIR}/mpich_yield.c)
    target_link_libraries(mpich_yield PRIVATE redist_flags ${CMAKE_DL_LIBS})
    set(mpich_flags "-genv LD_PRELOAD $<TARGET_FILE:mpich_yield>")
endif()
set(REDIST_MPIEXEC ${PROJECT_BINARY_DIR}/bin/mpiexec)
configure_file(${CMAKE_CURRENT_LIST_DIR}/mpiexec.in ${PROJECT_BINARY_DIR}/mpiexec.in @ONLY)
file(GENERATE OUTPUT ${REDIST_MPIEXEC} INPUT ${PROJECT_BINARY_DIR}/mpiexec.in
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                     GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
