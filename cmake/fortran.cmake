# SPDX-License-Identifier: MIT
#
# The Fortran module, its tests and its examples need a Fortran compiler and an mpi_f08 that this
# compiler can read, which a simulated MPI has not.
redist_optional(REDIST_FORTRAN
    "Build the Fortran module: ON, OFF, AUTO (with a compiler, and mpi_f08 for it)")
if(NOT REDIST_FORTRAN)
    return()
endif()

redist_check_language(Fortran FC)
if(CMAKE_Fortran_COMPILER AND NOT REDIST_SIMULATED)
    enable_language(Fortran)
    find_package(MPI COMPONENTS Fortran)
endif()
if(MPI_Fortran_HAVE_F08_MODULE)
    add_subdirectory(fortran)
else()
    redist_leave_out(REDIST_FORTRAN "a Fortran compiler with mpi_f08" "the Fortran module")
endif()
