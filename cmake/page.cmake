# SPDX-License-Identifier: MIT
#
# page/explorer.html, the explorer: one file with the library in it, as a WebAssembly module
# (page/README.md). Of the library it has all that needs no other process, and the commands of
# the tool that explain.
redist_optional(REDIST_PAGE
    "Build the explorer: ON, OFF, AUTO (with clang, lld and the C library of WASI)")
if(NOT REDIST_PAGE OR REDIST_SIMULATED)
    return()
endif()

find_package(Python3 QUIET COMPONENTS Interpreter)
find_program(REDIST_WASM_CLANG NAMES clang clang-14)
mark_as_advanced(REDIST_WASM_CLANG)
set(wasm_links FALSE)
set(wasm_target --target=wasm32-wasi -mexec-model=reactor)
# MPI's declarations are those of this build, so that both choose alike. No call is made.
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE wasm_mpi)
if(REDIST_WASM_CLANG AND Python3_FOUND)
    set(program ${PROJECT_BINARY_DIR}/page/try)
    file(WRITE ${program}.c
        "#include <mpi.h>\n#include <stdio.h>\nvoid f(void) { puts(\"\"); }\n")
    execute_process(COMMAND ${REDIST_WASM_CLANG} ${wasm_target} ${wasm_mpi} ${program}.c
            -o ${program}.wasm
        RESULT_VARIABLE wasm_fails OUTPUT_QUIET ERROR_QUIET)
    if(NOT wasm_fails)
        set(wasm_links TRUE)
    endif()
endif()
if(NOT wasm_links)
    redist_leave_out(REDIST_PAGE "Python 3 or a clang that links wasm32-wasi with this MPI's headers"
        "the explorer")
    return()
endif()

set(src ${PROJECT_SOURCE_DIR}/src)
set(page ${PROJECT_SOURCE_DIR}/page)
set(patterns base describe intersect schedule move plan/choice)
list(TRANSFORM patterns REPLACE "(.+)" "${src}/\\1/*.c")
file(GLOB_RECURSE wasm_sources CONFIGURE_DEPENDS ${patterns}
    ${src}/tool/analysis/*.c ${page}/module/*.c)
list(APPEND wasm_sources ${src}/plan/comm/options.c ${src}/plan/comm/vote.c
    ${src}/files/format/dtype.c
    ${src}/files/format/window.c ${src}/files/text/literal.c
    ${src}/tool/common/arguments.c ${src}/tool/common/specs.c ${src}/tool/common/tool.c
    ${src}/tool/picture/palette.c)
foreach(command explain schedule schedule_data schedule_print balance)
    list(APPEND wasm_sources ${src}/tool/command/${command}.c)
endforeach()
# Large pages and drivers of devices, which a page does not have.
list(REMOVE_ITEM wasm_sources ${src}/move/node/huge.c ${src}/move/device/module.c)

set(wasm_flags ${wasm_target} -std=c11 -O2 -ffunction-sections -fdata-sections
    -fno-stack-protector -Wall -Wextra -Wno-unused-command-line-argument -D_GNU_SOURCE
    -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID
    -Wno-constant-conversion -Wno-tautological-constant-out-of-range-compare -I${page}/module -I${src}
    -I${PROJECT_SOURCE_DIR}/include ${wasm_mpi})
if(REDIST_WERROR)
    list(APPEND wasm_flags -Werror)
endif()
set(wasm_objects)
foreach(source ${wasm_sources})
    file(RELATIVE_PATH object ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE / - object ${object})
    set(object ${PROJECT_BINARY_DIR}/page/objects/${object}.o)
    list(APPEND wasm_objects ${object})
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${REDIST_WASM_CLANG} ${wasm_flags} -MD
            -MF ${object}.d -c ${source} -o ${object}
        COMMENT "Building WebAssembly object ${object}" VERBATIM)
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/page/objects)
set(wasm_module ${PROJECT_BINARY_DIR}/page/redist.wasm)
add_custom_command(OUTPUT ${wasm_module} DEPENDS ${wasm_objects}
    COMMAND ${REDIST_WASM_CLANG} ${wasm_target} -O2 ${wasm_objects} -o ${wasm_module}
        -lwasi-emulated-mman -lwasi-emulated-signal -lwasi-emulated-getpid
        -Wl,--gc-sections,--strip-all,--allow-undefined,-z,stack-size=1048576
    COMMENT "Linking the explorer's module" VERBATIM)

file(GLOB page_sources CONFIGURE_DEPENDS ${page}/*.html ${page}/*.css ${page}/js/*.js)
set(explorer ${PROJECT_BINARY_DIR}/page/explorer.html)
add_custom_command(OUTPUT ${explorer} DEPENDS ${wasm_module} ${page_sources} ${page}/join.py
    COMMAND ${Python3_EXECUTABLE} -B ${page}/join.py ${wasm_module} ${explorer}
    COMMENT "Joining the explorer" VERBATIM)
add_custom_target(redist_page ALL DEPENDS ${explorer})
install(FILES ${explorer} DESTINATION ${CMAKE_INSTALL_DATADIR}/redist)
