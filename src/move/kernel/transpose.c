/* SPDX-License-Identifier: MIT
 *
 * move/kernel/transpose.c - transpose tile by tile. Steps are often powers of two; the
 * lines of a tile then compete for the same few places in the cache. So a tile is one
 * cache line of the source wide and one of the target high (narrower for 1 and 2 bytes),
 * and each line is read or written once and as a whole, by registers:
 *
 *     source      a b c d . .     registers    a b c d        target     a e i .  . .
 *                 e f g h . .    ->            e f g h    ->             b f j .  . .
 *                 i j k l . .                  i j k l                   c g k .  . .
 */
#include "move/kernel/transpose.h"

#include <string.h>

#include "base/intmath.h"
#include "move/kernel/kernels.h"
#include "move/kernel/square.h"
#include "move/kernel/stream.h"

enum {
    WIDTH = 8,           /* of other tiles: so many target lines stay cached */
    BUFFER = 16 << 10,   /* bytes: of as many rows as a tile has, */
    BUFFERED_ROW = 512,  /* each of so many at least, */
    BUFFERED_STRIP = 128 /* and of so many blocks */
};

typedef void tile(char *restrict to, int64_t write, const char *restrict from,
                  int64_t read, bool stream);

/* Transpose n x n elements, m of them a register: rows `read` bytes apart to rows `write`
 * bytes apart. The next lines of the target are prefetched. */
