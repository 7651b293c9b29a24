/* SPDX-License-Identifier: MIT */
#include "move/device/jobs.h"

#include <assert.h>
#include <string.h>

#include "base/intmath.h"
#include "intersect/runs.h"
#include "move/arith/combine.h"

enum {
    UNIT = 16,                  /* bytes, at most */
    LONG_ROW = 2 * DEVICE_WARP, /* units: rows that are cut into segments */
    LONG_BLOCK = 2 << 10,       /* bytes: such blocks need no window */
    SPARSE = 4 /* a window moves at least one of so many units of its home */
};

static struct device_divisor divisor(int64_t value)
{
    struct device_divisor by = {(uint32_t)value, 1, 0};
    while ((int64_t)1 << by.shift < value) by.shift++;
    uint64_t power = (uint64_t)1 << by.shift;
    by.magic = (uint32_t)((((power - by.value) << 32) / by.value) + 1);
    return by;
}

/* ---- moves ------------------------------------------------------------------------- */

/* Set the unit, which divides all steps and addresses, and what follows from it. */
static void set_unit(struct device_move *move, int64_t unit)
{
    int64_t row = move->block / unit, rows = 1;
    for (int k = 0; k < move->n; k++) rows *= move->level[k].count.value;
    move->unit = (int32_t)unit;
    move->linear = 0;
    move->units = (uint32_t)(rows * row);
    move->row = divisor(row);
    move->segments = (struct device_divisor){0};
    move->tiles = (uint32_t)int_ceil_div(rows * row, DEVICE_TILE);
    if (row < LONG_ROW) return;
    move->segments = divisor(int_ceil_div(row, DEVICE_SEGMENT));
    move->tiles =
        (uint32_t)int_ceil_div(rows * move->segments.value, DEVICE_THREADS / DEVICE_WARP);
}

/* All bits that are set in an address, a step or the block of a move. */
static int64_t bits_of(const struct device_move *move)
{
    int64_t all = UNIT | move->block | (int64_t)(uintptr_t)move->to |
                  (int64_t)(uintptr_t)move->from;
    for (int k = 0; k < move->n; k++)
        all |= move->level[k].step[REDIST_SOURCE] | move->level[k].step[REDIST_TARGET];
    return all;
}

/* Set the longest unit that is aligned at all blocks. */
static void set_longest_unit(struct device_move *move)
{
    int64_t all = bits_of(move);
    set_unit(move, all & -all);
}

void jobs_make_move(const struct nest *nest, const uint32_t *const at[SIDES], char *to,
                    const char *from, struct device_move *move)
{
    const bool by_lists = at[REDIST_SOURCE] || at[REDIST_TARGET];
    int n = nest->n;
    move->to = to;
    move->from = from;
    move->first = 0;
    move->block = nest->block;
    while (!by_lists && n > 0 && nest->level[n - 1].step[REDIST_SOURCE] == move->block &&
           nest->level[n - 1].step[REDIST_TARGET] == move->block)
        move->block *= nest->level[--n].count; /* its blocks are one */
    move->n = n;
    for (int k = 0; k < n; k++) {
        const struct level *level = &nest->level[n - 1 - k];
        move->level[k].count = divisor(level->count);
        for (int s = 0; s < SIDES; s++) move->level[k].step[s] = level->step[s];
    }
    for (int s = 0; s < SIDES; s++) move->place[s] = at[s];
    set_longest_unit(move);
}

/* ---- arithmetic -------------------------------------------------------------------- */

bool jobs_can_combine(const struct combine *combine, int64_t bits)
{
    bool short_parts = combine->part == NUMBER_I4 || combine->part == NUMBER_F4;
    return combine->part != NUMBER_NONE && bits % (short_parts ? 4 : 8) == 0;
}

struct device_linear jobs_linear(const struct combine *combine)
{
    static_assert((int)LINEAR_F8 == NUMBER_F8 - NUMBER_I4, "types in the same order");
    static_assert((int)LINEAR_KEEP == (int)FORM_KEEP, "forms in the same order");
    static_assert((int)LINEAR_COMPLEX == (int)KIND_COMPLEX, "kinds in the same order");
    struct device_linear linear = {.type = (int32_t)combine->part - NUMBER_I4,
                                   .form = (int32_t)combine->form,
                                   .kind = (int32_t)combine->kind};
    static_assert(sizeof linear.alpha == sizeof combine->alpha, "the same numbers");
    memcpy(&linear.alpha, &combine->alpha, sizeof linear.alpha);
    memcpy(&linear.beta, &combine->beta, sizeof linear.beta);
    return linear;
}

