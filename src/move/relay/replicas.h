/* SPDX-License-Identifier: MIT
 *
 * move/relay/replicas.h - the replicas of one place of the target as a group that shares
 * out what is for it. They are members 0 .. n - 1 of a circle; what each of them is to
 * have, in the order of its memory, is cut into shares, and each share belongs to a
 * member:
 *
 *   n = 4, 4 shares   aaabbbcccddd   of members 0, 1, 2, 3
 *   n = 4, 1 share    aaaaaaaaaaaa   of member 0
 *
 * Of a message, a share is a range of elements, as both have the same order. Neighbours
 * live on different nodes: round the circle every node comes once before any does again.
 */
#ifndef REDIST_MOVE_RELAY_REPLICAS_H
#define REDIST_MOVE_RELAY_REPLICAS_H

#include "move/walk/walk.h"

struct replicas {
    const redist_view *view[SIDES];
    int64_t n;
    int64_t elements;  /* that each is to have */
    int64_t shares;    /* into how many they are cut, at most n: for the user to say */
    struct seat *seat; /* [n] the replicas as they sit round the circle, */
    int64_t *place;    /* [n] and where each of them does */
    int64_t turn;      /* the seat of member 0 */
    int64_t apart;     /* so many members in a row live on nodes of their own */
    int holder;        /* a rank of the source that has all of them; -1: none has */
    int coords[REDIST_MAX_DIMS]; /* of the place, along the target's dimensions */
    /* Where the elements would lie if local arrays were dense, and elements bytes. */
    struct memory_side dense[SIDES];
    struct overlap whole;
    struct axis axes[REDIST_MAX_DIMS];
    struct walk walk;
};

/* Find the group of target process `rank`, on nodes of `width` consecutive ranks, to
 * which source process `from` has a message of so many elements. Where they are all, and
 * a member holds them in the source itself, that is member 0. One share is assumed. The
 * views must live on. The caller frees with replicas_free, after a failure too.
 * O(n log n + own runs of one period). ARG, MEMORY. */
redist_err replicas_make(const redist_view views[SIDES], int width, int from, int rank,
                         int64_t elements, struct replicas *replicas);
void replicas_free(struct replicas *replicas);

/* The member that a rank is, the rank of a member, and the first element of its share,
 * with which that of the one before ends. */
int64_t replicas_member(const struct replicas *replicas, int rank);
int replicas_rank(const struct replicas *replicas, int64_t member);
int64_t replicas_cut(const struct replicas *replicas, int64_t member);

/* How many shares a member has when stage k = 1, 2, .. begins, in which it gets as many
 * again, or what is left, from as many seats away: first, in stages that double them,
 * one of each node; then all of them. So what goes from node to node is short, and
 * what is long stays within one. n: there is no such stage. */
int64_t replicas_had(const struct replicas *replicas, int k);

/* At most so many stages, of any n members. */
int replicas_stages(int64_t n);

/* Whether a member has all elements from the start, as it holds them in the source. */
bool replicas_holds(const struct replicas *replicas, int64_t member);

/* How many processes of the node of `rank` have the same of a distribution, with itself,
 * on nodes of `width` consecutive ranks; 0: it has nothing. O(width). */
int64_t replicas_beside(const redist_dist *dist, int rank, int width);

/* Count the elements of a message for the group that lie before element `cut` of those
 * that each member is to have. O(runs of one period). */
int64_t replicas_before(const struct replicas *replicas, const struct overlap *overlap,
                        const struct message *message, int64_t cut);

#endif
