/* SPDX-License-Identifier: MIT */
#include "move/runs/period_copy.h"

#include "move/runs/interleave_elements.h"

/* Copy n <= 64 bytes, or more. */
static inline void copy_over(char *to, const char *from, int64_t n)
{
    enum { HALF = LINE_BUFFER_LINE / 2 };
    memcpy(to, from, HALF);
    if (n > HALF) memcpy(to + HALF, from + HALF, HALF);
}

static void step_on(struct period_copy *copy)
{
    for (int p = 0; p < copy->partners; p++) copy->from[p] += copy->step[p];
}

/* Copy by the line buffer's room. */
static void over_in_room(struct period_copy *copy, int64_t n, struct line_buffer *buffer)
{
    const struct period_run *end = copy->end;
    char *to = line_buffer_end(buffer);
    const char *full = to + (LINE_BUFFER_ROOM - buffer->fill);
    for (; n > 0; n--) {
        for (const struct period_run *run = copy->run; run < end; run++) {
            const char *at = copy->from[run->partner] + run->from;
            if (run->bytes <= LINE_BUFFER_LINE) {
                copy_over(to, at, run->bytes);
                to += run->bytes;
                if (to < full) continue;
                buffer->fill = LINE_BUFFER_ROOM + (to - full);
                line_buffer_flush(buffer);
            } else {
                buffer->fill = LINE_BUFFER_ROOM + (to - full);
                line_buffer_append_long(buffer, at, run->bytes);
            }
            to = line_buffer_end(buffer);
        }
        step_on(copy);
    }
    buffer->fill = LINE_BUFFER_ROOM + (to - full);
}

/* Tell whether bytes before each run can be read, too. */
static bool is_inside(const struct period_copy *copy)
{
    for (const struct period_run *run = copy->run; run < copy->end; run++) {
        const char *from = copy->from[run->partner] + run->from;
        if (from - copy->begin[run->partner] < AVX2_GATHER_WIDE) return false;
    }
    return true;
}

/* Copy periods until the current line of the buffer contains no bytes of others. */
static void over_some(struct period_copy *copy, int64_t n, struct line_buffer *buffer)
{
    over_in_room(copy, n, buffer);
    line_buffer_flush(buffer);
}

/* Copy as many of n periods as possible in registers. Returns how many are left. */
static int64_t over_in_registers(struct period_copy *copy, int64_t n,
                                 struct line_buffer *buffer)
{
    int64_t before = interleave_elements_before(copy, n, buffer);
    if (before < n) {
        over_some(copy, before, buffer);
        return n - before - interleave_elements_append(copy, n - before, buffer);
    }
    return n > 0 && avx2_gather_append(copy, n, buffer) ? 0 : n;
}

void period_copy_append(struct period_copy *copy, int64_t n, struct line_buffer *buffer)
{
    line_buffer_flush(buffer);
    for (; n > 0 && (buffer->skip > 0 || !is_inside(copy)); n--)
        over_some(copy, 1, buffer);
    n = over_in_registers(copy, n, buffer);
    over_in_room(copy, n, buffer);
}