#define TILE(size, type, m, n)                                                           \
    SQUARE(size, type, m)                                                                \
    INLINE void transpose_##size(char *restrict to, int64_t write,                       \
                                 const char *restrict from, int64_t read, bool stream)   \
    {                                                                                    \
        vector_##size row[n], out[(n) / (m)];                                            \
        for (int k = 0; k < (n); k += (m)) {                                             \
            for (int i = 0; i < (n); i++)                                                \
                memcpy(&row[i], from + i * read + k * (size), VECTOR);                   \
            for (int i = 0; i < (n); i += (m)) square_##size(row + i);                   \
            for (int j = 0; j < (m); j++) {                                              \
                char *line = to + (k + j) * write;                                       \
                for (int i = 0; i < (n) / (m); i++) out[i] = row[i * (m) + j];           \
                if (stream) {                                                            \
                    stream_line(line, out);                                              \
                } else {                                                                 \
                    __builtin_prefetch(line + 2 * sizeof out, 1);                        \
                    memcpy(line, out, sizeof out);                                       \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }                                                                                    \
    static void tile_##size(char *restrict to, int64_t write, const char *restrict from, \
                            int64_t read, bool stream)                                   \
    {                                                                                    \
        if (stream && (n) * (size) == STREAM_LINE) /* otherwise never prefetched */      \
            transpose_##size(to, write, from, read, true);                               \
        else                                                                             \
            transpose_##size(to, write, from, read, false);                              \
    }

TILE(1, uint8_t, 16, 16)
TILE(2, uint16_t, 8, 16)
TILE(4, uint32_t, 4, 16)
TILE(8, uint64_t, 2, 8)
TILE(16, uint64_t, 1, 4)

static const struct {
    int64_t block;
    int n;
    tile *tile;
} tiles[] = {
    {1, 16, tile_1}, {2, 16, tile_2}, {4, 16, tile_4}, {8, 8, tile_8}, {16, 4, tile_16}};
enum { NTILES = sizeof tiles / sizeof *tiles };

/* Copy any blocks at any steps. */
static void any_blocks(char *to, const char *from, const struct level *across,
                       const struct level *along, int64_t block)
{
    if (along->count == 0) return;
    for (int64_t k = 0; k < across->count; k += WIDTH) {
        struct level part = *across;
        part.count = int_min(WIDTH, across->count - k);
        kernel_blocks(to + k * across->step[REDIST_TARGET],
                      from + k * across->step[REDIST_SOURCE], along, &part, block, false);
    }
}

/* Copy by tiles of kind k, and the remainders below them and on their right. */
static void tiled_blocks(char *to, const char *from, const struct level *across,
                         const struct level *along, int k, bool stream)
{
    int64_t read = along->step[REDIST_SOURCE], write = across->step[REDIST_TARGET];
    int64_t n = tiles[k].n, block = tiles[k].block;
    const struct tiled cut = transpose_cut(across, along, n);
    bool asks = !stream || along->count > TRANSPOSE_FORESEEN;
    for (int64_t i = 0; i < cut.wide.count; i += n)
        for (int64_t j = 0; j < cut.high.count; j += n) {
            const char *f = from + j * read + i * block;
            for (int64_t r = n; asks && r < 2 * n; r++) __builtin_prefetch(f + r * read);
            tiles[k].tile(to + i * write + j * block, write, f, read, stream);
        }
    any_blocks(to + cut.high.count * block, from + cut.high.count * read, across,
               &cut.below, block);
    any_blocks(to + cut.wide.count * write, from + cut.wide.count * block, &cut.right,
               &cut.high, block);
}

/* Copy bytes that need not begin or end with a cache line. */
static void stream_bytes(char *restrict to, const char *restrict from, int64_t n)
{
    int64_t head = (int64_t)(-(uintptr_t)to % STREAM_LINE), at = int_min(head, n);
    memcpy(to, from, (size_t)at);
    for (; at + STREAM_LINE <= n; at += STREAM_LINE) stream_line(to + at, from + at);
    memcpy(to + at, from + at, (size_t)(n - at));
}

/* Copy by tiles of kind k, and write past the cache wherever rows of the target begin in
 * their lines: as many rows as a tile has are transposed into a buffer. */
static void buffered_blocks(char *to, const char *from, const struct level *across,
                            const struct level *along, int k)
{
    char buffer[BUFFER];
    int64_t read = along->step[REDIST_SOURCE], write = across->step[REDIST_TARGET];
    int64_t n = tiles[k].n, block = tiles[k].block, row = along->count * block;
    const struct tiled cut = transpose_cut(across, along, n);
    const struct level rows = {n, {block, row}};
    const int64_t ahead = STREAM_LINE + n * block - 1; /* the end of the next blocks */
    for (int64_t i = 0; i < cut.wide.count; i += n) {
        const char *f = from + i * block;
        for (int64_t j = 0; j < cut.high.count; j += n) {
            for (int64_t r = j; r < j + n; r++) kernel_ask(f + r * read + ahead);
            tiles[k].tile(buffer + j * block, row, f + j * read, read, false);
        }
        any_blocks(buffer + cut.high.count * block, f + cut.high.count * read, &rows,
                   &cut.below, block);
        for (int64_t r = 0; r < n; r++)
            stream_bytes(to + (i + r) * write, buffer + r * row, row);
    }
    any_blocks(to + cut.wide.count * write, from + cut.wide.count * block, &cut.right,
               along, block);
}

/* Return the kind of tiles for blocks of so many bytes; NTILES: none. */
static int find_tile(int64_t block)
{
    int k = 0;
    while (k < NTILES && tiles[k].block != block) k++;
    return k;
}

/* Tell whether tiles of kind k are whole lines, in rows that begin alike in their lines:
 * they need no buffer. */
static bool whole_lines(int k, int64_t write)
{
    return tiles[k].n * tiles[k].block == STREAM_LINE && write % STREAM_LINE == 0;
}

int64_t transpose_strip(int64_t read, int64_t block, int64_t write)
{
    int k = find_tile(block);
    if (k == NTILES || !whole_lines(k, write))
        return int_max(BUFFERED_STRIP, BUFFERED_ROW / block);
    bool pairs = TRANSPOSE_FORESEEN * int_max(read, block) >= 2 * STREAM_LINE;
    return pairs ? TRANSPOSE_FORESEEN : TRANSPOSE_LOW; /* lines come in pairs */
}

/* Count the elements of the target before its next cache line; -1: tiles would not be
 * whole lines. */
static int64_t before_line(const char *to, int64_t write, int k)
{
    int64_t block = tiles[k].block, past = (int64_t)((uintptr_t)to % STREAM_LINE);
    if (!whole_lines(k, write) || past % block != 0) return -1;
    return (STREAM_LINE - past) % STREAM_LINE / block;
}

void transpose_blocks(char *to, const char *from, const struct level *across,
                      const struct level *along, int64_t block, bool stream)
{
    int k = find_tile(block);
    if (k == NTILES || across->step[REDIST_SOURCE] != block ||
        along->step[REDIST_TARGET] != block) {
        any_blocks(to, from, across, along, block);
        return;
    }
    int64_t head = stream ? before_line(to, across->step[REDIST_TARGET], k) : -1;
    int64_t row = along->count * block;
    if (stream && head < 0 && row >= BUFFERED_ROW && row * tiles[k].n <= BUFFER) {
        buffered_blocks(to, from, across, along, k);
        return;
    }
    struct level first = *along, rest = *along;
    first.count = int_min(int_max(head, 0), along->count);
    rest.count -= first.count;
    any_blocks(to, from, across, &first, block);
    tiled_blocks(to + first.count * block,
                 from + first.count * along->step[REDIST_SOURCE], across, &rest, k,
                 head >= 0);
}
