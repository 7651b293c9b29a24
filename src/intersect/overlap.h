/* SPDX-License-Identifier: MIT
 *
 * intersect/overlap.h - the messages of one process: its common elements with each
 * process of the other side, as the product of the dimensions' partners. Pure: it can be
 * computed for any process of any P and Q.
 *
 *   dim 0: partners {0, 2}   messages (0,1) (0,3) (2,1) (2,3), each with the runs of
 *   dim 1: partners {1, 3}   its two partners: a message stores little but its rank
 *
 * The elements of a message are those of the section in lexicographic order of (k_0, k_1,
 * ..), or of any fixed permutation of the dimensions. Both ends agree without
 * communication.
 */
#ifndef REDIST_INTERSECT_OVERLAP_H
#define REDIST_INTERSECT_OVERLAP_H

#include "intersect/partners.h"

struct message {
    int rank; /* of the other process; may be the own rank */
    int64_t elements;
    int64_t number; /* which tuple of partners (overlap_partner) */
};

struct overlap {
    int ndims;
    int rank;
    redist_side own;
    struct partners dim[REDIST_MAX_DIMS];
    int64_t nmessages, room;
    struct message *message; /* [nmessages] ascending by number */
    struct mem_account *account;
};

/* Check that two views can be source and target of one redistribution.
 * O(ndims^2). ARG. */
redist_err overlap_check(const redist_view *source, const redist_view *target);

/* Find the messages that process `rank` sends (own = REDIST_SOURCE) or receives
 * (REDIST_TARGET). A rank outside the grid has none. Where the source has replicas, a
 * process that holds elements itself takes its own copy; the other targets are spread
 * over the replicas; both ends compute the same. The views are not needed afterwards,
 * their dists are. `account` may be NULL.
 * O(own runs of one period) a dimension, O(own messages). MEMORY. */
redist_err overlap_make(struct mem_account *account, const redist_view *source,
                        const redist_view *target, redist_side own, int rank,
                        struct overlap *overlap);
void overlap_free(struct overlap *overlap);

/* The messages of a process, counted. */
struct overlap_counts {
    int64_t messages, elements; /* with the message to itself */
    int64_t kept;               /* elements of the message to itself */
};

/* Count the result of overlap_make, for views without replicas.
 * O(own partners + runs of a pair in one period) a dimension; without a closed form as
 * overlap_make. MEMORY. */
redist_err overlap_count(const redist_view *source, const redist_view *target,
                         redist_side own, int rank, struct overlap_counts *counts);

/* Return the partner of a message along dimension j. O(ndims). */
const struct partner *overlap_partner(const struct overlap *overlap,
                                      const struct message *message, int j);

#endif
