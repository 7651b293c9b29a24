/* SPDX-License-Identifier: MIT
 *
 * move/relay/exchange_aggregated.c - aggregate the messages for neighbours (after Guo,
 * Yamashita and Nakata, section 4.3.3, whose own way is exchange_multicast.c). With
 * groups of m of P processes, each process has about P/m + m messages instead of P, and
 * nearly all data travel twice (move/relay/aggregation.h).
 *
 * If the messages exceed the staging memory there are several rounds, in each of which
 * every message advances by the same quota of bytes. The first hop of a round runs
 * together with the second hop of the round before:
 *
 *   tick     0       1       2       3
 *   hop 0    round 0 round 1 round 2
 *   hop 1            round 0 round 1 round 2
 */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"
#include "move/relay/aggregation.h"

/* After each bundle: the lowest rank whose buffers are known to be invalid, so that a
 * process that receives from all, directly or not, knows of all (move->invalid_rank). */
enum { TRAILER = sizeof(int64_t) };

struct state {
    struct aggregation aggregation;
    int64_t quota, rounds; /* the same on every process */
    int64_t tick;          /* in progress; rounds + 1: none */
    MPI_Request *request;  /* [1 + posted] the extra request, and those of the current
                              tick, with room for one a bundle */
    MPI_Status *status;
    int posted;
};

/* Return the ranks of a group. */
static int members(int parameter, int nranks)
{
    return parameter == EXCHANGE_CHOOSES ? bundles_group(nranks) : parameter;
}

/* ---- effort ------------------------------------------------------------------------ */

/* Count for messages to ranks all over, equally many to each group. All bytes count on
 * both hops, also those that take only one: with many messages in progress they overlap,
 * but forwarding waits for all arrivals. */
static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    const struct flow *out = &load->all[REDIST_SOURCE], *in = &load->all[REDIST_TARGET];
    int64_t group = members(parameter, load->nranks);
    int64_t groups = int_ceil_div(load->nranks, group);
    const struct flow most = flow_most(load->all);
    int64_t messages = most.messages, largest = most.largest, bytes = most.bytes;
    int64_t bundles = int_min(messages, groups - 1) + int_min(messages, group - 1);
    int64_t room = int_min(load->staging, INT_MAX) - SIDES * bundles * TRAILER;
    int64_t quota = int_min(room / int_max(HOPS * SIDES * messages, 1), largest);
    *effort = (struct effort){{0}, load->staging};
    if (load->partial || quota < int_min(load->grain, largest)) return false;
    int64_t rounds = largest > 0 ? int_ceil_div(largest, quota) : 0;
    double *count = effort->count;
    count[EFFORT_STARTUPS] = (double)(rounds * bundles);
    count[EFFORT_WAITS] = rounds > 0 ? (double)(rounds + 1) : 0;
    count[EFFORT_WIRE] = HOPS * (double)bytes;
    if (count[EFFORT_WIRE] > EFFORT_EAGER * count[EFFORT_STARTUPS])
        count[EFFORT_HANDSHAKES] = count[EFFORT_STARTUPS];
    count[EFFORT_PACKING] = (double)out->bytes + (double)in->bytes + (double)bytes;
    if (load->staging > EFFORT_NEAR && bytes > EFFORT_NEAR / (HOPS * SIDES))
        count[EFFORT_SPILL] = count[EFFORT_PACKING];
    return true;
}

/* ---- making ------------------------------------------------------------------------ */

/* Data that pass through a process, both ways on both hops. */
struct traffic {
    int64_t submessages, bundles;
};

static struct traffic count(const struct aggregation *aggregation)
{
    struct traffic traffic = {0, 0};
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) {
            traffic.submessages += aggregation->hop[hop][s].n;
            traffic.bundles += aggregation->hop[hop][s].nbundles;
        }
    return traffic;
}

