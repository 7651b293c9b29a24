#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# elastic.sh PROGRAM - a plate computed by 4, then 6, then 3 processes, in each of the ways
# that elastic.c knows, ends as the same bytes.
# `$REDIST_MPIEXEC -n 4 program` runs a program.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
elastic=$1
cd "$scratch" || exit 1

# run NPROCS PROGRAM ARGUMENT..
run() {
    "$mpiexec" -n "$@" >stdout 2>stderr
}

# works NAME NPROCS PROGRAM ARGUMENT..
works() {
    local name=$1
    shift
    run "$@" || { fail "$name: failed"; cat stdout stderr; }
}

compute() { works "$1" "$2" "$elastic" -n 61 --steps 7 --state "$1" "${@:3}"; }

# gather NAME  - the last checkpoint of that name as one file.
gather() { works "$1" 2 "$tool" copy "$1/step-000000000021.zarr:/plate" "$1.npy"; }

# said NAME SENTENCE..  - the program must have printed these, in this order.
said() {
    local name=$1
    shift
    diff -u <(printf '  %s\n' "$@") <(grep -a -- '->' stdout) || fail "$name: printed something else"
}

# ---- a job for each stage, and checkpoints from one to the next

compute files 4 --only 0
compute files 6 --only 1
compute files 3 --only 2
gather files
holds "two checkpoints are kept" [ "$(ls files)" = $'step-000000000014.zarr\nstep-000000000021.zarr' ]

# ---- one job

# Where an MPI cannot start processes, those that join wait from the beginning. Any other
# end is a failure.
first=(4 4) pool=()
run 4 "$elastic" -n 61 --steps 7
if [ $? = 3 ]; then
    grep -a 'cannot start processes' stderr || fail "does not say why"
    first=(6 13) pool=(--pool)
fi

# Of 61 rows in two parts and in three, 21 and 19 stay; then of 3 parts 2 do, by half.
compute merged "${first[0]}" "${pool[@]}"
said merged '4 -> 6 processes: 1281 of 3721 points have another owner, 1281 moved' \
    '6 -> 3 processes: 2481 of 3721 points have another owner, 2481 moved'
compute handed_over "${first[1]}" "${pool[@]}" --handover
said handed_over '4 -> 6 processes: 3721 of 3721 points have another owner, 3721 moved' \
    '6 -> 3 processes: 3721 of 3721 points have another owner, 3721 moved'

for end in merged handed_over; do
    gather "$end"
    holds "$end is as by files" cmp files.npy "$end.npy"
done

# ---- what is refused

if run 3 "$elastic"; then fail "3 processes instead of 4: did not fail"; fi
holds "usage is printed once" [ "$(grep -c '^usage: mpirun' stderr)" = 1 ]
if run 6 "$elastic" -n 60 --steps 7 --only 2 --state files; then fail "6 processes instead of 3"; fi
if run 3 "$elastic" -n 60 --steps 7 --only 2 --state files; then fail "another plate"; fi
holds "says what is wrong" grep -qa 'dim 0: the section has 60 elements, the file 61' stderr

conclude
