/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/detachment.h - from a colouring of classes, given as counts, to the
 * steps of the messages of a core.
 *
 * In a core (coloring.h) class z joins left node x, of a copies, to right node y, of b
 * copies. The left copies are taken in groups of `width`, and the unit (z, G, B) is the
 * messages between the copies A of group G and copy B; a colour is `width` steps, in
 * which a unit meets each of its copies A once. So a group may have `width` units of one
 * colour, and a right copy one. A colouring says how many units of each class have each
 * colour, at most a at a left node and b at a right one. Then units can be chosen so that
 * this holds for each copy: a fair detachment (Hilton 1984; Bahmanian and Rodger 2012),
 * found here by Konig's theorem twice: first the units of each left node are distributed
 * to its groups, then those of each right node to its copies. Each time a preemptive open
 * shop (open_shop.h) finds the matchings: a part is an instant, and few units change from
 * one to the next.
 */
#ifndef REDIST_SCHEDULE_COLORING_DETACHMENT_H
#define REDIST_SCHEDULE_COLORING_DETACHMENT_H

#include "schedule/coloring/edge_coloring.h"

/* The input. */
struct attached {
    const struct multigraph *graph; /* an edge for each class */
    const struct edge_coloring *coloring;
    int64_t groups, copies, width; /* of a left node, of a right node, of a group */
};

/* Units (z, G, B), (z, G, B + 1), .. of one colour, up to the next run. */
struct detached_run {
    int copy;        /* B */
    int color, rank; /* units of one group and colour have ranks 0, 1, .. < width */
};

struct detachment {
    int64_t groups;
    int64_t *begin;           /* [n groups + 1] of z and G: run[begin[z groups + G]] .. */
    struct detached_run *run; /* ascending by copy */
};

/* Distribute all units. The result is the same on every process. O(entries^2) of a node's
 * entries at most, however many copies it has. MEMORY. */
redist_err detachment_make(const struct attached *attached,
                           struct detachment *detachment);

/* Return the colour and the rank of a unit. O(log runs). */
void detachment_find(const struct detachment *detachment, int64_t z, int64_t group,
                     int64_t copy, int64_t *color, int64_t *rank);

void detachment_free(struct detachment *detachment);

#endif
