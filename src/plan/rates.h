/* SPDX-License-Identifier: MIT
 *
 * plan/rates.h - how long a machine takes for each of the things that an exchange asks of
 * it (move/effort.h): measured once for a communicator, and kept with it.
 */
#ifndef REDIST_PLAN_RATES_H
#define REDIST_PLAN_RATES_H

#include <mpi.h>

#include "base/error.h"
#include "move/effort.h"

/* Seconds of one of each, of the slowest process. */
struct rates {
    double seconds[EFFORT_TERMS];
};

/* The rates of a machine of which three numbers are known, as schedule/model.h has them:
 * a message of m bytes takes alpha + m beta, and m gamma to be packed or unpacked. What
 * more there is follows: a wait is a latency as long as a startup; staging memory past
 * the cache makes packing slower by half; a collective call starts a message to each
 * process, and a vote goes up and down a binary tree. Pure. */
struct rates rates_assume(double alpha, double beta, double gamma, int nranks);

/* A startup of 2 us, 10 GB/s on the wire and to pack: what a cluster's interconnect and
 * memory are like. */
struct rates rates_default(int nranks);

/* Find the rates of the processes of `user`: those that were measured before, kept as an
 * attribute of it, or measure them now. All messages go over `own`, which has the same
 * processes; `user` may be an intercommunicator.
 * Collective. At most a few milliseconds where each process has a core, in the first call
 * for a communicator; then local, O(1). MEMORY, MPI: the same on all processes. */
redist_err rates_find(MPI_Comm user, MPI_Comm own, struct rates *rates);

/* For tests: how often this process has measured. */
int64_t rates_measured(void);

#endif
