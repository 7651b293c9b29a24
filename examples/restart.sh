#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# restart.sh PYTHON - a plate that 4, 3 and 1 processes compute one after the other ends as
# the same bytes as one that 17 compute, of which one has no rows.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
python=$1
cd "$scratch" || exit 1
export REDIST_LIBRARY=$REDIST_BUILD_DIR/lib/libredist.so
export PYTHONPATH=$REDIST_SOURCE_DIR/python PYTHONDONTWRITEBYTECODE=1

# compute NPROCS FOLDER STEPS - prints what the program does.
compute() {
    # shellcheck disable=SC2086 # the launcher may be several words
    $mpiexec -n "$1" "$python" "$REDIST_SOURCE_DIR/examples/restart.py" "${@:2}" ||
        fail "$*: failed"
}

for nprocs in 4 3 1; do compute "$nprocs" state 20; done >stdout
holds "each goes on" diff -u stdout - <<END
steps 1 to 20 with 4 processes
steps 21 to 40 with 3 processes
steps 41 to 60 with 1 processes
END
holds "two steps are kept" [ "$(ls state)" = $'step-000000000050.zarr\nstep-000000000060.zarr' ]
compute 17 alone 60 >stdout
for folder in state alone; do
    "$tool" copy "$folder/step-000000000060.zarr:/plate" "$folder.npy" || fail "$folder: copy"
done
holds "the plates are the same" cmp state.npy alone.npy

conclude
