/* SPDX-License-Identifier: MIT
 *
 * intersect/partners.h - the partners of one coordinate in one dimension: the coordinates
 * of the other side with common elements, and the common runs.
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

/* Find the partners of coordinate `c` of side `own` of a dimension with the two `sides`
 * (of equal extent). `account` is charged. Both ends find the same runs of a pair.
 * O(own runs of one period) time and memory, times log for irregular formats. MEMORY. */
redist_err partners_make(struct mem_account *account, const struct side sides[SIDES],
                         redist_side own, int c, struct partners *partners);
void partners_free(struct partners *partners);

/* The partners of a coordinate, counted. */
struct partner_counts {
    int64_t partners, elements; /* of all partners */
    int64_t with;               /* elements with one given partner */
};

/* Count the partners and elements of coordinate `c` of side `own`, and its elements with
 * coordinate `other`, which need not be a partner.
 * O(own partners + runs of a pair in one period); without a closed form as partners_make.
 * MEMORY. */
redist_err partners_count(const struct side sides[SIDES], redist_side own, int c,
                          int other, struct partner_counts *counts);

/* Return the index of coordinate `coord` among the partners, or -1. O(log). */
int64_t partners_find(const struct partners *partners, int coord);

/* Append a partner without runs. MEMORY. */
redist_err partners_add(struct partners *partners, int coord);

/* Append a partner with the runs of `builder`, which is emptied. MEMORY. */
redist_err partners_append(struct partners *partners, int coord,
                           struct runs_builder *builder, const struct side sides[SIDES],
                           int64_t period);

#endif
