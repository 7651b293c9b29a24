/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/irregular/deal.h - random numbers of elements, which every process knows of
 * all, and where the elements go when they are balanced: they are dealt out one by one.
 */
#ifndef REDIST_TESTS_DEAL_H
#define REDIST_TESTS_DEAL_H

#include "mpi/check.h"
#include "oracle.h"

enum { MOST_RANKS = 64, MOST_COUNT = 12, MOST_SIZE = 4 };
enum { DEAL_ROOM = MOST_RANKS * MOST_COUNT };

/* What all processes have. */
struct deal_problem {
    int nranks, rank; /* of the calling process */
    redist_balance_method method;
    int64_t count[MOST_RANKS], weight[MOST_RANKS];
    int64_t size[MOST_RANKS][MOST_COUNT]; /* of each element */
};

/* Draw what `nranks` processes have; the caller is `rank`. */
static inline struct deal_problem deal_make(uint64_t *seed, int nranks, int rank)
{
    static struct deal_problem problem;
    int kind = (int)random_in(seed, 0, 3), n = nranks, weighted = 0;
    int lucky = (int)random_in(seed, 0, n - 1);
    problem.nranks = nranks;
    problem.rank = rank;
    problem.method = (redist_balance_method)random_in(seed, REDIST_BALANCE_A,
                                                      REDIST_BALANCE_A_CEILING);
    for (int k = 0; k < n; k++) {
        int64_t count = random_in(seed, 0, MOST_COUNT);
        problem.count[k] = kind == 0                            ? (k == lucky) * count
                           : kind == 1 && random_in(seed, 0, 2) ? 0
                                                                : count;
        problem.weight[k] = random_in(seed, 0, 3);
        weighted = weighted || problem.weight[k] > 0;
        for (int64_t l = 0; l < MOST_COUNT; l++)
            problem.size[k][l] =
                random_in(seed, 0, 3) ? random_in(seed, 0, MOST_SIZE) : 0;
    }
    if (!weighted || kind == 2)
        for (int k = 0; k < n; k++) problem.weight[k] = 1;
    return problem;
}

/* An element by where it was at first, and what this process should have in the end. */
struct element {
    int rank;
    int64_t local;
};
struct deal {
    int64_t n, moved; /* elements of this process; of all that change theirs */
    struct element element[DEAL_ROOM];
};

static inline void deal_to(struct deal *deal, int rank, int from, int64_t local, int to)
{
    deal->moved += from != to;
    if (to == rank) deal->element[deal->n++] = (struct element){from, local};
}

/* Deal out elements of size 1. */
static inline const struct deal *deal_counts(const struct deal_problem *problem)
{
    static struct deal deal;
    int n = problem->nranks, to = 0;
    int64_t share[MOST_RANKS], room[MOST_RANKS];
    deal.n = deal.moved = 0;
    CHECK_OK(redist_balance_shares(problem->method, n, problem->count, problem->weight,
                                   share));
    for (int k = 0; k < n; k++) {
        int64_t kept = problem->method != REDIST_BALANCE_B ? 0
                       : problem->count[k] < share[k]      ? problem->count[k]
                                                           : share[k];
        room[k] = share[k] - kept;
        for (int64_t l = 0; l < kept; l++) deal_to(&deal, problem->rank, k, l, k);
    }
    for (int k = 0; k < n; k++) {
        int64_t kept = problem->method != REDIST_BALANCE_B ? 0 : share[k];
        for (int64_t l = kept; l < problem->count[k]; l++) {
            while (room[to] == 0) to++;
            room[to]--;
            deal_to(&deal, problem->rank, k, l, to);
        }
    }
    return &deal;
}

/* The last of n processes whose share of a stream of `all` units begins at or before
 * `at`. */
static inline int taker(int n, int64_t all, const int64_t weight[], int64_t at)
{
    int64_t sum = 0, before = 0;
    int last = 0;
    for (int k = 0; k < n; k++) sum += weight[k];
    for (int k = 0; k < n; k++) {
        if ((all * before + sum - 1) / sum <= at) last = k;
        before += weight[k];
    }
    return last;
}

/* How many elements method B keeps. */
static inline int64_t kept_of(const struct deal_problem *problem, int k, int64_t units,
                              int64_t share)
{
    int64_t kept = 0, at = 0;
    if (units <= share) return problem->count[k];
    while (at < share) at += problem->size[k][kept++];
    return at == units ? problem->count[k] : kept;
}

static inline const struct deal *deal_sized(const struct deal_problem *problem)
{
    static struct deal deal;
    int n = problem->nranks;
    int64_t units[MOST_RANKS], share[MOST_RANKS], weight[MOST_RANKS], kept[MOST_RANKS];
    int64_t at = 0, all = 0;
    deal.n = deal.moved = 0;
    for (int k = 0; k < n; k++) {
        units[k] = 0;
        for (int64_t l = 0; l < problem->count[k]; l++) units[k] += problem->size[k][l];
    }
    CHECK_OK(redist_balance_shares(problem->method, n, units, problem->weight, share));
    for (int k = 0; k < n; k++) {
        int is_a = problem->method != REDIST_BALANCE_B;
        int rounds_up = problem->method == REDIST_BALANCE_A_CEILING;
        int64_t missing = share[k] > units[k] ? share[k] - units[k] : 0;
        weight[k] = rounds_up ? share[k] : is_a ? problem->weight[k] : missing;
        kept[k] = is_a ? 0 : kept_of(problem, k, units[k], share[k]);
        for (int64_t l = kept[k]; l < problem->count[k]; l++) all += problem->size[k][l];
    }
    for (int k = 0; k < n; k++)
        for (int64_t l = 0; l < problem->count[k]; l++)
            if (l < kept[k] || all == 0) deal_to(&deal, problem->rank, k, l, k);
    for (int k = 0; k < n && all > 0; k++)
        for (int64_t l = kept[k]; l < problem->count[k]; l++) {
            deal_to(&deal, problem->rank, k, l, taker(n, all, weight, at));
            at += problem->size[k][l];
        }
    return &deal;
}

#endif
