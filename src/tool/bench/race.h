/* SPDX-License-Identifier: MIT
 *
 * tool/bench/race.h - time several ways of doing the same work. They take turns, in
 * another order each round, so that whatever else the machine does disturbs all of them
 * alike: only ratios within a race mean anything.
 *
 *   barrier  A  barrier   barrier  B  barrier   barrier  C  barrier     round 0
 *   barrier  B  barrier   barrier  C  barrier   barrier  A  barrier     round 1, ..
 *
 * One that takes many times as long as the fastest has a turn in some of the rounds only.
 */
#ifndef REDIST_TOOL_BENCH_RACE_H
#define REDIST_TOOL_BENCH_RACE_H

#include <mpi.h>

#include <redist/describe.h>

/* Of the times of all turns, in seconds: a quarter of them is below q1, half below the
 * median, three quarters below q3. */
struct spread {
    double min, q1, median, q3, max;
    int64_t turns;
};

struct racer {
    /* Do the work once. An error must be the same on every process: it ends the race. */
    redist_err (*run)(void *context);
    void *context;
    struct spread seconds; /* out: of one execution, on the slowest process */
};

/* Race `n` racers over `rounds` rounds. What takes less than a millisecond is done many
 * times between two barriers. Each has run before, in vain, to warm up; one that then was
 * more than 16 times slower than the fastest has fewer turns, at least 3.
 * Collective over comm. MEMORY on every process, or what a racer returns. */
redist_err race_run(MPI_Comm comm, int64_t rounds, int n, struct racer racers[]);

/* The same where the clock is exact and common to all processes, as that of a simulated
 * machine is: each runs once a round, from a moment that all have agreed on to the end of
 * the last of them; no barrier is part of it. Processes begin two nanoseconds apart, so
 * that the same run always takes as long: in the order of ranks, and in another in each
 * further round. So it does whatever else is in the race (moment.h). It must have run
 * before.
 * Collective over comm. Errors as race_run. */
redist_err race_run_exactly(MPI_Comm comm, int64_t rounds, int n, struct racer racers[]);

#endif