void jobs_combine(const struct combine *combine, int linear, struct device_move *move)
{
    set_unit(move, combine->unit);
    move->linear = linear;
}

/* Whether it copies, and both sides are regular. */
static bool is_plain(const struct device_move *move)
{
    return !move->linear && !move->place[REDIST_SOURCE] && !move->place[REDIST_TARGET];
}

/* Bytes of a side from the first to the last of the loops inside level k. */
static int64_t extent_of(const struct device_move *move, int k, int side)
{
    int64_t bytes = move->block;
    while (k-- > 0) bytes += (move->level[k].count.value - 1) * move->level[k].step[side];
    return bytes;
}

/* ---- squares ----------------------------------------------------------------------- */

/* Find the loop, long enough for a square, in which blocks follow each other; or -1. */
static int find_neighbours(const struct device_move *move, int side)
{
    for (int k = 0; k < move->n; k++)
        if (move->level[k].step[side] == move->block &&
            move->level[k].count.value >= SQUARE_LEAST)
            return k;
    return -1;
}

/* Make the job of a move that transposes, and order its loops for it; false: it does
 * not. */
static bool make_square(struct device_move *move, struct square_job *job)
{
    int x = find_neighbours(move, REDIST_SOURCE),
        y = find_neighbours(move, REDIST_TARGET);
    if (!is_plain(move) || x < 0 || y < 0 || x == y || move->unit != move->block)
        return false;
    struct device_level level[DEVICE_LEVELS] = {move->level[x], move->level[y]};
    int n = 2;
    for (int k = 0; k < move->n; k++)
        if (k != x && k != y) level[n++] = move->level[k];
    memcpy(move->level, level, (size_t)n * sizeof *level);
    int64_t tiles = 1, side = move->unit >= 8 ? SQUARE_WIDE : SQUARE_SHORT;
    for (int k = 0; k < move->n; k++) {
        int64_t count = level[k].count.value;
        if (k < 2) count = int_ceil_div(count, side);
        if (k < 2) job->across[k] = divisor(count);
        tiles *= count;
    }
    job->tiles = (uint32_t)tiles;
    return true;
}

/* ---- windows ----------------------------------------------------------------------- */

/* Moves whose rounds are the same on one side. */
struct rounds {
    const struct device_move *first;
    int level;           /* of the rounds */
    const char *lo, *hi; /* a round */
};

/* Moves that may go by the same windows. */
struct group {
    int nmoves;
    int64_t bytes, blocks; /* of a round */
};

/* A way to arrange the moves. */
struct grouping {
    int home, n;
    struct rounds rounds[DEVICE_WINDOWS]; /* on the home */
    struct group group[DEVICE_WINDOWS];
    int16_t of[DEVICE_MOVES]; /* the group of each move, or -1 */
};

/* Find the outermost loop whose rounds follow each other on a side and fit a window; or
 * -1. */
static int find_rounds(const struct device_move *move, int home)
{
    int found = -1;
    int64_t extent = move->block;
    for (int k = 0; k < move->n; k++) {
        const struct device_level *level = &move->level[k];
        if (level->step[home] < extent || level->step[!home] < 0) return found;
        if (level->step[home] <= WINDOW_BYTES) found = k;
        extent += (level->count.value - 1) * level->step[home];
    }
    return found;
}

/* Tell whether the loops from level k of x, and from level l of y, outwards are the same
 * on a side. */
static bool loops_alike(const struct device_move *x, int k, const struct device_move *y,
                        int l, int side)
{
    if (x->n - k != y->n - l) return false;
    for (; k < x->n; k++, l++)
        if (x->level[k].count.value != y->level[l].count.value ||
            x->level[k].step[side] != y->level[l].step[side])
            return false;
    return true;
}

/* Widen lo .. hi - 1 by bytes from `at` on, if it is then at most `most` bytes. */
static bool widen(const char **lo, const char **hi, const char *at, int64_t bytes,
                  int64_t most)
{
    const char *begin = at < *lo ? at : *lo, *end = at + bytes > *hi ? at + bytes : *hi;
    if (end - begin > most) return false;
    *lo = begin;
    *hi = end;
    return true;
}

/* Find which of n rounds a move has on a side, at a level of its loops, or begin others,
 * at most `most`; -1: there are too many. */
