/* SPDX-License-Identifier: MIT
 *
 * intersect/partners.h - what one coordinate of one dimension shares with the other side:
 * its partners and, for each, their common runs.
 */
#ifndef REDIST_INTERSECT_PARTNERS_H
#define REDIST_INTERSECT_PARTNERS_H

#include "intersect/runs.h"

struct partner {
    int coord; /* on the other side */
    struct runs runs;
};

struct partners {
    struct mem_account *account;
    int64_t n, room;
    struct partner *partner; /* [n] ascending by coord */
};

/* Find the partners of coordinate `c` of side `own` of a dimension whose two sides are
 * `sides` (of equal extent). `account` is charged. The runs of a pair are the same
 * whichever end asks.
 * O(own runs of one period) time and memory, times log for irregular formats. MEMORY. */
redist_err partners_make(struct mem_account *account, const struct side sides[SIDES],
                         redist_side own, int c, struct partners *partners);
void partners_free(struct partners *partners);

/* What one coordinate shares, counted. */
struct partner_counts {
    int64_t partners, elements; /* of all partners */
    int64_t with;               /* elements with one of them */
};

/* Count what coordinate `c` of side `own` shares, and what with coordinate `other`, which
 * may share nothing with it.
 * O(own partners + runs of a pair in one period), where there is no closed form as
 * partners_make. MEMORY. */
redist_err partners_count(const struct side sides[SIDES], redist_side own, int c,
                          int other, struct partner_counts *counts);

/* The index of coordinate `coord` among the partners, or -1. O(log). */
int64_t partners_find(const struct partners *partners, int coord);

/* Append a partner that has no runs yet. MEMORY. */
redist_err partners_add(struct partners *partners, int coord);

/* Append a partner with the runs collected in `builder`, which is left empty. MEMORY. */
redist_err partners_append(struct partners *partners, int coord,
                           struct runs_builder *builder, const struct side sides[SIDES],
                           int64_t period);

#endif
