/* SPDX-License-Identifier: MIT
 *
 * move/exchange_aggregated.c - the messages for neighbours as one (Guo, Yamashita and
 * Nakata, section 4.3.3): with groups of m of P processes, each has about P/m + m messages
 * in place of P, and nearly everything travels twice (move/routes.h).
 *
 * Where the messages exceed the staging memory there are several rounds, in each of which
 * every message moves on by the same quota of bytes. The first hop of a round goes beside
 * the second of the one before:
 *
 *   tick     0       1       2       3
 *   hop 0    round 0 round 1 round 2
 *   hop 1            round 0 round 1 round 2
 */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/copy.h"
#include "move/routes.h"
#include "move/stage.h"

struct state {
    struct routes routes;
    char *staging[HOPS][SIDES];
    int64_t quota, rounds; /* the same on every process */
    int64_t tick;          /* under way; rounds + 1: none */
    MPI_Request *request;  /* room for one a bundle */
    int posted;            /* of the tick under way */
};

/* ---- making ------------------------------------------------------------------------ */

/* The least number whose square is n or more: about as many groups as members. */
static int square_root(int n)
{
    int root = 1;
    while ((int64_t)root * root < n) root++;
    return root;
}

static redist_err make_routes(const struct move *move, struct state **made)
{
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *made = state;
    int group = move->parameter;
    if (group == EXCHANGE_CHOOSES) group = square_root(move->nranks);
    TRY(routes_make(move, group, &state->routes));
    int64_t bundles = 0;
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) bundles += state->routes.hop[hop][s].bundles;
    state->request = mem_alloc(move->plan_account, bundles, sizeof *state->request);
    return state->request ? REDIST_OK : REDIST_ERR_MEMORY;
}

static int64_t count_parcels(const struct routes *routes)
{
    int64_t n = 0;
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) n += routes->hop[hop][s].n;
    return n;
}

static redist_err make_staging(const struct move *move, struct state *state)
{
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) {
            const struct parcels *parcels = &state->routes.hop[hop][s];
            int64_t bytes = 0;
            for (int64_t k = 0; k < parcels->n; k++)
                bytes += int_min(parcels->parcel[k].bytes, state->quota);
            if (bytes == 0) continue;
            state->staging[hop][s] = memory_host.alloc(move->staging_account, bytes);
            if (!state->staging[hop][s]) return REDIST_ERR_MEMORY;
        }
    return REDIST_OK;
}

/* The quota is what the process that most parcels pass can hold of each. */
static redist_err make(const struct move *move, void **opaque)
{
    struct state *state = NULL;
    redist_err err = make_routes(move, &state);
    *opaque = state;
    int64_t most[3] = {err != REDIST_OK, err ? 0 : count_parcels(&state->routes),
                       move->send.largest};
    TRY(exchange_check(
        MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX, move->comm),
        "MPI_Allreduce"));
    if (most[0]) return err; /* the plan agrees on it */
    int64_t quota = int_min(move->staging, INT_MAX) / int_max(most[1], 1);
    quota = int_min(quota, most[2]);
    quota -= quota % move->grain;
    if (quota == 0 && most[2] > 0)
        return error_set(REDIST_ERR_ARG,
                         "staging_bytes is %" PRId64 ", aggregated with up to %" PRId64
                         " messages at a process needs at least %" PRId64,
                         move->staging, most[1], most[1] * move->grain);
    state->quota = quota;
    state->rounds = quota > 0 ? int_ceil_div(most[2], quota) : 0;
    return make_staging(move, state);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) memory_host.free(state->staging[hop][s]);
    routes_free(&state->routes);
    mem_free(state->request);
    mem_free(state);
}

static void find_usage(const void *opaque, struct usage *usage)
{
    const struct state *state = opaque;
    for (int s = 0; s < SIDES; s++) {
        usage->messages[s] = 0;
        for (int hop = 0; hop < HOPS; hop++)
            usage->messages[s] += state->routes.hop[hop][s].bundles;
    }
}

/* ---- a run ------------------------------------------------------------------------- */

/* The bytes of a parcel that travel in a round. */
static int64_t piece(const struct state *state, const struct parcel *parcel,
                     int64_t round)
{
    return int_max(int_min(parcel->bytes - round * state->quota, state->quota), 0);
}

