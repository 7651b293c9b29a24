# SPDX-License-Identifier: MIT
#
# Where the compiler is MPI's own (CC=mpicc), find_package(MPI) sets neither MPI_C_INCLUDE_DIRS
# nor MPI_C_LIBRARIES, as none are needed to compile for this MPI. But the explorer is made by
# another compiler, and other libraries are compared with those of MPI (peers.cmake). Both are
# among what the compiler adds by itself.
if(NOT MPI_C_INCLUDE_DIRS)
    unset(MPI_C_INCLUDE_DIRS) # an empty one counts as found
    find_path(MPI_C_INCLUDE_DIRS mpi.h PATHS ${CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES}
        NO_DEFAULT_PATH NO_CACHE)
endif()
if(NOT MPI_C_LIBRARIES)
    set(names ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
    list(FILTER names INCLUDE REGEX mpi)
    foreach(name ${names})
        find_library(library ${name} PATHS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES}
            NO_DEFAULT_PATH NO_CACHE)
        if(library)
            list(APPEND MPI_C_LIBRARIES ${library})
        endif()
        unset(library)
    endforeach()
endif()
