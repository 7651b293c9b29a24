/* SPDX-License-Identifier: MIT */
#include "move/p2p/pipeline.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/ring.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"
#include "move/mpi/post.h"
#include "move/walk/memory.h"

/* The most pieces of one direction in progress at a time: MPI tests all in each call. */
enum { MOST_POSTED = 512 };

/* A piece of a message that has been posted. */
struct posted_piece {
    struct transfer *transfer; /* NULL: from any source */
    int64_t at, bytes;         /* in the message */
    char *staging;             /* NULL: directly from or to the caller's buffer */
    int64_t end;               /* in the ring, if in staging memory */
    bool arrived;
};

/* One direction: a queue of pieces in progress, numbered from 0 in a run; number k is in
 * slot k % room. If each piece of a run has a slot of its own, a slot's message is the
 * same in every run, in the same memory unless the caller's buffer changes: its request
 * is then persistent. */
struct direction {
    const struct transfers *transfers;
    struct ring ring;
    char *memory;   /* [ring.size] */
    bool borrows;   /* the memory belongs to the plan cache */
    int64_t pieces; /* of a run */
    int64_t window; /* the most pieces in progress */
    int64_t room;
    bool lasting;
    struct posted_piece *piece; /* [room] and in one block with it: */
    struct binding *binding;    /* [room] */
    MPI_Request *request;       /* [room] */
    int64_t first, next;        /* pieces first .. next - 1 are in progress */
    int64_t transfer, at;       /* the next to post */
};

/* The progress of the message from one rank. */
struct origin {
    int rank;
    struct transfer *transfer;
    int64_t at;
};

/* The origin of a request that is waited for. */
struct slot {
    bool extra; /* of no direction, but the extra request */
    redist_side side;
    int64_t number;
};

struct state {
    struct pipeline_policy policy;
    struct direction direction[SIDES]; /* REDIST_SOURCE: sends; REDIST_TARGET: receives */
    struct origin *origin;             /* [receives] ascending by rank, if any_source */
    int64_t step;                      /* the current one, if stepwise */
    /* if ready */
    MPI_Request barrier;    /* not MPI_REQUEST_NULL until all have posted receives: */
    int posted, all_posted; /* whether this process, or every one, has posted all */
    /* [window of both directions + 1] requests in progress, contiguous, with the extra
     * one; and those complete: in one block */
    struct slot *slot;
    MPI_Request *request;
    MPI_Status *status;
    int *arrived;
};

/* ---- making ------------------------------------------------------------------------ */

static int64_t count_pieces(const struct move *move, const struct transfers *transfers)
{
    int64_t pieces = 0;
    for (int64_t k = 0; k < transfers->n; k++) {
        int64_t bytes = transfers->transfer[k].bytes;
        pieces += int_ceil_div(bytes, move_piece(move, bytes));
    }
    return pieces;
}

static redist_err make_direction(const struct move *move, redist_side side,
                                 const struct pipeline_policy *policy, int64_t window,
                                 struct direction *direction)
{
    const struct transfers *transfers =
        side == REDIST_SOURCE ? &move->send : &move->receive;
    direction->transfers = transfers;
    direction->pieces = count_pieces(move, transfers);
    direction->window = int_min(direction->pieces, window);
    direction->lasting = direction->pieces <= MOST_POSTED && !policy->any_source;
    direction->room = direction->lasting ? direction->pieces : direction->window;
    const struct mem_part parts[] = {MEM_PART(direction->piece, direction->room),
                                     MEM_PART(direction->binding, direction->room),
                                     MEM_PART(direction->request, direction->room),
                                     {0}};
    TRY(mem_alloc_parts(move->plan_account, parts));
    for (int64_t k = 0; k < direction->room; k++)
        direction->request[k] = MPI_REQUEST_NULL;
    int64_t pieces = 0; /* as many of the longest, and at most all */
    if (!int_mul(direction->window, int_min(transfers->largest, move->chunk), &pieces))
        pieces = INT64_MAX;
    direction->ring.size =
        int_min(pieces, transfers_staging(transfers, move->staging, move->grain));
    if (direction->ring.size == 0) return REDIST_OK;
    direction->borrows = move->single_use && move->cache;
    direction->memory =
        direction->borrows
            ? plan_cache_staging(move->cache, move->staging, side)
            : mem_alloc_elements(move->staging_account, direction->ring.size);
    return direction->memory ? REDIST_OK : REDIST_ERR_MEMORY;
}

static int by_rank(const void *a, const void *b)
{
    const struct origin *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static redist_err make_origins(const struct move *move, struct state *state)
{
    const struct transfers *receive = &move->receive;
    state->origin = mem_alloc(move->plan_account, receive->n, sizeof *state->origin);
    if (!state->origin) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < receive->n; k++) {
        struct transfer *transfer = &receive->transfer[k];
        state->origin[k] = (struct origin){transfer->rank, transfer, 0};
    }
    if (receive->n > 1)
        qsort(state->origin, (size_t)receive->n, sizeof *state->origin, by_rank);
    return REDIST_OK;
}

