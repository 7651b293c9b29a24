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

four='[61,61] (block,block) onto 2x2'
six='[61,61] (block,block) onto 3x2'
three='[61,61] (block,block) onto 3x1'
one='[61,61] (*,*) onto 1'

# run NPROCS PROGRAM ARGUMENT..
run() {
    # shellcheck disable=SC2086 # the launcher may be several words
    $mpiexec -n "$@" >stdout 2>stderr
}

# works NAME NPROCS PROGRAM ARGUMENT..
works() {
    local name=$1
    shift
    run "$@" || { fail "$name: failed"; cat stdout stderr; }
}

compute() { works "$1" "$2" "$elastic" -n 61 --steps 7 --shards "$1" "${@:3}"; }

# gather NAME  - the shards of that name as one file, whatever processes they are of.
gather() { works "$1" 1 "$tool" run "$one" "$one" --input "$1" --output "$1.npy"; }

# said NAME SENTENCE..  - the program must have printed these, in this order.
said() {
    local name=$1
    shift
    diff -u <(printf '  %s\n' "$@") <(grep -a -- '->' stdout) || fail "$name: printed something else"
}

# ---- a job for each stage, and files from one to the next

compute stage_0 4 --only 0
works shards_of_4_become_6 6 "$tool" run "$four" "$six" --input stage_0 --shards for_6 --verify
compute stage_1 6 --only 1 --from for_6
works shards_of_6_become_3 6 "$tool" run "$six" "$three" --input stage_1 --shards for_3 --verify
compute files 3 --only 2 --from for_3
gather files

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
# What is printed just before MPI_Abort may be lost on its way, but hardly five times.
for _ in 1 2 3 4 5; do
    if run 6 "$elastic" -n 60 --steps 7 --only 1 --from for_6; then fail "shards of another plate"; fi
    ! grep -qa 'for_6/shard-0000.*: not the shard expected' stderr || break
done
holds "names the shard" grep -qa 'for_6/shard-0000.*: not the shard expected' stderr

conclude
