# SPDX-License-Identifier: MIT
#
# bin/mpiexec of the build tree: the one place that knows how to run a program of this build
# under its MPI. Tests, demo and benchmarks all go through it.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(smpi_execute mpi.h REDIST_SIMULATED) # SimGrid's SMPI, by smpicc
unset(CMAKE_REQUIRED_LIBRARIES)
set(REDIST_MPIEXEC ${PROJECT_BINARY_DIR}/bin/mpiexec)

if(REDIST_SIMULATED)
    # Each of the processes loads the program anew, in as few areas of memory as can be: a
    # system maps some 65,000 at most.
    add_link_options(LINKER:-z,noseparate-code,-z,norelro)
    find_library(SIMGRID_LIBRARY simgrid REQUIRED)
    cmake_path(GET SIMGRID_LIBRARY PARENT_PATH simgrid_dir)
    find_program(SMPIMAIN smpimain HINTS ${simgrid_dir}/simgrid REQUIRED)
    mark_as_advanced(SIMGRID_LIBRARY SMPIMAIN)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/mpiexec_smpi.in ${REDIST_MPIEXEC} @ONLY
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                         GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    return()
endif()

add_library(mpi_doze MODULE ${CMAKE_CURRENT_LIST_DIR}/mpi_doze.c)
target_compile_options(mpi_doze PRIVATE -fno-sanitize=all) # it is loaded before their runtime
target_link_options(mpi_doze PRIVATE -fno-sanitize=all)
target_link_libraries(mpi_doze PRIVATE redist_flags ${CMAKE_DL_LIBS})

# How the launcher hands an environment variable on to the processes.
set(preload "")
if(MPI_C_LIBRARY_VERSION_STRING MATCHES "MPICH")
    set(preload [[-genv LD_PRELOAD "$doze"]])
elseif(MPI_C_LIBRARY_VERSION_STRING MATCHES "Open MPI")
    set(preload [[-x LD_PRELOAD="$doze"]])
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/mpiexec.in ${PROJECT_BINARY_DIR}/mpiexec.in @ONLY)
file(GENERATE OUTPUT ${REDIST_MPIEXEC} INPUT ${PROJECT_BINARY_DIR}/mpiexec.in
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                     GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
