/* SPDX-License-Identifier: MIT
 *
 * move/runs/line_buffer.h - a write buffer that assembles contiguous memory from pieces
 * in ascending order. It writes whole cache lines, past the cache or into it:
 *
 *   pieces   aaaaa bb cccccccccccccccc
 *   room     aaaaabbccccccccccccccccc      in the cache, some lines
 *   target   ........|aaaaabbc|cccccccc|
 */
#ifndef REDIST_MOVE_RUNS_LINE_BUFFER_H
#define REDIST_MOVE_RUNS_LINE_BUFFER_H

#include <stdalign.h>

#include "move/kernel/kernels.h"
#include "move/kernel/stream.h"

enum {
    LINE_BUFFER_LINE = STREAM_LINE,
    LINE_BUFFER_ROOM =
        16 * LINE_BUFFER_LINE /* bytes; a larger room would let reading pause longer */
};

struct line_buffer {
    char *to;           /* the next line of the target */
    int64_t fill, skip; /* bytes in the room, from `to` on; first of them, not ours */
    bool past;          /* write past the cache */
    alignas(LINE_BUFFER_LINE) char room[LINE_BUFFER_ROOM +
                                        3 * LINE_BUFFER_LINE]; /* from its second line */
};

static inline void line_buffer_begin(struct line_buffer *buffer, char *to, bool past)
{
    buffer->past = past;
    buffer->skip = buffer->fill = (int64_t)((uintptr_t)to % LINE_BUFFER_LINE);
    buffer->to = to - buffer->fill;
}

/* Write a line. */
static inline void line_buffer_line(const struct line_buffer *buffer, char *to,
                                    const char *from)
{
    if (buffer->past)
        stream_line(to, from);
    else
        memcpy(to, from, LINE_BUFFER_LINE);
}

/* The place of the next piece. It has room for two lines. */
static inline char *line_buffer_end(struct line_buffer *buffer)
{
    return buffer->room + LINE_BUFFER_LINE + buffer->fill;
}

/* Write the whole lines. */
static inline void line_buffer_flush(struct line_buffer *buffer)
{
    const char *line = buffer->room + LINE_BUFFER_LINE;
    for (; buffer->fill >= LINE_BUFFER_LINE; line += LINE_BUFFER_LINE) {
        if (buffer->skip == 0)
            line_buffer_line(buffer, buffer->to, line);
        else
            kernel_bytes(buffer->to + buffer->skip, line + buffer->skip,
                         LINE_BUFFER_LINE - buffer->skip);
        buffer->skip = 0;
        buffer->to += LINE_BUFFER_LINE;
        buffer->fill -= LINE_BUFFER_LINE;
    }
    memcpy(buffer->room + LINE_BUFFER_LINE, line, LINE_BUFFER_LINE);
}

/* Account for n bytes that were stored at line_buffer_end: at most what fills the room,
 * and one line more. */
static inline void line_buffer_grow(struct line_buffer *buffer, int64_t n)
{
    buffer->fill += n;
    if (buffer->fill >= LINE_BUFFER_ROOM) line_buffer_flush(buffer);
}

/* Append n bytes, any number. Whole lines are assembled in the room, too: written one by
 * one between reads from memory, they took up to 1.6 times as long. */
static inline void line_buffer_append_long(struct line_buffer *buffer, const char *from,
                                           int64_t n)
{
    while (n > 0) {
        int64_t left = LINE_BUFFER_ROOM - buffer->fill, part = n < left ? n : left;
        memcpy(line_buffer_end(buffer), from, (size_t)part);
        from += part;
        n -= part;
        line_buffer_grow(buffer, part);
    }
}

/* Append n bytes. */
static inline void line_buffer_append(struct line_buffer *buffer, const char *from,
                                      int64_t n)
{
    if (n >= LINE_BUFFER_LINE) {
        line_buffer_append_long(buffer, from, n);
        return;
    }
    kernel_bytes(line_buffer_end(buffer), from, n);
    line_buffer_grow(buffer, n);
}

/* Write what is left. */
static inline void line_buffer_finish(struct line_buffer *buffer)
{
    line_buffer_flush(buffer);
    if (buffer->fill > buffer->skip)
        kernel_bytes(buffer->to + buffer->skip,
                     line_buffer_end(buffer) - (buffer->fill - buffer->skip),
                     buffer->fill - buffer->skip);
    if (buffer->past) stream_fence();
}

#endif
