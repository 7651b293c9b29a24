# SPDX-License-Identifier: MIT
#
# Parts that are built where there is what they need.
include(CheckLanguage)

# redist_check_language(language variable) - as check_language. But a compiler for another machine
# must be named, as CMake would find this machine's: by its cache entry or the environment's
# variable.
macro(redist_check_language language variable)
    if(NOT CMAKE_CROSSCOMPILING OR CMAKE_${language}_COMPILER OR DEFINED ENV{${variable}})
        check_language(${language})
    endif()
endmacro()

# redist_optional(option help) - an option that is AUTO, ON or OFF.
function(redist_optional option help)
    set(${option} AUTO CACHE STRING "${help}")
    set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# redist_leave_out(option missing part) - say that a part is left out; an error if it is ON.
function(redist_leave_out option missing part)
    if(NOT ${option} STREQUAL AUTO)
        message(FATAL_ERROR "${option} is ${${option}}, but ${missing} is not found")
    endif()
    message(STATUS "${missing} not found: ${part} is left out")
endfunction()
