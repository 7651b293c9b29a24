# SPDX-License-Identifier: MIT
#
# The libraries that compress the chunks of Zarr. Without one of them its codecs are known by
# name, and refused. Sets, for the library: codec_definitions, codec_includes, codec_libraries,
# and codec_names, by which whoever links the static library has them.
redist_optional(REDIST_CODECS
    "Link zlib, Zstandard and Blosc: ON (all), OFF (none), AUTO (those that there are)")

function(redist_find_codec define header name)
    find_path(${define}_INCLUDE_DIR ${header})
    find_library(${define}_LIBRARY ${name})
    mark_as_advanced(${define}_INCLUDE_DIR ${define}_LIBRARY)
    if(${define}_INCLUDE_DIR AND ${define}_LIBRARY)
        list(APPEND codec_definitions ${define})
        list(APPEND codec_includes ${${define}_INCLUDE_DIR})
        list(APPEND codec_libraries ${${define}_LIBRARY})
        list(APPEND codec_names ${name})
    else()
        redist_leave_out(REDIST_CODECS lib${name} "what it compresses")
    endif()
    foreach(list definitions includes libraries names)
        set(codec_${list} ${codec_${list}} PARENT_SCOPE)
    endforeach()
endfunction()

if(REDIST_CODECS)
    redist_find_codec(REDIST_ZLIB zlib.h z)
    redist_find_codec(REDIST_ZSTD zstd.h zstd)
    redist_find_codec(REDIST_BLOSC blosc.h blosc)
endif()
