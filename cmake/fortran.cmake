# SPDX-License-Identifier: MIT
#
# The Fortran module, its tests and its examples need a Fortran compiler and an mpi_f08 that this
# compiler can read, which a simulated MPI has not.
set(REDIST_FORTRAN AUTO CACHE STRING
    "Build the Fortran module: ON, OFF, AUTO (with a compiler, and mpi_f08 for it)")
set_property(CACHE REDIST_FORTRAN PROPERTY STRINGS AUTO ON OFF)
if(NOT REDIST_FORTRAN)
    return()
endif()

include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER AND NOT REDIST_SIMULATED)
    enable_language(Fortran)
    find_package(MPI COMPONENTS Fortran)
endif()
if(MPI_Fortran_HAVE_F08_MODULE)
    add_subdirectory(fortran)
elseif(NOT REDIST_FORTRAN STREQUAL AUTO)
    message(FATAL_ERROR
        "REDIST_FORTRAN is ${REDIST_FORTRAN}, but there is no Fortran compiler with mpi_f08")
else()
    message(STATUS "No Fortran compiler with mpi_f08: the Fortran module is left out")
endif()
