/* SPDX-License-Identifier: MIT
 *
 * move/shared/exchange_shared.c - processes that share memory copy: straight from the
 * other's array into the own one where redist_alloc has made it, else by way of a small
 * ring that stays in the cache. What goes to or comes from other nodes takes the lanes of
 * point-to-point messages meanwhile.
 *
 *   sender        receiver
 *   array ----------------------> array       one copy, by the receiver
 *   array --> |slot|slot|slot| --> array      two, of which one is in the cache
 *
 * The flags of the channels (channel.h) are all that orders the processes: none waits for
 * more than what it needs.
 */
#include <sched.h>

#include "move/mpi/check.h"
#include "base/error.h"
#include "base/intmath.h"
#include "move/shared/arrivals.h"
#include "move/shared/departures.h"
#include "move/mpi/lacks.h"
#include "move/p2p/lanes.h"
#include "move/shared/pace.h"
#include "move/message/stage.h"

enum {
    SPINS = 2000,    /* looks in vain before a process that waits lets others run */
    PATIENCE = 2016, /* before it reads without the late, and MPI sees to messages */
    SHORT = 4 << 10  /* bytes: so little is packed before anyone could come for it */
};

struct state {
    struct neighbors neighbors;
    struct strand *strands; /* [inlets + 1] */
    struct arrivals arrivals;
    void *lanes;        /* of the messages that are left over */
    bool in_step;       /* messages are, see pace.h */
    int64_t nstrangers; /* to be heard in each run */
    /* the run that is under way */
    int64_t run;                /* 1, 2, .. */
    int64_t listening, reading; /* inlets in this state */
    int64_t heard;              /* strangers that have been */
    int64_t open;               /* outlets, inlets and strangers that are not over */
    bool keeping;               /* what stays on the process has not been copied */
    bool far;                   /* the lanes are not done */
    int core;                   /* on which senders have been told that this is */
    int64_t idle;               /* looks in vain since something has moved */
    double since;               /* when that was noticed; 0: not yet */
    bool lost;                  /* a wait was given up: the channels are out of step */
};

/* ---- making ------------------------------------------------------------------------ */

static const struct lanes_policy policy = {.window = INT64_MAX};

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    (void)parameter;
    return neighbors_effort(load, &policy, effort);
}

static redist_err make(const struct move *move, void **opaque)
{
    bool well = false;
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    *opaque = state;
    if (state) state->neighbors.node.comm = MPI_COMM_NULL;
    if (state) state->neighbors.shared.win = MPI_WIN_NULL;
    TRY(mpi_all_well(move->comm, state ? REDIST_OK : REDIST_ERR_MEMORY, &well));
    if (!well) return REDIST_OK; /* the plan knows of the others' error */
    TRY(neighbors_make(move, &state->neighbors));
    state->strands = mem_alloc(move->plan_account, state->neighbors.ninlets + 1,
                               sizeof *state->strands);
    if (!state->strands) return REDIST_ERR_MEMORY;
    state->in_step = pace_matters(move);
    TRY(arrivals_make(move, &state->neighbors, state->strands, &state->arrivals));
    return lanes_make(&state->neighbors.far, &policy, &state->lanes);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    lanes_destroy(state->lanes);
    arrivals_free(&state->arrivals);
    neighbors_free(&state->neighbors);
    mem_free(state->strands);
    mem_free(state);
}

/* ---- receiving --------------------------------------------------------------------- */

static void close_inlet(struct state *state, struct inlet *inlet)
{
    inlet->state = OVER;
    state->open--;
}

/* Find the sender's arrays; false: one of them is out of reach. */
static bool find_arrays(struct inlet *inlet)
{
    inlet->read = 0;
    for (int64_t k = 0; k < inlet->transfer.nparts; k++) {
        struct reach *reach = &inlet->reach[k];
        reach->array = segments_address(inlet->place[inlet->transfer.part[k].number]);
        if (!reach->array) return false;
    }
    return true;
}

/* Take in what a sender offers. */
static void accept(struct move *move, struct state *state, struct inlet *inlet,
                   enum offer offer)
{
    state->listening--;
    if (offer == OFFER_PIECES) {
        inlet->state = UNPACKING;
        return;
    }
    if (offer == OFFER_NOTHING) move->muted = int_min(move->muted, inlet->transfer.rank);
    if (offer == OFFER_NOTHING || move->mute) {
        state->arrivals.weaving = false;
        channel_answer(&inlet->end, false);
        close_inlet(state, inlet);
        return;
    }
    if (find_arrays(inlet)) {
        inlet->state = READING;
        state->reading++;
    } else {
        inlet->state = UNPACKING;
        channel_answer(&inlet->end, true);
    }
}

