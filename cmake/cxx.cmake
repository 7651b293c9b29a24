# SPDX-License-Identifier: MIT
#
# The headers for C++ need no compiler here; their tests and example do. They call C's
# MPI, and leave out the C++ binding that old ones have.
redist_check_language(CXX CXX)
if(CMAKE_CXX_COMPILER AND NOT REDIST_SIMULATED)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_EXTENSIONS OFF)
    set(cxx_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
    add_library(redist_cxx_flags INTERFACE)
    target_compile_definitions(redist_cxx_flags INTERFACE
        OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_compile_options(redist_cxx_flags INTERFACE
        ${cxx_warnings} $<$<BOOL:${REDIST_WERROR}>:-Werror>)
else()
    message(STATUS "No C++ compiler: the tests and the example of C++ are left out")
endif()
