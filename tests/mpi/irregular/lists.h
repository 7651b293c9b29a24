/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/irregular/lists.h - random lists of indices, which every process knows of
 * all: each index once on the source's side; anywhere, often, or nowhere on the
 * target's.
 */
#ifndef REDIST_TESTS_LISTS_H
#define REDIST_TESTS_LISTS_H

#include "mpi/check.h"
#include "oracle.h"

enum { LISTS_RANKS = 64, LISTS_EXTENT = 400, LISTS_ROOM = 3 * LISTS_EXTENT };
enum { MOST_RUN = 30, MOST_BLOCK = 7 };

/* The forms in which a process may say what it has. */
enum form { LIST, RANGES, DIST };

/* What one process has of a side, in its local order. */
struct share {
    int64_t n, index[LISTS_ROOM];
    int64_t nranges;
    redist_range range[LISTS_ROOM];
};

/* All processes know all of it, from the seed alone. */
struct lists {
    int nranks, rank; /* of the calling process */
    int64_t extent;
    int64_t block; /* all runs are of whole ones, but for those of dists */
    struct share share[2][LISTS_RANKS];
    redist_dist *dist[2]; /* or NULL */
    enum form form[2];    /* of the calling process */
};

static inline void lists_append(struct share *share, int64_t first, int64_t count)
{
    share->range[share->nranges++] = (redist_range){first, count};
    for (int64_t k = 0; k < count; k++) share->index[share->n++] = first + k;
}

/* Cut 0 .. extent - 1 into runs of at most `most`, shuffle them and deal them out to some
 * of the processes: each index once, or, if `freely`, anything up to three times. */
static inline void lists_deal(struct lists *lists, uint64_t *seed, redist_side side,
                              int64_t most, int freely)
{
    static redist_range run[LISTS_EXTENT];
    int n = lists->nranks, takers = (int)random_in(seed, 1, n);
    int64_t nruns = 0, shuffled = random_in(seed, 0, 3);
    for (int64_t at = 0; at < lists->extent; nruns++) {
        int64_t length = lists->block * random_in(seed, 1, most);
        int64_t left = lists->extent - at;
        run[nruns] = (redist_range){at, length < left ? length : left};
        at += run[nruns].count;
    }
    for (int64_t k = nruns - 1; k > 0 && shuffled; k--) {
        int64_t other = random_in(seed, 0, k);
        redist_range swapped = run[k];
        run[k] = run[other];
        run[other] = swapped;
    }
    for (int64_t k = 0; k < nruns; k++)
        for (int64_t times = freely ? random_in(seed, 0, 3) : 1; times > 0; times--) {
            int taker = (int)random_in(seed, 0, takers - 1);
            struct share *share = &lists->share[side][(taker + k) % n];
            if (share->n + run[k].count <= LISTS_ROOM)
                lists_append(share, run[k].first, run[k].count);
        }
}

static inline void lists_deal_by_dist(struct lists *lists, uint64_t *seed,
                                      redist_side side)
{
    static const char *const formats[] = {"block", "cyclic(1)", "cyclic(3)", "*"};
    char text[96];
    int n = lists->nranks;
    (void)snprintf(text, sizeof text, "[%" PRId64 "] (%s) onto %d", lists->extent,
                   formats[random_in(seed, 0, side == REDIST_TARGET && n > 1 ? 3 : 2)],
                   n);
    CHECK_OK(redist_dist_parse(text, &lists->dist[side]));
    for (int rank = 0; rank < n; rank++) {
        struct share *share = &lists->share[side][rank];
        CHECK_OK(redist_dist_local_extents(lists->dist[side], rank, &share->n));
        for (int64_t k = 0; k < share->n; k++)
            CHECK_OK(redist_dist_index(lists->dist[side], rank, &k, &share->index[k]));
    }
}

/* Draw the lists of `nranks` processes; the caller is `rank`. */
static inline void lists_make(struct lists *lists, uint64_t *seed, int nranks, int rank)
{
    lists->nranks = nranks;
    lists->rank = rank;
    lists->extent = random_in(seed, 0, 9) ? random_in(seed, 1, LISTS_EXTENT) : 0;
    int64_t most = random_in(seed, 0, 1) ? random_in(seed, 1, MOST_RUN) : 1;
    lists->block = random_in(seed, 0, 2) ? 1 : random_in(seed, 2, MOST_BLOCK);
    lists->extent -= lists->extent % lists->block;
    for (int s = 0; s < 2; s++) {
        lists->dist[s] = NULL;
        for (int k = 0; k < nranks; k++)
            lists->share[s][k].n = lists->share[s][k].nranges = 0;
        int regular = random_in(seed, 0, 4) == 0 && lists->extent > 0;
        int freely = s == REDIST_TARGET && random_in(seed, 0, 1);
        if (regular)
            lists_deal_by_dist(lists, seed, (redist_side)s);
        else
            lists_deal(lists, seed, (redist_side)s, most, freely);
        for (int k = 0; k < nranks; k++) { /* each process may choose its form */
            enum form form = (enum form)random_in(seed, LIST, RANGES);
            if (k == rank) lists->form[s] = regular ? DIST : form;
        }
    }
}

static inline void lists_free(struct lists *lists)
{
    for (int s = 0; s < 2; s++) redist_dist_destroy(&lists->dist[s]);
}

static inline redist_indices lists_indices(const struct lists *lists, redist_side side)
{
    const struct share *share = &lists->share[side][lists->rank];
    switch (lists->form[side]) {
        case RANGES: return redist_indices_of_ranges(share->nranges, share->range);
        case DIST: return redist_indices_of_dist(lists->dist[side]);
        default: return redist_indices_of_list(share->n, share->index);
    }
}

#endif
