/* SPDX-License-Identifier: MIT
 *
 * move/shared/exchange_shared.c - processes that share memory copy: directly from the
 * other's array into the own one if redist_alloc has made it, else through a small ring
 * that stays in the cache. Messages with other nodes go from process to process meanwhile
 * (pipeline.h).
 *
 *   sender        receiver
 *   array ----------------------> array       one copy, by the receiver
 *   array --> |slot|slot|slot| --> array      two, of which one is in the cache
 *
 * Only the flags of the channels (channel.h) order the processes: none waits longer than
 * it needs to.
 */
#include <sched.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"
#include "move/p2p/pipeline.h"
#include "move/shared/shm_places.h"
#include "move/shared/shm_receive.h"
#include "move/shared/shm_send.h"
#include "move/shared/throttle.h"

enum {
    SPINS = 2000,    /* polls without progress before a waiting process yields, */
    PATIENCE = 2016, /* before it reads without late arrays, and lets MPI progress */
    SHORT = 4 << 10  /* bytes: less is packed before a receiver could read it */
};

struct state {
    struct shm_peers peers;
    struct shm_receive receiving;
    void *pipeline;  /* of all other messages */
    bool in_step;    /* messages are throttled (throttle.h) */
    int64_t nsilent; /* that report in each run */
    /* the run in progress */
    int64_t run;                /* 1, 2, .. */
    int64_t listening, reading; /* incoming in this state */
    int64_t heard;              /* silent peers that have reported */
    int64_t open;               /* outgoing, incoming and silent peers not yet done */
    bool keeping;               /* elements that stay on the process are not yet copied */
    bool far;                   /* messages with other nodes are not yet done */
    int core;                   /* that was last reported to senders */
    int64_t idle;               /* polls without progress since the last progress */
    struct wait_time waiting;   /* since that was noticed */
    bool lost;                  /* a wait has timed out: the channels are out of step */
};

/* ---- making ------------------------------------------------------------------------ */

static const struct pipeline_policy policy = {.window = INT64_MAX};

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    (void)parameter;
    return shm_effort(load, &policy, effort);
}

static redist_err make(const struct move *move, void **opaque)
{
    bool well = false;
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    *opaque = state;
    if (state) state->peers.node.comm = MPI_COMM_NULL;
    if (state) state->peers.shared.win = MPI_WIN_NULL;
    TRY(mpi_all_well(move->comm, state ? REDIST_OK : REDIST_ERR_MEMORY, &well));
    if (!well) return REDIST_OK; /* the plan has the others' error */
    TRY(shm_peers_make(move, &state->peers));
    state->in_step = throttle_matters(move);
    TRY(shm_receive_make(move, &state->peers, &state->receiving));
    return pipeline_make(&state->peers.far, &policy, &state->pipeline);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    pipeline_destroy(state->pipeline);
    shm_receive_free(&state->receiving);
    shm_peers_free(&state->peers);
    mem_free(state);
}

/* ---- receiving --------------------------------------------------------------------- */

static void close_incoming(struct state *state, struct incoming *incoming)
{
    incoming->state = OVER;
    state->open--;
}

/* Close the messages that were read from their arrays. */
static void close_reads(struct state *state)
{
    struct shm_peers *peers = &state->peers;
    for (int64_t k = 0; k < peers->nincoming; k++) {
        struct incoming *incoming = &peers->incoming[k];
        if (incoming->state != READING) continue;
        channel_answer(&incoming->end, false);
        close_incoming(state, incoming);
    }
    state->keeping = false;
    state->reading = 0;
}

/* Close the messages all pieces of which have been taken. */
static void close_unpacked(struct state *state)
{
    struct shm_peers *peers = &state->peers;
    for (int64_t k = 0; k < peers->nincoming; k++) {
        struct incoming *incoming = &peers->incoming[k];
        if (incoming->state == UNPACKING && incoming->end.done == incoming->end.pieces)
            close_incoming(state, incoming);
    }
}

