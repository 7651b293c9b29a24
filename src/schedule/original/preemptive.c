/* SPDX-License-Identifier: MIT
 *
 * schedule/original/preemptive.c - the lower bound W for any communication grid, if
 * messages may be sent in pieces: the preemptive open shop (Gonzalez and Sahni 1976).
 *
 * A process whose messages take all the remaining time is tight. Some matching covers all
 * tight processes (Birkhoff and von Neumann; Mendelsohn and Dulmage); let its messages
 * run until one of them is done, or a process that waits has become tight. A message
 * starts or continues at most edges + P + Q times. To cut few messages, each matching is
 * made from the one before: a running message continues unless a tight process needs the
 * partner.
 */
#include <string.h>

#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

/* The time is quadratic in the messages. */
enum { MAX_EDGES = 1 << 14 };

struct piece {
    int64_t start, length;
    int64_t next; /* of the same message, earlier; -1: none */
};

struct preemptive {
    const struct comm_grid *grid;
    int64_t *newest; /* [edges] piece of each message, -1: none yet */
    int64_t npieces, room;
    struct piece *piece;
};

/* What is still to be sent. Processes are numbered sources first, then targets. */
struct shop {
    const struct comm_grid *grid;
    int64_t *weight; /* [edges] left of a message */
    int64_t *load;   /* [P + Q] left of a process */
    int64_t *runs;   /* [P + Q] the message that it is at, -1: none */
    int64_t *via;    /* [P + Q] search: the message by which it was reached, -1: none */
    int *queue;      /* [P + Q] search */
    int64_t time_left;
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
    int64_t processes = (int64_t)shop->grid->P + shop->grid->Q;
    for (int64_t k = 0; k < processes; k++) shop->via[k] = -1;
    int64_t head = 0, tail = 0;
    int partner = -1, waits = -1;
    shop->queue[tail++] = c;
    while (head < tail && partner < 0) {
        int own = shop->queue[head++];
        const int64_t *begin = messages(shop, own);
        for (int64_t k = begin[0]; k < begin[1] && partner < 0; k++) {
            int64_t e = message_of(shop, own, k);
            int other = far_end(shop, e, own);
            if (shop->weight[e] == 0 || shop->via[other] >= 0) continue;
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
    for (int64_t e = 0; e < grid->nedges; e++)
        if (shop->weight[e] > 0 && shop->runs[grid->edge[e].p] < 0 &&
            shop->runs[grid->P + grid->edge[e].q] < 0)
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
static redist_err record(struct preemptive *made, int64_t e, int64_t now, int64_t time)
{
    int64_t newest = made->newest[e];
    if (newest >= 0) {
        struct piece *piece = &made->piece[newest];
        if (piece->start + piece->length == now) {
            piece->length += time;
            return REDIST_OK;
        }
    }
    struct piece *grown =
        mem_reserve(NULL, made->piece, made->npieces + 1, &made->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    made->piece = grown;
    grown[made->npieces] = (struct piece){now, time, newest};
    made->newest[e] = made->npieces++;
    return REDIST_OK;
}

static redist_err run_matching(struct shop *shop, struct preemptive *made)
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
    *shop = (struct shop){
        .grid = grid,
        .weight = mem_alloc(NULL, grid->nedges, sizeof *shop->weight),
        .load = mem_alloc(NULL, processes, sizeof *shop->load),
        .runs = mem_alloc(NULL, processes, sizeof *shop->runs),
        .via = mem_alloc(NULL, processes, sizeof *shop->via),
        .queue = mem_alloc(NULL, processes, sizeof *shop->queue),
        .time_left = grid->load,
    };
    if (!shop->weight || !shop->load || !shop->runs || !shop->via || !shop->queue)
        return REDIST_ERR_MEMORY;
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        shop->weight[e] = edge->weight;
        shop->load[edge->p] += edge->weight;
        shop->load[grid->P + edge->q] += edge->weight;
    }
    for (int64_t c = 0; c < processes; c++) shop->runs[c] = -1;
    return REDIST_OK;
}

static void shop_free(struct shop *shop)
{
    mem_free(shop->weight);
    mem_free(shop->load);
    mem_free(shop->runs);
    mem_free(shop->via);
    mem_free(shop->queue);
}

static void destroy(void *state)
{
    struct preemptive *made = state;
    if (!made) return;
    mem_free(made->newest);
    mem_free(made->piece);
    mem_free(made);
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct preemptive *made = mem_alloc(NULL, 1, sizeof *made);
    if (!made) return REDIST_ERR_MEMORY;
    made->grid = input->grid;
    made->newest = mem_alloc(NULL, input->grid->nedges, sizeof *made->newest);
    redist_err err = made->newest ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t e = 0; !err && e < input->grid->nedges; e++) made->newest[e] = -1;
    struct shop shop = {0};
    if (!err) err = shop_make(input->grid, &shop);
    while (!err && shop.time_left > 0) {
        match(&shop);
        err = run_matching(&shop, made);
    }
    shop_free(&shop);
    if (err)
        destroy(made);
    else
        *state = made;
    return err;
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct preemptive *made = state;
    const struct comm_grid *grid = made->grid;
    const int64_t *begin =
        side == REDIST_SOURCE ? &grid->by_source[c] : &grid->by_target[c];
    for (int64_t k = begin[0]; k < begin[1]; k++) {
        int64_t e = side == REDIST_SOURCE ? k : grid->target_edge[k];
        int partner = side == REDIST_SOURCE ? grid->edge[e].q : grid->edge[e].p;
        for (int64_t i = made->newest[e]; i >= 0; i = made->piece[i].next) {
            struct own_message piece = {partner, made->piece[i].length,
                                        made->piece[i].start};
            TRY(own_list_append(list, piece));
        }
    }
    own_list_sort(list);
    return REDIST_OK;
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    if (!table_applicable(input, why)) return false;
    if (input->grid->nedges <= MAX_EDGES) return true;
    *why = "needs at most 16384 messages, as its time is quadratic in them";
    return false;
}

const struct schedule_kind schedule_preemptive = {
    .name = "preemptive",
    .what = "no barriers: any pattern at the lower bound W, some messages in pieces",
    .source = "Gonzalez and Sahni 1976",
    .timed = true,
    .applicable = applicable,
    .make = make,
    .own = own,
    .free = destroy,
};
