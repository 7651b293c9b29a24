#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A process kills itself while plans of each exchange are made, run in both ways and
# destroyed: the job ends with a status, no process hangs, nothing is left. And where the MPI
# lets the others live, they learn of it within timeout_s if they share memory.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/faults/processes.sh"
moves=$REDIST_BUILD_DIR/tests/faults.moves

phases=(create execute wait destroy)
N=$(moments 4) ended=0
for ((k = 0; k < N; k++)); do
    phase=${phases[k % 4]}
    export REDIST_TEST_SEED=$((seed + k))
    SECONDS=0
    REDIST_MPI_TIMEOUT=60 begin "$mpiexec" -n 3 "$moves" each 1 0 kill "$phase"
    ended "killed in $phase, seed $REDIST_TEST_SEED"
    is_clean "killed in $phase, seed $REDIST_TEST_SEED"
    [ $SECONDS -lt 60 ] ||
        fail "killed in $phase, seed $REDIST_TEST_SEED: the others wait for ever"
    if [ "$status" -ne 0 ]; then
        ended=$((ended + 1))
    else
        grep -q PASS stdout || fail "killed in $phase: status 0, $(cat stdout stderr)"
    fi
done
echo "$N moments: $ended killed, the others were over before"
[ "$ended" -ge $((N / 2)) ] || fail "only $ended of $N were killed"

# Open MPI's launcher can leave the others alone; MPICH's ends with the process.
N=0
# shellcheck disable=SC2086
if "$mpiexec" --version 2>&1 | grep -qE 'Open MPI|OpenRTE'; then
    N=$(($(moments 2) / 8 + 1))
else
    echo 'skipped: that the others go on, which this MPI does not allow'
fi
for ((k = 0; k < N; k++)); do
    export REDIST_TEST_SEED=$((seed + k))
    # shellcheck disable=SC2086
    REDIST_MPI_TIMEOUT=60 begin "$mpiexec" --enable-recovery -n 3 "$moves" shared 2 1 kill execute
    ended "killed among others"
    late='gave up after [1-9][0-9]*\.[0-9]* s: .*for 1 s (timeout_s)'
    [ "$(grep -c "$late" stdout)" -eq 2 ] || fail "killed among others, seed \
$REDIST_TEST_SEED: status $status, $(cat stdout stderr)"
    sweep
done
conclude
