/* SPDX-License-Identifier: MIT
 *
 * plan/balance/balance.h - balance what the processes of a communicator hold. The
 * interface between its files:
 *
 *   balance.c         gather all counts on all processes: a few numbers a process
 *   balance_scan.c    for very many processes: scan them, and search for own partners
 *   balance_sized.c   elements of different sizes
 */
#ifndef REDIST_PLAN_BALANCE_BALANCE_H
#define REDIST_PLAN_BALANCE_BALANCE_H

#include "describe/balance.h"
#include "plan/object/plan.h"

/* The most processes for which each has a list of them all. */
enum { BALANCE_LISTED = 4096 };

/* The arguments of a process. */
struct balance {
    MPI_Comm comm;
    MPI_Datatype type;
    redist_balance_method method;
    int64_t count, weight;
    const int64_t *sizes; /* [count], if elements have different sizes */
    const redist_options *options;
};

/* As redist_balance_create; `listed` replaces BALANCE_LISTED.
 * Collective over comm. ARG, MISMATCH, MEMORY, MPI. */
redist_err balance_create(const struct balance *balance, int listed, redist_plan **plan,
                          int64_t *share);

/* Begin: check the arguments of this process, with `shares` the addresses of results, and
 * make a team to communicate in.
 * Collective. The same error on every process; the team must not be freed then. */
redist_err balance_begin(const struct balance *balance, int nshares,
                         int64_t *const shares[], struct team *team);

/* Gather `n` numbers of each process, as [nranks][n]; the caller frees *all. `err` is the
 * error of this process so far, which all then return.
 * Collective. MEMORY, MPI. */
redist_err balance_gather(const struct team *team, redist_err err, int n,
                          const int64_t numbers[], int64_t **all);

/* Find what this process keeps, gives and takes, and make its part of the two
 * distributions; the caller owns the dists.
 * Collective. A few scans, and for each partner O(log distance) words read from others;
 * O(partners) memory. ARG, MEMORY, MPI: not agreed on. */
redist_err balance_scan(const struct team *team, const struct balance *balance,
                        int64_t *share, redist_dist *dist[SIDES]);

#endif
