# SPDX-License-Identifier: MIT
#
# What bench_peers and bench_node race against: other libraries that redistribute, each if it
# is there for this very MPI, and what one writes by hand.
add_library(bench_contenders STATIC
    peers/arena.c peers/item.c peers/redist.c peers/by_hand.c peers/copy.c
    peers/missing.c)
target_include_directories(bench_contenders PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/peers)
target_link_libraries(bench_contenders PUBLIC redist_tool_parts)
foreach(program bench_ablate bench_peers bench_node)
    if(TARGET ${program})
        target_link_libraries(${program} PRIVATE bench_contenders)
    endif()
endforeach()

target_sources(bench_node PRIVATE node/chart.c)

if(scalapack)
    target_link_libraries(bench_dropin PRIVATE bench_contenders)
    target_link_libraries(bench_sums PRIVATE ${scalapack})
    foreach(program bench_dropin bench_sums)
        target_sources(${program} PRIVATE peers/dropin.c)
        target_link_libraries(${program} PRIVATE ${CMAKE_DL_LIBS})
        target_compile_definitions(${program} PRIVATE
            DROPIN="$<TARGET_FILE:redist_scalapack>")
    endforeach()
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
redist_check_language(CXX CXX)
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
