# SPDX-License-Identifier: MIT
#
# bench_files races with HDF5 itself, where the module for it is built.
target_sources(bench_files PRIVATE files/contenders.c)
if(TARGET redist_hdf5)
    target_sources(bench_files PRIVATE files/by_hdf5.c)
    target_include_directories(bench_files SYSTEM PRIVATE ${hdf5_include})
    target_link_libraries(bench_files PRIVATE ${hdf5})
else()
    target_sources(bench_files PRIVATE files/missing.c)
endif()
