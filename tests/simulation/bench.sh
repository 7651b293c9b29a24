#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Simulated machines: two runs say the same to the last digit, on every platform, and so
# does a strategy in any company; elements without values take as long as those with; what
# this MPI lacks is said; and a run that hangs or is aborted has failed.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
bench=${REDIST_SOURCE_DIR:?}/simulation/bench
platforms=$(cd "$REDIST_SOURCE_DIR/simulation/platforms" && echo *.xml)
cd "$scratch" || exit 1

# simulate NAME ARGUMENT..  - leaves what it prints in the file NAME.
simulate() {
    local name=$1
    shift
    "$bench" "$@" >"$name" 2>stderr || { fail "$name: failed"; cat "$name" stderr; }
}

for platform in ${platforms//.xml/}; do
    for n in 7 16; do
        work=("[4800] (cyclic(3)) onto $n" "[4800] (cyclic(5)) onto $n")
        some=(--strategy auto,optimal/sendrecv,alltoallv)
        simulate first "$platform" $n "${work[@]}" "${some[@]}"
        simulate second "$platform" $n "${work[@]}" "${some[@]}"
        cmp -s first second || fail "$platform $n: two runs differ"
        grep -q 'Every strategy was verified' first || fail "$platform $n: not verified"
    done
done

# Long enough to be folded.
work=('[400000] (cyclic(3)) onto 4' '[400000] (cyclic(5)) onto 4')
some=(--strategy auto,window,sendrecv,alltoallv,multiphase --json)
simulate full crossbar 4 "${work[@]}" "${some[@]}"
simulate hollow crossbar 4 "${work[@]}" "${some[@]}" --hollow
grep -q '"verified": true' full || fail "full: nothing is verified"
grep -q '"verified": false' hollow || fail "hollow: something is verified"
cmp -s <(grep _seconds full) <(grep _seconds hollow) || fail "hollow elements take another time"

simulate all crossbar 4 "${work[@]}"
for lacking in neighbor shared alltoallw onesided; do
    grep -q "^  $lacking  *not available: .*this MPI has no MPI_.* that works" all ||
        fail "$lacking: must say what it lacks"
done
grep -q memcpy all && fail "a copy is compared with, which takes no simulated time"
simulate shared_links hub 4 "${work[@]}" --strategy nonblocking
simulate one_port hub 4 "${work[@]}" --strategy nonblocking --one-port
cmp -s shared_links one_port && fail "one message a link takes as long as several"
simulate own_setting hub 4 "${work[@]}" --strategy nonblocking --cfg=maxmin/concurrency-limit:1
cmp -s own_setting one_port || fail "a setting of SimGrid's own does not reach it"

# Each has short messages for two others, and a vote in four rounds.
work=('[480] (cyclic) onto 16' '[480] (cyclic(2)) onto 16')
seconds() { sed -n 's|.*"median_seconds": \(.*\),|\1|p' "$1"; }
simulate voted crossbar 16 "${work[@]}" --strategy nonblocking --json
simulate bare crossbar 16 "${work[@]}" --strategy nonblocking --json --bare
awk "BEGIN { exit !(2 * $(seconds bare) < $(seconds voted)) }" || fail "bare runs have a vote"

# Computing takes the time that is said: 1,024 indices at either end, and 16,000 bytes that one
# process packs for two others, which receive them as they lie.
longer() { awk "BEGIN { d = $(seconds "$1") - $(seconds "$2"); exit !(d > .99 * $3 && d < 1.01 * $3) }"; }
work=('[4096] (cyclic) onto 4' '[4096] (block) onto 4' --strategy naive --json)
simulate free crossbar 4 "${work[@]}"
simulate converted crossbar 4 "${work[@]}" --computing=0,1e-6
longer converted free 2048e-6 || fail "converted: $(seconds converted) s for $(seconds free)"
work=('[2000] (block) onto 1' '[2000] (cyclic) onto 2 ranks 1:2' --strategy nonblocking --json)
simulate free crossbar 3 "${work[@]}"
simulate packed crossbar 3 "${work[@]}" --computing=1e-6,0
longer packed free 16000e-6 || fail "packed: $(seconds packed) s for $(seconds free)"

# A strategy takes the same to the last digit, alone and behind any other.
work=('[307200] (cyclic(64)) onto 64' '[307200] (cyclic(100)) onto 64' --one-port --hollow)
of() { grep -A 12 "\"strategy\": \"$1\"" "$2" | grep 'm[a-z]*_seconds'; }
simulate alone tapered 64 "${work[@]}" --strategy aggregated --reps 5 --json
simulate among tapered 64 "${work[@]}" --strategy nonblocking,aggregated --reps 5 --json
cmp -s <(of aggregated alone) <(of aggregated among) || fail "in company it takes another time"
of aggregated among | grep -q max_seconds || fail "in company: no times"

# Rates that are stated, and a network: messages start while others are on the wire.
work=('[307200] (cyclic) onto 64' '[307200] (block) onto 64')
REDIST_RATES=1e-4,8e-8,0,5e-5,1 simulate placed switch 64 "${work[@]}" --strategy auto \
    --hollow --json --placed
grep -q '"choice": ".*/nonblocking"' placed || fail "placed: $(grep choice placed)"

# What tuning takes does not only win by who leaves a barrier first; and it is what is said.
work=('[345600] (gen_block(18*3840,18*15360)) onto 36' '[345600] (cyclic(9600)) onto 36')
some=(--strategy auto --placed --one-port --hollow --json)
for tune in '' --tune; do
    REDIST_RATES=8e-7,8e-11,0,1e-6,0 simulate "auto$tune" tapered 36 "${work[@]}" "${some[@]}" $tune
done
awk "BEGIN { exit !($(seconds auto--tune) <= 1.001 * $(seconds auto)) }" ||
    fail "tuned: $(seconds auto--tune) s, $(seconds auto) s before"
work=('[76800] (cyclic(3)) onto 16' '[76800] (cyclic(5)) onto 16')
for tune in '' --tune; do
    REDIST_RATES=8e-7,8e-11,0,1e-6,0 simulate "auto$tune" fat_tree 16 "${work[@]}" "${some[@]}" $tune
done
awk "BEGIN { exit !($(seconds auto--tune) < $(seconds auto)) }" || fail "tuned: nothing is gained"
cmp -s <(grep '"choice"' auto) <(grep '"choice"' auto--tune) && fail "tuned: the choice is as before"

"$bench" nowhere 4 "${work[@]}" >stdout 2>stderr && fail "nowhere is a platform"
grep -q 'there is no platform nowhere, there are: crossbar dragonfly ' stderr ||
    fail "nowhere: said $(cat stderr)"

cat >fails.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && argv[1][0] == 'a' && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    if (argc > 1 && argv[1][0] == 'h' && rank == 1)
        MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return argc > 1 && argv[1][0] == 'r' ? rank : 0;
}
END
smpicc fails.c -o fails || fail "fails.c: does not compile"
for way in aborts hangs returns_1; do
    "${REDIST_MPIEXEC:?}" -n 2 ./fails $way >stdout 2>&1 && fail "a program that $way succeeds"
done
"$REDIST_MPIEXEC" -n 2 ./fails >stdout 2>&1 || fail "a program that does nothing fails"

conclude
