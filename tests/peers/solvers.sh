#!/bin/bash
# SPDX-License-Identifier: MIT
#
# solvers.sh libredist_scalapack.so directory [program:routine[,routine..]..] - ScaLAPACK's own
# test programs with the drop-in preloaded: as many tests pass as without, none that passed fails,
# and the routines were the drop-in's. What is not in the directory is left out.
set -euo pipefail

library=$1 directory=$2
shift 2
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT
cp /usr/share/scalapack/*.dat /usr/share/scalapack/PBLAS/*.dat "$work"
cd "$work"
# A matrix of this test is above its threshold or below from run to run, with ScaLAPACK alone too.
sed -i "/'TEST 7 /,/'TEST 8 /{/'TEST 8 /!d}" SEP.dat

count() { # expression, file
    grep -ciE "$1" "$2" || true
}

ran=0
for pair; do
    program=${pair%:*} routines=${pair#*:}
    [[ -x $directory/$program ]] || continue
    "$REDIST_MPIEXEC" -n 4 "$directory/$program" >plain 2>&1
    # shellcheck disable=SC2016 # the process's own LD_PRELOAD
    REDIST_SCALAPACK_REPORT=$work/report DROPIN=$library "$REDIST_MPIEXEC" -n 4 \
        sh -c 'LD_PRELOAD=$DROPIN:${LD_PRELOAD:-} exec "$0"' "$directory/$program" >preloaded 2>&1
    passed=$(count passed plain) ours=$(count passed preloaded)
    failed=$(count fail plain) failures=$(count fail preloaded)
    [[ $passed -gt 0 && $passed -eq $ours && $failed -eq $failures ]] || {
        echo "$program: $passed passed and $failed failed without, $ours and $failures with"
        grep -iE fail preloaded || tail -n 20 preloaded
        exit 1
    }
    for routine in ${routines//,/ }; do
        calls=$(grep -c "$routine [1-9]" report || true)
        [[ $calls -eq 4 ]] || { echo "$program: $routine was not called"; cat report; exit 1; }
    done
    echo "$program: $passed lines say passed; $(head -n 1 report)"
    rm -f report
    ran=$((ran + 1))
done
[[ $ran -gt 0 ]] || { echo "none of the programs is in $directory"; exit 1; }
