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
 * A process holds at most 2^31 - 1 bytes in a round, at most 2^30 of a message, so that
 * MPI's int counts and displacements suffice.
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
    MPI_Comm comm;   /* of the kind's calls */
    bool own_comm;   /* it is freed with the rounds */
    int64_t quota;   /* bytes of a message in a round, the same on every process */
    int64_t n;       /* rounds, the same on every process */
    int64_t buffers; /* 1 or 2 */
    struct rounds_side side[SIDES]; /* REDIST_SOURCE: sends; REDIST_TARGET: receives */
    int64_t round;                  /* the round in progress; n: the run is over */
    MPI_Request request;            /* of that round */
    bool persistent;                /* one request serves every run */
};

/* MPI's calls that exchange the buffers of a round: as MPI_Ialltoallv and, persistent, as
 * MPI_Alltoallv_init. */
typedef int rounds_call(const void *, const int[], const int[], MPI_Datatype, void *,
                        const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Request *);
typedef int rounds_init(const void *, const int[], const int[], MPI_Datatype, void *,
                        const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Info,
                        MPI_Request *);

/* The mechanism that carries a round. Its state begins with a struct rounds. */
struct rounds_kind {
    const char *name;
    bool by_rank;  /* slots are ranks; else transfers */
    bool windowed; /* the staging memory of sends is a window, which set_up allocates */
    /* Set up what else is needed; called by all processes, none of which has failed. It
     * may replace `comm`; if that is MPI_COMM_NULL then, another process has failed.
     * NULL: nothing. MEMORY, MPI. */
    redist_err (*set_up)(const struct move *move, struct rounds *rounds);
    rounds_call *call; /* NULL: rounds_start and rounds_progress are not used */
    rounds_init *init; /* if there is one round; NULL: MPI has none */
    const char *call_name, *init_name;
    /* Pack (REDIST_SOURCE) or unpack all messages of a round. NULL: one by one. */
    void (*move)(const struct move *move, struct rounds *rounds, redist_side side,
                 int64_t round);
};

/* Make `*state` of `size` bytes, which begins with a struct rounds.
 * Collective. One reduction, and one more before set_up or init. ARG: the staging memory
 * cannot hold an element of each message; the same everywhere. MEMORY, MPI. */
redist_err rounds_make(const struct move *move, const struct rounds_kind *kind,
                       size_t size, void **state);

/* Count what a run asks of a machine (load.h), without the mechanism's cost of each of
 * the `n` rounds. Returns false if the staging memory is too small. Pure. */
bool rounds_effort(const struct load *load, int64_t *n, struct effort *effort);

/* The other functions of an exchange (exchange.h). */
redist_err rounds_start(struct move *move, void *state);
redist_err rounds_progress(struct move *move, void *state, bool wait, bool *done);
void rounds_destroy(void *state);

/* Bytes of a message in a round; 0 after its end. */
int64_t rounds_part(const struct rounds *rounds, const struct transfer *transfer,
                    int64_t round);

/* The place of transfer k in the buffer of a round. */
char *rounds_place(const struct rounds *rounds, redist_side side, int64_t k,
                   int64_t round);

#endif
