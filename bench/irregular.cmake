# SPDX-License-Identifier: MIT
#
# bench_irregular races with PETSc, if that is there for this very MPI: of Debian,
# libpetsc-real-dev, which is Open MPI's; elsewhere PETSC_DIR tells.
target_sources(bench_irregular PRIVATE irregular/indexed.c)
list(APPEND CMAKE_PREFIX_PATH /usr/lib/petsc "$ENV{PETSC_DIR}")
redist_find_mpi_library(petsc petsc_real petsc)
find_path(petsc_include petscvec.h)
mark_as_advanced(petsc_include)
if(petsc AND petsc_include)
    target_sources(bench_irregular PRIVATE irregular/petsc.c)
    target_include_directories(bench_irregular SYSTEM PRIVATE ${petsc_include})
    target_link_libraries(bench_irregular PRIVATE ${petsc})
else()
    target_sources(bench_irregular PRIVATE irregular/missing.c)
    message(STATUS "PETSc for this MPI not found: bench_irregular goes without it")
endif()
