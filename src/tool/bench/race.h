/* SPDX-License-Identifier: MIT
 *
 * tool/bench/race.h - time several ways of doing the same work. They take turns, in
 * another order each round, so that other load on the machine disturbs all of them alike:
 * only ratios within a race are meaningful.
 *
 *   barrier  A  barrier   barrier  B  barrier   barrier  C  barrier     round 0
 *   barrier  B  barrier   barrier  C  barrier   barrier  A  barrier     round 1, ..
 *
 * A way many times slower than the fastest has a turn in some of the rounds only.
 */
#ifndef REDIST_TOOL_BENCH_RACE_H
#define REDIST_TOOL_BENCH_RACE_H

#include <mpi.h>

#include <redist/describe.h>

/* Quartiles of the times of all turns, in seconds. */
struct spread {
    double min, q1, median, q3, max;
    int64_t turns;
};

struct racer {
    /* Do the work once. An error must be the same on every process; it ends the race. */
    redist_err (*run)(void *context);
    /* Called before each turn, not timed; the work is then done once a turn. An error as
     * in run. NULL: nothing to prepare. */
    redist_err (*prepare)(void *context);
    void *context;
    struct spread seconds; /* result: of one execution, on the slowest process */
};

/* Race `n` racers over `rounds` rounds. Work of less than a millisecond is repeated
 * between two barriers. Each runs once before, to warm up; one that then was more than 16
 * times slower than the fastest has fewer turns, at least 3.
 * Collective over comm. MEMORY on every process, or the error of a racer. */
redist_err race_run(MPI_Comm comm, int64_t rounds, int n, struct racer racers[]);

/* Time one racer on a clock that is exact and common to all processes, as on a simulated
 * machine. It runs once a round, from an agreed moment to the end of the last process,
 * without barriers and without a run to warm up. Processes begin two nanoseconds apart,
 * in the order of ranks, and in another order in each further round, so that the same run
 * always takes equally long, whatever ran before (simulated.h).
 * Collective over comm. Errors as race_run. */
redist_err race_run_exactly(MPI_Comm comm, int64_t rounds, struct racer *racer);

#endif
