/* SPDX-License-Identifier: MIT
 *
 * tool/bench/bench_work.h - the work of `redist bench`: buffers, expected results, plans,
 * and the race.
 */
#ifndef REDIST_TOOL_BENCH_BENCH_WORK_H
#define REDIST_TOOL_BENCH_BENCH_WORK_H

#include <redist/redist.h>

#include "describe/view.h"
#include "intersect/overlap.h"
#include "tool/bench/bench.h"
#include "tool/common/specs.h"
#include "tool/store/elements.h"

/* A strategy with its plan. */
struct contender {
    struct bench_work *work;
    redist_plan *plan; /* NULL if not available */
};

/* Modes of measurement. */
struct bench_mode {
    int64_t rounds;
    bool exact;  /* the clock is exact (race_run_exactly); no copy is timed */
    bool hollow; /* elements have no values: nothing is verified */
    bool tune;   /* auto is tuned first */
    bool bare;   /* runs have no vote on errors (struct request) */
};

struct bench_work {
    MPI_Comm comm;
    int rank, processes;
    int64_t element_bytes;
    int64_t staging_bytes;     /* 0: the library's default */
    redist_topology *topology; /* NULL: unknown */
    struct bench_mode mode;
    struct specs specs;
    struct input input;
    MPI_Datatype element;
    void *buffer[SIDES];          /* each has room for the local array and for a share: */
    int64_t share;                /* bytes that a process copies */
    int n;                        /* strategies */
    struct bench_entry *entry;    /* [n] borrowed */
    struct contender *contenders; /* [n] */
    char choice[96];              /* the library's choice */
    struct spread copy_seconds;
    int64_t bytes_moved, bytes_kept; /* by all processes */
};

/* Make the work of the two SPEC arguments, on processes placed by the text `topology`
 * (NULL: unknown), for the `n` strategies of `entry`: plan each, if possible, and verify
 * it. Sets all of the entries but their times, and with an exact clock these too. Free
 * with bench_work_free, after a failure too.
 * Collective over comm. ARG, MEMORY, IO, STATE (elements differ), MPI: on every
 * process. */
redist_err bench_work_make(MPI_Comm comm, const char *const specs[SIDES],
                           int64_t element_bytes, int64_t staging_bytes,
                           const char *topology, struct bench_mode mode, int n,
                           struct bench_entry entry[], struct bench_work *work);
void bench_work_free(struct bench_work *work);

/* Race all available strategies, and a copy, unless the clock is exact. Sets the entries'
 * times.
 * Collective over comm. MEMORY, MPI: on every process. */
redist_err bench_work_race(struct bench_work *work);

#endif
