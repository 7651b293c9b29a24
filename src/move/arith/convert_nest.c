/* SPDX-License-Identifier: MIT
 *
 * move/arith/convert_nest.c - the two loops of a nest over blocks that are converted.
 *
 *   source  --gather-->  tile  --convert-->  tile  --scatter-->  target
 *
 * Tiles stay in the cache. A side on which blocks follow each other needs none.
 */
#include <stdalign.h>

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/arith/convert.h"
#include "move/kernel/kernels.h"
#include "move/kernel/transpose.h"

enum {
    LINE = 64, /* bytes: a cache line */
    /* Bytes of a tile, at either end. Reading and writing alternate from tile to tile:
     * a short one keeps the memory busy with both. */
    TILE = LENGTH(4 << 10, 512),
    TALL = 16 << 10,                   /* of a transposed one, and most of any */
    WIDE = LENGTH(8 * LINE, 2 * LINE), /* of its rows */
    ROW = 2 * LINE,                    /* of a row that is worth a call of its own */
    LONG = LENGTH(1 << 10, 256)        /* longer blocks are converted one by one */
};

static const struct level once = {.count = 1};

/* Outer->count x inner->count blocks, which lie one behind the other in `from`. */
struct tile {
    char *to;
    const char *from;
    const struct level *outer, *inner; /* their steps in the target count */
    int64_t numbers;                   /* of a block */
};

/* Note the numbers of a tile that are lost, with their places. */
static void note_lost(const struct convert *convert, const struct tile *tile)
{
    const int64_t row = tile->inner->count * tile->numbers, n = tile->outer->count * row;
    const int64_t *size = convert->size;
    for (int64_t k = 0; (k = convert_find_lost(convert, tile->from, k, n)) < n; k++)
        convert->note(convert->context,
                      tile->to + k / row * tile->outer->step[REDIST_TARGET] +
                          k % row / tile->numbers * tile->inner->step[REDIST_TARGET] +
                          k % tile->numbers * size[REDIST_TARGET],
                      tile->from + k * size[REDIST_SOURCE]);
}

static bool is_dense(const struct level *outer, const struct level *inner, int s,
                     int64_t block)
{
    return (inner->count == 1 || inner->step[s] == block) &&
           (outer->count == 1 || outer->step[s] == inner->count * block);
}

/* As kernel_blocks, but join blocks that follow each other on both sides. */
static void copy_blocks(char *to, const char *from, const struct level *outer,
                        const struct level *inner, int64_t block, bool stream)
{
    const bool rows =
        is_dense(&once, inner, 0, block) && is_dense(&once, inner, 1, block);
    const int64_t row = rows ? inner->count * block : block;
    if (rows && is_dense(&once, outer, 0, row) && is_dense(&once, outer, 1, row))
        kernel_blocks(to, from, &once, &once, outer->count * row, stream);
    else if (rows)
        kernel_blocks(to, from, &once, outer, row, stream);
    else
        kernel_blocks(to, from, outer, inner, block, stream);
}

/* Convert some of the blocks, as many as a tile has room for; `transposed`: those of the
 * outer loop follow each other in the target. */