/* Take in an offer or a piece. Returns whether there was one. */
static bool receive_on(struct move *move, struct state *state, struct inlet *inlet)
{
    struct channel_end *end = &inlet->end;
    enum offer offer;
    if (inlet->state == LISTENING && inlet_hear(inlet, &offer)) {
        accept(move, state, inlet, offer);
        return true;
    }
    if (inlet->state != UNPACKING || state->arrivals.weaving) return false;
    if (!arrivals_take(move, inlet)) return false;
    if (end->done == end->pieces) close_inlet(state, inlet);
    return true;
}

static struct strand strand_of(struct walk *walk, const char *from)
{
    return (struct strand){walk, WAY_COPY, from, walk->total, 0};
}

/* List what comes to one of the own arrays from those that have been offered, and what
 * of it stays on the process. Returns how many strands that are. Called for each array
 * in turn, as the parts of messages are in their order. */
static int64_t list_strands(const struct move *move, struct state *state, int number)
{
    struct neighbors *neighbors = &state->neighbors;
    struct walk *kept = &move->array[number].kept;
    int64_t n = 0;
    if (state->keeping && kept->total > 0)
        state->strands[n++] = strand_of(kept, move->sources[number]);
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        struct inlet *inlet = &neighbors->inlet[k];
        if (inlet->state != READING || inlet->read == inlet->transfer.nparts) continue;
        if (inlet->transfer.part[inlet->read].number != number) continue;
        struct reach *reach = &inlet->reach[inlet->read++];
        state->strands[n++] = strand_of(&reach->walk, reach->array);
    }
    return n;
}

/* Copy from all arrays that have been offered, and what stays on the process. */
static void read_arrays(const struct move *move, struct state *state)
{
    struct neighbors *neighbors = &state->neighbors;
    for (int a = 0; a < move->narrays; a++) {
        int64_t n = list_strands(move, state, a);
        weave_all(state->strands, n, move->combine, move->targets[a]);
    }
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        struct inlet *inlet = &neighbors->inlet[k];
        if (inlet->state != READING) continue;
        channel_answer(&inlet->end, false);
        close_inlet(state, inlet);
    }
    state->keeping = false;
    state->reading = 0;
}

/* Weave what has come. Returns whether there was anything. */
static bool weave(const struct move *move, struct state *state)
{
    struct neighbors *neighbors = &state->neighbors;
    if (!arrivals_weave(move, neighbors, &state->arrivals)) return false;
    if (!arrivals_are_over(&state->arrivals)) return true;
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        struct inlet *inlet = &neighbors->inlet[k];
        if (inlet->state == READING) channel_answer(&inlet->end, false);
        close_inlet(state, inlet);
    }
    state->keeping = state->arrivals.weaving = false;
    state->reading = 0;
    return true;
}

/* Nothing could be woven: perhaps give up, and go on with each inlet by itself. */
static void wait_for_arrivals(struct state *state)
{
    struct neighbors *neighbors = &state->neighbors;
    arrivals_wait(&state->arrivals);
    for (int64_t k = 0; k < neighbors->ninlets && !state->arrivals.weaving; k++) {
        struct inlet *inlet = &neighbors->inlet[k];
        if (inlet->state == UNPACKING && inlet->end.done == inlet->end.pieces)
            close_inlet(state, inlet);
    }
}

/* Hear strangers, as far as they have come. Returns whether any has. */
static bool hear_on(struct move *move, struct state *state)
{
    const struct neighbors *neighbors = &state->neighbors;
    int64_t before = state->heard;
    for (bool mute = false; state->heard < state->nstrangers; state->heard++) {
        const struct stranger *stranger = &neighbors->stranger[state->heard];
        if (!notice_read(stranger->notice, state->run, &mute)) break;
        if (mute) move->muted = int_min(move->muted, stranger->rank);
    }
    state->open -= state->heard - before;
    return state->heard > before;
}

/* ---- a run ------------------------------------------------------------------------- */

