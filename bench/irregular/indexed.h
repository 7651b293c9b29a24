/* SPDX-License-Identifier: MIT
 *
 * irregular/indexed.h - to plan and to move by lists of indices, beside PETSc's
 * VecScatter with the same lists.
 */
#ifndef REDIST_BENCH_INDEXED_H
#define REDIST_BENCH_INDEXED_H

#include <mpi.h>
#include <redist/redist.h>
#include <stdbool.h>

/* What a process has, and is to have: doubles. */
struct lists {
    MPI_Comm comm;
    int64_t extent, n; /* of all; of this process, on both sides */
    int64_t *index[2]; /* [n] of the source, and of the target */
    double *source, *target;
    double *shared; /* the source once more, in memory of redist_alloc */
};

/* One who plans and moves; or a measure of what that takes at least: then each process
 * moves as many elements within its own memory, and has no plan. */
struct mover {
    const char *name, *strategy;
    redist_err (*make)(const struct lists *lists, const char *strategy, void **state);
    redist_err (*run)(void *state);
    void (*free)(void *state); /* NULL-safe */
    bool measure;
};

/* PETSc; its make is NULL if this build has none. */
extern const struct mover mover_petsc;

/* Race them with `extent` indices, in runs of several lengths in random order.
 * Collective over comm. */
redist_err bench_indexed(MPI_Comm comm, int64_t extent, int64_t rounds);

#endif
