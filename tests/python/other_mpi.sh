#!/bin/bash
# SPDX-License-Identifier: MIT
#
# other_mpi.sh python - where mpi4py is of another MPI than the library, importing says so.
set -euo pipefail

error=$(mktemp -p "$PWD")
trap 'rm -f "$error"' EXIT
export REDIST_LIBRARY=$REDIST_BUILD_DIR/lib/libredist.so
if PYTHONPATH=$REDIST_SOURCE_DIR/python "$1" -B -c 'import redist' 2>"$error"; then
    echo "imported a library of another MPI"
    exit 1
fi
words='ImportError: .* is made with ".*", mpi4py with ".*": they must be of one MPI'
grep -q "$words" "$error" || { cat "$error"; exit 1; }
