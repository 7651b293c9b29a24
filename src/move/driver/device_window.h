/* SPDX-License-Identifier: MIT
 *
 * move/driver/device_window.h - moves that together fill, or drain, a window of one side,
 * the home: a group of threads brings whole windows to the memory that it shares, and
 * writes them from there. Compiled as device_move.h.
 *
 *   home      a a b b a . b a | a a b b a . b a | ..     a round: a period of the array
 *             \_____________/
 *   streams   a a a a a a ..     b b b b ..              here the messages a and b
 *
 * Pieces of all streams alternate in the home, so threads that copied from side to side
 * would touch each line of memory many times. A window is a number of rounds, traversed
 * in the order of memory on both sides: of the home as a whole, of the streams by a table
 * of where each unit lies in the window. The table is the same for all windows.
 */
#ifndef REDIST_MOVE_DRIVER_DEVICE_WINDOW_H
#define REDIST_MOVE_DRIVER_DEVICE_WINDOW_H

#include "move/driver/device_move.h"

enum {
    WINDOW_BYTES = 16 << 10, /* of the home, at most */
    WINDOW_UNITS = 2048,     /* at most, of the home and of the streams */
    WINDOW_STREAMS = 64,     /* at most */
    WINDOW_OUTER = DEVICE_LEVELS - 1,
    WINDOW_BITS = 32
};

/* A message, or a part of another array: the moves whose pieces lie in the same rounds on
 * the side that is not the home. */
struct window_stream {
    char *at;                          /* round 0 */
    int64_t step, outer[WINDOW_OUTER]; /* bytes: of a round, of an outer loop */
    uint32_t first, units;             /* of a round: before it; its own */
    int32_t move, nmoves; /* its moves, whose loops are those inside a round */
    bool dense;           /* its units fill its rounds */
};

struct window_job {
    int32_t home;                  /* 0: the source, 1: the target */
    int32_t unit;                  /* bytes */
    char *at;                      /* round 0 */
    int64_t step;                  /* bytes of a round */
    struct device_divisor period;  /* units of a round of the home */
    uint32_t units;                /* of a round, in all streams */
    uint32_t rounds, per_window;   /* rounds */
    struct device_divisor windows; /* of all rounds */
    int32_t nouter;                /* loops outside of the rounds, innermost first */
    struct device_divisor count[WINDOW_OUTER];
    int64_t outer[WINDOW_OUTER]; /* bytes of the home */
    uint32_t tiles;              /* windows, of all outer loops */
    int32_t stream, nstreams;
};

/* Where a unit of a stream lies: bytes from where the window begins in the stream; and in
 * the window, in units. */
struct window_entry {
    uint32_t away;
    uint16_t place, stream;
};

/* What the threads of a group share. */
struct window_state {
    union {
        /* the window; or a square (device_square.h) */
        char data[WINDOW_BYTES + 1024] __attribute__((aligned(16)));
        struct {                         /* of one round, while the table is made */
            uint16_t home[WINDOW_UNITS]; /* place in the home, in units */
            uint32_t away[WINDOW_UNITS]; /* bytes from the stream's begin */
        } round;
    };
    struct window_entry entry[WINDOW_UNITS];
    uint32_t used[WINDOW_UNITS / WINDOW_BITS]; /* units of a round of the home, as bits */
    uint32_t whole;                            /* all of them are */
    char *at[WINDOW_STREAMS]; /* where this window begins in each stream */
};

#ifdef __CUDACC__
DEVICE_INLINE void window_set(uint32_t *bits, uint32_t mask) { atomicOr(bits, mask); }
#else
DEVICE_INLINE void window_set(uint32_t *bits, uint32_t mask) { *bits |= mask; }
#endif

/* What one thread does of each step. The group waits for all of its threads after a step.
 * The first three steps are done once, the others for each window. */

DEVICE_INLINE void window_clear(struct window_state *state, uint32_t thread)
{
    if (thread < WINDOW_UNITS / WINDOW_BITS) state->used[thread] = 0;
    state->whole = 1;
}

