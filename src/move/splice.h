/* SPDX-License-Identifier: MIT
 *
 * move/splice.h - a weave (weave.h) of runs of some hundred bytes: each goes straight from
 * where it lies to its place in the target, in the order of the target, so that all is
 * written once, line by line, and past the cache. What has runs of the innermost axis,
 * period by period, is known beforehand:
 *
 *   strands   aaaa..aaaa..    bb..bb..        table   a 0..3, b 4..5; next period
 *               \ \    / /
 *   target    aaaabbaaaabbaaaabb..            |-line-|-line-|-line-|
 *                                                  seam: of two runs
 *
 * Of a batch of the weave each strand has to find its part; here nothing is done for a run
 * but to look it up.
 */
#ifndef REDIST_MOVE_SPLICE_H
#define REDIST_MOVE_SPLICE_H

#include "move/weave.h"

/* A run in a row of the target. */
struct piece {
    int64_t to;      /* bytes from the period's beginning */
    int64_t from[2]; /* bytes from the row's local index 0; [1]: in what was packed of it */
    int32_t bytes, partner;
};

/* The rows of a target, innermost axis, that all have the same runs. */
struct splice {
    int64_t begin, bytes; /* of a row: from local index 0 to its first byte; all of it */
    int64_t period, repeats;   /* bytes of the target; then comes the rest */
    int64_t nperiod, nrest;    /* pieces */
    struct piece *piece, *rest; /* [each and some more], NULL: there is nothing to splice */
    int partners;
    int64_t (*step)[2];        /* [partners] as from, from period to period */
    int *partner;              /* [strands] */
};

/* The two ways in which what a strand brings may be there. */
struct supply {
    const struct walk *copy, *scatter; /* scatter may be NULL */
};

/* Find the runs of a row that strands fill together, if they are of a length that pays.
 * `splice` needs splice_free in any case.
 * O(runs of a period, log of them). MEMORY. */
redist_err splice_make(struct mem_account *account, const struct supply supplies[],
                       int64_t n, struct splice *splice);
void splice_free(struct splice *splice);

/* Fill bytes at .. stop - 1 of the target; each strand, in the order of the supplies, has
 * them. It stays where it is.
 * O(n) a row, O(1) a run. */
void splice_strands(const struct splice *splice, const struct strand strands[], int64_t n,
                    int64_t at, int64_t stop, char *to);

#endif
