#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# restart.sh PYTHON - a plate that 4, 3 and 1 processes compute one after the other ends as
# the same bytes as one that 2 compute alone, and a process may have no rows.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
python=$1
cd "$scratch" || exit 1
export REDIST_LIBRARY=$REDIST_BUILD_DIR/lib/libredist.so
export PYTHONPATH=$REDIST_SOURCE_DIR/python PYTHONDONTWRITEBYTECODE=1

# compute NPROCS FOLDER STEPS - prints what the program does.
program=$REDIST_SOURCE_DIR/examples/restart.py
compute() { "$mpiexec" -n "$1" "$python" "$program" "${@:2}" || fail "$*: failed"; }
# same FOLDER FOLDER STEP
same() {
    local folder
    for folder in "$1" "$2"; do
        "$tool" copy "$folder/step-0000000000$3.zarr:/plate" "$folder.npy" || fail "$folder: copy"
    done
    holds "the plates of $1 and $2 are the same" cmp "$1.npy" "$2.npy"
}

for nprocs in 4 3 1; do compute "$nprocs" state 20; done >stdout
holds "each goes on" diff -u stdout - <<END
steps 1 to 20 with 4 processes
steps 21 to 40 with 3 processes
steps 41 to 60 with 1 processes
END
holds "two steps are kept" [ "$(ls state)" = $'step-000000000050.zarr\nstep-000000000060.zarr' ]
compute 2 alone 60 >stdout
same state alone 60

sed 's/\[240,/[2,/' "$program" >few.py
program=few.py
compute 3 few 10 >stdout
compute 1 one 10 >stdout
same few one 10

conclude
