/* SPDX-License-Identifier: MIT
 *
 * move/walk/walk_place.c - where a walk lies in memory.
 */
#include "base/intmath.h"
#include "move/walk/walk.h"

bool walk_bounds(const struct walk *walk, redist_side s, int64_t *lo, int64_t *hi)
{
    if (walk_is_listed(walk) || walk->panel) return false;
    int64_t reach =
        walk->inner * walk_grain(walk, (int)s); /* bytes from first to last, within */
    *lo = walk->offset[s];
    for (int k = walk->naxes - 1; k >= 0; k--) {
        const struct axis *axis = &walk->axis[k];
        int64_t first = 0, last = 0;
        if (!axis_bounds(axis, s, &first, &last)) return false;
        if (last > first && axis->scale[s] < reach) return false;
        *lo += first;
        reach += last - first;
    }
    *hi = *lo + reach;
    return true;
}

/* Count the grains of axis k and its inner axes before `at`. */
static int64_t before(const struct walk *walk, redist_side s, int k, int64_t at)
{
    if (k == walk->naxes)
        return int_min(int_ceil_div(int_max(at, 0), walk_grain(walk, (int)s)),
                       walk->inner);
    struct axis *axis = &walk->axis[k];
    int64_t last = 0, n = axis_before(axis, s, at, &last);
    if (n == 0) return 0;
    return (n - 1) * (axis->dense / walk->grain) + before(walk, s, k + 1, at - last);
}

int64_t walk_before(const struct walk *walk, redist_side s, int64_t at)
{
    return before(walk, s, 0, at - walk->offset[s]);
}

/* Find where local index 0 of axis n lies for a grain, from where that of axis 0 does.
 * The grain is then counted from there. */
static struct place descend(struct walk *walk, const bool dense[SIDES],
                            struct place place, int n, int64_t *grain)
{
    for (int k = 0; k < n; k++) {
        int64_t width = walk->axis[k].dense / walk->grain;
        place = axis_place(&walk->axis[k], dense, place, *grain / width);
        *grain %= width;
    }
    return place;
}

struct place walk_place(struct walk *walk, enum way way, int64_t grain)
{
    bool dense[SIDES];
    int64_t offset[SIDES];
    for (int s = 0; s < SIDES; s++) {
        dense[s] = !way_in_memory(way, s);
        offset[s] = dense[s] ? 0 : walk->offset[s];
    }
    struct place place = {offset[0], offset[1]};
    place = descend(walk, dense, place, walk->naxes, &grain);
    place.source += grain * walk->grain;
    place.target += grain * walk->target;
    return place;
}

struct place walk_row(struct walk *walk, int64_t row)
{
    static const bool dense[SIDES] = {false, false};
    const struct place begin = {walk->offset[0], walk->offset[1]};
    int64_t grain = row * walk->axis[walk->naxes - 1].runs->elements * walk->inner;
    return descend(walk, dense, begin, walk->naxes - 1, &grain);
}
