/* SPDX-License-Identifier: MIT
 *
 * schedule/fewest.h - steps of a core (coloring.h), as few as its largest degree, and of
 * the least cost that is found: the best of several colourings and, where the core is
 * small and none is yet at the bound, of nested stepwise (nested.h) on all of it.
 */
#ifndef REDIST_SCHEDULE_FEWEST_H
#define REDIST_SCHEDULE_FEWEST_H

#include "schedule/coloring.h"

/* A core may have so many pairs (z, B), or what else is counted for a table, that a
 * colouring is searched; that one is made by splitting if nothing else fits; and that one
 * is split to see if this is better. */
enum {
    FEWEST_SEARCH_SIZE = 1 << 20,
    FEWEST_RESORT_SIZE = 1 << 16,
    FEWEST_SPLIT_SIZE = 1 << 13
};

struct fewest {
    struct core core;
    struct coloring coloring;
    int *step;  /* [n][a][b] the step of an edge of the core; NULL: the colouring's */
    int64_t tc; /* the cost; 0 where the core is too large to count it */
};

/* Find the best colouring of one side, which coloring_begin must allow; where it is too
 * large for tables, the closed form, whose cost is not counted. MEMORY. */
redist_err fewest_coloring(const struct core *core, bool mirrored, const int64_t weight[],
                           struct coloring *coloring);

/* Whether a colouring of one side, and whether steps, can be found. O(1). */
bool fewest_side_exists(const struct core *core, bool mirrored);
bool fewest_exists(const struct core *core);

/* Whether weights are of use: where this is not so, a closed form takes none. O(1). */
bool fewest_counts(const struct core *core);

/* SB of a core whose messages have length weight[n]. O(n log n). MEMORY. */
redist_err fewest_bound(const struct core *core, const int64_t weight[], int64_t *bound);

/* Find them; the result is the same on every process. The tables of the core must live
 * on. MEMORY. */
redist_err fewest_find(const struct core *core, const int64_t weight[],
                       struct fewest *fewest);
void fewest_free(struct fewest *fewest);

/* The step of the messages of class z (counted from 0) between copies A and B. O(1). */
int64_t fewest_step(const struct fewest *fewest, int64_t z, int64_t A, int64_t B);

#endif
