# SPDX-License-Identifier: MIT
#
# The Fortran module, its tests and its examples are left out where there is no Fortran compiler,
# or no mpi_f08 that this compiler can read, as of a simulated MPI.
include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER AND NOT REDIST_SIMULATED)
    enable_language(Fortran)
    find_package(MPI COMPONENTS Fortran)
endif()
if(MPI_Fortran_HAVE_F08_MODULE)
    add_subdirectory(fortran)
else()
    message(STATUS "No Fortran compiler with mpi_f08: the Fortran module is left out")
endif()