/* Handle a sender's offer. */
static void accept_offer(struct move *move, struct state *state,
                         struct incoming *incoming, enum offer offer)
{
    state->listening--;
    if (offer == OFFER_PIECES) {
        incoming->state = UNPACKING;
        return;
    }
    if (offer == OFFER_NOTHING)
        move->invalid_rank = int_min(move->invalid_rank, incoming->transfer.rank);
    if (offer == OFFER_NOTHING || move->buffers_invalid) {
        state->receiving.interleaving = false;
        channel_answer(&incoming->end, false);
        close_incoming(state, incoming);
        return;
    }
    if (shm_places_find(move, &state->peers, incoming)) {
        incoming->state = READING;
        state->reading++;
    } else {
        incoming->state = UNPACKING;
        channel_answer(&incoming->end, true);
    }
}

/* Handle an offer or a piece. Returns whether there was one. */
static bool receive_pieces(struct move *move, struct state *state,
                           struct incoming *incoming)
{
    struct channel_end *end = &incoming->end;
    enum offer offer;
    if (incoming->state == LISTENING && incoming_hear(incoming, &offer)) {
        accept_offer(move, state, incoming, offer);
        return true;
    }
    if (incoming->state != UNPACKING || state->receiving.interleaving) return false;
    if (!shm_receive_take(move, incoming)) return false;
    if (end->done == end->pieces) close_incoming(state, incoming);
    return true;
}

static struct input input_of(const struct move *move, struct walk *walk, const char *from)
{
    walk->memory = move->memory;
    return (struct input){walk, WAY_COPY, from, walk->total, 0};
}

/* List the inputs of one own array: from offered arrays, and from elements that stay on
 * the process. Returns their number. Called for each array in turn, as the parts of
 * messages are in their order. */
static int64_t list_inputs(const struct move *move, struct state *state, int number)
{
    struct shm_peers *peers = &state->peers;
    struct walk *kept = &move->array[number].kept;
    int64_t n = 0;
    if (state->keeping && kept->total > 0)
        state->receiving.inputs[n++] = input_of(move, kept, move->sources[number]);
    for (int64_t k = 0; k < peers->nincoming; k++) {
        struct incoming *incoming = &peers->incoming[k];
        if (incoming->state != READING || incoming->read == incoming->transfer.nparts)
            continue;
        if (incoming->transfer.part[incoming->read].number != number) continue;
        struct direct_read *direct = &incoming->direct[incoming->read++];
        state->receiving.inputs[n++] = input_of(move, &direct->walk, direct->array);
    }
    return n;
}

/* Copy from all offered arrays, and the elements that stay on the process. */
static void read_arrays(const struct move *move, struct state *state)
{
    for (int a = 0; a < move->narrays; a++) {
        int64_t n = list_inputs(move, state, a);
        interleave_all(state->receiving.inputs, n, move->combine, move->targets[a]);
    }
    (void)stage_fence(move);
    close_reads(state);
}

/* Interleave what has arrived. Returns whether there was anything. */
static bool interleave(const struct move *move, struct state *state)
{
    if (!shm_receive_interleave(move, &state->peers, &state->receiving)) return false;
    if (!shm_receive_is_over(&state->receiving)) return true;
    close_reads(state);
    close_unpacked(state);
    state->receiving.interleaving = false;
    return true;
}

/* Read the flags of silent peers. Returns whether any has reported. */
static bool read_status_flags(struct move *move, struct state *state)
{
    const struct shm_peers *peers = &state->peers;
    int64_t before = state->heard;
    for (bool buffers_invalid = false; state->heard < state->nsilent; state->heard++) {
        const struct silent_peer *silent = &peers->silent[state->heard];
        if (!status_flag_read(silent->flag, state->run, &buffers_invalid)) break;
        if (buffers_invalid)
            move->invalid_rank = int_min(move->invalid_rank, silent->rank);
    }
    state->open -= state->heard - before;
    return state->heard > before;
}

/* ---- a run ------------------------------------------------------------------------- */

/* Note progress. Where processes share cores, spinning makes others wait. */
static void reset_patience(struct state *state)
{
    state->idle = state->peers.node.sharing > 1 ? SPINS : 0;
    state->waiting = (struct wait_time){0};
}

/* Show the own arrays. Processes that share cores would not keep in step over a large one
 * of lists. */
