/* SPDX-License-Identifier: MIT
 *
 * plan/object/request.h - the arguments of redist_plan_create, checked.
 */
#ifndef REDIST_PLAN_OBJECT_REQUEST_H
#define REDIST_PLAN_OBJECT_REQUEST_H

#include "plan/object/plan.h"

/* The arguments of a plan by indices. */
struct indexed {
    int64_t extent;
    const redist_indices *indices[SIDES];
};

struct request {
    MPI_Comm comm;
    int nitems;
    const redist_item *items;
    const redist_options *options;
    /* Each process describes only the part that concerns it (dim_from_blocks). Views
     * differ, so that nothing that needs whole views can be asked of the plan. */
    bool partial;
    /* The first `still` elements of a one-dimensional section stay where they are:
     * schedules are made without them. */
    int64_t still;
    /* Not NULL: the one item has lists of indices instead of views. The request is
     * `partial`. */
    const struct indexed *indexed;
    /* An earlier error of this process, which the collective call then reports. */
    redist_err failed;
    /* For callers within this project who guarantee that all processes of `comm` pass the
     * same, and that all plans so made over it run one after the other. The plan borrows
     * comm (team_borrow), and its runs have no vote: only receivers of a process learn
     * that its buffers are invalid. So exchanges that need true counts of all processes
     * are refused. One buffer may be source and target, of different elements. */
    bool lent;
    struct plan_cache *cache; /* for such plans over `comm`; or NULL */
    /* In addition: ignore any strategy and use plain nonblocking messages, which need no
     * knowledge of the machine or of other processes. Each process makes the plan alone;
     * the others do not learn of its errors. */
    bool single_use;
    bool eager; /* in addition: short messages go in pieces (move_piece) */
    /* Ignore REDIST_STRATEGY. */
    bool untold;
    /* Combine received data with the target by this operation; NONE: replace. */
    redist_reduction onto;
};

/* Numbers that must be the same on all processes, and their names. */
enum { ITEMS, SOURCES, TARGETS, EXTENT, ELEMENTS, OPERATION, OPTIONS, DIGESTS };
extern const char *const digest_name[DIGESTS];

/* Check all arguments of this process; copy options and element sizes into the plan,
 * which has room for the arrays; and find the digests, which start as 0.
 * O(items). ARG. */
redist_err request_check(redist_plan *plan, const struct request *request,
                         int64_t digests[DIGESTS]);

/* The replicas of the first source, which must have been checked. */
static inline int64_t request_replicas(const redist_item items[])
{
    return items[0].source->dist->nreplicas;
}

/* Find the bytes of an element of `type`. ARG: its bytes are not contiguous. MPI. */
redist_err request_element_size(MPI_Datatype type, int64_t *bytes);

/* Name the item of an error, if there are several. Returns `err`, which may be OK. */
redist_err request_in_item(const struct request *request, int number, redist_err err);

/* The source's view of an item; if the plan transposes, it has reversed axes and is
 * stored in `*copy`. */
const redist_view *request_source(const redist_plan *plan, const redist_item *item,
                                  redist_view *copy);

#endif
