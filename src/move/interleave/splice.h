/* SPDX-License-Identifier: MIT
 *
 * move/interleave/splice.h - a weave (weave.h) of what one table describes: each run goes
 * from where it lies to its place, in the order of the target, so that all is written
 * once, line by line (seam.h), past the cache.
 *
 *   strands   aaaaaaaa..      bbbb..
 *              \  \        / /
 *   target    aaaabbaaaabbaaaabb..      table of a period   a 0..3, b 4..5
 *
 * Which runs come after each other along the innermost axis is known beforehand, period
 * by period. In a batch of the weave each strand has to find its part; so batches are
 * long, and while one is put together the memory takes nothing, while it is written gives
 * nothing. Here a run is looked up and copied, and what is read and written takes turns
 * by the line.
 */
#ifndef REDIST_MOVE_INTERLEAVE_SPLICE_H
#define REDIST_MOVE_INTERLEAVE_SPLICE_H

#include "move/runs/hops.h"
#include "move/interleave/weave.h"

enum {
    SPLICE_STRANDS = HOPS_PARTNERS, /* at most */
    SPLICE_AHEAD = 24               /* pieces: those are asked for; of most, some KiB */
};

/* A run in a row of the target; places are in bytes. */
struct piece {
    int64_t to;      /* from where the period begins */
    int64_t from[2]; /* from the row's local index 0; [1]: in what was packed */
    int32_t bytes, partner;
};

/* What all rows of a target, along the innermost axis, have in common: `repeats` periods,
 * and what is left. Strands with the same runs in a row have the same partner. */
struct splice {
    int64_t begin, bytes;    /* of a row: from local index 0 to its first byte; all */
    int64_t period, repeats; /* bytes of a period */
    int64_t nperiod, nrest;  /* pieces */
    int64_t reach;           /* periods in which each partner has a cache line */
    bool quick;              /* periods go several at a time, as runs are short */
    struct piece *piece;     /* [nperiod] and some more; NULL: nothing can be spliced */
    struct piece *rest;      /* [nrest] and some more */
    int partners;
    int64_t (*step)[2]; /* [partners] of from[], from period to period */
    int *partner;       /* [strands] */
};

/* The two ways in which what a strand brings may be there. */
struct supply {
    const struct walk *copy, *scatter; /* scatter may be NULL */
};

/* Find the runs of a row that strands fill together, if they are of a length that pays,
 * or can be zipped (zips.h).
 * `splice` needs splice_free in any case.
 * O(runs of a period, log of them). MEMORY. */
redist_err splice_make(struct mem_account *account, const struct supply supplies[],
                       int64_t n, struct splice *splice);
void splice_free(struct splice *splice);

/* Fill bytes at .. stop - 1 of the target, from strands in the order of the supplies,
 * which must be ready to there. They stay where they are.
 * O(n) a row, O(1) a run. */
void splice_strands(const struct splice *splice, const struct strand strands[], int64_t n,
                    int64_t at, int64_t stop, char *to);

#endif
