#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tree.sh cmake mpicc mpifort - install the build elsewhere, and use it from there as a
# stranger does: through find_package(redist) and through pkg-config, shared and static, from
# C and C++, and from Fortran unless its compiler is `none`.
set -euo pipefail

cmake=$1 mpicc=$2 mpifort=$3
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
# A sanitized library wants its runtime in the program too.
flags=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")

"$cmake" --install "$REDIST_BUILD_DIR" --prefix "$work/first" >/dev/null
mv "$work/first" "$prefix" # an installed tree may be moved

echo "-- find_package(redist)"
"$cmake" -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DMPI_C_COMPILER="$mpicc" -DCMAKE_C_FLAGS="$flags" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$REDIST_MPIEXEC" -n 2 "$work/build/consumer_shared"
"$REDIST_MPIEXEC" -n 2 "$work/build/consumer_static"

echo "-- pkg-config"
pc=$(find "$prefix" -name redist.pc)
export PKG_CONFIG_PATH=${pc%/*}
libdir=$(pkg-config --variable=libdir redist)
# shellcheck disable=SC2086,SC2046 # words are wanted
"$mpicc" $flags "$here/consumer/main.c" -o "$work/shared" $(pkg-config --cflags --libs redist) \
    -Wl,-rpath,"$libdir"
"$REDIST_MPIEXEC" -n 2 "$work/shared"
# shellcheck disable=SC2086,SC2046
"$mpicc" $flags "$here/consumer/main.c" -o "$work/static" \
    $(pkg-config --cflags --libs --static redist | sed "s|-lredist|$libdir/libredist.a|")
"$REDIST_MPIEXEC" -n 2 "$work/static"

if [[ $mpifort != none ]]; then
    echo "-- Fortran: find_package(redist COMPONENTS Fortran)"
    program=$REDIST_SOURCE_DIR/examples/first.f90
    flags=$(sed -n 's/^CMAKE_Fortran_FLAGS:STRING=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")
    "$cmake" -S "$here/consumer_fortran" -B "$work/fortran" -DCMAKE_PREFIX_PATH="$prefix" \
        -DMPI_C_COMPILER="$mpicc" -DMPI_Fortran_COMPILER="$mpifort" -Dprogram="$program" \
        -DCMAKE_Fortran_FLAGS="$flags" >"$work/log" 2>&1 &&
        "$cmake" --build "$work/fortran" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    "$REDIST_MPIEXEC" -n 4 "$work/fortran/consumer_shared"
    "$REDIST_MPIEXEC" -n 4 "$work/fortran/consumer_static"

    echo "-- Fortran: pkg-config"
    # shellcheck disable=SC2086,SC2046
    (cd "$work" && "$mpifort" $flags "$program" -o "$work/first" \
        $(pkg-config --cflags --libs redist_fortran) -Wl,-rpath,"$libdir")
    "$REDIST_MPIEXEC" -n 4 "$work/first"
fi

echo "-- headers: each alone, from C and C++"
for header in "$prefix"/include/redist/*.h; do
    for language in c c++; do
        # The MPI's own C++ bindings, long out of the standard, do not compile cleanly.
        # shellcheck disable=SC2046
        echo "#include <redist/${header##*/}>" | "$mpicc" -x "$language" -Wall -Wextra -Werror \
            -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $(pkg-config --cflags redist) -fsyntax-only -
    done
done

echo "-- tool"
"$prefix/bin/redist" --version
