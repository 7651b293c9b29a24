#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# heat.sh PROGRAM - a rod on 4 and then 3 processes ends as one on 1 alone.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
program=$1
cd "$scratch" || exit 1

# compute NPROCS FOLDER STEPS - prints what the program does.
compute() {
    "$mpiexec" -n "$1" "$program" "${@:2}" || fail "$*: failed"
}

compute 4 state 100 >stdout
compute 3 state 200 >>stdout
compute 1 alone 300 >>stdout
heat=$(sed -n '3s/.*: //p' stdout)
[ -n "$heat" ] || fail "no heat"
sed -i '1s/: .*//' stdout
holds "it goes on, and ends as it must" diff -u stdout - <<END
step 100 on 4 processes
step 300 on 3 processes: $heat
step 300 on 1 processes: $heat
END
holds "two steps are kept" [ "$(ls state)" = $'step-000000000200.zarr\nstep-000000000300.zarr' ]

conclude
