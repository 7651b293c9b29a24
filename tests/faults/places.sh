#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Places where something is scarce or forbidden: the right result by another way, or an error
# with a sentence; nothing hangs, no value is wrong, nothing is left.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/faults/processes.sh"
moves=$REDIST_BUILD_DIR/tests/faults.moves under=$REDIST_BUILD_DIR/tests/faults.under

# job N COMMAND..  - it ends, or has passed: MPICH may hang in MPI_Finalize without no=vm's call.
job() {
    local n=$1
    shift
    SECONDS=0
    REDIST_MPI_TIMEOUT=200 begin "$mpiexec" -n "$n" "$@"
    ended "$*"
    if grep -q PASS stdout; then status=0; fi
    [ $SECONDS -lt 200 ] || [ "$status" -eq 0 ] || fail "$*: hangs"
}
# well N COMMAND..  - it succeeds.
well() {
    job "$@"
    [ "$status" -eq 0 ] || fail "$*: status $status, $(cat stdout stderr)"
    is_clean "$*"
}
# refused SENTENCE N COMMAND..  - it says this, and ends with a status.
refused() {
    local sentence=$1
    shift
    job "$@"
    [ "$status" -ne 0 ] || fail "$*: did not fail"
    grep -qF "$sentence" stdout stderr || fail "$*: said $(cat stdout stderr)"
    is_clean "$*"
}
# ends N COMMAND..  - it succeeds, or the MPI library ends it; what that leaves is its own.
ends() {
    job "$@"
    if [ "$status" -ne 0 ]; then
        echo "with ${*:2:2} the MPI library ends the job, status $status"
        grep -q 'must hold element' stdout stderr && fail "$*: $(cat stdout stderr)"
    fi
    sweep
}

# ---- the library ---------------------------------------------------------------------------

well 3 "$under" no=vm cpu=1 -- "$moves" shared 2 0
well 3 "$under" no=memfd no=huge -- "$moves" shared 2 0
ends 3 "$under" nofile=20 -- "$moves" shared 2 0
ends 3 "$under" as=300000000 -- "$moves" shared 2 0
refused 'bytes that the node shares, while a file may have 5000000 (RLIMIT_FSIZE)' \
    3 "$under" fsize=5000000 -- "$moves" shared 1 0
if [ -n "${REDIST_TEST_LONG:-}" ]; then
    for limit in no=vm no=memfd no=huge cpu=1 nofile={14,20,24,28,32,40,64} \
        as={50,100,150,200,250,300,400,600,800}000000; do
        ends 3 "$under" "$limit" -- "$moves" each 1 0
    done
fi
if [ "$REDIST_TEST_ALONE" = yes ]; then
    for size in 1m 16m; do
        mount -t tmpfs -o size=$size none /dev/shm
        ends 3 "$moves" shared 2 0
        umount /dev/shm
    done
    mount -t tmpfs -o ro none /dev/shm
    ends 3 "$moves" shared 2 0
    umount /dev/shm
else
    echo 'skipped: a small /dev/shm and one that is read-only: mounting is not allowed'
fi

# ---- the tool ------------------------------------------------------------------------------

array=('[600,4000] (block,*) onto 2' '[600,4000] (*,block) onto 2')
left() { find . -path ./tmp -prune -o \( -name '*.part*' -o -name '*.lock' \) -print; }
few() { "$@" 2 "$under" fsize=8000000 -- "$tool" run "${array[@]}" "${option[@]}"; }
option=(--output out)
few refused 'redist: out: cannot be written: File too large'
option=(--shards out)
few refused 'redist: out/shard-00000.npy: cannot be written: File too large'
[ -z "$(left)" ] && [ -z "$(ls -A out)" ] || fail "a file that is too long: left $(left) $(ls out)"
rmdir out
well 2 "$under" no=fallocate no=flock -- "$tool" run "${array[@]}" --output out
[ -z "$(left)" ] || fail "without locks: left $(left)"

# ---- several jobs at a time ----------------------------------------------------------------

# Two of one user, at the same plans, and writing the same file.
# shellcheck disable=SC2086
{
    timeout 200 "$mpiexec" -n 2 "$moves" shared 5 0 >other 2>&1 &
    other=$!
    well 2 "$moves" shared 5 0
    wait $other || fail "two jobs at a time: $(cat other)"
    timeout 200 "$mpiexec" -n 2 "$tool" run "${array[@]}" --output both >other 2>&1 &
    other=$!
    job 2 "$tool" run "${array[@]}" --output both
    wait $other
}
busy='both: cannot be written: another run is writing it'
[ "$status" -eq 0 ] || grep -qF "$busy" stderr || fail "the same file: $(cat stdout stderr)"
grep -q moved other || grep -qF "$busy" other || fail "the same file: $(cat other)"
cmp out both || fail "two runs that write the same file"
[ -z "$(left)" ] || fail "two runs that write the same file: left $(left)"

# Those of two users, one of whom may not write everywhere.
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" -eq 0 ] && "${nobody[@]}" test -x "$moves" 2>/dev/null; then
    chmod 711 . && mkdir -m 777 theirs
    chmod 1777 "$TMPDIR"
    # shellcheck disable=SC2086
    timeout 200 "$mpiexec" -n 2 "$moves" shared 5 0 >other 2>&1 &
    other=$!
    # shellcheck disable=SC2086
    REDIST_MPI_TIMEOUT=200 HOME=$scratch/theirs begin \
        "${nobody[@]}" "$mpiexec" -n 2 "$moves" shared 5 0
    ended nobody
    [ "$status" -eq 0 ] || fail "nobody: status $status, $(cat stdout stderr)"
    wait $other || fail "beside nobody: $(cat other)"
    mkdir -m 755 ours
    # shellcheck disable=SC2086
    HOME=$scratch/theirs begin "${nobody[@]}" "$mpiexec" -n 2 "$tool" run "${array[@]}" \
        --output ours/out
    ended nobody
    grep -qF 'redist: ours/out: cannot be written: Permission denied' stderr ||
        fail "nobody, where only root writes: status $status, $(cat stdout stderr)"
    sweep
else
    echo 'skipped: two users at a time, who is not root cannot be two'
fi
conclude