static bool show_places(const struct move *move, const struct state *state)
{
    bool large = move->send.bytes >= WALK_STREAM;
    bool hidden = state->in_step && large && state->peers.node.sharing > 1;
    return shm_places_show(move, hidden, state->peers.place);
}

/* A sender of a short message packs it, and waits for nobody (channel.h). With device
 * memory it does not: to pack and to unpack would take a launch each. */
static enum offer make_offer(const struct move *move, const struct outgoing *outgoing,
                             bool by_window, const struct shown_place places[])
{
    if (move->buffers_invalid) return OFFER_NOTHING;
    if (!by_window && outgoing->transfer.bytes <= SHORT && memory_is_host(move->memory))
        return OFFER_PIECES;
    for (int64_t k = 0; k < outgoing->transfer.nparts; k++)
        if (places[outgoing->transfer.part[k].number].where == SHOWN_NOWHERE)
            return OFFER_PIECES;
    return OFFER_ARRAYS;
}

/* Tell whether elements stay on the process. */
static bool keeps(const struct move *move)
{
    for (int a = 0; a < move->narrays && !move->buffers_invalid; a++)
        if (move->array[a].kept.total > 0) return true;
    return false;
}

/* Begin a run of the messages with other nodes. */
static redist_err start_far(const struct move *move, struct state *state)
{
    struct move *far = &state->peers.far;
    state->far = far->send.n + far->receive.n > 0;
    far->memory = move->memory;
    far->combine = move->combine;
    far->tag = move->tag;
    far->buffers_invalid = move->buffers_invalid;
    far->invalid_rank = move->invalid_rank;
    return state->far ? pipeline_start(far, state->pipeline) : REDIST_OK;
}

/* Tell whether elements that stay on the process are copied in parts, along with
 * sends. */
static bool keeps_along(const struct move *move, const struct state *state)
{
    return state->keeping && move->array->listed &&
           state->reading + state->listening == 0;
}

/* Tell whether the process only sends, and has pieces left, for which others wait. */
static bool only_sends(const struct shm_peers *peers)
{
    for (int64_t k = 0; peers->nincoming == 0 && k < peers->noutgoing; k++)
        if (peers->outgoing[k].end.done < peers->outgoing[k].end.pieces) return true;
    return false;
}

/* Report this process's core to its senders, some of which may be on the same one. */
static void report_core(struct state *state)
{
    struct shm_peers *peers = &state->peers;
    int core = peers->node.sharing > 1 ? cache_distance_core() : 0;
    if (core == state->core) return;
    for (int64_t k = 0; k < peers->nincoming; k++)
        cache_distance_tell_core(peers->incoming[k].end.channel, core);
    state->core = core;
}

/* Poll all channels once. Returns whether anything was done. */
static bool poll_peers(struct move *move, struct state *state, bool eager)
{
    struct shm_peers *peers = &state->peers;
    report_core(state);
    bool moved = read_status_flags(move, state), keeps = keeps_along(move, state);
    bool throttled = state->in_step && !eager;
    double limit = throttled ? throttle_find(move, peers, keeps) : THROTTLE_NONE;
    moved = shm_send_pieces(move, peers, limit, &state->open) || moved;
    for (int64_t k = 0; k < peers->nincoming; k++)
        moved = receive_pieces(move, state, &peers->incoming[k]) || moved;
    if (state->receiving.interleaving) {
        moved = (state->listening == 0 && interleave(move, state)) || moved;
        if (!moved) shm_receive_wait(&state->receiving);
        if (!state->receiving.interleaving) close_unpacked(state);
        return moved;
    }
    bool gives = moved && only_sends(peers);
    bool readable = state->reading > 0 || (state->keeping && !gives);
    if (keeps_along(move, state)) {
        moved = throttle_keep(move, limit) || moved;
        state->keeping = move->array->kept.done < move->array->kept.total;
    } else if (readable && (state->listening == 0 || (eager && !moved))) {
        read_arrays(move, state);
        moved = true;
    }
    return moved;
}

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    struct shm_peers *peers = &state->peers;
    if (state->lost)
        return error_set(REDIST_ERR_MPI,
                         "shared memory: an earlier run of the plan was given up");
    bool shown = show_places(move, state);
    status_flag_post(peers->flag, ++state->run, move->buffers_invalid);
    state->heard = 0;
    for (int64_t k = 0; k < peers->noutgoing; k++) {
        struct outgoing *outgoing = &peers->outgoing[k];
        outgoing->over = false;
        outgoing_offer(outgoing,
                       make_offer(move, outgoing, peers->by_window, peers->place));
    }
    for (int64_t k = 0; k < peers->nincoming; k++) {
        peers->incoming[k].state = LISTENING;
        channel_listen(&peers->incoming[k].end);
    }
    state->listening = peers->nincoming;
    state->reading = 0;
    state->open = peers->noutgoing + peers->nincoming + state->nsilent;
    state->keeping = keeps(move);
    if (move->array->listed) walk_seek(&move->array->kept, 0);
    shm_receive_start(move, peers, &state->receiving);
    reset_patience(state);
    TRY(start_far(move, state));
    (void)poll_peers(move, state, false);
    bool alone = !shown && !state->receiving.interleaving && !move->array->listed;
    if (state->keeping && alone && peers->nincoming > 0) read_arrays(move, state);
    return REDIST_OK;
}

