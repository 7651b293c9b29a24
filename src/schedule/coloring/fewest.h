/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/fewest.h - steps of a core (coloring.h), as few as its largest
 * degree, and of small cost: of a large core in closed form, if it has one; else
 * searched.
 *
 * The search uses counts alone. Let step c have x(z, c) messages of class z. These are
 * steps of the core if and only if each class has a b messages in all, and each step at
 * most a at a left node z mod u and at most b at a right node z mod t (docs/schedules.md,
 * theorem 6). So the search is a colouring of a multigraph with an edge for each class
 * (edge_coloring.h), followed by a detachment. Where a core has many messages, a colour
 * is `width` steps: width divides the number of copies of the side that has slack.
 */
#ifndef REDIST_SCHEDULE_COLORING_FEWEST_H
#define REDIST_SCHEDULE_COLORING_FEWEST_H

#include "schedule/coloring/coloring.h"
#include "schedule/coloring/detachment.h"

struct fewest {
    struct coloring coloring;     /* if detachment.run is NULL */
    struct detachment detachment; /* of the core with its sides as in coloring.core */
    int64_t width;
    int64_t tc;    /* the cost; INT64_MAX: not counted */
    int64_t bound; /* a lower bound on the cost of this number of steps */
};

/* Find the steps, given the length of the messages of each class, weight [n]; the result
 * is the same on every process. The tables of the core must live on. With more than
 * FEWEST_PAIRS pairs, a closed form is taken if there is one. MEMORY. */
enum { FEWEST_PAIRS = 1 << 18 };
redist_err fewest_find(const struct core *core, const int64_t weight[],
                       struct fewest *fewest);

/* Find a colouring of one side, which coloring_begin must allow, of the pairs of a class
 * and a right copy (mirrored: a left copy); a colour is `a` steps. MEMORY. */
redist_err fewest_of_side(const struct core *core, bool mirrored, const int64_t weight[],
                          struct fewest *fewest);
void fewest_free(struct fewest *fewest);

/* SB of a core whose messages have length weight[n]. O(n log n). MEMORY. */
redist_err fewest_bound(const struct core *core, const int64_t weight[], int64_t *bound);

/* Return the step of the messages of class z (counted from 0) between copies A and B.
 * O(log copies). */
int64_t fewest_step(const struct fewest *fewest, int64_t z, int64_t A, int64_t B);

/* After fewest_of_side: return the colour and the rank of a pair. O(log copies). */
void fewest_pair(const struct fewest *fewest, int64_t z, int64_t copy, int64_t *color,
                 int64_t *rank);

#endif
