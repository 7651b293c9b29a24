#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# mpi.fairness on machines of each kind of links.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
build=${REDIST_BUILD_DIR:?the folder of the build}

for REDIST_PLATFORM in crossbar switch mesh fat_tree tapered torus; do
    for REDIST_SIMULATION in '' --cfg=maxmin/concurrency-limit:1; do
        export REDIST_PLATFORM REDIST_SIMULATION
        "$build/bin/mpiexec" -n 16 "$build/tests/mpi.fairness" | grep -q '^PASS' ||
            fail "$REDIST_PLATFORM $REDIST_SIMULATION"
    done
done

conclude
