/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "peer.h"
#include "tool/common/tool.h"

int64_t item_local(const struct item *item, int side, int j, int coordinate)
{
    int64_t block = item->side[side].block[j], round = block * item->side[side].grid[j];
    int64_t rest = item->extent[j] % round - coordinate * block;
    return item->extent[j] / round * block + (rest < 0 ? 0 : rest > block ? block : rest);
}

redist_err item_check_order(const struct item *item)
{
    return item->transposed ? error_arg("does not transpose on the way") : REDIST_OK;
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
                       ")) onto %dx%d%s",
                       item->extent[0], item->extent[1], layout->block[0],
                       layout->block[1], layout->grid[0], layout->grid[1],
                       item->transposed && side == 1 ? " order column-major" : "");
    return text;
}

const char *item_both(const struct item *item, char text[ITEM_BOTH_SIZE])
{
    char side[2][ITEM_TEXT_SIZE];
    (void)snprintf(text, ITEM_BOTH_SIZE, "%s -> %s", item_text(item, 0, side[0]),
                   strchr(item_text(item, 1, side[1]), '('));
    return text;
}

double item_bytes(const struct item *item)
{
    return (double)sizeof(double) * (double)item->extent[0] * (double)item->extent[1];
}

void item_print(const struct item *item)
{
    char text[ITEM_BOTH_SIZE], bytes[TOOL_BYTES_SIZE];
    (void)printf("%s, %s\n", item_both(item, text),
                 tool_format_bytes(item_bytes(item), bytes));
}

/* ---- the items --------------------------------------------------------------------- */

static struct item square(int64_t n, int p0, int p1, int64_t r, int q0, int q1, int64_t s)
{
    return (struct item){{n, n}, {{{p0, p1}, {r, r}}, {{q0, q1}, {s, s}}}, false};
}

/* An n x n array that stays on its process. */
static struct item transposition(int64_t n)
{
    return (struct item){{n, n}, {{{1, 1}, {n, n}}, {{1, 1}, {n, n}}}, true};
}

static struct item line(int64_t n, int p, int64_t r, int64_t s)
{
    return (struct item){{1, n}, {{{1, p}, {1, r}}, {{1, p}, {1, s}}}, false};
}

/* An n0 x n1 array from whole rows to whole columns. */
static struct item turn(int64_t n0, int64_t n1, int p)
{
    int64_t r = int_ceil_div(n0, p), s = int_ceil_div(n1, p);
    return (struct item){{n0, n1}, {{{p, 1}, {r, n1}}, {{1, p}, {n0, s}}}, false};
}

int item_list(int64_t n, int64_t length, int p, struct item items[ITEM_MOST])
{
    int k = 0, root = 1;
    while ((root + 1) * (root + 1) <= p) root++;
    if (p == 1) {
        items[k++] = square(n, 1, 1, 64, 1, 1, 100);
        items[k++] = transposition(n);
    } else if (root > 1 && root * root == p) {
        items[k++] = square(n, root, root, 64, p, 1, 64);
        items[k++] = square(n, root, root, 64, root, root, 128);
        items[k++] = square(n, root, root, 32, root, root, 100);
        items[k++] = square(n, root, root, 3, root, root, 5);
    } else {
        items[k++] = square(n, 1, p, 64, p, 1, 64);
    }
    if (p > 1) items[k++] = turn(n, n, p);
    items[k++] = line(length, p, 3, 5);
    items[k++] = line(length, p, 64, 100);
    items[k++] = line(length, p, 1, int_ceil_div(length, p));
    /* 64 KiB: what a message costs, rather than a byte */
    items[k++] = turn(128, 64, p);
    items[k++] = line(8192, p, 3, 5);
    return k;
}

bool item_is_small(const struct item *item)
{
    return item->extent[0] * item->extent[1] <= 8192;
}
