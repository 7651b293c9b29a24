/* SPDX-License-Identifier: MIT
 *
 * move/relay/replicas.h - the replicas of one place of the target, as a group that
 * receives each element once and passes it on. They are members 0 .. n - 1 of a circle.
 * The elements that each is to have, in the order of its memory, are cut into shares, and
 * each share belongs to a member:
 *
 *   n = 4, 4 shares   aaabbbcccddd   of members 0, 1, 2, 3
 *   n = 4, 1 share    aaaaaaaaaaaa   of member 0
 *
 * A share of a message is a range of its elements, as both have the same order.
 * Neighbours on the circle live on different nodes: every node comes once before any
 * comes again.
 */
#ifndef REDIST_MOVE_RELAY_REPLICAS_H
#define REDIST_MOVE_RELAY_REPLICAS_H

#include "move/walk/walk.h"

struct replicas {
    const redist_view *view[SIDES];
    int64_t n;
    int64_t elements;  /* elements of each replica */
    int64_t shares;    /* number of shares, at most n; set by the user of this struct */
    struct seat *seat; /* [n] the replicas in the order of the circle, and */
    int64_t *place;    /* [n] the position of each */
    int64_t turn;      /* the seat of member 0 */
    int64_t apart;     /* so many consecutive members live on different nodes */
    int holder;        /* a rank of the source that has all elements; -1: none */
    int coords[REDIST_MAX_DIMS]; /* of the place, along the target's dimensions */
    /* Places of the elements if local arrays were dense and elements were bytes. */
    struct memory_side dense[SIDES];
    struct overlap whole;
    struct axis axes[REDIST_MAX_DIMS];
    struct walk walk;
};

/* Find the group of target process `rank`, on nodes of `width` consecutive ranks. Source
 * process `from` has a message of `elements` for it. If these are all elements, and a
 * member holds them in the source itself, it is member 0. One share is assumed. The views
 * must live on. The caller frees with replicas_free, after a failure too.
 * O(n log n + own runs of one period). ARG, MEMORY. */
redist_err replicas_make(const redist_view views[SIDES], int width, int from, int rank,
                         int64_t elements, struct replicas *replicas);
void replicas_free(struct replicas *replicas);

/* The member of a rank, the rank of a member, and the first element of a member's share,
 * which is also the end of the share before. */
int64_t replicas_member(const struct replicas *replicas, int rank);
int replicas_rank(const struct replicas *replicas, int64_t member);
int64_t replicas_cut(const struct replicas *replicas, int64_t member);

/* Count the shares that a member has when stage k = 1, 2, .. begins. In the stage it gets
 * as many more, or all that are left, from the member that far away. The first stages,
 * until there is one share of each node, double short amounts between nodes; the others
 * double long amounts within nodes. n: there is no such stage. */
int64_t replicas_had(const struct replicas *replicas, int k);

/* The most stages for any n members. */
int replicas_stages(int64_t n);

/* Tell whether a member has all elements from the start, in the source. */
bool replicas_holds(const struct replicas *replicas, int64_t member);

/* Count the processes of the node of `rank`, itself too, with the same elements of a
 * distribution, on nodes of `width` consecutive ranks; 0: it has none. O(width). */
int64_t replicas_beside(const redist_dist *dist, int rank, int width);

/* Count the elements of a message to the group that lie before element `cut` of those
 * that each member is to have. O(runs of one period). */
int64_t replicas_before(const struct replicas *replicas, const struct overlap *overlap,
                        const struct message *message, int64_t cut);

#endif
