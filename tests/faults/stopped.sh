#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A process is late at random moments, or stopped and continued: the results are right. One
# that is stopped for longer than timeout_s is given up by those who share its memory; a job
# that is suspended as a whole is not.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/faults/processes.sh"
moves=$REDIST_BUILD_DIR/tests/faults.moves

# moved ARGUMENT..  - the program ends well, and leaves nothing.
moved() {
    REDIST_MPI_TIMEOUT=500 begin "$mpiexec" -n 3 "$moves" "$@"
    ended "$*"
    is_clean "$*"
}
well() {
    moved "$@"
    [ "$status" -eq 0 ] && grep -q PASS stdout ||
        fail "$*: status $status, $(cat stdout stderr)"
}

times=1
[ -z "${REDIST_TEST_LONG:-}" ] || times=5
well each $times 10 late 0.02
well each $times 10 stop 0.02
well shared $((10 * times)) 30 stop 0.3
well shared $((2 * times)) 2 suspend 3

# Given up: by all who wait, with a sentence, when the time is over and not much later. The
# processes end together, so that only one may come to say it.
moved shared 1000 1 stop 8
[ "$status" -ne 0 ] || fail "a process that is stopped for 8 s: $(cat stdout)"
grep -qE '(shared memory: nothing has moved|no word from all processes) for 1 s \(timeout_s\)' \
    stdout || fail "a process that is stopped for 8 s: $(cat stdout stderr)"
conclude
