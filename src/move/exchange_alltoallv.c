/* SPDX-License-Identifier: MIT
 *
 * move/exchange_alltoallv.c - MPI's own total exchange: every message packed, then
 * MPI_Alltoallv (the nonblocking one, so that a run can be started and tested).
 *
 * Where the messages exceed the staging memory there are several rounds, in each of
 * which every message moves on by the same quota of bytes.
 */
#include <limits.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/copy.h"
#include "move/stage.h"

/* One direction: bytes of each rank in the round, and where they stand in the staging
 * memory. */
struct half {
    int *counts, *places; /* [nranks] */
    char *staging;
};

struct state {
    struct half half[SIDES]; /* REDIST_SOURCE: sends; REDIST_TARGET: receives */
    int64_t quota, rounds;   /* the same on every process */
    int64_t round;           /* being exchanged */
    MPI_Request request;
};

static redist_err make_half(const struct move *move, const struct transfers *transfers,
                            int64_t quota, struct half *half)
{
    half->counts = mem_alloc(move->plan_account, move->nranks, sizeof *half->counts);
    half->places = mem_alloc(move->plan_account, move->nranks, sizeof *half->places);
    if (!half->counts || !half->places) return REDIST_ERR_MEMORY;
    int64_t bytes = 0;
    for (int64_t k = 0; k < transfers->n; k++)
        bytes += int_min(transfers->transfer[k].bytes, quota);
    if (bytes == 0) return REDIST_OK;
    half->staging = memory_host.alloc(move->staging_account, bytes);
    return half->staging ? REDIST_OK : REDIST_ERR_MEMORY;
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int s = 0; s < SIDES; s++) {
        mem_free(state->half[s].counts);
        mem_free(state->half[s].places);
        memory_host.free(state->half[s].staging);
    }
    mem_free(state);
}

/* The bytes of each message in a round: what the process with most messages can hold. */
static int64_t find_quota(int64_t staging, int64_t messages, int64_t largest)
{
    int64_t quota = int_min(staging / 2, INT_MAX) / int_max(messages, 1);
    return int_min(quota, largest);
}

/* The call has a startup of its own for each process; nothing is packed while data
 * travels. */
static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    (void)parameter;
    int64_t messages = int_max(load->messages[0], load->messages[1]);
    int64_t largest = int_max(load->largest[0], load->largest[1]);
    int64_t bytes = int_max(load->bytes[0], load->bytes[1]);
    int64_t quota = find_quota(load->staging, messages, largest);
    *effort = (struct effort){{0}};
    if (quota == 0 && largest > 0) return false;
    double *count = effort->count;
    count[EFFORT_WIRE] = (double)bytes;
    count[EFFORT_PACKING] = (double)load->bytes[0] + (double)load->bytes[1];
    if (2 * int_min(quota * messages, bytes) > EFFORT_NEAR)
        count[EFFORT_SPILL] = count[EFFORT_PACKING];
    count[EFFORT_CALLS] = largest > 0 ? (double)int_ceil_div(largest, quota) : 0;
    count[EFFORT_VOTES] = 1;
    return true;
}

static redist_err make(const struct move *move, void **opaque)
{
    int64_t most[2] = {int_max(move->send.n, move->receive.n),
                       int_max(move->send.largest, move->receive.largest)};
    TRY(exchange_check(
        MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, move->comm),
        "MPI_Allreduce"));
    int64_t element = (int64_t)move->element;
    int64_t quota = find_quota(move->staging, most[0], most[1]);
    quota -= quota % element;
    if (quota == 0 && most[1] > 0)
        return error_set(REDIST_ERR_ARG,
                         "staging_bytes is %" PRId64 ", alltoallv with %" PRId64
                         " messages a process needs at least %" PRId64,
                         move->staging, most[0], 2 * most[0] * element);
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *opaque = state;
    state->quota = quota;
    state->rounds = quota > 0 ? int_ceil_div(most[1], quota) : 0;
    state->request = MPI_REQUEST_NULL;
    TRY(make_half(move, &move->send, quota, &state->half[REDIST_SOURCE]));
    return make_half(move, &move->receive, quota, &state->half[REDIST_TARGET]);
}

/* Lay out one direction of the round. */
static void lay_out(const struct state *state, const struct transfers *transfers,
                    struct half *half)
{
    int place = 0;
    for (int64_t k = 0; k < transfers->n; k++) {
        const struct transfer *transfer = &transfers->transfer[k];
        int64_t left = transfer->bytes - state->round * state->quota;
        half->counts[transfer->rank] = (int)int_max(int_min(left, state->quota), 0);
        half->places[transfer->rank] = place;
        place += half->counts[transfer->rank];
    }
}

/* Pack or unpack the round's part of each message. */
static void stage(const struct move *move, const struct state *state, redist_side side)
{
    const struct transfers *transfers =
        side == REDIST_SOURCE ? &move->send : &move->receive;
    const struct half *half = &state->half[side];
    int64_t at = state->round * state->quota;
    for (int64_t k = 0; k < transfers->n; k++) {
        struct transfer *transfer = &transfers->transfer[k];
        int64_t n = half->counts[transfer->rank];
        char *staging = half->staging + half->places[transfer->rank];
        if (n == 0) continue;
        if (side == REDIST_SOURCE)
            stage_pack(move, transfer, at, n, staging);
        else
            stage_unpack(move, transfer, at, n, staging);
    }
}

static redist_err start_round(const struct move *move, struct state *state)
{
    if (state->round == state->rounds) return REDIST_OK;
    struct half *send = &state->half[REDIST_SOURCE],
                *receive = &state->half[REDIST_TARGET];
    lay_out(state, &move->send, send);
    lay_out(state, &move->receive, receive);
    stage(move, state, REDIST_SOURCE);
    return exchange_check(MPI_Ialltoallv(send->staging, send->counts, send->places,
                                         MPI_BYTE, receive->staging, receive->counts,
                                         receive->places, MPI_BYTE, move->comm,
                                         &state->request),
                          "MPI_Ialltoallv");
}

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->round = 0;
    return start_round(move, state);
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    while (state->round < state->rounds) {
        int landed = 1;
        if (wait)
            TRY(exchange_check(MPI_Wait(&state->request, MPI_STATUS_IGNORE), "MPI_Wait"));
        else
            TRY(exchange_check(MPI_Test(&state->request, &landed, MPI_STATUS_IGNORE),
                               "MPI_Test"));
        if (!landed) break;
        stage(move, state, REDIST_TARGET);
        state->round++;
        TRY(start_round(move, state));
    }
    *done = state->round == state->rounds;
    return REDIST_OK;
}

const struct exchange exchange_alltoallv = {
    .name = "alltoallv",
    .what = "all messages packed, then MPI_Alltoallv",
    .collective = true,
    .effort = effort,
    .make = make,
    .start = start,
    .progress = progress,
    .destroy = destroy,
};
