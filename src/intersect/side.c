/* SPDX-License-Identifier: MIT */
#include "intersect/side.h"

#include "base/intmath.h"

struct side side_of_view(const redist_view *view, int j)
{
    int i = view->axes[j];
    return (struct side){&view->dist->dim[i], view->start[i], view->stride[i],
                         view->extent[i]};
}

/* Return the first section element at or after global element i. */
static int64_t section_ceil(const struct side *side, int64_t i)
{
    return i <= side->start ? 0 : int_ceil_div(i - side->start, side->stride);
}

struct block side_block_at(const struct side *side, int64_t k)
{
    struct block block = dim_block_at(side->dim, side->start + k * side->stride);
    int64_t begin = section_ceil(side, block.begin);
    return (struct block){
        .begin = begin,
        .end = int_min(section_ceil(side, block.end), side->extent),
        .local = block.local + (side->start + begin * side->stride - block.begin),
        .owner = block.owner,
    };
}

/* The least t >= 0 with low <= (t step mod m) <= high, or -1, for 0 <= low <= high <
 * m: the Euclidean algorithm on step and m, halving m each round.
 * O(log m). */
static int64_t first_hit(int64_t step, int64_t m, int64_t low, int64_t high)
{
    if (low == 0) return 0;
    step = int_mod(step, m);
    if (step == 0) return -1;
    if (step > m - step) { /* step backwards instead */
        int64_t mirrored = m - high;
        high = m - low;
        low = mirrored;
        step = m - step;
    }
    int64_t t = int_ceil_div(low, step);
    if (t <= high / step) return t;
    /* No multiple of step lies in the window, so t step - y m does for some y > 0. */
    int64_t y = first_hit(m, step, int_mod(-high, step), int_mod(-low, step));
    if (y < 0) return -1;
    return (int64_t)(((int128)m * y + low + step - 1) / step);
}

/* Return the first element >= k in begin .. end - 1 of the whole dimension. */
static int64_t next_within(const struct side *side, int64_t begin, int64_t end, int64_t k)
{
    int64_t next = int_max(section_ceil(side, begin), k);
    return next < side->extent && side->start + next * side->stride < end ? next
                                                                          : side->extent;
}

static int64_t next_owned_regular(const struct side *side, int c, int64_t k)
{
    const struct dim *dim = side->dim;
    int64_t turn = int_mod((int64_t)c - dim->first, dim->procs), cycle = 0;
    int64_t i = side->start + k * side->stride;
    if (turn > (dim->extent - 1) / dim->m) return side->extent;
    if (!int_mul(dim->m, dim->procs, &cycle)) { /* nobody has two blocks */
        int64_t begin = turn * dim->m;
        return next_within(side, begin, begin + int_min(dim->m, dim->extent - begin), k);
    }
    int64_t low = int_mod(turn * dim->m - i % cycle, cycle);
    if (low > cycle - dim->m) return k; /* i lies within a block of c */
    int64_t t =
        side->stride == 1 ? low : first_hit(side->stride, cycle, low, low + dim->m - 1);
    return t < 0 || t >= side->extent - k ? side->extent : k + t;
}

static int64_t next_owned_irregular(const struct side *side, int c, int64_t k)
{
    int64_t i = side->start + k * side->stride, n = dim_block_count(side->dim, c);
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (dim_block(side->dim, c, middle).end > i)
            high = middle;
        else
            low = middle + 1;
    }
    for (; low < n; low++) { /* skip blocks between two elements of the section */
        struct block block = dim_block(side->dim, c, low);
        int64_t next = int_max(section_ceil(side, block.begin), k);
        if (next >= side->extent) break;
        if (side->start + next * side->stride < block.end) return next;
    }
    return side->extent;
}

int64_t side_next_owned(const struct side *side, int c, int64_t k)
{
    if (k >= side->extent) return side->extent;
    return dim_is_regular(side->dim) ? next_owned_regular(side, c, k)
                                     : next_owned_irregular(side, c, k);
}

int64_t side_period(const struct side *side)
{
    const struct dim *dim = side->dim;
    int64_t cycle = 0;
    if (!dim_is_regular(dim) || !int_mul(dim->m, dim->procs, &cycle)) return INT64_MAX;
    return cycle / int_gcd(cycle, side->stride);
}

int64_t side_local_advance(const struct side *side, int64_t period)
{
    return (int64_t)((int128)period * side->stride / side->dim->procs);
}
