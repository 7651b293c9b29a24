/* SPDX-License-Identifier: MIT
 *
 * move/relay/exchange_multicast.c - the aggregation of Guo, Yamashita and Nakata as they
 * describe it (section 4.3.3), for comparison. A process sends all its data for m
 * neighbours as one message, the union. Each neighbour receives the whole union and takes
 * its own part. The targets are served m at a time, from the own rank on:
 *
 *   m = 2, 6 processes       step 0       step 1       step 2
 *   process 1 sends          1 2          3 4          5 0
 *
 * A message is packed once for m targets. But MPI sends it m times, so that there are as
 * many messages as pairs, each m times as long. The exchange `aggregated` needs fewer.
 *
 * If a step exceeds the staging memory there are several rounds of all steps, in each of
 * which every part advances by the same quota of bytes.
 */
#include <limits.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"

struct state {
    int rank, nranks;
    int m;                 /* ranks a step */
    int64_t *bytes[SIDES]; /* [nranks * m] by rank: of each part of the union sent to it,
                              or received from it */
    struct transfer **transfer[SIDES]; /* [nranks]; NULL: none */
    char *staging[SIDES];
    int64_t quota, ticks, tick; /* steps of all rounds, and the current one */
    int posted;
    MPI_Request *request; /* [1 + 2 m] the extra request, and those of the step */
    MPI_Status *status;
};

/* Return the rank `distance` away: ahead of a source, behind a target. */
static int partner(const struct state *state, redist_side s, int distance)
{
    return (int)int_mod(state->rank + (s == REDIST_SOURCE ? distance : -distance),
                        state->nranks);
}

static int steps(const struct state *state)
{
    return (int)int_ceil_div(state->nranks, state->m);
}

/* Bytes of the first n parts of a union in a round. */
static int64_t pieces(const struct state *state, const int64_t bytes[], int n,
                      int64_t round)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++) sum += round_bytes(bytes[i], state->quota, round);
    return sum;
}

/* The union sent between this process and the one `distance` away: whether this process
 * has a part in it, where that begins, and the lengths of both. */
struct union_message {
    int rank;
    struct transfer *transfer;
    int64_t at, bytes, all;
};

static bool find(const struct state *state, redist_side s, int distance,
                 struct union_message *message)
{
    if (distance >= state->nranks) return false;
    int rank = partner(state, s, distance), i = distance % state->m;
    int64_t round = state->tick / steps(state);
    const int64_t *bytes = &state->bytes[s][(int64_t)rank * state->m];
    *message = (struct union_message){
        .rank = rank,
        .transfer = state->transfer[s][rank],
        .at = pieces(state, bytes, i, round),
        .bytes = round_bytes(bytes[i], state->quota, round),
        .all = pieces(state, bytes, state->m, round),
    };
    return message->bytes > 0;
}

/* ---- making ------------------------------------------------------------------------ */

/* Send each target the sizes of all parts of its message. */
static redist_err share_sizes(const struct move *move, struct state *state)
{
    int64_t *sent = state->bytes[REDIST_SOURCE];
    for (int distance = 0; distance < move->nranks; distance++) {
        int first = distance - distance % state->m;
        for (int i = 0; i < state->m && first + i < move->nranks; i++) {
            int member = partner(state, REDIST_SOURCE, first + i);
            const struct transfer *transfer = state->transfer[REDIST_SOURCE][member];
            int64_t target = partner(state, REDIST_SOURCE, distance);
            sent[target * state->m + i] = transfer ? transfer->bytes : 0;
        }
    }
    return mpi_call(MPI_Alltoall(sent, state->m, MPI_INT64_T, state->bytes[REDIST_TARGET],
                                 state->m, MPI_INT64_T, move->comm));
}

