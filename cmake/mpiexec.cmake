# SPDX-License-Identifier: MIT
#
# bin/mpiexec of the build tree: the one place that knows how to run a program of this build
# under its MPI. Tests, demo and benchmarks all go through it.
add_library(mpi_doze MODULE ${CMAKE_CURRENT_LIST_DIR}/mpi_doze.c)
target_compile_options(mpi_doze PRIVATE -fno-sanitize=all) # it is loaded before their runtime
target_link_options(mpi_doze PRIVATE -fno-sanitize=all)
target_link_libraries(mpi_doze PRIVATE redist_flags ${CMAKE_DL_LIBS})

# How the launcher hands an environment variable on to the processes.
set(preload "")
if(MPI_C_LIBRARY_VERSION_STRING MATCHES "MPICH")
    set(preload "-genv LD_PRELOAD $<TARGET_FILE:mpi_doze>")
elseif(MPI_C_LIBRARY_VERSION_STRING MATCHES "Open MPI")
    set(preload "-x LD_PRELOAD=$<TARGET_FILE:mpi_doze>")
endif()
set(REDIST_MPIEXEC ${PROJECT_BINARY_DIR}/bin/mpiexec)
configure_file(${CMAKE_CURRENT_LIST_DIR}/mpiexec.in ${PROJECT_BINARY_DIR}/mpiexec.in @ONLY)
file(GENERATE OUTPUT ${REDIST_MPIEXEC} INPUT ${PROJECT_BINARY_DIR}/mpiexec.in
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                     GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
