/* SPDX-License-Identifier: MIT
 *
 * intersect/overlap.h - what one process shares with each process of the other side:
 * the product of the dimensions' partners. Pure: any process of any P and Q can be
 * asked for.
 *
 *   dim 0: partners {0, 2}   messages (0,1) (0,3) (2,1) (2,3), each with the runs of
 *   dim 1: partners {1, 3}   its two partners: a message stores little but its rank
 *
 * The elements of a message are those of the section in lexicographic order of (k_0,
 * k_1, ..), or of any fixed permutation of the dimensions; both ends agree without
 * asking each other.
 */
#ifndef REDIST_INTERSECT_OVERLAP_H
#define REDIST_INTERSECT_OVERLAP_H

#include "intersect/partners.h"

struct message {
    int rank; /* of the other process; may be the own */
    int64_t elements;
    int64_t number; /* which tuple of partners: see overlap_partner */
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

/* Find what process `rank` sends (own = REDIST_SOURCE) or receives (REDIST_TARGET). A
 * rank outside the grid has no messages. Where the source replicates, a process that
 * holds the elements itself takes them from itself, and the others take turns among
 * the replicas; both ends know. The views are not needed afterwards, their dists are.
 * `account` may be NULL.
 * O(own runs of one period) a dimension, O(own messages). MEMORY. */
redist_err overlap_make(struct mem_account *account, const redist_view *source,
                        const redist_view *target, redist_side own, int rank,
                        struct overlap *overlap);
void overlap_free(struct overlap *overlap);

/* What a process shares, counted. */
struct overlap_counts {
    int64_t messages, elements; /* with itself, too */
    int64_t kept;               /* elements with itself */
};

/* Count what overlap_make would find, of views without replicas.
 * O(own partners + runs of a pair in one period) a dimension, where there is no closed
 * form as overlap_make. MEMORY. */
redist_err overlap_count(const redist_view *source, const redist_view *target,
                         redist_side own, int rank, struct overlap_counts *counts);

/* The partner along dimension j of a message. O(ndims). */
const struct partner *overlap_partner(const struct overlap *overlap,
                                      const struct message *message, int j);

#endif
