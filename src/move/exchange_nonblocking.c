/* SPDX-License-Identifier: MIT
 *
 * move/exchange_nonblocking.c - every message as nonblocking sends and receives
 * (Walker and Otto 1996, section 3, version 2), as many of them outstanding as the
 * staging memory holds.
 *
 * Messages longer than a chunk travel in chunks. Pieces are posted in the order of the
 * steps, and their staging memory is taken from a ring each way. What is contiguous in
 * the caller's buffer travels from and to there. While pieces travel, the next are
 * packed and those that have come are unpacked.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "move/copy.h"
#include "move/exchange.h"
#include "move/ring.h"

/* The most pieces of one direction outstanding at a time: MPI looks at all in each
 * call. */
enum { MOST_FLIGHTS = 512 };

/* A piece of a message that has been posted. */
struct flight {
    struct transfer *transfer;
    int64_t at, bytes; /* of the message */
    char *staging;     /* NULL: straight from or to the caller's buffer */
    int64_t taken;     /* of the ring */
    bool landed;
};

/* One direction: a queue of flights, numbered from 0 in a run; number k is in slot k %
 * room. */
struct lane {
    const struct transfers *transfers;
    struct ring ring;
    int64_t room;
    struct flight *flight; /* [room] */
    MPI_Request *request;  /* [room], within the state's array */
    int64_t first, next;   /* flights first .. next - 1 are outstanding */
    int64_t transfer, at;  /* what to post next */
};

struct state {
    struct lane lane[SIDES]; /* REDIST_SOURCE: sends; REDIST_TARGET: receives */
    MPI_Request *request;    /* [room of both] */
    MPI_Status *status;
    int *landed;
    int nrequests;
};

static int64_t count_chunks(const struct transfers *transfers, int64_t chunk)
{
    int64_t chunks = 0;
    for (int64_t k = 0; k < transfers->n; k++)
        chunks += int_ceil_div(transfers->transfer[k].bytes, chunk);
    return chunks;
}

static redist_err make_lane(const struct move *move, const struct transfers *transfers,
                            struct lane *lane)
{
    lane->transfers = transfers;
    lane->room = int_min(count_chunks(transfers, move->chunk), MOST_FLIGHTS);
    lane->flight = mem_alloc(move->plan_account, lane->room, sizeof *lane->flight);
    if (!lane->flight) return REDIST_ERR_MEMORY;
    lane->ring.size = transfers_staging(transfers, move->staging, (int64_t)move->element);
    if (lane->ring.size == 0) return REDIST_OK;
    lane->ring.base = memory_host.alloc(move->staging_account, lane->ring.size);
    return lane->ring.base ? REDIST_OK : REDIST_ERR_MEMORY;
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int s = 0; s < SIDES; s++) {
        memory_host.free(state->lane[s].ring.base);
        mem_free(state->lane[s].flight);
    }
    mem_free(state->request);
    mem_free(state->status);
    mem_free(state->landed);
    mem_free(state);
}

static redist_err make(const struct move *move, void **opaque)
{
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *opaque = state;
    TRY(make_lane(move, &move->send, &state->lane[REDIST_SOURCE]));
    TRY(make_lane(move, &move->receive, &state->lane[REDIST_TARGET]));
    int64_t sends = state->lane[REDIST_SOURCE].room;
    int64_t n = sends + state->lane[REDIST_TARGET].room;
    state->nrequests = (int)n;
    state->request = mem_alloc(move->plan_account, n, sizeof *state->request);
    state->status = mem_alloc(move->plan_account, n, sizeof *state->status);
    state->landed = mem_alloc(move->plan_account, n, sizeof *state->landed);
    if (!state->request || !state->status || !state->landed) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < n; k++) state->request[k] = MPI_REQUEST_NULL;
    state->lane[REDIST_SOURCE].request = state->request;
    state->lane[REDIST_TARGET].request = state->request + sends;
    return REDIST_OK;
}

/* ---- a run ------------------------------------------------------------------------- */

static redist_err post_send(const struct move *move, const struct flight *flight,
                            MPI_Request *request)
{
    struct transfer *transfer = flight->transfer;
    const char *data = flight->staging;
    int bytes = move->mute ? 0 : (int)flight->bytes;
    if (!data) {
        data = (const char *)move->source + transfer->offset + flight->at;
    } else if (!move->mute) {
        walk_seek(&transfer->walk, flight->at / (int64_t)move->element);
        walk_move(&transfer->walk, WAY_GATHER, move->source, flight->staging,
                  flight->bytes / (int64_t)move->element);
    }
    return exchange_check(
        MPI_Isend(data, bytes, MPI_BYTE, transfer->rank, 0, move->comm, request),
        "MPI_Isend");
}

