/* SPDX-License-Identifier: MIT
 *
 * move/runs/seam.h - a stretch of memory that is put together from pieces in its order,
 * and written line by line, past the cache or into it:
 *
 *   pieces   aaaaa bb cccccccccccccccc
 *   room     aaaaabbccccccccccccccccc      in the cache, some lines
 *   target   ........|aaaaabbc|cccccccc|
 */
#ifndef REDIST_MOVE_RUNS_SEAM_H
#define REDIST_MOVE_RUNS_SEAM_H

#include <stdalign.h>

#include "move/kernel/kernels.h"
#include "move/kernel/stream.h"

enum {
    SEAM_LINE = STREAM_LINE,
    SEAM_ROOM = 16 * SEAM_LINE /* bytes; more would be written while nothing is read */
};

struct seam {
    char *to;           /* the line of the target that comes next */
    int64_t fill, skip; /* bytes from there that are in the room; of them, not ours */
    bool past;          /* the cache */
    alignas(SEAM_LINE) char room[SEAM_ROOM + 3 * SEAM_LINE]; /* from its second line on */
};

static inline void seam_begin(struct seam *seam, char *to, bool past)
{
    seam->past = past;
    seam->skip = seam->fill = (int64_t)((uintptr_t)to % SEAM_LINE);
    seam->to = to - seam->fill;
}

/* Write a line. */
static inline void seam_line(const struct seam *seam, char *to, const char *from)
{
    if (seam->past)
        stream_line(to, from);
    else
        memcpy(to, from, SEAM_LINE);
}

/* Where the next piece goes: there is room for two lines. */
static inline char *seam_end(struct seam *seam)
{
    return seam->room + SEAM_LINE + seam->fill;
}

/* Write the lines that are whole. */
static inline void seam_flush(struct seam *seam)
{
    const char *line = seam->room + SEAM_LINE;
    for (; seam->fill >= SEAM_LINE; line += SEAM_LINE) {
        if (seam->skip == 0)
            seam_line(seam, seam->to, line);
        else
            kernel_bytes(seam->to + seam->skip, line + seam->skip,
                         SEAM_LINE - seam->skip);
        seam->skip = 0;
        seam->to += SEAM_LINE;
        seam->fill -= SEAM_LINE;
    }
    memcpy(seam->room + SEAM_LINE, line, SEAM_LINE);
}

/* So many bytes have been put where the next piece goes: no more than make the room full,
 * and a line. */
static inline void seam_grow(struct seam *seam, int64_t n)
{
    seam->fill += n;
    if (seam->fill >= SEAM_ROOM) seam_flush(seam);
}

/* Append n bytes, however many. Whole lines too are put together in the room: written one
 * by one between reads of memory they took up to 1.6 times as long. */
static inline void seam_append_long(struct seam *seam, const char *from, int64_t n)
{
    while (n > 0) {
        int64_t left = SEAM_ROOM - seam->fill, part = n < left ? n : left;
        memcpy(seam_end(seam), from, (size_t)part);
        from += part;
        n -= part;
        seam_grow(seam, part);
    }
}

/* Append n bytes. */
static inline void seam_append(struct seam *seam, const char *from, int64_t n)
{
    if (n >= SEAM_LINE) {
        seam_append_long(seam, from, n);
        return;
    }
    kernel_bytes(seam_end(seam), from, n);
    seam_grow(seam, n);
}

/* Write what is left. */
static inline void seam_finish(struct seam *seam)
{
    seam_flush(seam);
    if (seam->fill > seam->skip)
        kernel_bytes(seam->to + seam->skip, seam_end(seam) - (seam->fill - seam->skip),
                     seam->fill - seam->skip);
    if (seam->past) stream_fence();
}

#endif
