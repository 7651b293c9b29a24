/* SPDX-License-Identifier: MIT */
#include "move/runs/interleave_elements.h"

#include "base/ablate.h"
#include "base/intmath.h"
#include "move/kernel/square.h"

enum { LINE = LINE_BUFFER_LINE };

/* The address of each element of the next period, in the order of the target. */
struct sources {
    const char *from[PERIOD_COPY_PARTNERS];
    int64_t partners;
};

/* Zip a line of each partner, m elements of m partners at a time. */
#define INTERLEAVE(size, type, m)                                                        \
    SQUARE(size, type, m)                                                                \
    static void interleave_##size(const struct sources *sources, int64_t at, char *to)   \
    {                                                                                    \
        const int64_t partners = sources->partners;                                      \
        for (int64_t end = at + LINE; at < end; at += VECTOR) {                          \
            for (int64_t p = 0; p < partners; p += (m)) {                                \
                vector_##size row[m];                                                    \
                for (int k = 0; k < (m); k++)                                            \
                    memcpy(&row[k], sources->from[p + k] + at, VECTOR);                  \
                square_##size(row);                                                      \
                for (int k = 0; k < (m); k++)                                            \
                    stream_part(to + (k * partners + p) * (size), &row[k]);              \
            }                                                                            \
            to += partners * VECTOR;                                                     \
        }                                                                                \
    }

INTERLEAVE(4, uint32_t, 4)
INTERLEAVE(8, uint64_t, 2)

bool interleave_elements_can(int64_t size, int64_t partners)
{
    return !ABLATED(ELEMENTS) && (size == 4 || size == 8) &&
           partners % (VECTOR / size) == 0;
}

/* Tell whether the periods have this form. */
static bool are(const struct period_copy *copy)
{
    uint64_t met = 0;
    int64_t size = copy->run->bytes;
    if (copy->end - copy->run != copy->partners ||
        !interleave_elements_can(size, copy->partners))
        return false;
    for (const struct period_run *run = copy->run; run < copy->end; run++) {
        if (run->bytes != size || copy->step[run->partner] != size) return false;
        met |= (uint64_t)1 << run->partner;
    }
    return met == UINT64_MAX >> (PERIOD_COPY_PARTNERS - copy->partners);
}

int64_t interleave_elements_before(const struct period_copy *copy, int64_t n,
                                   const struct line_buffer *buffer)
{
    if (!are(copy)) return n;
    for (int64_t k = 0; k < int_min(n, LINE); k++)
        if ((buffer->fill + k * copy->period) % LINE == 0) return k;
    return n;
}

int64_t interleave_elements_append(struct period_copy *copy, int64_t n,
                                   struct line_buffer *buffer)
{
    struct sources sources = {.partners = copy->partners};
    int64_t size = copy->run->bytes, lines = n * size / LINE;
    for (int64_t k = 0; k < copy->partners; k++)
        sources.from[k] = copy->from[copy->run[k].partner] + copy->run[k].from;
    for (int64_t k = 0; k < lines; k++, buffer->to += copy->partners * LINE)
        (size == 4 ? interleave_4 : interleave_8)(&sources, k * LINE, buffer->to);
    for (int p = 0; p < copy->partners; p++) copy->from[p] += lines * LINE;
    return lines * (LINE / size);
}
