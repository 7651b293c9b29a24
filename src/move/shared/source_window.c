/* SPDX-License-Identifier: MIT */
#include "move/shared/source_window.h"

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/kernel/kernels.h"
#include "move/kernel/stream.h"
#include "move/message/stage.h"

enum {
    SEVERAL = 3,     /* receivers */
    SLOTS = 8,       /* of a window; all but one may wait for a receiver, */
    LARGE = 4 << 20, /* bytes of a window, at most, and */
    CACHES = 4,      /* second-level ones: about a core's part of the last level */
    SAMPLES = 16     /* elements of a message that are examined */
};

/* Bytes of a window, unless it must be larger. */
enum { SMALL = LENGTH(512 << 10, 2 << 10) };

/* Widen lo .. hi - 1 by a walk's elements of the source; false: they are in another
 * order. */
static bool widen(const struct walk *walk, int64_t *lo, int64_t *hi)
{
    int64_t first = 0, end = 0;
    if (walk->across < walk->naxes - 1 || !walk_bounds(walk, REDIST_SOURCE, &first, &end))
        return false;
    *lo = int_min(*lo, first);
    *hi = int_max(*hi, end);
    return true;
}

/* Find the part of the source that all messages and elements that stay cover; false: with
 * gaps. */
static bool find_source(const struct move *move, struct source_window *window)
{
    const struct walk *kept = &move->array->kept;
    int64_t lo = INT64_MAX, hi = 0;
    for (int64_t k = 0; k < move->send.n; k++)
        if (!widen(&move->send.transfer[k].part->walk, &lo, &hi)) return false;
    if (kept->total > 0 && !widen(kept, &lo, &hi)) return false;
    window->begin = lo;
    window->bytes = hi - lo;
    return move->send.bytes + kept->total * kept->grain == hi - lo;
}

/* Find the bytes of the source by which a message's elements are ahead or behind,
 * compared with the target, as fractions of the whole: judged by its outermost axis. */
static double find_lag(const struct source_window *window, const struct walk *walk)
{
    static const bool dense[SIDES] = {false, false};
    struct axis axis = walk->axis[0];
    int64_t n = axis.runs->elements;
    double row = (double)axis.scale[REDIST_SOURCE], lag = 0;
    for (int s = 0; s < SIDES; s++) axis.scale[s] = axis.unit[s] = 1;
    struct place zero = {0, 0}, last = axis_place(&axis, dense, zero, n - 1);
    double scale = (double)window->bytes / (double)(last.target + 1);
    for (int64_t k = 0; k < SAMPLES; k++) {
        struct place place = axis_place(&axis, dense, zero, n * k / SAMPLES);
        double ahead = (double)place.source * row - (double)place.target * scale;
        if (ahead < 0) ahead = -ahead;
        if (ahead > lag) lag = ahead;
    }
    return lag;
}

static double find_most_lag(const struct move *move, const struct source_window *window)
{
    double most = 0;
    for (int64_t k = 0; k < move->send.n; k++) {
        double lag = find_lag(window, &move->send.transfer[k].part->walk);
        if (lag > most) most = lag;
    }
    return most;
}

/* Find the bytes of a slot: as many whole rows or periods of the source, and cache lines,
 * as fit in `most`, as parts that begin inside one take receivers longer. */
static int64_t find_slot(const struct walk *walk, int64_t most)
{
    for (int k = 0; k < walk->naxes; k++) {
        const struct axis *axis = &walk->axis[k];
        int64_t row = axis->scale[REDIST_SOURCE];
        int64_t units[] = {axis->runs->local_period[REDIST_SOURCE] * row, row};
        for (int j = 0; j < 2; j++) {
            if (units[j] <= 0 || units[j] > most) continue;
            int64_t unit = units[j] * (STREAM_LINE / int_gcd(units[j], STREAM_LINE));
            if (unit <= most) return most - most % unit;
        }
    }
    return most - most % (walk->grain * STREAM_LINE);
}

bool source_window_make(const struct move *move, int64_t cache,
                        struct source_window *window)
{
    int64_t room = int_min(move->most, CACHES * int_min(cache, LARGE / CACHES));
    *window = (struct source_window){0};
    if (move->narrays > 1 || move->array->listed || !move->array->known || move->combines)
        return false;
    if (move->send.n == 0) return true;
    const struct walk *walk = &move->send.transfer->part->walk;
    if (move->send.n < SEVERAL || walk_mean_run(walk) >= STAGE_LONG_RUN ||
        !find_source(move, window))
        return false;
    double lag = find_most_lag(move, window);
    for (int64_t bytes = int_min(SMALL, room);; bytes = int_min(2 * bytes, room)) {
        window->nslots = SLOTS;
        window->slot = find_slot(walk, bytes / SLOTS);
        if (window->slot > 0 && lag <= (double)(window->slot * (SLOTS - 1))) break;
        if (bytes == room) return false;
    }
    int64_t n = int_ceil_div(window->bytes, window->slot);
    window->n = int_ceil_div(n, SLOTS) * SLOTS;
    return true;
}

void source_window_copy(const struct source_window *window, int64_t k, bool past,
                        const struct move *move, char *slot)
{
    int64_t at = k * window->slot, bytes = int_min(window->slot, window->bytes - at);
    if (bytes <= 0) return;
    const struct nest nest = {.block = bytes, .stream = past};
    move->memory->kind->move(move->memory, &nest, slot,
                             (const char *)move->sources[0] + window->begin + at);
    if (past) stream_fence();
}
