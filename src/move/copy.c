/* SPDX-License-Identifier: MIT
 *
 * move/copy.c - host memory. One loop nest serves gathering, scattering and copying:
 * the compiler makes the three from it, as `way` is a constant in each.
 */
#include "move/copy.h"

#include <string.h>

#include "base/intmath.h"

#define INLINE static inline __attribute__((always_inline))

/* Copy the first and the last `size` of n bytes; they may overlap in the middle. */
INLINE void copy_ends(char *to, const char *from, size_t n, size_t size)
{
    char first[32], last[32];
    memcpy(first, from, size);
    memcpy(last, from + n - size, size);
    memcpy(to, first, size);
    memcpy(to + n - size, last, size);
}

/* Copy n <= 64 bytes without a call and never a byte outside: two moves of a size that
 * the compiler knows. */
INLINE void copy_small(char *to, const char *from, size_t n)
{
    if (n >= 32)
        copy_ends(to, from, n, 32);
    else if (n >= 16)
        copy_ends(to, from, n, 16);
    else if (n >= 8)
        copy_ends(to, from, n, 8);
    else if (n >= 4)
        copy_ends(to, from, n, 4);
    else
        for (size_t k = 0; k < n; k++) to[k] = from[k];
}

INLINE void copy_any(char *to, const char *from, size_t n)
{
    if (n <= 64)
        copy_small(to, from, n);
    else
        memcpy(to, from, n);
}

#define LOOP_OF_FIXED_SIZE(size)                                                         \
    case size:                                                                           \
        for (int64_t k = 0; k < count; k++)                                              \
            memcpy(to + k * to_step, from + k * from_step, size);                        \
        return;

/* Copy `count` blocks of n bytes at equal distances: the length known to the compiler
 * where it is a common one, as a call for each block would cost more than the block. */
static void copy_blocks(char *to, int64_t to_step, const char *from, int64_t from_step,
                        size_t n, int64_t count)
{
    if (to_step == (int64_t)n && from_step == (int64_t)n) {
        memcpy(to, from, n * (size_t)count);
        return;
    }
    switch (n) {
        LOOP_OF_FIXED_SIZE(1)
        LOOP_OF_FIXED_SIZE(2)
        LOOP_OF_FIXED_SIZE(4)
        LOOP_OF_FIXED_SIZE(8)
        LOOP_OF_FIXED_SIZE(12)
        LOOP_OF_FIXED_SIZE(16)
        LOOP_OF_FIXED_SIZE(24)
        LOOP_OF_FIXED_SIZE(32)
        LOOP_OF_FIXED_SIZE(40)
        LOOP_OF_FIXED_SIZE(48)
        LOOP_OF_FIXED_SIZE(64)
        default: break;
    }
    for (int64_t k = 0; k < count; k++)
        copy_any(to + k * to_step, from + k * from_step, n);
}

/* The row being moved: where it is read and written, and how. */
struct row {
    const struct axis *axis;
    enum way way;
    int64_t element, inner; /* bytes; elements */
    const char *from;       /* of the row, or the next element if dense */
    char *to;
};

INLINE bool reads_dense(enum way way) { return way == WAY_SCATTER; }
INLINE bool writes_dense(enum way way) { return way == WAY_GATHER; }

/* Move m elements from element x of one run on, which may begin or end within a group
 * of inner. */
INLINE void move_part(struct row *row, const struct run *run, int64_t rep, int64_t c,
                      int64_t x, int64_t m)
{
    const struct axis *axis = row->axis;
    int64_t place[SIDES];
    for (int s = 0; s < SIDES; s++)
        place[s] =
            (run->local[s] + c * run->local_step[s] + rep * axis->runs->local_period[s]) *
            axis->scale[s];
    for (int64_t n = 0; m > 0; m -= n, x += n) {
        n = int_min(m, row->inner - x % row->inner);
        size_t bytes = (size_t)(n * row->element);
        int64_t within = x % row->inner * row->element, group = x / row->inner;
        const char *from = row->from;
        char *to = row->to;
        if (!reads_dense(row->way)) from += place[0] + group * axis->unit[0] + within;
        if (!writes_dense(row->way)) to += place[1] + group * axis->unit[1] + within;
        copy_any(to, from, bytes);
        if (reads_dense(row->way)) row->from += bytes;
        if (writes_dense(row->way)) row->to += bytes;
    }
}