static int join(struct rounds rounds[], int *n, int most, const struct device_move *move,
                int level, int side)
{
    const char *at = side == REDIST_SOURCE ? move->from : move->to;
    int64_t extent = extent_of(move, level, side), step = move->level[level].step[side];
    for (int k = *n - 1; k >= 0; k--)
        if (loops_alike(move, level, rounds[k].first, rounds[k].level, side) &&
            widen(&rounds[k].lo, &rounds[k].hi, at, extent, step))
            return k;
    if (*n == most) return -1;
    rounds[*n] = (struct rounds){move, level, at, at + extent};
    return (*n)++;
}

static int join_group(struct grouping *grouping, const struct device_move *move)
{
    int home = grouping->home, level = find_rounds(move, home), before = grouping->n;
    if (level < 0 || !is_plain(move)) return -1;
    int found = join(grouping->rounds, &grouping->n, DEVICE_WINDOWS, move, level, home);
    if (found < 0) return -1;
    struct group *group = &grouping->group[found];
    int64_t blocks = 1;
    if (found == before) *group = (struct group){0, 0, 0};
    for (int k = 0; k < level; k++) blocks *= move->level[k].count.value;
    group->nmoves++;
    group->blocks += blocks;
    group->bytes += blocks * move->block;
    return found;
}

static int64_t round_of(const struct grouping *grouping, int g)
{
    const struct rounds *rounds = &grouping->rounds[g];
    return rounds->first->level[rounds->level].step[grouping->home];
}

/* Group moves by windows of one side. `taken`: squares. */
static void make_grouping(const struct device_move moves[], int n, const bool taken[],
                          int home, struct grouping *grouping)
{
    grouping->home = home;
    grouping->n = 0;
    for (int k = 0; k < n; k++)
        grouping->of[k] = (int16_t)(taken[k] ? -1 : join_group(grouping, &moves[k]));
}

/* Tell whether the windows of x are fewer, or shorter, than those of y. */
static bool is_better(const struct grouping *x, const struct grouping *y)
{
    int64_t bytes[2] = {0, 0};
    if (x->n != y->n) return x->n < y->n;
    for (int g = 0; g < x->n; g++) bytes[0] += round_of(x, g), bytes[1] += round_of(y, g);
    return bytes[0] < bytes[1];
}

/* Tell whether windows pay for a group: pieces alternate, and are short. */
static bool pays(const struct grouping *grouping, int g)
{
    const struct group *group = &grouping->group[g];
    return group->nmoves > 1 && group->bytes / group->blocks < LONG_BLOCK &&
           group->bytes * SPARSE >= round_of(grouping, g);
}

/* ---- arranging --------------------------------------------------------------------- */

struct arranging {
    struct jobs *jobs;
    int nmoves, nstreams, nwindows, nsquares;
};

/* The streams of a group, while it is made. */
struct streams {
    struct rounds rounds[WINDOW_STREAMS]; /* on the other side */
    int n;
    uint8_t of[DEVICE_MOVES];
};

/* Append the moves of one stream, as their loops inside a round. Returns its units. */
static int64_t append_stream(struct arranging *arranging, const struct group *group,
                             const struct device_move moves[], const int member[],
                             const struct streams *streams, int s, int home, int64_t unit,
                             int64_t first)
{
    struct jobs *jobs = arranging->jobs;
    const struct rounds *rounds = &streams->rounds[s];
    const struct device_move *like = rounds->first;
    int inside = rounds->level, n = like->n - inside;
    struct window_stream *stream = &jobs->stream[arranging->nstreams++];
    int64_t units = 0;
    *stream = (struct window_stream){.at = (char *)(uintptr_t)rounds->lo,
                                     .step = like->level[inside].step[!home],
                                     .first = (uint32_t)first,
                                     .move = arranging->nmoves};
    for (int k = 1; k < n; k++)
        stream->outer[k - 1] = like->level[inside + k].step[!home];
    for (int k = 0; k < group->nmoves; k++) {
        if (streams->of[k] != s) continue;
        struct device_move *move = &jobs->move[arranging->nmoves++];
        *move = moves[member[k]];
        move->n -= n;
        move->first = (uint32_t)(first + units);
        set_unit(move, unit);
        units += move->units;
    }
    stream->nmoves = arranging->nmoves - stream->move;
    stream->units = (uint32_t)units;
    stream->dense =
        units * unit == stream->step && rounds->hi - rounds->lo == stream->step;
    return units;
}

/* The unit of all moves of a group. */
static int64_t unit_of(const struct group *group, const struct device_move moves[],
                       const int member[])
{
    int64_t all = 0;
    for (int k = 0; k < group->nmoves; k++) all |= bits_of(&moves[member[k]]);
    return all & -all;
}

