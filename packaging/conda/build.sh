#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What conda-build runs in the unpacked archive: the library and the tool, then the Python
# package, which finds the library in its environment.
set -euo pipefail

# shellcheck disable=SC2086 # words are wanted
cmake -S . -B build ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DREDIST_OPENMP=ON -DREDIST_HDF5=ON -DREDIST_CODECS=ON -DREDIST_FORTRAN=ON \
    -DREDIST_CUDA=OFF -DREDIST_PAGE=OFF \
    -DREDIST_BUILD_TESTS=OFF -DREDIST_BUILD_EXAMPLES=OFF -DREDIST_BUILD_BENCH=OFF
cmake --build build --parallel "${CPU_COUNT:-2}"
cmake --install build
REDIST_LIBRARY=none "$PYTHON" -m pip install --no-deps --no-build-isolation ./python

# The interpreter does not look into the environment's lib by itself.
site=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir "$site/redist/lib"
ln -s "$PREFIX/lib/libredist.so" "$site/redist/lib/libredist.so"
echo "${mpi:-an MPI of conda}" >"$site/redist/lib/mpi"
