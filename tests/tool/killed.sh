#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist run is killed at random moments, the whole job or one process, by SIGKILL, and ended
# by INT, TERM and HUP. The file is then the old one or the new one, each shard is whole or
# absent, and after the next run nothing else is there.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/faults/processes.sh"
# Open MPI's launcher gives its processes a moment to end by TERM, as it does without ours.
export OMPI_MCA_odls_base_sigkill_timeout=1

source='[600,4000] (block,*) onto 2' target='[600,4000] (*,block) onto 2'
job() { # ARGUMENT.. - start it
    begin "$mpiexec" -n 2 "$tool" run "$source" "$target" "$@"
}
small() { # a short run to the same place
    # shellcheck disable=SC2086
    timeout 100 "$mpiexec" -n 2 "$tool" run '[6,4] (block,*) onto 2' '[6,4] (*,block) onto 2' \
        "$@" >stdout 2>stderr || { fail "the next run failed"; cat stdout stderr; }
}

job --output new.npy
ended new
began=${EPOCHREALTIME//[!0-9]/}
job --shards new
ended new
lasts=$(((${EPOCHREALTIME//[!0-9]/} - began) / 1000)) # milliseconds
small --output old.npy
small --shards old
[ "$(find . -type f -name '*.npy' | wc -l)" = 6 ] || fail "made $(ls . new old)"

# Parts of files, and locks, that a run may leave.
left() { find . -path ./tmp -prune -o \( -name '*.part*' -o -name '*.lock' \) -print; }
writes() {
    local file
    for file in out.*.part out/*.part; do
        if [ -e "$file" ]; then return 0; fi
    done
    ! kill -0 "$launcher" 2>/dev/null
}

# moment K  - wait for one: every other one is after the first file has appeared.
moment() {
    if [ $(($1 % 2)) -eq 0 ]; then
        below "$lasts"
    else
        until writes; do milliseconds 1; done
        below 30
    fi
    if [ "$drawn" -gt 0 ]; then milliseconds "$drawn"; fi
}

# strike HOW  - kill the whole job at once, or one process.
strike() {
    local all
    mapfile -t all < <(if [ "$1" = job ]; then members; else ranks "$tool"; fi)
    [ ${#all[@]} -gt 0 ] || return 1
    below ${#all[@]}
    if [ "$1" = job ]; then kill -KILL "${all[@]}"; else kill -KILL "${all[drawn]}"; fi
} 2>/dev/null

# A shard is that of the old run or of the new one; with a manifest all are of its run.
shards_are_whole() {
    local shard as run='[0-9a-f]{16}'
    [ ! -e out/manifest.json ] || run=$(sed 's/.*"run":"\([^"]*\)".*/\1/' out/manifest.json)
    for shard in out/shard-*.npy; do
        [ -e "$shard" ] || continue
        tail -c 32 "$shard" | grep -qaE "^rds $run [0-9]{10}$" || return 1
        for as in old new; do
            cmp -s <(head -c -32 "$shard") <(head -c -32 "$as/${shard#out/}") && continue 2
        done
        return 1
    done
}

killed=0 writing=0 replaced=0
N=$(moments 4); for ((k = 0; k < N; k++)); do
    option=--output
    [ $((k / 2 % 2)) -eq 0 ] || option=--shards
    rm -rf out
    if [ $option = --output ]; then cp old.npy out && chmod 600 out; else cp -r old out; fi
    job $option out
    moment "$k"
    how=job
    [ $((k % 3)) -eq 0 ] || how=rank
    if strike $how; then killed=$((killed + 1)); fi
    ended "moment $k, $how, $option"
    [ $how = job ] || is_clean "moment $k, $option"
    [ -z "$(left)" ] || writing=$((writing + 1))
    [ -z "$(find . -name 'out.*.part' -perm /077)" ] ||
        fail "moment $k: what replaces a private file is open to others"
    if [ $option = --output ]; then
        cmp -s out old.npy || cmp -s out new.npy || fail "moment $k: out is neither old nor new"
        if cmp -s out new.npy; then replaced=$((replaced + 1)); fi
    else
        shards_are_whole || fail "moment $k: a shard is neither whole nor absent: $(ls -l out)"
        if [ -e out/manifest.json ]; then replaced=$((replaced + 1)); fi
    fi
    small $option out
    [ -z "$(left)" ] || fail "moment $k: after the next run there is $(left)"
    sweep # by the MPI library's own launcher, if that was killed
done

# ---- ended by a signal ---------------------------------------------------------------------

# signalled SIGNAL OPTION WHOM  - a job gets it while it writes.
signalled() {
    local pids=
    rm -rf out
    job "$2" out
    until writes; do milliseconds 1; done
    case $3 in
    launcher) pids=$launcher ;;
    first) for pids in $(ranks "$tool"); do [ "$(rank_of "$pids")" != 0 ] || break; done ;;
    esac
    # shellcheck disable=SC2086 # each is a word
    kill -s "$1" $pids 2>/dev/null
    ended "$1 to $3, $2"
    is_clean "$1 to $3, $2"
}
signals=TERM
[ -z "${REDIST_TEST_LONG:-}" ] || signals='INT TERM HUP'
for signal in $signals; do
    signalled $signal --output first
    [ -z "$(left)" ] || fail "$signal, --output: left $(left)"
    [ ! -e out ] || cmp -s out new.npy || fail "$signal, --output: half a file"
    signalled $signal --shards first
    left | grep shard-00000 && fail "$signal, --shards: left"
    shards_are_whole || fail "$signal: a shard is neither whole nor absent: $(ls -l out)"
    small --shards out # the launcher may have killed the other process
    [ -z "$(left)" ] || fail "$signal, --shards: after the next run there is $(left)"
    signalled $signal --output launcher
    small --output out
    [ -z "$(left)" ] || fail "$signal to the launcher: after the next run there is $(left)"
done

# One that the process ignores, as under nohup, changes nothing.
rm -f out
ignoring=(bash -c 'trap "" HUP; exec "$@"' - "$tool" run '[600,4000] (block,*) onto 1')
begin "${ignoring[@]}" '[600,4000] (*,block) onto 1' --output out
until writes; do milliseconds 1; done
kill -HUP "$(ranks "$tool")" 2>/dev/null
ended "HUP ignored"
[ "$status" -eq 0 ] || fail "a signal that is ignored ended the run: $status, $(cat stderr)"
cmp out new.npy || fail "a signal that is ignored has changed the file"
[ -z "$(left)" ] || fail "a signal that is ignored: left $(left)"

echo "$k moments: $killed killed, $writing of them while writing, $replaced were over or before"

conclude