/* Find the place of each unit of a round. */
DEVICE_INLINE void window_make_round(const struct window_job *job,
                                     const struct window_stream streams[],
                                     const struct device_move moves[],
                                     struct window_state *state, uint32_t thread)
{
    for (uint32_t u = thread; u < job->units; u += DEVICE_THREADS) {
        int s = device_find_last(&streams->first, sizeof *streams, job->nstreams, u);
        const struct window_stream *stream = &streams[s];
        const struct device_move *move = &moves[stream->move];
        move += device_find_last(&move->first, sizeof *move, stream->nmoves, u);
        int64_t at[2];
        device_find_unit(move, u - move->first, at);
        at[0] += move->from - (job->home ? stream->at : job->at);
        at[1] += move->to - (job->home ? job->at : stream->at);
        uint32_t home = (uint32_t)at[job->home] / (uint32_t)job->unit;
        uint32_t away = (uint32_t)at[!job->home], k = u;
        if (stream->dense) k = stream->first + away / (uint32_t)job->unit;
        state->round.home[k] = (uint16_t)home;
        state->round.away[k] = away;
        window_set(&state->used[home / WINDOW_BITS], 1u << home % WINDOW_BITS);
    }
}

/* Repeat it for the rounds of a window, stream by stream. */
DEVICE_INLINE void window_make_table(const struct window_job *job,
                                     const struct window_stream streams[],
                                     struct window_state *state, uint32_t thread)
{
    for (uint32_t j = thread; j < job->units * job->per_window; j += DEVICE_THREADS) {
        int s = device_find_last(&streams->first, sizeof *streams, job->nstreams,
                                 j / job->per_window);
        const struct window_stream *stream = &streams[s];
        uint32_t within = j - stream->first * job->per_window;
        uint32_t round = within / stream->units;
        uint32_t k = stream->first + within - round * stream->units;
        struct window_entry *entry = &state->entry[j];
        entry->away = round * (uint32_t)stream->step + state->round.away[k];
        entry->place = (uint16_t)(round * job->period.value + state->round.home[k]);
        entry->stream = (uint16_t)s;
    }
    uint32_t begin = thread * WINDOW_BITS, period = job->period.value;
    if (begin >= period) return;
    uint32_t all = period - begin < WINDOW_BITS ? (1u << (period - begin)) - 1 : ~0u;
    if (state->used[thread] != all) state->whole = 0;
}

/* Up to DEVICE_EACH units that pass between the shared memory and a side. */
struct window_units {
    char *far[DEVICE_EACH];     /* on the side; NULL: none */
    uint32_t here[DEVICE_EACH]; /* bytes in `data` */
};

#ifdef __CUDACC__
/* Load a unit, which has come after window_arrive: without registers, where the device
 * can. */
template <typename type> DEVICE_INLINE void window_load(type *here, const type *far)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(type) >= 4) {
        uint32_t at = (uint32_t)__cvta_generic_to_shared(here);
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(far),
                     "n"(sizeof(type)));
        return;
    }
#endif
    *here = *far;
}

