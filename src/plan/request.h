/* SPDX-License-Identifier: MIT
 *
 * plan/request.h - what the caller of redist_plan_create gave, checked.
 */
#ifndef REDIST_PLAN_REQUEST_H
#define REDIST_PLAN_REQUEST_H

#include "plan/plan.h"

struct request {
    MPI_Comm comm;
    int nitems;
    const redist_item *items;
    const redist_options *options;
    bool quick;        /* see plan_create_lent */
    redist_err failed; /* the same */
};

/* What all processes must pass alike, a number each, and what it is called. */
enum { ITEMS, SOURCES, TARGETS, ELEMENTS, OPERATION, OPTIONS, DIGESTS };
extern const char *const digest_name[DIGESTS];

/* Check all that this process passed, take over options and element sizes into the plan,
 * which has room for the arrays, and find the digests, which begin as 0.
 * O(items). ARG. */
redist_err request_check(redist_plan *plan, const struct request *request,
                         int64_t digests[DIGESTS]);

/* Find the bytes of an element of `type`. ARG: it is not of contiguous bytes. MPI. */
redist_err request_element_size(MPI_Datatype type, int64_t *bytes);

/* Say in an error which of several items it is about. Returns `err`, which may be OK. */
redist_err request_in_item(const struct request *request, int number, redist_err err);

/* The source's view of an item; where the plan transposes, with its axes reversed in
 * `*copy`. */
const redist_view *request_source(const redist_plan *plan, const redist_item *item,
                                  redist_view *copy);

#endif