static redist_err make_tables(const struct move *move, struct state **made)
{
    struct mem_account *account = move->plan_account;
    struct state *state = mem_alloc(account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *made = state;
    state->rank = move->rank, state->nranks = move->nranks;
    state->m = (int)int_min(move->parameter, move->nranks);
    int64_t n = (int64_t)move->nranks * state->m;
    for (int s = 0; s < SIDES; s++) {
        state->bytes[s] = mem_alloc(account, n, sizeof *state->bytes[s]);
        state->transfer[s] = mem_alloc(account, move->nranks, sizeof *state->transfer[s]);
    }
    state->request = mem_alloc(account, 1 + SIDES * state->m, sizeof *state->request);
    state->status = mem_alloc(account, SIDES * state->m, sizeof *state->status);
    if (!state->bytes[0] || !state->bytes[1] || !state->transfer[0] ||
        !state->transfer[1] || !state->request || !state->status)
        return REDIST_ERR_MEMORY;
    for (int s = 0; s < SIDES; s++) {
        const struct transfers *all = s == REDIST_SOURCE ? &move->send : &move->receive;
        for (int64_t k = 0; k < all->n; k++)
            state->transfer[s][all->transfer[k].rank] = &all->transfer[k];
    }
    return REDIST_OK;
}

/* Return the most bytes of a step on one side in the first round. */
static int64_t most_bytes(const struct state *state, redist_side s)
{
    struct union_message message;
    int64_t most = 0;
    for (int first = 0; first < state->nranks; first += state->m) {
        int64_t sum = 0;
        for (int i = 0; i < state->m; i++)
            if (find(state, s, first + i, &message))
                sum = message.all + (s == REDIST_TARGET ? sum : 0);
        most = int_max(most, sum);
    }
    return most;
}

static redist_err make(const struct move *move, void **opaque)
{
    struct state *state = NULL;
    bool well;
    redist_err err = make_tables(move, &state);
    *opaque = state;
    TRY(mpi_all_well(move->comm, err, &well));
    if (!well) return REDIST_OK; /* the plan agrees on it */
    TRY(share_sizes(move, state));
    state->quota = 1; /* so that bytes are parts */
    int64_t parts = most_bytes(state, REDIST_SOURCE) + most_bytes(state, REDIST_TARGET);
    int64_t quota = int_min(move->staging, INT_MAX) / int_max(parts, 1);
    int64_t most[] = {move->send.largest, parts * move->grain, -quota};
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX, move->comm)));
    TRY(exchange_check_room(move, most[1], INT_MAX, "multicast",
                            "part of a step's messages"));
    state->quota = int_min(-most[2] - -most[2] % move->grain, most[0]);
    if (most[0] > 0) state->ticks = int_ceil_div(most[0], state->quota) * steps(state);
    for (int s = 0; s < SIDES; s++) {
        int64_t bytes = most_bytes(state, (redist_side)s);
        if (bytes > 0)
            state->staging[s] = mem_alloc_elements(move->staging_account, bytes);
        if (bytes > 0 && !state->staging[s]) return REDIST_ERR_MEMORY;
    }
    return REDIST_OK;
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int s = 0; s < SIDES; s++) {
        mem_free(state->bytes[s]);
        mem_free(state->transfer[s]);
        mem_free(state->staging[s]);
    }
    mem_free(state->request);
    mem_free(state->status);
    mem_free(state);
}

/* ---- a run ------------------------------------------------------------------------- */

static redist_err post_receives(const struct move *move, struct state *state, int first)
{
    struct union_message in;
    char *place = state->staging[REDIST_TARGET];
    for (int i = 0; i < state->m; i++) {
        if (!find(state, REDIST_TARGET, first + i, &in)) continue;
        TRY(move_post(move, REDIST_TARGET, place, in.all, in.rank,
                      &state->request[++state->posted]));
        place += in.all;
    }
    return REDIST_OK;
}

static redist_err post_sends(const struct move *move, struct state *state, int first)
{
    struct union_message out;
    char *place = state->staging[REDIST_SOURCE];
    int64_t at = state->tick / steps(state) * state->quota;
    for (int i = 0; i < state->m; i++)
        if (find(state, REDIST_SOURCE, first + i, &out))
            stage_pack(move, out.transfer, at, out.bytes, place + out.at);
    for (int i = 0; i < state->m; i++)
        if (find(state, REDIST_SOURCE, first + i, &out))
            TRY(move_post(move, REDIST_SOURCE, place, out.all, out.rank,
                          &state->request[++state->posted]));
    return REDIST_OK;
}

static redist_err start_step(const struct move *move, struct state *state)
{
    state->posted = 0;
    if (state->tick == state->ticks) return REDIST_OK;
    int first = (int)(state->tick % steps(state)) * state->m;
    TRY(post_receives(move, state, first));
    return post_sends(move, state, first);
}

static void unpack(const struct move *move, struct state *state)
{
    struct union_message in;
    int first = (int)(state->tick % steps(state)) * state->m;
    int64_t at = state->tick / steps(state) * state->quota;
    const char *place = state->staging[REDIST_TARGET];
    for (int i = 0; i < state->m; i++) {
        if (!find(state, REDIST_TARGET, first + i, &in)) continue;
        stage_unpack(move, in.transfer, at, in.bytes, place + in.at);
        place += in.all;
    }
}

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->tick = 0;
    return start_step(move, state);
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    while (state->tick < state->ticks) {
        int landed = 1;
        TRY(extra_request_complete(move->extra, state->posted, state->request,
                                   state->status, wait, &landed));
        if (!landed) break;
        unpack(move, state);
        state->tick++;
        TRY(start_step(move, state));
    }
    *done = state->tick == state->ticks;
    return REDIST_OK;
}

const struct exchange exchange_multicast = {
    .name = "multicast",
    .parameter = 2,
    .make = make,
    .start = start,
    .progress = progress,
    .destroy = destroy,
};