DEVICE_INLINE void window_arrive(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Units that are stored are all read first. */
template <typename type>
DEVICE_INLINE void window_pass_as(const struct window_units *units, bool load, char *data)
{
    type value[DEVICE_EACH];
    DEVICE_UNROLL
    for (int k = 0; k < DEVICE_EACH; k++) {
        type *here = (type *)(data + units->here[k]);
        if (units->far[k] && load)
            window_load(here, (const type *)units->far[k]);
        else if (units->far[k])
            value[k] = *here;
    }
    DEVICE_UNROLL
    for (int k = 0; k < DEVICE_EACH; k++)
        if (units->far[k] && !load) *(type *)units->far[k] = value[k];
}

DEVICE_INLINE void window_pass(uint32_t unit, const struct window_units *units, bool load,
                               char *data)
{
    switch (unit) {
        case 16: window_pass_as<int4>(units, load, data); return;
        case 8: window_pass_as<int64_t>(units, load, data); return;
        case 4: window_pass_as<int32_t>(units, load, data); return;
        case 2: window_pass_as<int16_t>(units, load, data); return;
        default: window_pass_as<char>(units, load, data); return;
    }
}
#else
DEVICE_INLINE void window_arrive(void) {}

DEVICE_INLINE void window_pass(uint32_t unit, const struct window_units *units, bool load,
                               char *data)
{
    for (int k = 0; k < DEVICE_EACH; k++) {
        char *far = units->far[k], *here = data + units->here[k];
        if (!far) continue;
        assert((uintptr_t)far % unit == 0 && units->here[k] % unit == 0);
        __builtin_memcpy(load ? here : far, load ? far : here, unit);
    }
}
#endif

/* A window: where it begins in the home, and how many units it has there. */
struct window {
    char *at;
    uint32_t units;
};

/* Find window number `tile`, and where it begins in each stream. */
DEVICE_INLINE struct window window_aim(const struct window_job *job,
                                       const struct window_stream streams[],
                                       uint32_t tile, struct window_state *state,
                                       uint32_t thread)
{
    struct window window = {job->at, 0};
    bool aims = thread < (uint32_t)job->nstreams;
    const struct window_stream *stream = &streams[aims ? thread : 0];
    uint32_t rest = device_divide(tile, job->windows);
    uint32_t round = (tile - rest * job->windows.value) * job->per_window;
    int64_t away = round * stream->step;
    window.at += round * job->step;
    window.units =
        job->rounds - round < job->per_window ? job->rounds - round : job->per_window;
    window.units *= job->period.value;
    for (int k = 0; k < job->nouter; k++) {
        uint32_t next = device_divide(rest, job->count[k]);
        int64_t c = rest - next * job->count[k].value;
        rest = next;
        window.at += c * job->outer[k];
        away += c * stream->outer[k];
    }
    if (aims) state->at[thread] = stream->at + away;
    return window;
}

/* Copy between the home, all of which is used, and the shared memory. */
DEVICE_INLINE void window_copy_whole(struct window window, uint32_t bytes, uint32_t unit,
                                     bool load, struct window_state *state,
                                     uint32_t thread)
{
    struct window_units units;
    for (uint32_t begin = thread * unit; begin < bytes; begin += DEVICE_TILE * unit) {
        DEVICE_UNROLL
        for (int k = 0; k < DEVICE_EACH; k++) {
            uint32_t at = begin + (uint32_t)k * DEVICE_THREADS * unit;
            units.far[k] = at < bytes ? window.at + at : 0;
            units.here[k] = at;
        }
        window_pass(unit, &units, load, state->data);
    }
}

/* Copy between the used units of the home and the shared memory. */
DEVICE_INLINE void window_copy_used(const struct window_job *job, struct window window,
                                    uint32_t unit, bool load, struct window_state *state,
                                    uint32_t thread)
{
    struct window_units units;
    for (uint32_t begin = thread; begin < window.units; begin += DEVICE_TILE) {
        DEVICE_UNROLL
        for (int k = 0; k < DEVICE_EACH; k++) {
            uint32_t h = begin + (uint32_t)k * DEVICE_THREADS;
            uint32_t p = h - device_divide(h, job->period) * job->period.value;
            bool used =
                h < window.units && (state->used[p / WINDOW_BITS] >> p % WINDOW_BITS & 1);
            units.far[k] = used ? window.at + h * unit : 0;
            units.here[k] = h * unit;
        }
        window_pass(unit, &units, load, state->data);
    }
}

/* Copy between the home and the shared memory. `unit` is that of the job: a constant, to
 * make code for it alone. */
DEVICE_INLINE void window_copy_home(const struct window_job *job, struct window window,
                                    uint32_t unit, bool load, struct window_state *state,
                                    uint32_t thread)
{
    uint32_t bytes = window.units * unit;
    if (!state->whole)
        window_copy_used(job, window, unit, load, state, thread);
    else if (((uintptr_t)window.at | bytes) % 16 == 0)
        window_copy_whole(window, bytes, 16, load, state, thread);
    else
        window_copy_whole(window, bytes, unit, load, state, thread);
}

/* Copy between the streams and the shared memory. */
DEVICE_INLINE void window_copy_streams(const struct window_job *job, struct window window,
                                       uint32_t unit, bool load,
                                       struct window_state *state, uint32_t thread)
{
    struct window_units units;
    uint32_t n = job->units * job->per_window;
    for (uint32_t begin = thread; begin < n; begin += DEVICE_TILE) {
        DEVICE_UNROLL
        for (int k = 0; k < DEVICE_EACH; k++) {
            uint32_t j = begin + (uint32_t)k * DEVICE_THREADS;
            struct window_entry entry = {0, 0, 0};
            bool moves = j < n;
            if (moves) entry = state->entry[j];
            moves = moves && entry.place < window.units;
            units.far[k] = moves ? state->at[entry.stream] + entry.away : 0;
            units.here[k] = entry.place * unit;
        }
        window_pass(unit, &units, load, state->data);
    }
}

#endif
