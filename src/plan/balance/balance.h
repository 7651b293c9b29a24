/* SPDX-License-Identifier: MIT
 *
 * plan/balance/balance.h - balance what the processes of a communicator have, between its
 * files:
 *
 *   balance.c         gather what all have, on all: a few words a process
 *   balance_scan.c    of too many processes, scan it, and search for the own partners
 *   balance_sized.c   elements of different sizes
 */
#ifndef REDIST_PLAN_BALANCE_BALANCE_H
#define REDIST_PLAN_BALANCE_BALANCE_H

#include "describe/balance.h"
#include "plan/object/plan.h"

/* Up to so many processes, each has a list of them all. */
enum { BALANCE_LISTED = 4096 };

/* What a process passes. */
struct balance {
    MPI_Comm comm;
    MPI_Datatype type;
    redist_balance_method method;
    int64_t count, weight;
    const int64_t *sizes; /* [count], if they are sized */
    const redist_options *options;
};

/* As redist_balance_create; `listed` in place of BALANCE_LISTED.
 * Collective over comm. ARG, MISMATCH, MEMORY, MPI. */
redist_err balance_create(const struct balance *balance, int listed, redist_plan **plan,
                          int64_t *share);

/* Begin: check what this process passed, `shares` are the places for results, and make a
 * team to talk in.
 * Collective. The same error on every process, then the team must not be freed. */
redist_err balance_begin(const struct balance *balance, int nshares,
                         int64_t *const shares[], struct team *team);

/* Gather `n` numbers of each process, as [nranks][n]; the caller frees *all. `err` is the
 * error of this process so far, which then all get.
 * Collective. MEMORY, MPI. */
redist_err balance_gather(const struct team *team, redist_err err, int n,
                          const int64_t numbers[], int64_t **all);

/* Find what this process keeps, gives and takes, and describe to it the part of the two
 * distributions that it has to do with; the caller owns the dists.
 * Collective. A few scans, and for each partner O(log distance) words read from others;
 * O(partners) memory. ARG, MEMORY, MPI: not agreed on. */
redist_err balance_scan(const struct team *team, const struct balance *balance,
                        int64_t *share, redist_dist *dist[SIDES]);

#endif
