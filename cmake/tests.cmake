# SPDX-License-Identifier: MIT
#
# How each kind of test is registered. Each has a time limit, and each that uses MPI runs
# through bin/mpiexec, whose own limit is shorter, so that no process is left behind. In a
# long run the limits are 30 times as long.
set(REDIST_TEST_PREFIX "" CACHE STRING "Before the name of each test, for instance openmpi.")
set(REDIST_TEST_NPROCS 1 2 4 7 CACHE STRING
    "Numbers of processes that an MPI test runs with unless it lists its own")
option(REDIST_TEST_SERIAL "Also tests that run without mpiexec: with one MPI they are enough"
    ON)
set(serial_timeout 300)
set(mpi_timeout 240)
set(tool_timeout 300)

# redist_add_test(name label timeout processes COMMAND .. [ENVIRONMENT ..])
function(redist_add_test name label timeout processes)
    cmake_parse_arguments(PARSE_ARGV 4 test "" "" "COMMAND;ENVIRONMENT")
    set(name ${REDIST_TEST_PREFIX}${name})
    add_test(NAME ${name} COMMAND ${test_COMMAND})
    if(DEFINED ENV{REDIST_TEST_LONG})
        math(EXPR timeout "${timeout} * 30")
    endif()
    if(NOT label STREQUAL serial)
        math(EXPR mpi_limit "${timeout} - 15")
        list(APPEND test_ENVIRONMENT REDIST_MPI_TIMEOUT=${mpi_limit})
    endif()
    # With PROCESSORS, ctest -j runs about as many processes at a time as it was told to. A
    # test that needs more runs alone. Those of more than 8 count as 8, so that two may run
    # at a time.
    if(processes GREATER 8)
        set(processes 8)
    endif()
    set_tests_properties(${name} PROPERTIES
        LABELS ${label} TIMEOUT ${timeout} PROCESSORS ${processes}
        ENVIRONMENT "${test_ENVIRONMENT}")
endfunction()

# redist_add_serial_test(target) - one run of a program, without mpiexec.
function(redist_add_serial_test target)
    redist_add_test(${target} serial ${serial_timeout} 1 COMMAND ${target})
endfunction()

# redist_add_mpi_test(target [nprocs..] [CASE name] [TIMEOUT seconds] [ARGUMENTS ..]) - one run
# of a program for each number of processes: target.nprocs, or target.name.nprocs.
function(redist_add_mpi_test target)
    cmake_parse_arguments(PARSE_ARGV 1 test "" "CASE;TIMEOUT" "ARGUMENTS")
    set(nprocs ${test_UNPARSED_ARGUMENTS})
    if(NOT nprocs)
        set(nprocs ${REDIST_TEST_NPROCS})
    endif()
    set(name ${target})
    if(test_CASE)
        string(APPEND name .${test_CASE})
    endif()
    if(NOT test_TIMEOUT)
        set(test_TIMEOUT ${mpi_timeout})
    endif()
    foreach(n ${nprocs})
        redist_add_test(${name}.${n} mpi ${test_TIMEOUT} ${n}
            COMMAND ${REDIST_MPIEXEC} -n ${n} $<TARGET_FILE:${target}> ${test_ARGUMENTS})
    endforeach()
endfunction()

# redist_add_script_test(name label processes script ..) - a shell script.
function(redist_add_script_test name label processes script)
    redist_add_test(${name} ${label} ${tool_timeout} ${processes}
        COMMAND bash ${script} ${ARGN}
        ENVIRONMENT ASAN_OPTIONS=detect_leaks=0 # the MPI's own, as in bin/mpiexec
                    "REDIST_MPIEXEC=${REDIST_MPIEXEC}"
                    "REDIST_TOOL=${PROJECT_BINARY_DIR}/bin/redist${REDIST_SUFFIX}"
                    "REDIST_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
                    "REDIST_BUILD_DIR=${PROJECT_BINARY_DIR}")
endfunction()

# redist_add_python_test(name nprocs.. COMMAND script ..) - a script over the package redist of
# the source tree and the library of this build; none where Python can't test it.
function(redist_add_python_test name)
    cmake_parse_arguments(PARSE_ARGV 1 test "" "" "COMMAND")
    foreach(n ${test_UNPARSED_ARGUMENTS})
        if(REDIST_PYTHON)
            redist_add_test(${name}.${n} mpi ${mpi_timeout} ${n}
                COMMAND ${REDIST_MPIEXEC} -n ${n} ${REDIST_PYTHON} ${test_COMMAND}
                ENVIRONMENT REDIST_LIBRARY=$<TARGET_FILE:redist>
                            PYTHONPATH=${PROJECT_SOURCE_DIR}/python
                            PYTHONDONTWRITEBYTECODE=1)
        endif()
    endforeach()
endfunction()
