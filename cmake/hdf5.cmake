# SPDX-License-Identifier: MIT
#
# libredist_hdf5, the module for files of HDF5 (src/hdf5). The library loads it when such a
# file is opened, and is itself linked to no HDF5.
redist_optional(REDIST_HDF5
    "Build the module for HDF5: ON, OFF, AUTO (where there is one for this MPI)")
if(NOT REDIST_HDF5)
    return()
endif()

redist_find_mpi_library(hdf5 hdf5_openmpi hdf5_mpich hdf5)
set(hdf5_include)
if(hdf5)
    # Beside the library, or as Debian has one for each MPI.
    string(REGEX MATCH "openmpi|mpich" flavour ${hdf5})
    cmake_path(GET hdf5 PARENT_PATH directory)
    find_path(REDIST_HDF5_INCLUDE hdf5.h
        HINTS ${directory}/../include PATH_SUFFIXES hdf5/${flavour})
    mark_as_advanced(REDIST_HDF5_INCLUDE)
    set(hdf5_include ${REDIST_HDF5_INCLUDE})
endif()
if(NOT hdf5_include)
    redist_leave_out(REDIST_HDF5 "HDF5 for this MPI" "the module for it")
    return()
endif()

# Of the library it has two pure files of its own; all else it gets when it is loaded.
file(GLOB hdf5_sources CONFIGURE_DEPENDS src/hdf5/*.c)
add_library(redist_hdf5 MODULE ${hdf5_sources}
    src/files/format/dtype.c src/files/text/literal.c)
set_target_properties(redist_hdf5 PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY $<TARGET_FILE_DIR:redist> # as where they are installed
    OUTPUT_NAME redist_hdf5${REDIST_SUFFIX} C_VISIBILITY_PRESET hidden)
target_compile_definitions(redist_hdf5 PRIVATE H5_USE_110_API)
target_include_directories(redist_hdf5 PRIVATE src include)
target_include_directories(redist_hdf5 SYSTEM PRIVATE ${hdf5_include})
target_link_libraries(redist_hdf5 PRIVATE redist_flags MPI::MPI_C ${hdf5})
if(NOT CMAKE_C_FLAGS MATCHES "sanitize") # whose runtime the program has
    target_link_options(redist_hdf5 PRIVATE LINKER:-z,defs)
endif()
install(TARGETS redist_hdf5 LIBRARY DESTINATION ${REDIST_INSTALL_MODULEDIR})
