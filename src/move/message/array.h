/* SPDX-License-Identifier: MIT
 *
 * move/message/array.h - one of the arrays that a plan moves, as the calling process has
 * it.
 */
#ifndef REDIST_MOVE_MESSAGE_ARRAY_H
#define REDIST_MOVE_MESSAGE_ARRAY_H

#include "move/walk/walk.h"

struct array {
    struct sizes sizes;
    redist_view view[SIDES];         /* their dists: while the plan is made, or kept */
    redist_dist *kept_dist[SIDES];   /* NULL: they are not */
    struct memory_side sides[SIDES]; /* of these views */
    int64_t replicas;                /* of the target */
    struct overlap overlap[SIDES];   /* what the process sends, and receives */
    bool listed;                     /* of index lists, not of views: */
    struct listing listing[SIDES];   /* of the messages, in the overlaps' order */
    struct axis axes[REDIST_MAX_DIMS];
    struct walk kept; /* what stays on the process, in `axes`; its total may be 0 */
};

/* Find the messages of process `rank` in an array with these two views, which must live
 * on until transfers_make; what walk_make needs of them the array keeps. The array is not
 * copied. The caller frees with array_free,
 * after a failure too.
 * O(own runs of one period) a dimension, O(own messages). ARG, MEMORY. */
redist_err array_make(struct mem_account *account, const redist_view views[SIDES],
                      struct sizes sizes, int rank, struct array *array);

/* The same of an array whose messages are known, with places for their elements; the
 * listings become the array's, after a failure too, and their blocks its grains. Both
 * sides have their message of the process to itself, or neither.
 * O(messages). MEMORY. */
redist_err array_make_listed(struct mem_account *account, struct listing listing[SIDES],
                             struct sizes sizes, int rank, struct array *array);

/* Make the walk of a message of side `own` in `axis`, as walk_make (walk.h). */
void array_walk(const struct array *array, redist_side own, const struct message *message,
                enum way way, struct axis *axis, struct walk *walk);

/* Make copies of the views' dists, if there are none yet, for array_leave_dists.
 * `account` is charged.
 * Irregular O(blocks). MEMORY. */
redist_err array_keep_dists(struct mem_account *account, struct array *array);

/* The views' dists are the caller's again; from now on they are the copies that are kept,
 * or NULL. */
void array_leave_dists(struct array *array);
void array_free(struct array *array);

/* The elements that stay on the process. */
int64_t array_kept(const struct array *array);

#endif