/* The rank of a process that is waited for. */
static int name_late(const struct state *state)
{
    const struct shm_peers *peers = &state->peers;
    for (int64_t k = 0; k < peers->nincoming; k++)
        if (peers->incoming[k].state != OVER) return peers->incoming[k].transfer.rank;
    for (int64_t k = 0; k < peers->noutgoing; k++)
        if (!peers->outgoing[k].over) return peers->outgoing[k].transfer.rank;
    if (state->heard < state->nsilent) return peers->silent[state->heard].rank;
    return -1;
}

/* After no progress: fail if that has lasted too long. */
static redist_err fail_by_timeout(const struct move *move, struct state *state)
{
    if (move->timeout <= 0 || state->open == 0) return REDIST_OK;
    if (!mpi_waits_too_long(&state->waiting, move->timeout)) return REDIST_OK;
    state->lost = true;
    return error_set(REDIST_ERR_MPI,
                     "shared memory: nothing has moved for %g s (timeout_s), waiting for "
                     "rank %d and %" PRId64 " other messages",
                     move->timeout, name_late(state), state->open - 1);
}

/* After no progress: a waiting process spins for a while, then yields. If that takes
 * long, or with redist_test, MPI progresses its other messages, which another process may
 * need first; doing so at once would be another turn without progress, as MPI yields,
 * too. */
static redist_err wait_or_yield(const struct move *move, struct state *state, bool wait)
{
    int found = 0;
    if (wait && ++state->idle <= SPINS) {
#if defined __SSE2__
        __builtin_ia32_pause();
#endif
        return REDIST_OK;
    }
    if (!wait || state->idle > PATIENCE)
        TRY(mpi_call(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, move->comm, &found,
                                MPI_STATUS_IGNORE)));
    if (wait) (void)sched_yield();
    return fail_by_timeout(move, state);
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    struct move *far = &state->peers.far;
    for (;;) {
        bool eager = !wait || state->idle > PATIENCE;
        bool moved = poll_peers(move, state, eager), finished = false;
        if (state->far) {
            bool alone = state->open == 0 && !state->keeping;
            TRY(pipeline_progress(far, state->pipeline, wait && alone, &finished));
            state->far = !finished;
            move->invalid_rank = int_min(move->invalid_rank, far->invalid_rank);
        }
        *done = state->open == 0 && !state->keeping && !state->far;
        if (*done) return REDIST_OK;
        if (moved || finished) {
            reset_patience(state);
            continue;
        }
        TRY(wait_or_yield(move, state, wait));
        if (!wait) return REDIST_OK;
    }
}

static bool vote(void *opaque)
{
    struct state *state = opaque;
    state->nsilent = state->peers.nsilent;
    return state->peers.uses_flags;
}

const struct exchange exchange_shared = {
    .name = "shared",
    .ordered = true,
    .reports_status = true,
    .effort = effort,
    .lacks = LACKS_SHARED_WINDOWS,
    .carries_kept = true,
    .make = make,
    .start = start,
    .progress = progress,
    .vote = vote,
    .destroy = destroy,
};
