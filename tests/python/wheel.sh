#!/bin/bash
# SPDX-License-Identifier: MIT
#
# wheel.sh python - the package as a wheel, made without a network, moves an array from where
# it is installed; and without the library says what is missing.
set -euo pipefail

python=$1
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT
cp -r "$REDIST_SOURCE_DIR/python" "$work/source" # a build leaves files beside its source
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --no-index \
    --wheel-dir "$work" "$work/source"
"$python" -m pip install --quiet --no-deps --no-index --target "$work/site" \
    "$work"/redist-*.whl
cd "$work"
export PYTHONPATH=$work/site
REDIST_LIBRARY=$REDIST_BUILD_DIR/lib/libredist.so "$REDIST_MPIEXEC" -n 2 "$python" -c '
import numpy, redist
from mpi4py.MPI import COMM_WORLD as world
assert redist.__file__.startswith("'"$work"'"), redist.__file__
with redist.Plan(world, "[4] (block) onto 2", "[4] (cyclic) onto 2", int) as plan:
    got = plan(numpy.arange(2) + 2 * world.rank)
    assert list(got) == [world.rank, world.rank + 2], got'
if REDIST_LIBRARY=/nowhere/libredist.so "$python" -c 'import redist' 2>error; then
    echo "imported without a library"
    exit 1
fi
grep -q 'set REDIST_LIBRARY to its path' error || { cat error; exit 1; }
