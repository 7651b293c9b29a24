/* SPDX-License-Identifier: MIT
 *
 * plan/object/request.h - what the caller of redist_plan_create gave, checked.
 */
#ifndef REDIST_PLAN_OBJECT_REQUEST_H
#define REDIST_PLAN_OBJECT_REQUEST_H

#include "plan/object/plan.h"

/* What is moved by indices. */
struct indexed {
    int64_t extent;
    const redist_indices *indices[SIDES];
};

struct request {
    MPI_Comm comm;
    int nitems;
    const redist_item *items;
    const redist_options *options;
    /* Each process describes what it has to do with, and no more (dim_from_blocks): the
     * views differ, so that nothing that takes all of them can be asked of the plan. */
    bool partial;
    /* So many elements of the section of a one-dimensional item, its first, stay where
     * they are: schedules are made without them. */
    int64_t still;
    /* Not NULL: instead of views the one item has lists of indices. It is `partial`. */
    const struct indexed *indexed;
    /* What this process has failed with before it could say what it wants. */
    redist_err failed;
    /* For a caller in this project who vouches that all processes of `comm` pass the
     * same, and that the runs of all plans so made over it come one after the other: the
     * plan borrows comm (team_borrow), and its runs have no vote. Of a process whose
     * buffers are unusable learn those alone to whom it would have sent: an exchange in
     * which all must take part with their data is refused. One buffer may be source and
     * target, of elements that are not the same. */
    bool lent;
    struct plan_cache
        *cache; /* what such plans over `comm` leave to each other, or NULL */
    /* Besides: whatever strategy may be asked for, move by plain nonblocking messages,
     * which take nothing to be known of the machine or of others: so each process makes
     * the plan for itself, and what one fails with the others don't know. */
    bool single_use;
    bool eager; /* besides: short messages go in pieces, see move_piece */
    /* REDIST_STRATEGY is not looked at. */
    bool untold;
    /* What comes is put together with the target by it; NONE: it takes its place. */
    redist_reduction onto;
};

/* What all processes must pass alike, a number each, and what it is called. */
enum { ITEMS, SOURCES, TARGETS, EXTENT, ELEMENTS, OPERATION, OPTIONS, DIGESTS };
extern const char *const digest_name[DIGESTS];

/* Check all that this process passed, take over options and element sizes into the plan,
 * which has room for the arrays, and find the digests, which begin as 0.
 * O(items). ARG. */
redist_err request_check(redist_plan *plan, const struct request *request,
                         int64_t digests[DIGESTS]);

/* The replicas of the first source, which has been checked. */
static inline int64_t request_replicas(const redist_item items[])
{
    return items[0].source->dist->nreplicas;
}

/* Find the bytes of an element of `type`. ARG: it is not of contiguous bytes. MPI. */
redist_err request_element_size(MPI_Datatype type, int64_t *bytes);

/* Say in an error which of several items it is about. Returns `err`, which may be OK. */
redist_err request_in_item(const struct request *request, int number, redist_err err);

/* The source's view of an item; where the plan transposes, with its axes reversed in
 * `*copy`. */
const redist_view *request_source(const redist_plan *plan, const redist_item *item,
                                  redist_view *copy);

#endif
