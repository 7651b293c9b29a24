# SPDX-License-Identifier: MIT
#
# libredist_cuda, the module for arrays in the memory of CUDA devices (src/cuda). The library
# loads it when a process uses CUDA, and is itself linked to none.
redist_optional(REDIST_CUDA "Build the module for CUDA devices: ON, OFF, AUTO (with nvcc)")
if(NOT REDIST_CUDA)
    return()
endif()

redist_check_language(CUDA CUDACXX)
if(NOT CMAKE_CUDA_COMPILER)
    redist_leave_out(REDIST_CUDA nvcc "the module for CUDA devices")
    return()
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES) # machine code for those that it knows, and PTX for later ones
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE release ERROR_QUIET)
    string(REGEX REPLACE ".*release ([0-9.]+).*" "\\1" release "${release}")
    if(release VERSION_LESS 11.8)
        set(CMAKE_CUDA_ARCHITECTURES 70-real 75-real 80)
    elseif(release VERSION_LESS 13)
        set(CMAKE_CUDA_ARCHITECTURES 70-real 75-real 80-real 86-real 89-real 90)
    else()
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
    endif()
endif()
enable_language(CUDA)
add_library(redist_cuda MODULE src/cuda/cuda_driver.cu)
set_target_properties(redist_cuda PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY $<TARGET_FILE_DIR:redist> # as where they are installed
    OUTPUT_NAME redist_cuda${REDIST_SUFFIX}
    CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_RUNTIME_LIBRARY Static
    CUDA_VISIBILITY_PRESET hidden)
target_include_directories(redist_cuda PRIVATE src)
# Sums of products are rounded as by the host.
target_compile_options(redist_cuda PRIVATE -Xcompiler=-Wall,-Wextra -fmad=false)
install(TARGETS redist_cuda LIBRARY DESTINATION ${REDIST_INSTALL_MODULEDIR})