static redist_err make_routes(const struct move *move, struct state **made)
{
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *made = state;
    TRY(aggregation_make(move, members(move->parameter, move->nranks),
                         &state->aggregation));
    int64_t bundles = count(&state->aggregation).bundles;
    state->request = mem_alloc(move->plan_account, 1 + bundles, sizeof *state->request);
    state->status = mem_alloc(move->plan_account, bundles, sizeof *state->status);
    return state->request && state->status ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* It holds the trailers, which are read, as well as elements, which may have no
 * values. */
static redist_err make_staging(const struct move *move, struct state *state)
{
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) {
            struct submessages *submessages = &state->aggregation.hop[hop][s];
            int64_t bytes = submessages->nbundles * TRAILER;
            for (int64_t k = 0; k < submessages->n; k++)
                bytes += int_min(submessages->submessage[k].bytes, state->quota);
            if (bytes == 0) continue;
            submessages->staging = mem_alloc(move->staging_account, bytes, 1);
            if (!submessages->staging) return REDIST_ERR_MEMORY;
        }
    return REDIST_OK;
}

/* The quota is the largest for which the process with the most submessages has room. */
static redist_err make(const struct move *move, void **opaque)
{
    struct state *state = NULL;
    redist_err err = make_routes(move, &state);
    *opaque = state;
    struct traffic traffic = err ? (struct traffic){0, 0} : count(&state->aggregation);
    int64_t trailers = traffic.bundles * TRAILER;
    int64_t room = int_min(move->staging, INT_MAX) - trailers;
    int64_t quota = room / int_max(traffic.submessages, 1);
    int64_t most[] = {err != REDIST_OK, move->send.largest,
                      traffic.submessages * move->grain + trailers, -quota};
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_INT64_T, MPI_MAX, move->comm)));
    if (most[0]) return err; /* the plan agrees on it */
    TRY(exchange_check_room(move, most[2], INT_MAX, "aggregated",
                            "message that passes a process"));
    quota = int_min(-most[3], most[1]);
    state->quota = quota - quota % move->grain;
    state->rounds = quota > 0 ? int_ceil_div(most[1], state->quota) : 0;
    return make_staging(move, state);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    aggregation_free(&state->aggregation);
    mem_free(state->request);
    mem_free(state->status);
    mem_free(state);
}

static void find_usage(const void *opaque, struct usage *usage)
{
    const struct state *state = opaque;
    for (int s = 0; s < SIDES; s++) {
        usage->messages[s] = 0;
        for (int hop = 0; hop < HOPS; hop++)
            usage->messages[s] += state->aggregation.hop[hop][s].nbundles;
    }
}

/* ---- a run ------------------------------------------------------------------------- */

/* Place the bundles of a round, each contiguous. */
static void lay_out(const struct state *state, struct submessages *submessages,
                    int64_t round)
{
    int64_t place = 0;
    for (int64_t b = 0; b < submessages->nbundles; b++) {
        struct bundle *bundle = &submessages->bundle[b];
        bundle->place = place;
        for (int64_t k = bundle->begin; k < bundle->end; k++) {
            submessages->submessage[k].place = place;
            place += round_bytes(submessages->submessage[k].bytes, state->quota, round);
        }
        if (place > bundle->place) place += TRAILER;
        bundle->bytes = place - bundle->place;
    }
}

/* Assemble what is sent on a hop: own messages are packed; forwarded ones lie where they
 * were received. */
static void pack(const struct move *move, const struct state *state,
                 const struct submessages *out, int64_t round)
{
    const struct submessages *in = &state->aggregation.hop[0][REDIST_TARGET];
    for (int64_t k = 0; k < out->n; k++) {
        const struct submessage *submessage = &out->submessage[k];
        int64_t n = round_bytes(submessage->bytes, state->quota, round);
        char *staging = out->staging + submessage->place;
        if (n == 0) continue;
        if (submessage->transfer)
            stage_pack(move, submessage->transfer, round * state->quota, n, staging);
        else
            memcpy(staging, in->staging + in->submessage[submessage->origin].place,
                   (size_t)n);
    }
}