/* Move `count` whole runs of an entry from its c-th on. */
INLINE void move_whole(struct row *row, const struct run *run, int64_t rep, int64_t c,
                       int64_t count)
{
    const struct axis *axis = row->axis;
    enum way way = row->way;
    int64_t group = row->inner * row->element, bytes = run->length * group;
    int64_t unit[SIDES] = {reads_dense(way) ? group : axis->unit[0],
                           writes_dense(way) ? group : axis->unit[1]};
    int64_t step[SIDES] = {reads_dense(way) ? bytes : run->local_step[0] * axis->scale[0],
                           writes_dense(way) ? bytes
                                             : run->local_step[1] * axis->scale[1]};
    const char *from = row->from;
    char *to = row->to;
    if (!reads_dense(way))
        from += (run->local[0] + rep * axis->runs->local_period[0]) * axis->scale[0] +
                c * step[0];
    if (!writes_dense(way))
        to += (run->local[1] + rep * axis->runs->local_period[1]) * axis->scale[1] +
              c * step[1];
    if (unit[0] == group && unit[1] == group) {
        if (count == 1)
            copy_any(to, from, (size_t)bytes);
        else
            copy_blocks(to, step[1], from, step[0], (size_t)bytes, count);
    } else if (run->length > count) {
        for (int64_t k = 0; k < count; k++)
            copy_blocks(to + k * step[1], unit[1], from + k * step[0], unit[0],
                        (size_t)group, run->length);
    } else {
        for (int64_t x = 0; x < run->length; x++)
            copy_blocks(to + x * unit[1], step[1], from + x * unit[0], step[0],
                        (size_t)group, count);
    }
    if (reads_dense(way)) row->from += bytes * count;
    if (writes_dense(way)) row->to += bytes * count;
}

INLINE int64_t move_row(const struct walk *walk, struct axis *axis, enum way way,
                        const char *from, char *to, int64_t n)
{
    const struct runs *runs = axis->runs;
    struct cursor at = axis->at;
    struct row row = {axis, way, (int64_t)walk->element, walk->inner, from, to};
    int64_t left = n, per_period = runs->period_elements * row.inner;
    while (left > 0 && (at.rep < runs->repeats || at.j < runs->nperiod + runs->ntail)) {
        bool in_period = at.rep < runs->repeats;
        if (in_period && at.j == 0 && at.c == 0 && at.x == 0 && left >= per_period) {
            int64_t end = at.rep + int_min(runs->repeats - at.rep, left / per_period);
            left -= (end - at.rep) * per_period;
            for (; at.rep < end; at.rep++)
                for (int64_t j = 0; j < runs->nperiod; j++)
                    move_whole(&row, &runs->run[j], at.rep, 0, runs->run[j].count);
            if (at.rep == runs->repeats) at.j = runs->nperiod;
            continue;
        }
        const struct run *run = &runs->run[at.j];
        int64_t length = run->length * row.inner, rep = in_period ? at.rep : 0;
        if (at.x > 0 || left < length) {
            int64_t m = int_min(length - at.x, left);
            move_part(&row, run, rep, at.c, at.x, m);
            left -= m;
            at.x += m;
            if (at.x == length) at.x = 0, at.c++;
        } else {
            int64_t count = int_min(run->count - at.c, left / length);
            move_whole(&row, run, rep, at.c, count);
            left -= count * length;
            at.c += count;
        }
        if (at.c < run->count) continue;
        at.c = 0;
        at.j++;
        if (in_period && at.j == runs->nperiod)
            at.j = ++at.rep < runs->repeats ? 0 : runs->nperiod;
    }
    axis->at = at;
    return n - left;
}

static int64_t host_row(const struct walk *walk, struct axis *axis, enum way way,
                        const char *from, char *to, int64_t n)
{
    switch (way) {
        case WAY_GATHER: return move_row(walk, axis, WAY_GATHER, from, to, n);
        case WAY_SCATTER: return move_row(walk, axis, WAY_SCATTER, from, to, n);
        case WAY_COPY: break;
    }
    return move_row(walk, axis, WAY_COPY, from, to, n);
}

static void *host_alloc(struct mem_account *account, int64_t bytes)
{
    return mem_alloc(account, bytes, 1);
}

const struct memory_kind memory_host = {"host", host_alloc, mem_free, host_row};