/* Something has moved. Where processes wait for a core, to spin makes others wait. */
static void reset_patience(struct state *state)
{
    state->idle = state->neighbors.node.sharing > 1 ? SPINS : 0;
    state->since = 0;
}

/* An array that others cannot read has no part in a segment. */
enum { NO_PART = -1 };

/* Show where the own arrays are. Returns whether others can read any of them. Those who
 * share cores would not keep in step over a large one. */
static bool show_places(const struct move *move, const struct state *state,
                        struct segment_place places[])
{
    bool any = false, large = move->send.bytes >= WALK_STREAM;
    bool hidden = state->in_step && large && state->neighbors.node.sharing > 1;
    for (int a = 0; a < move->narrays && !move->mute; a++) {
        const struct array *array = &move->array[a];
        bool known = !array->listed || array->listing[REDIST_SOURCE].known;
        bool found = known && !hidden && segments_place(move->sources[a], &places[a]);
        if (!found) places[a].part = NO_PART;
        any = any || found;
    }
    return any;
}

/* Who sends a short message waits for nobody (channel.h). */
static enum offer make_offer(const struct move *move, const struct outlet *outlet,
                             bool sliding, const struct segment_place places[])
{
    if (move->mute) return OFFER_NOTHING;
    if (!sliding && outlet->transfer.bytes <= SHORT) return OFFER_PIECES;
    for (int64_t k = 0; k < outlet->transfer.nparts; k++)
        if (places[outlet->transfer.part[k].number].part == NO_PART) return OFFER_PIECES;
    return OFFER_ARRAYS;
}

/* Whether anything is to be copied that stays on the process. */
static bool keeps(const struct move *move)
{
    for (int a = 0; a < move->narrays && !move->mute; a++)
        if (move->array[a].kept.total > 0) return true;
    return false;
}

/* Begin a run of the messages that go to or come from other nodes. */
static redist_err start_far(const struct move *move, struct state *state)
{
    struct move *far = &state->neighbors.far;
    state->far = far->send.n + far->receive.n > 0;
    far->combine = move->combine;
    far->tag = move->tag;
    far->mute = move->mute;
    far->muted = move->muted;
    return state->far ? lanes_start(far, state->lanes) : REDIST_OK;
}

/* Whether what stays on the process is copied in stretches, along with what is sent. */
static bool keeps_along(const struct move *move, const struct state *state)
{
    return state->keeping && move->array->listed &&
           state->reading + state->listening == 0;
}

/* Whether the process only gives, and has pieces left, for which others wait. */
static bool gives_on(const struct neighbors *neighbors)
{
    for (int64_t k = 0; neighbors->ninlets == 0 && k < neighbors->noutlets; k++)
        if (neighbors->outlet[k].end.done < neighbors->outlet[k].end.pieces) return true;
    return false;
}

/* Tell senders on which core this process is now, as some of them may be on the same. */
static void tell_core(struct state *state)
{
    struct neighbors *neighbors = &state->neighbors;
    int core = neighbors->node.sharing > 1 ? distance_core() : 0;
    if (core == state->core) return;
    for (int64_t k = 0; k < neighbors->ninlets; k++)
        distance_tell_core(neighbors->inlet[k].end.channel, core);
    state->core = core;
}

/* Go once over all channels. Returns whether anything was done. */
static bool look(struct move *move, struct state *state, bool eager)
{
    struct neighbors *neighbors = &state->neighbors;
    tell_core(state);
    bool moved = hear_on(move, state), keeps = keeps_along(move, state);
    bool paced = state->in_step && !eager;
    double pace = paced ? pace_find(move, neighbors, keeps) : PACE_FREE;
    moved = departures_send(move, neighbors, pace, &state->open) || moved;
    for (int64_t k = 0; k < neighbors->ninlets; k++)
        moved = receive_on(move, state, &neighbors->inlet[k]) || moved;
    if (state->arrivals.weaving) {
        moved = (state->listening == 0 && weave(move, state)) || moved;
        if (!moved) wait_for_arrivals(state);
        return moved;
    }
    bool gives = moved && gives_on(neighbors);
    bool readable = state->reading > 0 || (state->keeping && !gives);
    if (keeps_along(move, state)) {
        moved = pace_keep(move, pace) || moved;
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
    struct neighbors *neighbors = &state->neighbors;
    if (state->lost)
        return error_set(REDIST_ERR_MPI,
                         "shared memory: an earlier run of the plan was given up");
    bool shown = show_places(move, state, neighbors->place);
    notice_post(neighbors->notice, ++state->run, move->mute);
    state->heard = 0;
    for (int64_t k = 0; k < neighbors->noutlets; k++) {
        struct outlet *outlet = &neighbors->outlet[k];
        outlet->over = false;
        outlet_offer(outlet,
                     make_offer(move, outlet, neighbors->sliding, neighbors->place));
    }
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        neighbors->inlet[k].state = LISTENING;
        channel_listen(&neighbors->inlet[k].end);
    }
    state->listening = neighbors->ninlets;
    state->reading = 0;
    state->open = neighbors->noutlets + neighbors->ninlets + state->nstrangers;
    state->keeping = keeps(move);
    if (move->array->listed) walk_seek(&move->array->kept, 0);
    arrivals_start(move, neighbors, &state->arrivals);
    reset_patience(state);
    TRY(start_far(move, state));
    (void)look(move, state, false);
    bool alone = !shown && !state->arrivals.weaving && !move->array->listed;
    if (state->keeping && alone && neighbors->ninlets > 0) read_arrays(move, state);
    return REDIST_OK;
}