/* Unpack what was received on a hop and ends here. */
static void unpack(const struct move *move, const struct state *state, int hop,
                   int64_t round)
{
    const struct submessages *in = &state->aggregation.hop[hop][REDIST_TARGET];
    for (int64_t k = 0; k < in->n; k++) {
        const struct submessage *submessage = &in->submessage[k];
        int64_t n = round_bytes(submessage->bytes, state->quota, round);
        if (n > 0 && submessage->transfer)
            stage_unpack(move, submessage->transfer, round * state->quota, n,
                         in->staging + submessage->place);
    }
}

static char *trailer(const struct submessages *submessages, const struct bundle *bundle)
{
    return submessages->staging + bundle->place + bundle->bytes - TRAILER;
}

/* Read from the trailers of a hop whose buffers are invalid. */
static void listen(struct move *move, const struct state *state, int hop)
{
    const struct submessages *in = &state->aggregation.hop[hop][REDIST_TARGET];
    for (int64_t b = 0; b < in->nbundles; b++) {
        int64_t invalid_rank;
        if (in->bundle[b].bytes == 0) continue;
        memcpy(&invalid_rank, trailer(in, &in->bundle[b]), TRAILER);
        move->invalid_rank = int_min(move->invalid_rank, invalid_rank);
    }
}

/* Write to the trailers of a hop whose buffers are known to be invalid. */
static void tell(const struct move *move, const struct submessages *out)
{
    int64_t invalid_rank =
        int_min(move->invalid_rank, move->buffers_invalid ? move->rank : INT64_MAX);
    for (int64_t b = 0; b < out->nbundles; b++)
        if (out->bundle[b].bytes > 0)
            memcpy(trailer(out, &out->bundle[b]), &invalid_rank, TRAILER);
}

/* Post the bundles of one direction of a hop. */
static redist_err post(const struct move *move, struct state *state, redist_side side,
                       const struct submessages *submessages)
{
    for (int64_t b = 0; b < submessages->nbundles; b++) {
        const struct bundle *bundle = &submessages->bundle[b];
        if (bundle->bytes == 0) continue;
        TRY(move_post(move, side, submessages->staging + bundle->place, bundle->bytes,
                      bundle->partner, &state->request[++state->posted]));
    }
    return REDIST_OK;
}

/* Begin one hop of a round. */
static redist_err start_hop(const struct move *move, struct state *state, int hop,
                            int64_t round)
{
    struct submessages *out = &state->aggregation.hop[hop][REDIST_SOURCE],
                       *in = &state->aggregation.hop[hop][REDIST_TARGET];
    lay_out(state, in, round);
    lay_out(state, out, round);
    TRY(post(move, state, REDIST_TARGET, in));
    pack(move, state, out, round);
    tell(move, out);
    return post(move, state, REDIST_SOURCE, out);
}

/* Data received on the first hop are forwarded before the next round overwrites them. */
static redist_err start_tick(const struct move *move, struct state *state)
{
    int64_t tick = state->tick;
    state->posted = 0;
    if (tick > 0 && tick <= state->rounds) {
        TRY(start_hop(move, state, 1, tick - 1));
        unpack(move, state, 0, tick - 1);
    }
    return tick < state->rounds ? start_hop(move, state, 0, tick) : REDIST_OK;
}

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->tick = state->rounds > 0 ? 0 : 1;
    return start_tick(move, state);
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    while (state->tick <= state->rounds) {
        int landed = 1;
        TRY(extra_request_complete(move->extra, state->posted, state->request,
                                   state->status, wait, &landed));
        if (!landed) break;
        if (state->tick < state->rounds) listen(move, state, 0);
        if (state->tick > 0) {
            listen(move, state, 1);
            unpack(move, state, 1, state->tick - 1);
        }
        state->tick++;
        TRY(start_tick(move, state));
    }
    *done = state->tick > state->rounds;
    return REDIST_OK;
}

const struct exchange exchange_aggregated = {
    .name = "aggregated",
    .parameter = EXCHANGE_CHOOSES,
    .reports_status = true,
    .effort = effort,
    .needs_dists = true,
    .make = make,
    .start = start,
    .progress = progress,
    .usage = find_usage,
    .destroy = destroy,
};