void pipeline_destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int s = 0; s < SIDES; s++) {
        struct direction *direction = &state->direction[s];
        for (int64_t k = 0; direction->piece && k < direction->room; k++)
            post_free(&direction->binding[k], &direction->request[k]);
        if (!direction->borrows) mem_free(direction->memory);
        mem_free(direction->piece);
    }
    mem_free(state->origin);
    mem_free(state->slot);
    mem_free(state);
}

/* In ready mode nothing may be sent before all receives are posted: also not by the
 * process that receives most, of which all learn. Collective. */
static redist_err check_ready(const struct move *move)
{
    int64_t most = move->receive.packed;
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, move->comm)));
    if (most <= move->staging / 2) return REDIST_OK;
    return error_arg("staging_bytes is %" PRId64 ", ready has all receives posted at "
                     "once and needs %" PRId64,
                     move_in_cap(move, move->staging), move_in_cap(move, 2 * most));
}

redist_err pipeline_make(const struct move *move, const struct pipeline_policy *policy,
                         void **opaque)
{
    if (policy->ready) TRY(check_ready(move));
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *opaque = state;
    state->policy = *policy;
    state->barrier = MPI_REQUEST_NULL;
    int64_t sends = int_min(policy->window, MOST_POSTED);
    int64_t receives = policy->any_source ? 1 : policy->ready ? INT64_MAX : sends;
    TRY(make_direction(move, REDIST_SOURCE, policy, sends,
                       &state->direction[REDIST_SOURCE]));
    TRY(make_direction(move, REDIST_TARGET, policy, receives,
                       &state->direction[REDIST_TARGET]));
    if (policy->any_source) TRY(make_origins(move, state));
    int64_t n = state->direction[REDIST_SOURCE].window +
                state->direction[REDIST_TARGET].window + 1;
    const struct mem_part parts[] = {MEM_PART(state->slot, n),
                                     MEM_PART(state->request, n),
                                     MEM_PART(state->status, n),
                                     MEM_PART(state->arrived, n),
                                     {0}};
    return mem_alloc_parts(move->plan_account, parts);
}

/* ---- posting ----------------------------------------------------------------------- */

/* Tell whether sends are in ready mode in this run. A process with invalid buffers has no
 * room for all its receives at once. */
static bool sends_ready(const struct state *state)
{
    return state->policy.ready && state->all_posted;
}

/* A receive from any source must not match a message of the next run, which has another
 * tag. One from a known source cannot, as its messages don't overtake each other. */
static redist_err post_piece(const struct move *move, const struct state *state,
                             redist_side side, int64_t slot, bool packed)
{
    const struct direction *direction = &state->direction[side];
    const struct posted_piece *piece = &direction->piece[slot];
    struct transfer *transfer = piece->transfer;
    bool sends = side == REDIST_SOURCE;
    char *data = piece->staging;
    if (!data) data = stage_direct(move, side, transfer) + piece->at;
    const struct post post = {
        .kind = !sends               ? POST_RECEIVE
                : sends_ready(state) ? POST_READY_SEND
                                     : POST_SEND,
        .data = data,
        .bytes = sends && (move->buffers_invalid || !packed) ? 0 : (int)piece->bytes,
        .rank = transfer ? transfer->rank : MPI_ANY_SOURCE,
        .tag = state->policy.any_source ? move->tag : 0,
        .comm = move->comm,
        .late = move->single_use,
    };
    bool lasts = direction->lasting &&
                 (!sends || sends_ready(state) == state->policy.ready); /* its mode */
    return post_start(&post, lasts, &direction->binding[slot], &direction->request[slot]);
}

/* Give a piece a place in staging memory. Returns whether there was room. */
static bool reserve_staging(struct direction *direction, struct posted_piece *piece)
{
    int64_t at = ring_push(&direction->ring, piece->bytes, &piece->end);
    if (at >= 0) piece->staging = direction->memory + at;
    return at >= 0;
}

/* Post a receive for a piece of any message. */
static redist_err post_any(const struct move *move, struct state *state)
{
    struct direction *direction = &state->direction[REDIST_TARGET];
    if (direction->next == direction->pieces || direction->next > direction->first)
        return REDIST_OK;
    struct posted_piece *piece = &direction->piece[0];
    *piece = (struct posted_piece){
        .bytes = int_min(direction->transfers->largest, move->chunk)};
    reserve_staging(direction, piece);
    direction->next++;
    return post_piece(move, state, REDIST_TARGET, 0, true);
}

/* Tell whether the next piece of a direction may be posted now, as far as steps
 * matter. */
