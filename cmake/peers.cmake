# SPDX-License-Identifier: MIT
#
# Other libraries that redistribute, as tests and benchmarks find them.

# Set `result` to the tag NEEDED or SONAME of a shared library, as its dynamic section has it.
function(redist_dynamic_tag tag library result)
    execute_process(COMMAND ${CMAKE_READELF} -d ${library}
        OUTPUT_VARIABLE section ERROR_QUIET)
    string(REGEX MATCHALL "\\(${tag}\\)[^\n]*\\[[^]\n]*\\]" lines "${section}")
    list(TRANSFORM lines REPLACE ".*\\[(.*)\\]" "\\1")
    set(${result} ${lines} PARENT_SCOPE)
endfunction()

# Find the first of some shared libraries that is linked to the MPI of this build: two MPIs in
# one process end badly.
function(redist_find_mpi_library variable)
    set(mpi)
    foreach(library ${MPI_C_LIBRARIES})
        redist_dynamic_tag(SONAME ${library} soname)
        list(APPEND mpi ${soname})
    endforeach()
    foreach(name ${ARGN})
        find_library(${variable}_${name} ${name})
        mark_as_advanced(${variable}_${name})
        if(${variable}_${name})
            redist_dynamic_tag(NEEDED ${${variable}_${name}} needed)
            foreach(soname ${needed})
                if(soname IN_LIST mpi)
                    set(${variable} ${${variable}_${name}} PARENT_SCOPE)
                    return()
                endif()
            endforeach()
        endif()
    endforeach()
endfunction()
