/* SPDX-License-Identifier: MIT
 *
 * move/transpose.c - tile by tile. Where a step is a power of two, as often it is, the lines
 * that a tile touches compete for the same few places in the cache. So a tile is a cache
 * line of the source wide and one of the target high, and each line is read or written once
 * and as a whole, by way of a copy of the tile that lies dense:
 *
 *     source      a b c d . .          copy    a b c d        target     a e i .  . .
 *                 e f g h . .    ->            e f g h    ->             b f j .  . .
 *                 i j k l . .                  i j k l                   c g k .  . .
 */
#include "move/transpose.h"

#include <string.h>

#include "base/intmath.h"
#include "move/kernels.h"

/* A tile of any other size: so many target lines stay in the cache at any step. */
enum { WIDTH = 8 };

typedef void tile(char *restrict to, int64_t write, const char *restrict from,
                  int64_t read);

/* Transpose n x n elements: rows `read` bytes apart to rows `write` bytes apart. */
#define TILE(name, type, n)                                                              \
    static void name(char *restrict to, int64_t write, const char *restrict from,        \
                     int64_t read)                                                       \
    {                                                                                    \
        type in[n][n], out[n];                                                           \
        for (int i = 0; i < (n); i++) {                                                  \
            memcpy(in[i], from + i * read, sizeof in[i]);                                \
            __builtin_prefetch(from + (i + (n)) * read);                                 \
        }                                                                                \
        for (int k = 0; k < (n); k++) {                                                  \
            for (int i = 0; i < (n); i++) out[i] = in[i][k];                             \
            memcpy(to + k * write, out, sizeof out);                                     \
        }                                                                                \
    }

struct bytes16 {
    uint64_t word[2];
};

TILE(tile_1, uint8_t, 16)
TILE(tile_2, uint16_t, 16)
TILE(tile_4, uint32_t, 16)
TILE(tile_8, uint64_t, 8)
TILE(tile_16, struct bytes16, 4)

static const struct {
    int64_t block;
    int n;
    tile *tile;
} tiles[] = {
    {1, 16, tile_1}, {2, 16, tile_2}, {4, 16, tile_4}, {8, 8, tile_8}, {16, 4, tile_16}};
enum { NTILES = sizeof tiles / sizeof *tiles };

/* Any blocks at any steps. */
static void any_blocks(char *to, const char *from, const struct level *across,
                       const struct level *along, int64_t block)
{
    for (int64_t k = 0; k < across->count; k += WIDTH) {
        struct level part = *across;
        part.count = int_min(WIDTH, across->count - k);
        kernel_blocks(to + k * across->step[REDIST_TARGET],
                      from + k * across->step[REDIST_SOURCE], along, &part, block);
    }
}

void transpose_blocks(char *to, const char *from, const struct level *across,
                      const struct level *along, int64_t block)
{
    int64_t read = along->step[REDIST_SOURCE], write = across->step[REDIST_TARGET];
    int k = 0;
    while (k < NTILES && tiles[k].block != block) k++;
    if (k == NTILES || across->step[REDIST_SOURCE] != block ||
        along->step[REDIST_TARGET] != block) {
        any_blocks(to, from, across, along, block);
        return;
    }
    int64_t n = tiles[k].n;
    struct level wide = *across, high = *along;
    wide.count -= wide.count % n;
    high.count -= high.count % n;
    for (int64_t i = 0; i < wide.count; i += n)
        for (int64_t j = 0; j < high.count; j += n)
            tiles[k].tile(to + i * write + j * block, write, from + j * read + i * block,
                          read);
    /* What is left on the right, and below. */
    struct level rest = *across;
    rest.count -= wide.count;
    any_blocks(to + wide.count * write, from + wide.count * block, &rest, along, block);
    rest = *along;
    rest.count -= high.count;
    any_blocks(to + high.count * block, from + high.count * read, &wide, &rest, block);
}