static bool is_due(const struct state *state, const struct direction *direction)
{
    if (direction->transfer == direction->transfers->n) return false;
    return !state->policy.stepwise ||
           direction->transfers->transfer[direction->transfer].step == state->step;
}

/* Post pieces from number `first` on, when they are packed. */
static redist_err post_packed(const struct move *move, const struct state *state,
                              redist_side side, int64_t first)
{
    const struct direction *direction = &state->direction[side];
    bool packed = side == REDIST_TARGET || first == direction->next || stage_fence(move);
    for (int64_t k = first; k < direction->next; k++)
        TRY(post_piece(move, state, side, k % direction->room, packed));
    return REDIST_OK;
}

/* Post pieces in order, until none is left or the queue or the ring is full. Moves that
 * are queued (memory.h) pack all of them at once, others one before each post. */
static redist_err post(const struct move *move, struct state *state, redist_side side)
{
    struct direction *direction = &state->direction[side];
    if (side == REDIST_SOURCE && state->barrier != MPI_REQUEST_NULL) return REDIST_OK;
    if (side == REDIST_TARGET && state->policy.any_source) return post_any(move, state);
    int64_t first = direction->next; /* not yet posted */
    while (is_due(state, direction) &&
           direction->next - direction->first < direction->window) {
        struct transfer *transfer = &direction->transfers->transfer[direction->transfer];
        int64_t slot = direction->next % direction->room;
        struct posted_piece piece = {.transfer = transfer, .at = direction->at};
        piece.bytes =
            int_min(transfer->bytes - direction->at, move_piece(move, transfer->bytes));
        bool staged = !transfer->direct || move->buffers_invalid;
        if (staged && !reserve_staging(direction, &piece)) break;
        direction->piece[slot] = piece;
        direction->next++;
        direction->at += piece.bytes;
        if (direction->at == transfer->bytes) direction->at = 0, direction->transfer++;
        if (side == REDIST_SOURCE && staged)
            stage_queue_pack(move, transfer, piece.at, piece.bytes, piece.staging);
        if (memory_queues(move->memory)) continue;
        TRY(post_packed(move, state, side, first));
        first = direction->next;
    }
    return post_packed(move, state, side, first);
}

/* Begin the next step if the current one is done in both directions. Returns whether
 * there is another one. */
static bool next_step(struct state *state)
{
    int64_t next = INT64_MAX;
    for (int s = 0; s < SIDES; s++) {
        const struct direction *direction = &state->direction[s];
        if (direction->first < direction->next) return true;
        if (direction->transfer < direction->transfers->n)
            next =
                int_min(next, direction->transfers->transfer[direction->transfer].step);
    }
    state->step = next;
    return next < INT64_MAX;
}

static redist_err post_both(const struct move *move, struct state *state)
{
    if (state->policy.stepwise && !next_step(state)) return REDIST_OK;
    TRY(post(move, state, REDIST_TARGET));
    return post(move, state, REDIST_SOURCE);
}

/* ---- receiving --------------------------------------------------------------------- */

/* Find which piece a receive from any source has received. */
static void find_sender(const struct move *move, struct state *state,
                        struct posted_piece *piece, int source)
{
    struct origin key = {.rank = source};
    struct origin *origin =
        bsearch(&key, state->origin, (size_t)state->direction[REDIST_TARGET].transfers->n,
                sizeof *origin, by_rank);
    piece->transfer = origin->transfer;
    piece->at = origin->at;
    int64_t bytes = origin->transfer->bytes;
    piece->bytes = int_min(bytes - origin->at, move_piece(move, bytes));
    origin->at += piece->bytes;
}

/* Handle a piece that has arrived. A sender with invalid buffers sends empty messages. */
static redist_err receive_piece(struct move *move, struct state *state,
                                struct posted_piece *piece, MPI_Status *status)
{
    int bytes = 0;
    TRY(mpi_call(MPI_Get_count(status, MPI_BYTE, &bytes)));
    if (!piece->transfer) find_sender(move, state, piece, status->MPI_SOURCE);
    if (bytes != piece->bytes)
        move->invalid_rank = int_min(move->invalid_rank, status->MPI_SOURCE);
    if (piece->staging && bytes == piece->bytes)
        stage_queue_unpack(move, piece->transfer, piece->at, bytes, piece->staging);
    return REDIST_OK;
}

/* Free the staging memory of the pieces at the head of the queue that are done. */
static void free_finished(struct direction *direction)
{
    for (; direction->first < direction->next; direction->first++) {
        const struct posted_piece *piece =
            &direction->piece[direction->first % direction->room];
        if (!piece->arrived) return;
        if (piece->staging) ring_pop(&direction->ring, piece->end);
    }
}