/* Make the window job of a group. Returns false, with nothing changed, if it cannot go by
 * windows. */
static bool make_window(struct arranging *arranging, const struct grouping *grouping,
                        int g, const struct device_move moves[], const int member[])
{
    struct streams streams;
    const struct group *group = &grouping->group[g];
    const struct rounds *window = &grouping->rounds[g];
    const struct device_move *like = window->first;
    int home = grouping->home, level = window->level;
    int64_t unit = unit_of(group, moves, member), step = round_of(grouping, g);
    int64_t most = int_max(step, group->bytes) / unit,
            rounds = like->level[level].count.value;
    int64_t per_window = int_min(
        rounds,
        most > WINDOW_UNITS ? 0 : int_min(WINDOW_BYTES / step, WINDOW_UNITS / most));
    streams.n = 0;
    for (int k = 0; k < group->nmoves; k++) {
        const struct device_move *move = &moves[member[k]];
        int own = level - like->n + move->n; /* its level of the rounds */
        int64_t far = extent_of(move, own, !home), reach = 0;
        if (!int_mul(per_window, move->level[own].step[!home], &reach) ||
            reach + far > INT32_MAX)
            return false;
        int s = join(streams.rounds, &streams.n, WINDOW_STREAMS, move, own, !home);
        if (s < 0) return false;
        streams.of[k] = (uint8_t)s;
    }
    if (per_window == 0 || arranging->nstreams + streams.n > DEVICE_STREAMS) return false;
    struct window_job *job = &arranging->jobs->window[arranging->nwindows];
    int64_t windows = int_ceil_div(rounds, per_window), tiles = windows, units = 0;
    per_window = int_ceil_div(rounds, windows); /* all about as long */
    *job = (struct window_job){.home = home,
                               .unit = (int32_t)unit,
                               .at = (char *)(uintptr_t)window->lo,
                               .step = step,
                               .period = divisor(step / unit),
                               .rounds = (uint32_t)rounds,
                               .per_window = (uint32_t)per_window,
                               .windows = divisor(windows),
                               .stream = arranging->nstreams,
                               .nstreams = streams.n};
    for (int k = level + 1; k < like->n; k++) {
        job->count[job->nouter] = like->level[k].count;
        job->outer[job->nouter++] = like->level[k].step[home];
        tiles *= like->level[k].count.value;
    }
    for (int s = 0; s < streams.n; s++)
        units += append_stream(arranging, group, moves, member, &streams, s, home, unit,
                               units);
    job->units = (uint32_t)units;
    job->tiles = (uint32_t)tiles;
    arranging->nwindows++;
    return true;
}

static void make_windows(struct arranging *arranging, const struct device_move moves[],
                         int n, bool taken[])
{
    struct grouping groupings[SIDES];
    int member[DEVICE_MOVES];
    for (int s = 0; s < SIDES; s++) make_grouping(moves, n, taken, s, &groupings[s]);
    const struct grouping *best =
        &groupings[is_better(&groupings[REDIST_TARGET], &groupings[REDIST_SOURCE])];
    for (int g = 0; g < best->n; g++) {
        int nmembers = 0;
        if (!pays(best, g)) continue;
        for (int k = 0; k < n; k++)
            if (best->of[k] == g) member[nmembers++] = k;
        if (!make_window(arranging, best, g, moves, member)) continue;
        for (int k = 0; k < nmembers; k++) taken[member[k]] = true;
    }
}

void jobs_arrange(const struct device_move moves[], int n, struct jobs *jobs,
                  struct device_work *work)
{
    struct arranging arranging = {.jobs = jobs};
    bool taken[DEVICE_MOVES];
    for (int k = 0; k < n; k++) {
        struct device_move *move = &jobs->move[arranging.nmoves];
        *move = moves[k];
        taken[k] = arranging.nsquares < DEVICE_SQUARES &&
                   make_square(move, &jobs->square[arranging.nsquares]);
        if (taken[k]) jobs->square[arranging.nsquares++].move = arranging.nmoves++;
    }
    make_windows(&arranging, moves, n, taken);
    int first = arranging.nmoves;
    for (int k = 0; k < n; k++)
        if (!taken[k]) jobs->move[arranging.nmoves++] = moves[k];
    *work = (struct device_work){.move = jobs->move,
                                 .square = jobs->square,
                                 .window = jobs->window,
                                 .stream = jobs->stream,
                                 .nmoves = arranging.nmoves,
                                 .first = first,
                                 .nsquares = arranging.nsquares,
                                 .nwindows = arranging.nwindows,
                                 .nstreams = arranging.nstreams};
}