static redist_err post_receive(const struct move *move, const struct flight *flight,
                               MPI_Request *request)
{
    char *data = flight->staging;
    if (!data) data = (char *)move->target + flight->transfer->offset + flight->at;
    return exchange_check(MPI_Irecv(data, (int)flight->bytes, MPI_BYTE,
                                    flight->transfer->rank, 0, move->comm, request),
                          "MPI_Irecv");
}

/* Post pieces in order, until none is left or the queue or the ring is full. */
static redist_err post(const struct move *move, struct lane *lane, redist_side side)
{
    while (lane->transfer < lane->transfers->n && lane->next - lane->first < lane->room) {
        struct transfer *transfer = &lane->transfers->transfer[lane->transfer];
        int64_t slot = lane->next % lane->room;
        struct flight flight = {.transfer = transfer,
                                .at = lane->at,
                                .bytes =
                                    int_min(move->chunk, transfer->bytes - lane->at)};
        if (!transfer->direct || move->mute) {
            flight.staging = ring_push(&lane->ring, flight.bytes, &flight.taken);
            if (!flight.staging) return REDIST_OK;
        }
        lane->flight[slot] = flight;
        lane->next++;
        lane->at += flight.bytes;
        if (lane->at == transfer->bytes) lane->at = 0, lane->transfer++;
        TRY(side == REDIST_SOURCE ? post_send(move, &flight, &lane->request[slot])
                                  : post_receive(move, &flight, &lane->request[slot]));
    }
    return REDIST_OK;
}

/* Take in one piece that has come. A sender that must not use its buffer sends
 * nothing. */
static redist_err land(const struct move *move, struct flight *flight, MPI_Status *status)
{
    int bytes = 0;
    TRY(exchange_check(MPI_Get_count(status, MPI_BYTE, &bytes), "MPI_Get_count"));
    if (!flight->staging || move->mute || bytes != flight->bytes) return REDIST_OK;
    struct walk *walk = &flight->transfer->walk;
    walk_seek(walk, flight->at / (int64_t)move->element);
    walk_move(walk, WAY_SCATTER, flight->staging, move->target,
              bytes / (int64_t)move->element);
    return REDIST_OK;
}

/* Give the staging memory of the pieces that have landed at the head of the queue
 * back. */
static void retire(struct lane *lane)
{
    while (lane->first < lane->next && lane->flight[lane->first % lane->room].landed)
        ring_pop(&lane->ring, lane->flight[lane->first++ % lane->room].taken);
}

static redist_err start(const struct move *move, void *opaque)
{
    struct state *state = opaque;
    for (int s = 0; s < SIDES; s++) {
        struct lane *lane = &state->lane[s];
        lane->first = lane->next = lane->transfer = lane->at = 0;
        lane->ring.head = lane->ring.tail = 0;
    }
    TRY(post(move, &state->lane[REDIST_TARGET], REDIST_TARGET));
    return post(move, &state->lane[REDIST_SOURCE], REDIST_SOURCE);
}

static redist_err progress(const struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    struct lane *sends = &state->lane[REDIST_SOURCE],
                *receives = &state->lane[REDIST_TARGET];
    for (;;) {
        *done = sends->first == sends->next && receives->first == receives->next;
        if (*done) return REDIST_OK;
        int landed = 0;
        if (wait)
            TRY(exchange_check(MPI_Waitsome(state->nrequests, state->request, &landed,
                                            state->landed, state->status),
                               "MPI_Waitsome"));
        else
            TRY(exchange_check(MPI_Testsome(state->nrequests, state->request, &landed,
                                            state->landed, state->status),
                               "MPI_Testsome"));
        for (int k = 0; k < landed; k++) {
            int64_t slot = state->landed[k];
            bool sent = slot < sends->room;
            struct flight *flight =
                sent ? &sends->flight[slot] : &receives->flight[slot - sends->room];
            if (!sent) TRY(land(move, flight, &state->status[k]));
            flight->landed = true;
        }
        retire(sends);
        retire(receives);
        TRY(post(move, receives, REDIST_TARGET));
        TRY(post(move, sends, REDIST_SOURCE));
        if (landed == 0) return REDIST_OK; /* nothing has come: back to the caller */
    }
}

const struct exchange exchange_nonblocking = {
    .name = "nonblocking",
    .what = "MPI_Isend and MPI_Irecv, as many outstanding as the staging memory holds",
    .make = make,
    .start = start,
    .progress = progress,
    .destroy = destroy,
};