/* Collect the requests in progress. Returns their number. */
static int collect_requests(const struct move *move, struct state *state)
{
    int n = 0;
    if (move->extra && move->extra->request) {
        state->request[n] = *move->extra->request;
        state->slot[n++] = (struct slot){.extra = true};
    }
    for (int s = 0; s < SIDES; s++) {
        const struct direction *direction = &state->direction[s];
        for (int64_t k = direction->first; k < direction->next; k++) {
            int64_t slot = k % direction->room;
            if (direction->piece[slot].arrived) continue;
            state->request[n] = direction->request[slot];
            state->slot[n++] = (struct slot){.side = (redist_side)s, .number = slot};
        }
    }
    return n;
}

/* Handle one of those that are complete. */
static redist_err receive_one(struct move *move, struct state *state, int which,
                              MPI_Status *status)
{
    const struct slot *slot = &state->slot[which];
    if (slot->extra) {
        *move->extra->request = state->request[which];
        return move->extra->go_on(move->extra);
    }
    struct direction *direction = &state->direction[slot->side];
    struct posted_piece *piece = &direction->piece[slot->number];
    direction->request[slot->number] = state->request[which];
    piece->arrived = true;
    return slot->side == REDIST_TARGET ? receive_piece(move, state, piece, status)
                                       : REDIST_OK;
}

/* Tell whether n pieces in progress, the last ones, are better waited for together:
 * testing all of them after each takes longer than unpacking those complete by then. */
static bool arrive_together(const struct state *state, int64_t n)
{
    for (int s = 0; s < SIDES; s++)
        if (state->direction[s].transfer < state->direction[s].transfers->n) return false;
    return ring_held(&state->direction[REDIST_TARGET].ring) <= n * n * PIPELINE_LOOK;
}

/* Find out which of n requests are complete; with `wait`, at least one, or all. Others
 * wait for what is posted after the extra request: until it is complete, only one request
 * is waited for, so that it is not delayed by all messages. */
static redist_err poll_requests(const struct move *move, struct state *state, int n,
                                bool wait, int *arrived)
{
    if (wait && move->extra && move->extra->request) {
        *arrived = 1;
        return mpi_call(MPI_Waitany(n, state->request, state->arrived, state->status));
    }
    if (wait && arrive_together(state, n)) {
        for (*arrived = 0; *arrived < n; ++*arrived) state->arrived[*arrived] = *arrived;
        return mpi_call(MPI_Waitall(n, state->request, state->status));
    }
    return mpi_complete_some(n, state->request, state->status, wait, state->arrived,
                             arrived);
}

/* Handle what has arrived; with `wait`, at least one piece. Returns their number in
 * *arrived. */
static redist_err receive_some(struct move *move, struct state *state, bool wait,
                               int *arrived)
{
    int n = collect_requests(move, state);
    TRY(poll_requests(move, state, n, wait, arrived));
    for (int k = 0; k < *arrived; k++)
        TRY(receive_one(move, state, state->arrived[k], &state->status[k]));
    if (*arrived > 0) (void)stage_fence(move);
    free_finished(&state->direction[REDIST_SOURCE]);
    free_finished(&state->direction[REDIST_TARGET]);
    return REDIST_OK;
}

/* ---- a run ------------------------------------------------------------------------- */

redist_err pipeline_start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    for (int s = 0; s < SIDES; s++) {
        struct direction *direction = &state->direction[s];
        direction->first = direction->next = direction->transfer = direction->at = 0;
        ring_reset(&direction->ring);
    }
    if (state->policy.any_source)
        for (int64_t k = 0; k < move->receive.n; k++) state->origin[k].at = 0;
    if (!state->policy.ready) return post_both(move, state);
    TRY(post(move, state, REDIST_TARGET));
    const struct direction *in = &state->direction[REDIST_TARGET];
    state->posted = in->next == in->pieces;
    return mpi_call(MPI_Iallreduce(&state->posted, &state->all_posted, 1, MPI_INT,
                                   MPI_MIN, move->comm, &state->barrier));
}

/* Tell whether all pieces of a direction are done. */
static bool is_over(const struct direction *direction)
{
    return direction->first == direction->pieces;
}

redist_err pipeline_progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    *done = false;
    if (state->barrier != MPI_REQUEST_NULL) { /* some have not posted their receives */
        int passed = 1;
        TRY(mpi_complete(&state->barrier, wait, &passed));
        if (!passed) return REDIST_OK;
        TRY(post_both(move, state));
    }
    for (int arrived = 1; arrived != 0;) {
        *done = is_over(&state->direction[REDIST_SOURCE]) &&
                is_over(&state->direction[REDIST_TARGET]);
        if (*done) return REDIST_OK;
        TRY(receive_some(move, state, wait, &arrived));
        TRY(post_both(move, state));
    }
    return REDIST_OK; /* nothing has arrived: return to the caller */
}
