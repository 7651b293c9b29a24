/* SPDX-License-Identifier: MIT
 *
 * peers/arena.h - an item, and the buffers that all contenders work on, each verified
 * before they race.
 */
#ifndef REDIST_BENCH_ARENA_H
#define REDIST_BENCH_ARENA_H

#include "base/error.h"
#include "peer.h"
#include "tool/store/input.h"
#include "tool/bench/race.h"

/* Where a contender's arrays lie: in ordinary memory, or in that of redist_alloc. */
enum where { ORDINARY, SHARED, WHERES };

struct arena {
    MPI_Comm comm;
    int rank, nranks;
    struct item item;
    redist_dist *dist[2];
    redist_view view[2];
    struct input input;
    double *buffer[WHERES][2]; /* room for the local array and for a share of the bytes */
    int64_t bytes[2];          /* of the local array */
};

enum { CONTENDER_NAME_SIZE = 64 };

struct contender {
    char name[CONTENDER_NAME_SIZE];
    const struct peer *peer;
    const char *strategy; /* of ours; NULL: the choice */
    enum where where;
    void *state;
    bool available;
    char why[ERROR_MESSAGE_SIZE]; /* it is not */
    struct spread seconds;
    double time; /* that decides; 0: not available */
    const struct arena *arena;
};

/* Make the buffers, those of redist_alloc too if they are asked for, and fill the
 * sources. The caller frees with arena_free, after a failure too. Collective. */
redist_err arena_make(MPI_Comm comm, const struct item *item, bool shared,
                      struct arena *arena);
void arena_free(struct arena *arena);

/* Plan and verify. Who cannot, or brings something wrong, is not available; but that we
 * bring something wrong is an error. Free with contender_leave. Collective. */
redist_err contender_enter(const struct arena *arena, struct contender *contender);
void contender_leave(struct contender *contender);

/* Race those of `n` that are available. Medians decide, or, if `least`, the least times.
 * Collective. */
redist_err arena_race(const struct arena *arena, int64_t rounds, bool least, int n,
                      struct contender contenders[]);

#endif
