/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "peer.h"

int64_t item_local(const struct item *item, int side, int j, int coordinate)
{
    int64_t block = item->side[side].block[j], round = block * item->side[side].grid[j];
    int64_t rest = item->extent[j] % round - coordinate * block;
    return item->extent[j] / round * block + (rest < 0 ? 0 : rest > block ? block : rest);
}

int item_processes(const struct item *item, int side)
{
    return item->side[side].grid[0] * item->side[side].grid[1];
}

bool item_coordinates(const struct item *item, int side, int rank, int coordinate[2])
{
    const int *grid = item->side[side].grid;
    coordinate[0] = rank / grid[1];
    coordinate[1] = rank % grid[1];
    return rank < grid[0] * grid[1];
}

const char *item_text(const struct item *item, int side, char text[ITEM_TEXT_SIZE])
{
    const struct layout2d *layout = &item->side[side];
    if (item->extent[0] == 1)
        (void)snprintf(text, ITEM_TEXT_SIZE,
                       "[%" PRId64 "] (cyclic(%" PRId64 ")) onto %d", item->extent[1],
                       layout->block[1], layout->grid[1]);
    else
        (void)snprintf(text, ITEM_TEXT_SIZE,
                       "[%" PRId64 ",%" PRId64 "] (cyclic(%" PRId64 "),cyclic(%" PRId64
                       ")) onto %dx%d",
                       item->extent[0], item->extent[1], layout->block[0],
                       layout->block[1], layout->grid[0], layout->grid[1]);
    return text;
}
