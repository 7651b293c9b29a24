#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# killed.sh PROGRAM checkpoint|array  - a program that writes checkpoints, or single arrays of
# Zarr, is killed at random moments, all its processes or one. The last step that is there is
# then whole, and what is left is gone after the next step.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/faults/processes.sh"
program=${1:?the test program} what=${2:?what it writes}

has_a_step() { compgen -G 'state/step-*.zarr' >/dev/null; }
no_ranks() { [ -z "$(ranks "$program")" ]; }
after=0 parts=0 stuck=0
N=$(moments 6); for ((k = 0; k < N; k++)); do
    begin "$mpiexec" -n 3 "$program" "$what" write state
    until has_a_step && [ "$(ranks "$program" | wc -l)" = 3 ]; do milliseconds 5; done
    below 600
    milliseconds "$drawn"
    mapfile -t all < <(if [ $((k % 2)) -eq 0 ]; then members; else ranks "$program"; fi)
    below ${#all[@]}
    if [ $((k % 2)) -eq 0 ]; then kill -KILL "${all[@]}"; else kill -KILL "${all[drawn]}"; fi
    eventually no_ranks || fail "moment $k: processes hang"
    # Open MPI's launcher may then wait for a lock of its own for ever
    # shellcheck disable=SC2046 # each is a word
    eventually none_is_left || { stuck=$((stuck + 1)); kill -KILL $(members); }
    ended "moment $k"
    parts=$((parts + $(find state -maxdepth 1 -name '*.part' | wc -l)))
    # shellcheck disable=SC2086
    timeout 100 "$mpiexec" -n 2 "$program" "$what" read state >stdout 2>stderr ||
        { fail "moment $k: the last step is not whole"; cat stdout stderr; }
    after=$(sed -nE 's/^PASS: step (-?[0-9]+)$/\1/p' stdout)
    sweep
done
# shellcheck disable=SC2086
begin "$mpiexec" -n 2 "$program" "$what" write state
sooner=$after
later() {
    [ "$(find state -name 'step-*.zarr' | sort | tail -n 1)" \> \
        "$(printf 'state/step-%012d.zarr' $((sooner + 1)))" ]
}
eventually later || fail "no step follows $sooner"
# shellcheck disable=SC2046 # each is a word
kill -KILL $(members)
ended "the last run"
left=$(find state -maxdepth 1 -name '*.part' | wc -l)
[ "$left" -le 1 ] || fail "$left unfinished steps are left by runs before"
[ "$after" -gt 0 ] || fail "no step was written"
echo "$N moments, $parts unfinished steps, $after steps, $stuck launchers that hung"

conclude
