# SPDX-License-Identifier: MIT
#
# The Python package has nothing to build. REDIST_PYTHON is set to an interpreter that can test
# it: one with NumPy, and an mpi4py of this very MPI; REDIST_PYTHON_OTHER_MPI where it is of
# another, and can test that this is told; REDIST_PYTHON_WHEEL, that it can make a wheel.
find_package(Python3 COMPONENTS Interpreter)
set(report "no Python")
if(Python3_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "
import numpy, mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
print(MPI.Get_library_version(), end='')"
        OUTPUT_VARIABLE version RESULT_VARIABLE result ERROR_QUIET)
    set(report "mpi4py or NumPy not found")
endif()
if(Python3_FOUND AND result EQUAL 0)
    # The patch level apart, as its first line says "Open MPI v4.1.4, .." or "MPICH Version: ..".
    string(REGEX MATCH "^[^,\n]*" version "${version}")
    string(REGEX MATCH "^[^,\n]*" ours "${MPI_C_LIBRARY_VERSION_STRING}")
    set(report "mpi4py is of ${version}, this build of ${ours}")
    if(CMAKE_C_FLAGS MATCHES "sanitize")
        set(report "Python has no sanitizer") # whose runtime it would have to load first
    elseif(version STREQUAL ours)
        set(REDIST_PYTHON ${Python3_EXECUTABLE})
    else()
        set(REDIST_PYTHON_OTHER_MPI ${Python3_EXECUTABLE})
    endif()
endif()
if(REDIST_PYTHON)
    execute_process(COMMAND ${REDIST_PYTHON} -c "import setuptools, wheel, pip"
        RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
        set(REDIST_PYTHON_WHEEL ON)
    endif()
else()
    message(STATUS "${report}: the tests of the Python package are left out")
endif()