/* Somebody who is waited for. */
static int name_late(const struct state *state)
{
    const struct neighbors *neighbors = &state->neighbors;
    for (int64_t k = 0; k < neighbors->ninlets; k++)
        if (neighbors->inlet[k].state != OVER) return neighbors->inlet[k].transfer.rank;
    for (int64_t k = 0; k < neighbors->noutlets; k++)
        if (!neighbors->outlet[k].over) return neighbors->outlet[k].transfer.rank;
    if (state->heard < state->nstrangers) return neighbors->stranger[state->heard].rank;
    return -1;
}

/* Nothing could be done: give up if that has been so for too long. */
static redist_err lose_patience(const struct move *move, struct state *state)
{
    if (move->timeout <= 0 || state->open == 0) return REDIST_OK;
    if (state->since == 0) state->since = MPI_Wtime();
    if (MPI_Wtime() - state->since < move->timeout) return REDIST_OK;
    state->lost = true;
    return error_set(REDIST_ERR_MPI,
                     "shared memory: nothing has moved for %g s (timeout_s), waiting for "
                     "rank %d and %" PRId64 " other messages",
                     move->timeout, name_late(state), state->open - 1);
}

/* Nothing could be done: who waits spins for a while, then lets other processes have the
 * core. If that takes long, or one only tests, MPI sees to its other messages, which
 * somebody may need before coming here; at once it would be another turn in vain, as MPI,
 * too, lets others run. */
static redist_err rest(const struct move *move, struct state *state, bool wait)
{
    int found = 0;
    if (wait && ++state->idle <= SPINS) {
#if defined __SSE2__
        __builtin_ia32_pause();
#endif
        return REDIST_OK;
    }
    if (!wait || state->idle > PATIENCE)
        TRY(mpi_check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, move->comm, &found,
                                 MPI_STATUS_IGNORE),
                      "MPI_Iprobe"));
    if (wait) (void)sched_yield();
    return lose_patience(move, state);
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    struct move *far = &state->neighbors.far;
    for (;;) {
        bool eager = !wait || state->idle > PATIENCE;
        bool moved = look(move, state, eager), landed = false;
        if (state->far) {
            bool alone = state->open == 0 && !state->keeping;
            TRY(lanes_progress(far, state->lanes, wait && alone, &landed));
            state->far = !landed;
            move->muted = int_min(move->muted, far->muted);
        }
        *done = state->open == 0 && !state->keeping && !state->far;
        if (*done) return REDIST_OK;
        if (moved || landed) {
            reset_patience(state);
            continue;
        }
        TRY(rest(move, state, wait));
        if (!wait) return REDIST_OK;
    }
}

static bool vote(void *opaque)
{
    struct state *state = opaque;
    state->nstrangers = state->neighbors.nstrangers;
    return state->neighbors.acquainted;
}

const struct exchange exchange_shared = {
    .name = "shared",
    .what = "copies within a node, through shared memory; nonblocking beyond",
    .ordered = true,
    .tells = true,
    .effort = effort,
    .lacks = LACKS_SHARED_WINDOWS,
    .carries_kept = true,
    .make = make,
    .start = start,
    .progress = progress,
    .vote = vote,
    .destroy = destroy,
};