static void lay_out(const struct state *state, struct parcels *parcels, int64_t round)
{
    int64_t place = 0;
    for (int64_t k = 0; k < parcels->n; k++) {
        parcels->parcel[k].place = place;
        place += piece(state, &parcels->parcel[k], round);
    }
}

/* Put together what is sent on a hop: what begins here is packed, what goes on from here
 * lies where it came in. */
static void pack(const struct move *move, const struct state *state, int hop,
                 int64_t round)
{
    const struct parcels *parcels = &state->routes.hop[hop][REDIST_SOURCE];
    const struct parcel *in = state->routes.hop[0][REDIST_TARGET].parcel;
    for (int64_t k = 0; k < parcels->n; k++) {
        const struct parcel *parcel = &parcels->parcel[k];
        int64_t n = piece(state, parcel, round);
        char *staging = state->staging[hop][REDIST_SOURCE] + parcel->place;
        if (n == 0) continue;
        if (parcel->transfer)
            stage_pack(move, parcel->transfer, round * state->quota, n, staging);
        else
            memcpy(staging, state->staging[0][REDIST_TARGET] + in[parcel->origin].place,
                   (size_t)n);
    }
}

/* Take in what has come on a hop and ends here. */
static void unpack(const struct move *move, const struct state *state, int hop,
                   int64_t round)
{
    const struct parcels *parcels = &state->routes.hop[hop][REDIST_TARGET];
    for (int64_t k = 0; k < parcels->n; k++) {
        const struct parcel *parcel = &parcels->parcel[k];
        int64_t n = piece(state, parcel, round);
        if (n > 0 && parcel->transfer)
            stage_unpack(move, parcel->transfer, round * state->quota, n,
                         state->staging[hop][REDIST_TARGET] + parcel->place);
    }
}

/* Post the bundles of a hop one way, of which each lies in one piece. */
static redist_err post(const struct move *move, struct state *state, int hop, int side,
                       int64_t round)
{
    const struct parcels *parcels = &state->routes.hop[hop][side];
    for (int64_t k = 0; k < parcels->n;) {
        const struct parcel *first = &parcels->parcel[k];
        char *data = state->staging[hop][side] + first->place;
        int64_t bytes = 0;
        for (; k < parcels->n && parcels->parcel[k].partner == first->partner; k++)
            bytes += piece(state, &parcels->parcel[k], round);
        if (bytes == 0) continue;
        MPI_Request *request = &state->request[state->posted++];
        if (side == REDIST_SOURCE)
            TRY(exchange_check(MPI_Isend(data, (int)bytes, MPI_BYTE, first->partner,
                                         move->tag, move->comm, request),
                               "MPI_Isend"));
        else
            TRY(exchange_check(MPI_Irecv(data, (int)bytes, MPI_BYTE, first->partner,
                                         move->tag, move->comm, request),
                               "MPI_Irecv"));
    }
    return REDIST_OK;
}

/* Begin one hop of a round. */
static redist_err start_hop(const struct move *move, struct state *state, int hop,
                            int64_t round)
{
    lay_out(state, &state->routes.hop[hop][REDIST_TARGET], round);
    lay_out(state, &state->routes.hop[hop][REDIST_SOURCE], round);
    TRY(post(move, state, hop, REDIST_TARGET, round));
    pack(move, state, hop, round);
    return post(move, state, hop, REDIST_SOURCE, round);
}

/* What came in on the first hop goes on before the next round takes its place. */
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
        if (wait)
            TRY(exchange_check(
                MPI_Waitall(state->posted, state->request, MPI_STATUSES_IGNORE),
                "MPI_Waitall"));
        else
            TRY(exchange_check(
                MPI_Testall(state->posted, state->request, &landed, MPI_STATUSES_IGNORE),
                "MPI_Testall"));
        if (!landed) break;
        if (state->tick > 0) unpack(move, state, 1, state->tick - 1);
        state->tick++;
        TRY(start_tick(move, state));
    }
    *done = state->tick > state->rounds;
    return REDIST_OK;
}

const struct exchange exchange_aggregated = {
    .name = "aggregated",
    .what = "what is for k neighbours as one message, which one of them passes on",
    .parameter = EXCHANGE_CHOOSES,
    .make = make,
    .start = start,
    .progress = progress,
    .usage = find_usage,
    .destroy = destroy,
};
