# SPDX-License-Identifier: MIT
#
# What bench_peers and bench_node race against: other libraries that redistribute, each if it
# is there for this very MPI, and what one writes by hand.
add_library(bench_contenders STATIC
    peers/item.c peers/redist.c peers/by_hand.c peers/copy.c peers/missing.c)
target_include_directories(bench_contenders PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/peers)
target_link_libraries(bench_contenders PUBLIC redist_tool_parts)
foreach(program bench_peers bench_node)
    target_link_libraries(${program} PRIVATE bench_contenders)
endforeach()

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

target_sources(bench_node PRIVATE node/chart.c)
target_include_directories(bench_node PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})

redist_find_mpi_library(scalapack scalapack-openmpi scalapack-mpich scalapack)
if(scalapack)
    target_sources(bench_contenders PRIVATE peers/scalapack.c)
    target_compile_definitions(bench_contenders PRIVATE HAVE_SCALAPACK)
    target_link_libraries(bench_contenders PRIVATE ${scalapack})
else()
    message(STATUS "ScaLAPACK for this MPI not found: the benchmarks go without it")
endif()

redist_find_mpi_library(fftw_mpi fftw3_mpi)
find_library(fftw fftw3)
find_path(fftw_include fftw3-mpi.h)
mark_as_advanced(fftw fftw_include)
if(fftw_mpi AND fftw AND fftw_include)
    target_sources(bench_contenders PRIVATE peers/fftw.c)
    target_compile_definitions(bench_contenders PRIVATE HAVE_FFTW)
    target_include_directories(bench_contenders SYSTEM PRIVATE ${fftw_include})
    target_link_libraries(bench_contenders PRIVATE ${fftw_mpi} ${fftw})
else()
    message(STATUS "FFTW for this MPI not found: the benchmarks go without it")
endif()

# COSTA is C++, which nothing else here needs.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    find_package(costa CONFIG QUIET)
endif()
if(TARGET costa::costa)
    target_sources(bench_contenders PRIVATE peers/costa.cpp)
    target_compile_definitions(bench_contenders PRIVATE HAVE_COSTA)
    target_link_libraries(bench_contenders PRIVATE costa::costa)
else()
    message(STATUS "COSTA not found: the benchmarks go without it")
endif()
