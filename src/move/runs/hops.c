/* SPDX-License-Identifier: MIT */
#include "move/runs/hops.h"

#include "move/runs/zips.h"

/* Copy n <= 64 bytes, or more. */
static inline void copy_over(char *to, const char *from, int64_t n)
{
    enum { HALF = SEAM_LINE / 2 };
    memcpy(to, from, HALF);
    if (n > HALF) memcpy(to + HALF, from + HALF, HALF);
}

static void step_on(struct hops *hops)
{
    for (int p = 0; p < hops->partners; p++) hops->from[p] += hops->step[p];
}

/* In the seam's room. */
static void over_in_room(struct hops *hops, int64_t n, struct seam *seam)
{
    const struct hop *end = hops->end;
    char *to = seam_end(seam);
    const char *full = to + (SEAM_ROOM - seam->fill);
    for (; n > 0; n--) {
        for (const struct hop *hop = hops->hop; hop < end; hop++) {
            const char *at = hops->from[hop->partner] + hop->from;
            if (hop->bytes <= SEAM_LINE) {
                copy_over(to, at, hop->bytes);
                to += hop->bytes;
                if (to < full) continue;
                seam->fill = SEAM_ROOM + (to - full);
                seam_flush(seam);
            } else {
                seam->fill = SEAM_ROOM + (to - full);
                seam_append_long(seam, at, hop->bytes);
            }
            to = seam_end(seam);
        }
        step_on(hops);
    }
    seam->fill = SEAM_ROOM + (to - full);
}

/* Whether so much can be read before each run, too. */
static bool is_inside(const struct hops *hops)
{
    for (const struct hop *hop = hops->hop; hop < hops->end; hop++) {
        const char *from = hops->from[hop->partner] + hop->from;
        if (from - hops->begin[hop->partner] < CUTS_WIDE) return false;
    }
    return true;
}

/* So many, that the seam is within a line that is all its own then. */
static void over_some(struct hops *hops, int64_t n, struct seam *seam)
{
    over_in_room(hops, n, seam);
    seam_flush(seam);
}

/* In registers, as many of n as can be. Returns how many are left. */
static int64_t over_in_registers(struct hops *hops, int64_t n, struct seam *seam)
{
    int64_t before = zips_before(hops, n, seam);
    if (before < n) {
        over_some(hops, before, seam);
        return n - before - zips_over(hops, n - before, seam);
    }
    return n > 0 && cuts_over(hops, n, seam) ? 0 : n;
}

void hops_over(struct hops *hops, int64_t n, struct seam *seam)
{
    seam_flush(seam);
    for (; n > 0 && (seam->skip > 0 || !is_inside(hops)); n--) over_some(hops, 1, seam);
    n = over_in_registers(hops, n, seam);
    over_in_room(hops, n, seam);
}
