# SPDX-License-Identifier: MIT
#
# What a simulated MPI declares and has not. It compiles and links, then ends the program or
# answers wrongly, so small programs are run to find out, as two processes on one node (or
# more) that must all PASS; src/move/mpi/lacks.h hands on what they find. The other MPIs have what they declare, and
# where a library is built its programs often cannot be run.
set(REDIST_LACKS "") # definitions for the compiler

# redist_probe(name call [processes]) - run lacks/<name>.c; without it there is no `call` that
# works.
function(redist_probe name call)
    set(processes 2)
    if(ARGC GREATER 2)
        set(processes ${ARGV2})
    endif()
    string(TOUPPER LACKS_${name} lacks)
    if(NOT DEFINED ${lacks})
        set(program ${PROJECT_BINARY_DIR}/lacks/${name})
        try_compile(compiled ${PROJECT_BINARY_DIR}/lacks
            SOURCES ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/lacks/${name}.c
            LINK_LIBRARIES MPI::MPI_C COPY_FILE ${program})
        set(output "")
        if(compiled)
            execute_process(COMMAND ${CMAKE_COMMAND} -E env REDIST_MPI_TIMEOUT=20
                REDIST_PLATFORM=nodes ${REDIST_MPIEXEC} -n ${processes} ${program}
                OUTPUT_VARIABLE output ERROR_QUIET)
        endif()
        string(REGEX MATCHALL "PASS [0-9]+" passed "${output}")
        list(LENGTH passed passed)
        set(found TRUE)
        if(passed EQUAL processes)
            set(found FALSE)
        endif()
        set(${lacks} ${found} CACHE INTERNAL "there is no ${call} that works")
    endif()
    if(${lacks})
        message(STATUS "This MPI has no ${call} that works")
        list(APPEND REDIST_LACKS "${lacks}=\"${call}\"")
        set(REDIST_LACKS "${REDIST_LACKS}" PARENT_SCOPE)
    endif()
endfunction()

if(REDIST_SIMULATED)
    redist_probe(messages MPI_Sendrecv)
    if(LACKS_MESSAGES)
        message(FATAL_ERROR "programs of this MPI cannot be run: ${REDIST_MPIEXEC}")
    endif()
    redist_probe(graphs MPI_Dist_graph_create_adjacent)
    redist_probe(shared_windows MPI_Win_shared_query)
    redist_probe(true_extents MPI_Type_get_true_extent_x)
    redist_probe(persistent MPI_Send_init)
    redist_probe(reductions MPI_Iallreduce 64)
    redist_probe(intercomms MPI_Intercomm_create)
endif()
