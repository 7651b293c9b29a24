/* SPDX-License-Identifier: MIT
 *
 * move/message/array.h - one of the arrays that a plan moves, as the calling process sees
 * it.
 */
#ifndef REDIST_MOVE_MESSAGE_ARRAY_H
#define REDIST_MOVE_MESSAGE_ARRAY_H

#include "move/walk/walk.h"

struct array {
    struct sizes sizes;
    redist_view view[SIDES];         /* dists: borrowed while the plan is made, or kept
                                        copies */
    redist_dist *kept_dist[SIDES];   /* NULL: not kept */
    struct memory_side sides[SIDES]; /* of these views */
    int64_t replicas;                /* of the target */
    struct overlap overlap[SIDES];   /* what the process sends, and receives */
    bool known;  /* the receivers of the messages know where they lie in the source */
    bool listed; /* the array is of index lists, not of views: */
    struct listing listing[SIDES]; /* of the messages, in the overlaps' order */
    struct axis axes[REDIST_MAX_DIMS];
    struct walk kept; /* the elements that stay on the process, in `axes`; its total may
                         be 0 */
};

/* Find the messages of process `rank` in an array with these two views. The views must
 * live until transfers_make; the array keeps what walk_make needs of them. `array` must
 * not be copied. The caller frees with array_free, after a failure too.
 * O(own runs of one period) a dimension, O(own messages). ARG, MEMORY. */
redist_err array_make(struct mem_account *account, const redist_view views[SIDES],
                      struct sizes sizes, int rank, struct array *array);

/* Make an array of known messages with lists of places. The array takes over the
 * listings, after a failure too, and their blocks become its grains. Both sides have a
 * message of the process to itself, or neither has.
 * O(messages). MEMORY. */
redist_err array_make_listed(struct mem_account *account, struct listing listing[SIDES],
                             struct sizes sizes, int rank, struct array *array);

/* Make the walk of a message of side `own` in `axis`, as walk_make (walk.h). */
void array_walk(const struct array *array, redist_side own, const struct message *message,
                enum way way, struct axis *axis, struct walk *walk);

/* Copy the views' dists, unless copied already, for array_leave_dists. `account` is
 * charged. Irregular O(blocks). MEMORY. */
redist_err array_keep_dists(struct mem_account *account, struct array *array);

/* Give the views' dists back to the caller. From now on they are the kept copies, or
 * NULL. */
void array_leave_dists(struct array *array);
void array_free(struct array *array);

/* Count the elements that stay on the process. */
int64_t array_kept(const struct array *array);

#endif
