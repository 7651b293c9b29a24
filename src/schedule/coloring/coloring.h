/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/coloring.h - schedules in as few steps as the largest degree, from an
 * edge colouring of the core alone.
 *
 * The core of a redistribution (classes.h) has an edge (z, A, B) for each class z and
 * copies A < a, B < b, from left node (x, A) to right node (y, B): x = z mod u, y = z mod
 * t, or as given by tables, for several dimensions taken together. Say that the right
 * nodes have the largest degree, a dc, where dc is the most classes of one y (else
 * mirror: swap x and y, a and b, A and B). Colour the pairs (z, B) with dc colours so
 * that
 *
 *   1. at a right node (y, B) no colour occurs twice,
 *   2. among the pairs of one x no colour occurs more than a times,
 *
 * and number those of one x and one colour by rank = 0, 1, .. < a. Then
 *
 *   step(z, A, B) = a color(z, B) + (A - rank(z, B)) mod a
 *
 * puts each edge into one of a dc steps, each a matching: each colour is a steps, in
 * which the pair (z, B) meets each of its a copies A once, and pairs of one x are at
 * different copies. The colour costs a times its longest message.
 */
#ifndef REDIST_SCHEDULE_COLORING_COLORING_H
#define REDIST_SCHEDULE_COLORING_COLORING_H

#include "schedule/problem/classes.h"

struct core {
    int64_t n;               /* classes, here numbered 0 .. n - 1 */
    int64_t u, t;            /* left and right nodes */
    int64_t a, b;            /* copies of each */
    int64_t dr, dc;          /* the most classes of a left and of a right node */
    const int *left, *right; /* [n] the nodes of a class; NULL: z mod u, z mod t */
};
struct core core_of_classes(const struct classes *k);

/* Allocate the length of the messages of each class, [n]; NULL: no memory. */
int64_t *core_weights(const struct classes *k);

static inline int64_t core_left(const struct core *core, int64_t z)
{
    return core->left ? core->left[z] : z % core->u;
}
static inline int64_t core_right(const struct core *core, int64_t z)
{
    return core->right ? core->right[z] : z % core->t;
}

struct coloring {
    bool mirrored;
    struct core core; /* its sides swapped if mirrored; the tables are borrowed */
    int64_t colors;   /* number of colours: dc */
};

/* Start a colouring of one side. Returns whether that side has the largest degree, so
 * that its schedule has the fewest steps possible; in a tie both sides have. O(1). */
bool coloring_begin(const struct core *core, bool mirrored, struct coloring *coloring);

/* Count its pairs, or left nodes times colours if these are more; INT64_MAX: too many.
 * O(1). */
int64_t coloring_size(const struct coloring *coloring);

/* Tell whether the closed form colours one dimension. It always does for at least one
 * side if P = Q or if each process meets each class mod u and t (r + s > g).
 * O(1).
 *
 * The closed form puts windows of t classes one after the other, one for each B: on a
 * circle of N = t dc places, n of them used, pair (z, B) is at place z + o(B), o(B) = -t
 * B mod u, and its colour is the place div t:
 *
 *   t=2 u=3 n=6       z  0 1 2 3 4 5       the windows of a colour cover each
 *        B=0 o=0         0 0 1 1 2 2       residue of z mod u equally often
 *        B=1 o=1         0 1 1 2 2 0
 *        B=2 o=2         1 1 2 2 0 0
 */
bool coloring_closed(const struct coloring *coloring);

/* Return the colour and the rank of a pair (mirrored: of (z, A)). O(1). */
void coloring_pair(const struct coloring *coloring, int64_t z, int64_t B, int64_t *color,
                   int64_t *rank);

/* Return the step of messages of class z (counted from 0) between copies A and B.
 * O(1). */
int64_t coloring_step(const struct coloring *coloring, int64_t z, int64_t A, int64_t B);

#endif
