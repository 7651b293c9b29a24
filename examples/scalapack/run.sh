#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh program routine [libredist_scalapack.so] - run it, with the library preloaded if it is
# given, and see by the report that the routine was the drop-in's.
set -euo pipefail

program=$1 routine=$2 preload=${3:-}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
export REDIST_SCALAPACK_REPORT=$report
# shellcheck disable=SC2016 # the process's own LD_PRELOAD
PRELOAD=$preload "$REDIST_MPIEXEC" -n 3 \
    sh -c 'LD_PRELOAD=$PRELOAD:${LD_PRELOAD:-} exec "$0"' "$program"
cat "$report"
[[ $(grep -c "$routine 1" "$report") -eq 3 ]]
