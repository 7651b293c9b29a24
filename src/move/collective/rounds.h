/* SPDX-License-Identifier: MIT
 *
 * move/collective/rounds.h - messages in rounds: in each round every message of every
 * process advances by the same quota of bytes, until it is complete. All collective
 * exchanges use it.
 *
 *   messages   A |======|======|=|      staging   |A.....|B.....|C..|   and, if there are
 *              B |======|===|                     |A.....|B.....|C..|   several rounds,
 *              C |===|                                                  another of these
 *   round         0      1      2
 *
 * The quota is the largest that the staging memory of every process allows: one round if
 * all messages fit. A message has the same place in each round. With two buffers each
 * way, the next round is packed and the last one unpacked while one travels.
 *
 * A process holds at most 2^31 - 1 bytes in a round, so that MPI's int counts and
 * displacements suffice.
 */
#ifndef REDIST_MOVE_COLLECTIVE_ROUNDS_H
#define REDIST_MOVE_COLLECTIVE_ROUNDS_H

#include "move/message/exchange.h"

/* One direction. A slot is an entry of the mechanism's counts: a rank or a transfer. */
struct rounds_side {
    const struct transfers *transfers;
    int *counts;   /* [slots] bytes in the round being exchanged */
    int *places;   /* [slots] bytes from a buffer's start */
    int64_t bytes; /* of one buffer */
    char *staging; /* [buffers x bytes]; NULL: none */
};

struct rounds {
    const struct rounds_kind *kind;
    int64_t quota;   /* bytes of a message in a round, the same on every process */
    int64_t n;       /* rounds, the same on every process */
    int64_t buffers; /* 1 or 2 */
    struct rounds_side side[SIDES]; /* REDIST_SOURCE: sends; REDIST_TARGET: receives */
    int64_t round;                  /* the round in progress; n: the run is over */
    MPI_Request request;            /* of that round */
    bool persistent;                /* one request serves every run */
};

/* The mechanism that carries a round. Its state begins with a struct rounds. */
struct rounds_kind {
    const char *name;
    bool by_rank;  /* slots are ranks; else transfers */
    bool windowed; /* the staging memory of sends is a window, which set_up allocates */
    /* Set up what else is needed; called by all processes, none of which has failed. With
     * one round it may make `request` persistent. NULL: nothing. MEMORY, MPI. */
    redist_err (*set_up)(const struct move *move, struct rounds *rounds);
    /* Begin to exchange the round's buffers. Called if the request is not persistent.
     * MPI. */
    redist_err (*post)(const struct move *move, struct rounds *rounds);
    /* Pack and unpack all messages of a round. NULL: one by one. */
    void (*pack)(const struct move *move, struct rounds *rounds, int64_t round);
    void (*unpack)(const struct move *move, struct rounds *rounds, int64_t round);
};

/* Make `*state` of `size` bytes, which begins with a struct rounds.
 * Collective. One reduction, and one more before set_up. ARG: the staging memory cannot
 * hold an element of each message; the same everywhere. MEMORY, MPI. */
redist_err rounds_make(const struct move *move, const struct rounds_kind *kind,
                       size_t size, void **state);

/* Count what a run asks of a machine (effort.h), without the mechanism's cost of each of
 * the `n` rounds. Returns false if the staging memory is too small. Pure. */
bool rounds_effort(const struct load *load, int64_t *n, struct effort *effort);

/* The other functions of an exchange (exchange.h). */
redist_err rounds_start(struct move *move, void *state);
redist_err rounds_progress(struct move *move, void *state, bool wait, bool *done);
void rounds_destroy(void *state);

/* A `post` by MPI_Ialltoallv, for slots by rank. */
redist_err rounds_post_alltoallv(const struct move *move, struct rounds *rounds);

/* Bytes of a message in a round; 0 after its end. */
int64_t rounds_part(const struct rounds *rounds, const struct transfer *transfer,
                    int64_t round);

/* The buffer of a round, and transfer k's place in it. */
char *rounds_buffer(const struct rounds *rounds, redist_side side, int64_t round);
char *rounds_place(const struct rounds *rounds, redist_side side, int64_t k,
                   int64_t round);

#endif