static void convert_some(const struct convert *convert, char *to, const char *from,
                         const struct level *outer, const struct level *inner,
                         const int64_t block[SIDES], bool transposed, bool stream)
{
    alignas(LINE) char read[TALL], written[TALL];
    const int64_t *step[SIDES] = {outer->step, inner->step};
    const int64_t row[SIDES] = {inner->count * block[0], inner->count * block[1]};
    const bool writes = stream || !is_dense(outer, inner, REDIST_TARGET, block[1]);
    const bool reads = !is_dense(outer, inner, REDIST_SOURCE, block[0]);
    const bool by_rows = reads && is_dense(&once, inner, REDIST_SOURCE, block[0]) &&
                         row[0] >= ROW && !convert->checked;
    const struct level down_read = {outer->count, {step[0][0], row[0]}},
                       right_read = {inner->count, {step[1][0], block[0]}},
                       down_written = {outer->count, {row[1], step[0][1]}},
                       right_written = {inner->count, {block[1], step[1][1]}};
    const struct tile tile = {to, reads ? read : from, outer, inner,
                              block[0] / convert->size[0]};
    const int64_t numbers = inner->count * tile.numbers;
    char *dense = writes ? written : to;
    for (int64_t k = 0; by_rows && k < outer->count; k++)
        convert_numbers(convert, dense + k * row[1], from + k * step[0][0], numbers);
    if (reads && !by_rows)
        copy_blocks(read, from, &down_read, &right_read, block[0], false);
    if (convert->checked) note_lost(convert, &tile);
    if (!by_rows) convert_numbers(convert, dense, tile.from, outer->count * numbers);
    if (writes && transposed)
        transpose_blocks(to, written, &right_written, &down_written, block[1], stream);
    else if (writes)
        copy_blocks(to, written, &down_written, &right_written, block[1], stream);
}

/* Prefetch the rows of the next tile, which the hardware does not predict. */
static void ask_for(const char *from, const struct level *rows, int64_t bytes)
{
    for (int64_t k = 0; k < rows->count; k++)
        for (int64_t at = 0; at < bytes; at += LINE)
            kernel_ask(from + k * rows->step[REDIST_SOURCE] + at);
}

/* Convert by tiles of at most high x wide blocks. */
static void convert_tiles(const struct convert *convert, char *to, const char *from,
                          const struct level *outer, const struct level *inner,
                          const int64_t block[SIDES], int64_t high, int64_t wide,
                          bool transposed, bool stream)
{
    struct level down = *outer, right = *inner;
    for (int64_t i = 0; i < inner->count; i += wide)
        for (int64_t k = 0; k < outer->count; k += high) {
            const char *f = from + k * outer->step[0] + i * inner->step[0];
            right.count = int_min(wide, inner->count - i);
            down.count = int_min(high, outer->count - k);
            if (transposed && i + wide < inner->count)
                ask_for(f + wide * inner->step[0], &down, wide * inner->step[0]);
            convert_some(convert, to + k * outer->step[1] + i * inner->step[1], f, &down,
                         &right, block, transposed, stream);
        }
}

void convert_blocks(const struct convert *convert, char *to, const char *from,
                    const struct level *outer, const struct level *inner, int64_t block,
                    bool stream)
{
    const int64_t *size = convert->size;
    const int64_t blocks[SIDES] = {block, convert_bytes(convert, block)};
    const int64_t longer = int_max(blocks[0], blocks[1]);
    if (longer <= LONG) {
        const int64_t most = TILE / longer, wide = int_min(inner->count, most);
        convert_tiles(convert, to, from, outer, inner, blocks,
                      wide < inner->count ? 1 : most / wide, wide, false, stream);
        return;
    }
    const struct level numbers = {block / size[0], {size[0], size[1]}};
    for (int64_t k = 0; k < outer->count; k++)
        for (int64_t i = 0; i < inner->count; i++)
            convert_tiles(convert, to + k * outer->step[1] + i * inner->step[1],
                          from + k * outer->step[0] + i * inner->step[0], &once, &numbers,
                          size, 1, TILE / int_max(size[0], size[1]), false, stream);
}

void convert_transposed(const struct convert *convert, char *to, const char *from,
                        const struct level *across, const struct level *along,
                        int64_t block, bool stream)
{
    const int64_t blocks[SIDES] = {block, convert_bytes(convert, block)};
    const int64_t longer = int_max(blocks[0], blocks[1]);
    const int64_t wide = int_max(WIDE / longer, 1);
    const bool lines = across->step[REDIST_TARGET] % LINE == 0;
    convert_tiles(convert, to, from, along, across, blocks, TALL / (wide * longer), wide,
                  true, stream && lines);
}
