#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tree.sh cmake mpicc mpifort scalapack - install the build elsewhere, and use it from there as a
# stranger does: through find_package(redist) and through pkg-config, shared and static, from
# projects of C, of C++ and, unless its compiler is `none`, of Fortran alone.
set -euo pipefail

cmake=$1 mpicc=$2 mpifort=$3 scalapack=$4
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
# A sanitized library wants its runtime in the program too.
flags=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")

"$cmake" --install "$REDIST_BUILD_DIR" --prefix "$work/first" >/dev/null
mv "$work/first" "$prefix" # an installed tree may be moved

# Whether a program needs the shared library `$2` is `$3`.
needs() {
    local needed=no
    readelf --dynamic "$1" | grep -q "NEEDED.*$2\.so" && needed=yes
    [[ $needed == "$3" ]] || { echo "$1 needs $2: $needed, must be $3"; exit 1; }
}

# Run the two programs of a project that was built in `$2`, the second one linked statically.
run_both() { # processes, folder, library
    needs "$2/consumer_shared" "$3" yes
    needs "$2/consumer_static" "$3" no
    "$REDIST_MPIEXEC" -n "$1" "$2/consumer_shared"
    "$REDIST_MPIEXEC" -n "$1" "$2/consumer_static"
}

configure_and_build() { # project, arguments..
    local project=$1
    shift
    "$cmake" -S "$here/$project" -B "$work/$project" -DCMAKE_PREFIX_PATH="$prefix" "$@" \
        >"$work/log" 2>&1 &&
        "$cmake" --build "$work/$project" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

for script in bash-completion/completions/redist zsh/site-functions/_redist \
    fish/vendor_completions.d/redist.fish; do
    [[ -s $prefix/share/$script ]] || { echo "share/$script is not installed"; exit 1; }
done

echo "-- find_package(redist), from C alone and from C++ alone"
configure_and_build consumer -DMPI_C_COMPILER="$mpicc" -DCMAKE_C_FLAGS="$flags"
run_both 2 "$work/consumer" libredist
mpicxx=${mpicc/mpicc/mpicxx}
configure_and_build consumer_cxx -DMPI_CXX_COMPILER="$mpicxx" -DCMAKE_CXX_FLAGS="$flags"
run_both 2 "$work/consumer_cxx" libredist
"$REDIST_MPIEXEC" -n 4 "$work/consumer_cxx/first"

echo "-- find_package(redist): what it says of a component, and of another MPI"
says() { # sentence, arguments of find_package, arguments of CMake..
    mkdir -p "$work/says"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(says LANGUAGES C)' \
        "find_package($2)" >"$work/says/CMakeLists.txt"
    "$cmake" -S "$work/says" -B "$work/said" -DCMAKE_PREFIX_PATH="$prefix" "${@:3}" 2>&1 |
        tr -s '\n ' ' ' >"$work/log"
    grep -qF "$1" "$work/log" || { cat "$work/log"; echo "does not say: $1"; exit 1; }
    rm -r "$work/said"
}
says 'C and C++ need none' 'redist COMPONENTS C' -DMPI_C_COMPILER="$mpicc"
mkdir "$work/modules"
printf '%s\n' 'set(MPI_FOUND TRUE)' 'set(MPI_C_LIBRARIES /usr/lib/libother.so)' \
    'add_library(MPI::MPI_C INTERFACE IMPORTED)' >"$work/modules/FindMPI.cmake"
says 'a program with two MPIs crashes' redist -DCMAKE_MODULE_PATH="$work/modules"

echo "-- find_package(redist) from C++ beside C, as CMake's default is"
configure_and_build consumer_cxx -Dalso=C -DMPI_C_COMPILER="$mpicc" -DCMAKE_C_FLAGS="$flags"
"$REDIST_MPIEXEC" -n 4 "$work/consumer_cxx/first"

echo "-- pkg-config"
pc=$(find "$prefix" -name redist.pc)
export PKG_CONFIG_PATH=${pc%/*}
libdir=$(pkg-config --variable=libdir redist)
compile() { # compiler, source, program, package, what is linked behind it
    # shellcheck disable=SC2086,SC2046 # words are wanted
    (cd "$work" && "$1" $flags "$2" -o "$3" $(pkg-config --cflags --libs "$4") \
        "${@:5}" -Wl,-rpath,"$libdir")
}
mkdir "$work/pc"
compile "$mpicc" "$here/consumer/main.c" "$work/pc/consumer_shared" redist
compile "$mpicc" "$here/consumer/main.c" "$work/pc/consumer_static" redist_static
run_both 2 "$work/pc" libredist

echo "-- pkg-config: libraries at an absolute path, outside of the prefix"
(
    threads=$(sed -n 's/^REDIST_OPENMP:BOOL=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")
    "$cmake" -S "$REDIST_SOURCE_DIR" -B "$work/absolute" -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DREDIST_OPENMP="${threads:-OFF}" \
        -DCMAKE_INSTALL_LIBDIR="$work/libraries" -DMPI_C_COMPILER="$mpicc" -DREDIST_CUDA=OFF \
        -DREDIST_BUILD_{TESTS,EXAMPLES,BENCH}=OFF >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    cp -a "$libdir" "$work/libraries"
    cp "$work/absolute"/*.pc "$work/libraries/pkgconfig"
    export PKG_CONFIG_PATH=$work/libraries/pkgconfig
    libdir=$(pkg-config --variable=libdir redist)
    [[ $libdir == "$work/libraries" ]] || { echo "libdir is $libdir"; exit 1; }
    compile "$mpicc" "$here/consumer/main.c" "$work/pc/consumer_shared" redist
    compile "$mpicc" "$here/consumer/main.c" "$work/pc/consumer_static" redist_static
    run_both 2 "$work/pc" libredist
)

if [[ -e $REDIST_BUILD_DIR/lib/libredist_hdf5.so ]]; then
    echo "-- add_subdirectory, by MPI's own compiler: the module for HDF5 lies beside the library"
    mkdir "$work/outer"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(outer LANGUAGES C)' \
        'add_custom_target(completion)' 'set(CMAKE_UNITY_BUILD ON)' \
        "add_subdirectory(\"$REDIST_SOURCE_DIR\" redist)" >"$work/outer/CMakeLists.txt"
    {
        CC=$mpicc "$cmake" -S "$work/outer" -B "$work/inner" -DREDIST_HDF5=ON \
            -DREDIST_{CUDA,FORTRAN,PAGE}=OFF &&
            "$cmake" --build "$work/inner" --target redist_hdf5
    } >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    [[ -e $work/inner/redist/src/libredist_hdf5.so ]] ||
        { echo "the module lies elsewhere"; exit 1; }
fi

echo "-- for another machine: no program is run, and no compiler of this one is taken"
"$cmake" -S "$REDIST_SOURCE_DIR" -B "$work/cross" -DCMAKE_SYSTEM_NAME=Linux \
    -DMPI_C_COMPILER="$mpicc" -DREDIST_BUILD_{TESTS,EXAMPLES,BENCH}=OFF >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
if grep -E '^CMAKE_(CXX|Fortran|CUDA)_COMPILER:.*=/' "$work/cross/CMakeCache.txt"; then
    echo "these were taken"
    exit 1
fi

if [[ $scalapack != none ]]; then
    echo "-- find_package(redist): the drop-in before ScaLAPACK"
    configure_and_build consumer_scalapack -DMPI_C_COMPILER="$mpicc" \
        -DCMAKE_C_FLAGS="$flags" -Dscalapack="$scalapack" \
        -Dprogram="$REDIST_SOURCE_DIR/examples/scalapack/columns_to_rows.c"
    run_both 3 "$work/consumer_scalapack" libredist_scalapack
    needs "$work/consumer_scalapack/consumer_static" libredist no

    echo "-- pkg-config: the drop-in before ScaLAPACK"
    program=$REDIST_SOURCE_DIR/examples/scalapack/columns_to_rows.c
    mkdir "$work/pc_scalapack"
    compile "$mpicc" "$program" "$work/pc_scalapack/consumer_shared" redist_scalapack \
        "$scalapack"
    compile "$mpicc" "$program" "$work/pc_scalapack/consumer_static" \
        redist_scalapack_static "$scalapack"
    run_both 3 "$work/pc_scalapack" libredist_scalapack
    needs "$work/pc_scalapack/consumer_static" libredist no
fi

if [[ $mpifort != none ]]; then
    echo "-- Fortran alone: find_package(redist COMPONENTS Fortran)"
    program=$REDIST_SOURCE_DIR/examples/first.f90
    flags=$(sed -n 's/^CMAKE_Fortran_FLAGS:STRING=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")
    configure_and_build consumer_fortran -DMPI_Fortran_COMPILER="$mpifort" \
        -Dprogram="$program" -DCMAKE_Fortran_FLAGS="$flags"
    run_both 4 "$work/consumer_fortran" libredist_fortran

    echo "-- Fortran: with a suffix, its modules lie beside those without"
    "$cmake" -S "$REDIST_SOURCE_DIR" -B "$work/suffix" -DREDIST_SUFFIX=-other \
        -DMPI_C_COMPILER="$mpicc" -DMPI_Fortran_COMPILER="$mpifort" \
        -DREDIST_{CUDA,HDF5,PAGE}=OFF -DREDIST_BUILD_{TESTS,EXAMPLES,BENCH}=OFF \
        >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    grep -q 'include/redist-other" TYPE' "$work/suffix/cmake_install.cmake"
    PKG_CONFIG_PATH=$work/suffix pkg-config --cflags redist_fortran-other | grep -q 'redist-other'

    echo "-- Fortran: pkg-config"
    mkdir "$work/pc_fortran"
    compile "$mpifort" "$program" "$work/pc_fortran/consumer_shared" redist_fortran
    compile "$mpifort" "$program" "$work/pc_fortran/consumer_static" redist_fortran_static
    run_both 4 "$work/pc_fortran" libredist_fortran
    needs "$work/pc_fortran/consumer_static" libredist no
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
