/* SPDX-License-Identifier: MIT */
#include "move/runs/zips.h"

#include "base/ablate.h"
#include "base/intmath.h"
#include "move/kernel/square.h"

enum { LINE = SEAM_LINE };

/* Where each element of the next period lies, in the order of the target. */
struct course {
    const char *from[HOPS_PARTNERS];
    int64_t partners;
};

/* Zip a line of each partner, m elements of m partners at a time. */
#define ZIP(size, type, m)                                                               \
    SQUARE(size, type, m)                                                                \
    static void zip_##size(const struct course *course, int64_t at, char *to)            \
    {                                                                                    \
        const int64_t partners = course->partners;                                       \
        for (int64_t end = at + LINE; at < end; at += VECTOR) {                          \
            for (int64_t p = 0; p < partners; p += (m)) {                                \
                vector_##size row[m];                                                    \
                for (int k = 0; k < (m); k++)                                            \
                    memcpy(&row[k], course->from[p + k] + at, VECTOR);                   \
                square_##size(row);                                                      \
                for (int k = 0; k < (m); k++)                                            \
                    stream_part(to + (k * partners + p) * (size), &row[k]);              \
            }                                                                            \
            to += partners * VECTOR;                                                     \
        }                                                                                \
    }

ZIP(4, uint32_t, 4)
ZIP(8, uint64_t, 2)

bool zips_can(int64_t size, int64_t partners)
{
    return !ABLATED(ZIPS) && (size == 4 || size == 8) && partners % (VECTOR / size) == 0;
}

/* Whether the periods are such. */
static bool are(const struct hops *hops)
{
    uint64_t met = 0;
    int64_t size = hops->hop->bytes;
    if (hops->end - hops->hop != hops->partners || !zips_can(size, hops->partners))
        return false;
    for (const struct hop *hop = hops->hop; hop < hops->end; hop++) {
        if (hop->bytes != size || hops->step[hop->partner] != size) return false;
        met |= (uint64_t)1 << hop->partner;
    }
    return met == UINT64_MAX >> (HOPS_PARTNERS - hops->partners);
}

int64_t zips_before(const struct hops *hops, int64_t n, const struct seam *seam)
{
    if (!are(hops)) return n;
    for (int64_t k = 0; k < int_min(n, LINE); k++)
        if ((seam->fill + k * hops->period) % LINE == 0) return k;
    return n;
}

int64_t zips_over(struct hops *hops, int64_t n, struct seam *seam)
{
    struct course course = {.partners = hops->partners};
    int64_t size = hops->hop->bytes, lines = n * size / LINE;
    for (int64_t k = 0; k < hops->partners; k++)
        course.from[k] = hops->from[hops->hop[k].partner] + hops->hop[k].from;
    for (int64_t k = 0; k < lines; k++, seam->to += hops->partners * LINE)
        (size == 4 ? zip_4 : zip_8)(&course, k * LINE, seam->to);
    for (int p = 0; p < hops->partners; p++) hops->from[p] += lines * LINE;
    return lines * (LINE / size);
}
