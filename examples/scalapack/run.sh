#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh program routine [libredist_scalapack.so] - run it, with the library preloaded if it is
# given, and see by the report that the routine was the drop-in's.
set -euo pipefail

program=$1 routine=$2 preload=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export REDIST_SCALAPACK_REPORT=$work/report
if [[ -n $preload ]]; then # in LD_PRELOAD a space or a colon ends a path
    ln -s "$preload" "$work/preload.so"
    preload=$work/preload.so
fi
# shellcheck disable=SC2016 # the process's own LD_PRELOAD
PRELOAD=$preload "$REDIST_MPIEXEC" -n 3 \
    sh -c 'LD_PRELOAD=$PRELOAD:${LD_PRELOAD:-} exec "$0"' "$program"
cat "$work/report"
[[ $(grep -c "$routine 1" "$work/report") -eq 3 ]]
