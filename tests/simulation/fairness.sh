#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# mpi.fairness on machines of each kind of links, near and far from each other.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
build=${REDIST_BUILD_DIR:?the folder of the build}

for REDIST_PLATFORM in crossbar switch mesh fat_tree tapered torus; do
    for REDIST_SIMULATION in '' --cfg=maxmin/concurrency-limit:1; do
        export REDIST_PLATFORM REDIST_SIMULATION
        for n in 4 16; do
            "$build/bin/mpiexec" -n $n "$build/tests/mpi.fairness" | grep -q '^PASS' ||
                fail "$REDIST_PLATFORM $n $REDIST_SIMULATION"
        done
    done
done

conclude
