#!/bin/bash
# SPDX-License-Identifier: MIT
#
# wheel.sh python - the package as a wheel, made without a network, moves an array from where
# it is installed: with the library inside, which is given or, in long runs, built from the
# sources, and without one. What keeps the library from being loaded is said.
set -euo pipefail

python=$1
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT
mkdir "$work/source" # a build leaves files beside its source
cp -r "$REDIST_SOURCE_DIR"/{CMakeLists.txt,cmake,include,python,src} "$work/source"
library=$REDIST_BUILD_DIR/lib/libredist.so
MPI_C_COMPILER=$(sed -n 's/^MPI_C_COMPILER:.*=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")
export MPI_C_COMPILER
cd "$work"

# Make a wheel with the library that is given, and install it; prints the wheel's name.
install() { # folder, REDIST_LIBRARY
    REDIST_LIBRARY=$2 "$python" -m pip wheel --quiet --no-deps --no-build-isolation \
        --no-index --wheel-dir "$1" source/python
    rm -r source/python/build
    "$python" -m pip install --quiet --no-deps --no-index --target "$1/site" "$1"/redist-*.whl
    (cd "$1" && echo redist-*.whl)
}
# Move an array by the package in a folder, and the library that is given.
move() { # folder, REDIST_LIBRARY
    PYTHONPATH=$work/$1/site REDIST_LIBRARY=$2 "$REDIST_MPIEXEC" -n 2 "$python" -c '
import numpy, redist
from mpi4py.MPI import COMM_WORLD as world
assert redist.__file__.startswith("'"$work"'"), redist.__file__
with redist.Plan(world, "[4] (block) onto 2", "[4] (cyclic) onto 2", int) as plan:
    got = plan(numpy.arange(2) + 2 * world.rank)
    assert list(got) == [world.rank, world.rank + 2], got'
}
refused() { # sentence, folder, REDIST_LIBRARY
    if PYTHONPATH=$work/$2/site REDIST_LIBRARY=$3 "$python" -c 'import redist' 2>error; then
        echo "imported without a library"
        exit 1
    fi
    grep -q "$1" error || { cat error; exit 1; }
}

[[ $(install none none) == redist-*-py3-none-any.whl ]]
move none "$library"
refused 'set REDIST_LIBRARY to its path' none /nowhere/libredist.so

[[ $(install given "$library") == redist-*-py3-none-linux_*.whl ]]
move given ""
echo "not a library" >given/site/redist/lib/libredist.so
refused 'in the package redist is made with ".*", mpi4py with ".*"; it can.t be loaded' given ""

cp -r source/python alone # as an archive of the package has it
if REDIST_LIBRARY='' "$python" -m pip wheel --quiet --no-deps --no-build-isolation --no-index \
    --wheel-dir alone ./alone 2>error; then
    echo "a wheel without the sources of the library"
    exit 1
fi
grep -q 'set REDIST_LIBRARY to a library, or to none' error || { cat error; exit 1; }

if [[ -n ${REDIST_TEST_LONG:-} ]]; then
    mkdir -p source/python/build/library # what another build has found does not count
    cp "$REDIST_BUILD_DIR/CMakeCache.txt" source/python/build/library
    install built "" >/dev/null
    move built ""
fi
