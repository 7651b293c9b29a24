/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/open_shop.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* What is still to be sent. Processes are numbered sources first, then targets. */
struct shop {
    const struct comm_grid *grid;
    int64_t *weight; /* [edges] left of a message */
    int64_t *load;   /* [P + Q] left of a process */
    int64_t *runs;   /* [P + Q] the message that it is at, -1: none */
    int64_t *seen;   /* [P + Q] the last search that reached it */
    int64_t *via;    /* [P + Q] search: the message by which it was reached */
    int *queue;      /* [P + Q] search */
    int64_t time_left, searches;
};

static bool is_tight(const struct shop *shop, int c)
{
    return shop->load[c] == shop->time_left;
}

/* The end of a message on the other side of process c, and on its own. */
static int far_end(const struct shop *shop, int64_t e, int c)
{
    const struct edge *edge = &shop->grid->edge[e];
    return c < shop->grid->P ? shop->grid->P + edge->q : edge->p;
}

static int near_end(const struct shop *shop, int64_t e, int c)
{
    const struct edge *edge = &shop->grid->edge[e];
    return c < shop->grid->P ? edge->p : shop->grid->P + edge->q;
}

/* The messages of a process are message_of(.., k) for begin[0] <= k < begin[1]. */
static const int64_t *messages(const struct shop *shop, int c)
{
    const struct comm_grid *grid = shop->grid;
    return c < grid->P ? &grid->by_source[c] : &grid->by_target[c - grid->P];
}

static int64_t message_of(const struct shop *shop, int c, int64_t k)
{
    return c < shop->grid->P ? k : shop->grid->target_edge[k];
}

static void assign(struct shop *shop, int64_t e)
{
    const struct edge *edge = &shop->grid->edge[e];
    shop->runs[edge->p] = shop->runs[shop->grid->P + edge->q] = e;
}

/* Give process c, which waits, a message, by exchanging messages of others along an
 * alternating path. It ends at a waiting partner, or else at a process of c's side that
 * is not tight and now has to wait. There is one if c is tight. */
static void cover(struct shop *shop, int c)
{
    int64_t head = 0, tail = 0;
    int partner = -1, waits = -1;
    shop->searches++;
    shop->queue[tail++] = c;
    while (head < tail && partner < 0) {
        int own = shop->queue[head++];
        const int64_t *begin = messages(shop, own);
        for (int64_t k = begin[0]; k < begin[1] && partner < 0; k++) {
            int64_t e = message_of(shop, own, k);
            int other = far_end(shop, e, own);
            if (shop->weight[e] == 0 || shop->seen[other] == shop->searches) continue;
            shop->seen[other] = shop->searches;
            shop->via[other] = e;
            if (shop->runs[other] < 0) {
                partner = other;
                break;
            }
            int next = near_end(shop, shop->runs[other], c);
            if (waits < 0 && !is_tight(shop, next)) waits = next;
            shop->queue[tail++] = next;
        }
    }
    if (partner < 0 && waits >= 0) {
        partner = far_end(shop, shop->runs[waits], waits);
        shop->runs[waits] = -1;
    }
    while (partner >= 0) {
        int64_t e = shop->via[partner];
        int own = near_end(shop, e, c);
        int64_t given_up = shop->runs[own];
        assign(shop, e);
        partner = own == c ? -1 : far_end(shop, given_up, own);
    }
}

/* Update the matching: cover the tight processes, then start all others that can. */
static void match(struct shop *shop)
{
    const struct comm_grid *grid = shop->grid;
    for (int c = 0; c < grid->P + grid->Q; c++)
        if (shop->runs[c] < 0 && is_tight(shop, c)) cover(shop, c);
    for (int p = 0; p < grid->P; p++)
        for (int64_t e = grid->by_source[p];
             e < grid->by_source[p + 1] && shop->runs[p] < 0; e++)
            if (shop->weight[e] > 0 && shop->runs[far_end(shop, e, p)] < 0)
                assign(shop, e);
}

/* Return how long the matching can run. */
static int64_t duration(const struct shop *shop)
{
    int64_t time = shop->time_left;
    for (int c = 0; c < shop->grid->P + shop->grid->Q; c++)
        time = int_min(time, shop->runs[c] >= 0 ? shop->weight[shop->runs[c]]
                                                : shop->time_left - shop->load[c]);
    return time;
}

/* Let message e run: extend its current piece, or start a new one. */
static redist_err record(struct open_shop *made, int64_t e, int64_t now, int64_t time)
{
    int64_t newest = made->newest[e];
    if (newest >= 0) {
        struct shop_piece *piece = &made->piece[newest];
        if (piece->start + piece->length == now) {
            piece->length += time;
            return REDIST_OK;
        }
    }
    const struct shop_piece next = {now, time, newest, e};
    made->newest[e] = made->npieces;
    return mem_append(NULL, &made->piece, &made->npieces, &made->room, &next,
                      sizeof next);
}

static redist_err run_matching(struct shop *shop, struct open_shop *made)
{
    int64_t time = duration(shop), now = shop->grid->load - shop->time_left;
    for (int p = 0; p < shop->grid->P; p++) {
        int64_t e = shop->runs[p];
        if (e < 0) continue;
        int target = far_end(shop, e, p);
        TRY(record(made, e, now, time));
        shop->load[p] -= time;
        shop->load[target] -= time;
        shop->weight[e] -= time;
        if (shop->weight[e] == 0) shop->runs[p] = shop->runs[target] = -1;
    }
    shop->time_left -= time;
    return REDIST_OK;
}

static redist_err shop_make(const struct comm_grid *grid, struct shop *shop)
{
    int64_t processes = (int64_t)grid->P + grid->Q;
    const struct mem_part parts[] = {MEM_PART(shop->weight, grid->nedges),
                                     MEM_PART(shop->load, processes),
                                     MEM_PART(shop->runs, processes),
                                     MEM_PART(shop->seen, processes),
                                     MEM_PART(shop->via, processes),
                                     MEM_PART(shop->queue, processes),
                                     {0}};
    *shop = (struct shop){.grid = grid, .time_left = grid->load};
    TRY(mem_alloc_parts(NULL, parts));
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        shop->weight[e] = edge->weight;
        shop->load[edge->p] += edge->weight;
        shop->load[grid->P + edge->q] += edge->weight;
    }
    for (int64_t c = 0; c < processes; c++) shop->runs[c] = -1;
    return REDIST_OK;
}

redist_err open_shop_make(const struct comm_grid *grid, struct open_shop *made)
{
    struct shop shop;
    *made = (struct open_shop){.newest = mem_alloc(NULL, grid->nedges, sizeof(int64_t))};
    redist_err err = shop_make(grid, &shop);
    if (!made->newest) err = REDIST_ERR_MEMORY;
    for (int64_t e = 0; !err && e < grid->nedges; e++) made->newest[e] = -1;
    while (!err && shop.time_left > 0) {
        match(&shop);
        err = run_matching(&shop, made);
    }
    mem_free(shop.weight); /* and all in one block with it */
    if (err) open_shop_free(made);
    return err;
}

void open_shop_free(struct open_shop *made)
{
    mem_free(made->newest);
    mem_free(made->piece);
    *made = (struct open_shop){0};
}
