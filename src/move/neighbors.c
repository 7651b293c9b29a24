/* SPDX-License-Identifier: MIT */
#include "move/neighbors.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"

enum {
    PAGE = 4096,
    RINGS = 2 << 20, /* bytes of all rings of a process, which are to stay in its cache */
    SLOT = 256 << 10, /* bytes, at most */
    SLOTS = 4         /* of a ring, if they are of more than an element */
};

/* What a process shows the others at the beginning of its part. Behind it lie its
 * channels, then the rings, in the order of its inlets. */
struct front {
    struct layout layout; /* of its source */
    int64_t channels;     /* bytes from the front to the first channel */
    int64_t rings;        /* to the first ring */
    int64_t slot,
        nslots; /* bytes of a slot, slots of a ring; 0: it has no room for rings */
    int64_t channel_for[]; /* [node's processes] the number of the channel; -1: none */
};

/* For making: the ranks within the node of those that messages go to, and come from. */
struct near {
    int *rank[SIDES]; /* [n] MPI_UNDEFINED for those that live elsewhere */
    int64_t inlets;   /* messages from within the node */
};

static int64_t round_up(int64_t bytes, int64_t unit)
{
    return int_ceil_div(bytes, unit) * unit;
}

static redist_err find_near(const struct move *move, const struct node *node,
                            const struct transfers *transfers, int **near)
{
    int *ranks = mem_alloc(NULL, transfers->n, sizeof *ranks);
    *near = mem_alloc(NULL, transfers->n, sizeof **near);
    redist_err err = ranks && *near ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t k = 0; !err && k < transfers->n; k++)
        ranks[k] = transfers->transfer[k].rank;
    if (!err) err = node_ranks(node, move->comm, (int)transfers->n, ranks, *near);
    mem_free(ranks);
    return err;
}

/* The most that the rings of a process may take, the same on every process. What is left
 * must do for the lanes of the others. */
static int64_t rings_cap(const struct move *move)
{
    int64_t cap = int_min(RINGS, move->staging / 2);
    return move->staging - cap < 2 * (int64_t)move->element ? 0 : cap;
}

/* Memory for as many of each kind as there can be. */
static redist_err make_room(const struct move *move, struct neighbors *neighbors)
{
    struct mem_account *account = move->plan_account;
    const struct transfers *send = &move->send, *receive = &move->receive;
    struct move *far = &neighbors->far;
    int ndims = receive->overlap->ndims;
    *far = *move;
    far->local = NULL;
    far->staging = move->staging - rings_cap(move);
    far->chunk = transfer_chunk(far->staging, (int64_t)move->element);
    far->send = (struct transfers){.overlap = send->overlap};
    far->receive = (struct transfers){.overlap = receive->overlap};
    far->send.transfer = mem_alloc(account, send->n, sizeof *far->send.transfer);
    far->receive.transfer = mem_alloc(account, receive->n, sizeof *far->receive.transfer);
    neighbors->outlet = mem_alloc(account, send->n, sizeof *neighbors->outlet);
    neighbors->inlet = mem_alloc(account, receive->n, sizeof *neighbors->inlet);
    neighbors->axes = mem_alloc(account, receive->n * ndims, sizeof *neighbors->axes);
    bool made = far->send.transfer && far->receive.transfer && neighbors->outlet &&
                neighbors->inlet && neighbors->axes;
    return made ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* ---- what is shown ----------------------------------------------------------------- */

/* Divide the memory for rings among the inlets, in slots of whole elements and, if they
 * are long, of whole cache lines. */
static void cut_slots(const struct move *move, const struct near *near,
                      struct front *front)
{
    int64_t element = (int64_t)move->element, longest = 0;
    if (near->inlets == 0) return;
    for (int64_t k = 0; k < move->receive.n; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED)
            longest = int_max(longest, move->receive.transfer[k].bytes);
    int64_t ring = rings_cap(move) / near->inlets;
    front->nslots = ring / SLOTS >= element ? SLOTS : ring / element;
    if (front->nslots == 0) return;
    front->slot = int_min(int_min(ring / front->nslots, SLOT), longest);
    int64_t lines = element * CHANNEL_LINE;
    front->slot -= front->slot % (front->slot >= lines ? lines : element);
    if (front->slot == 0) front->slot = element;
    front->nslots = int_min(front->nslots, int_ceil_div(longest, front->slot));
}

/* Fill in the front, and return the bytes of the whole part. */
static redist_err plan_part(const struct move *move, const struct near *near,
                            struct neighbors *neighbors, struct front *front)
{
    int64_t nranks = neighbors->node.nranks;
    TRY(view_layout(move->view[REDIST_SOURCE], move->rank, &front->layout));
    cut_slots(move, near, front);
    for (int64_t k = 0; k < nranks; k++) front->channel_for[k] = -1;
    int64_t channels = 0;
    for (int64_t k = 0; k < move->receive.n && front->nslots > 0; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED)
            front->channel_for[near->rank[REDIST_TARGET][k]] = channels++;
    front->channels =
        round_up((int64_t)sizeof *front + nranks * (int64_t)sizeof *front->channel_for,
                 CHANNEL_LINE);
    front->rings =
        round_up(front->channels + channels * (int64_t)sizeof(struct channel), PAGE);
    neighbors->shown = front->rings;
    neighbors->rings = channels * front->nslots * front->slot;
    return REDIST_OK;
}

/* Make the own part and show it. What is received into is first written here, by the
 * receiver, and so comes to lie next to it. */
static redist_err show(struct neighbors *neighbors, const struct front *front)
{
    char *part = NULL;
    int64_t bytes = neighbors->shown + neighbors->rings;
    TRY(shared_make(&neighbors->node, bytes, &neighbors->shared));
    mem_charge(neighbors->plan_account, neighbors->shown);
    mem_charge(neighbors->staging_account, neighbors->rings);
    TRY(shared_part(&neighbors->shared, neighbors->node.rank, &part));
    memset(part, 0, (size_t)bytes);
    memcpy(part, front,
           sizeof *front + (size_t)neighbors->node.nranks * sizeof *front->channel_for);
    return node_barrier(&neighbors->node);
}

/* ---- connecting -------------------------------------------------------------------- */

/* Find the channel of a message from one process of the node to another; false if it has
 * none. */
static redist_err find_end(const struct neighbors *neighbors, int from, int to,
                           int64_t bytes, struct channel_end *end, bool *found)
{
    char *part = NULL;
    TRY(shared_part(&neighbors->shared, to, &part));
    const struct front *front = (const void *)part;
    int64_t number = front->channel_for[from];
    *found = number >= 0;
    if (!*found) return REDIST_OK;
    *end = (struct channel_end){
        .channel = (struct channel *)(void *)(part + front->channels) + number,
        .slots = part + front->rings + number * front->nslots * front->slot,
        .slot = front->slot,
        .nslots = front->nslots,
        .all = int_ceil_div(bytes, front->slot)};
    return REDIST_OK;
}

static redist_err connect_sends(const struct move *move, const struct near *near,
                                struct neighbors *neighbors)
{
    for (int64_t k = 0; k < move->send.n; k++) {
        const struct transfer *transfer = &move->send.transfer[k];
        struct outlet *outlet = &neighbors->outlet[neighbors->noutlets];
        int to = near->rank[REDIST_SOURCE][k];
        bool found = false;
        if (to != MPI_UNDEFINED)
            TRY(find_end(neighbors, neighbors->node.rank, to, transfer->bytes,
                         &outlet->end, &found));
        if (found) {
            outlet->transfer = *transfer;
            neighbors->noutlets++;
        } else {
            transfers_append(&neighbors->far.send, transfer);
        }
    }
    return REDIST_OK;
}

/* The walk from the sender's array to the own one, should it be in reach. */
static redist_err make_walk(const struct move *move, struct neighbors *neighbors,
                            int from, struct inlet *inlet)
{
    struct memory_side sides[SIDES];
    const struct overlap *overlap = move->receive.overlap;
    char *part = NULL;
    TRY(shared_part(&neighbors->shared, from, &part));
    sides[REDIST_SOURCE].layout = ((const struct front *)(const void *)part)->layout;
    TRY(view_layout(move->view[REDIST_TARGET], move->rank, &sides[REDIST_TARGET].layout));
    for (int s = 0; s < SIDES; s++) sides[s].view = move->view[s];
    walk_make(overlap, inlet->transfer.message, sides, move->element, WAY_COPY,
              neighbors->axes + (inlet - neighbors->inlet) * overlap->ndims,
              &inlet->walk);
    return REDIST_OK;
}

static redist_err connect_receives(const struct move *move, const struct near *near,
                                   struct neighbors *neighbors)
{
    for (int64_t k = 0; k < move->receive.n; k++) {
        const struct transfer *transfer = &move->receive.transfer[k];
        struct inlet *inlet = &neighbors->inlet[neighbors->ninlets];
        int from = near->rank[REDIST_TARGET][k];
        bool found = false;
        if (from != MPI_UNDEFINED)
            TRY(find_end(neighbors, from, neighbors->node.rank, transfer->bytes,
                         &inlet->end, &found));
        if (found) {
            inlet->transfer = *transfer;
            inlet->transfer.walk.stream = move->receive.bytes >= WALK_STREAM;
            TRY(make_walk(move, neighbors, from, inlet));
            neighbors->ninlets++;
        } else {
            transfers_append(&neighbors->far.receive, transfer);
        }
    }
    return REDIST_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

/* Find out all that this process can by itself; `*front` is for the caller to free. */
static redist_err prepare(const struct move *move, struct neighbors *neighbors,
                          struct near *near, struct front **front)
{
    int64_t nranks = neighbors->node.nranks;
    *front = mem_alloc(
        NULL, (int64_t)sizeof **front + nranks * (int64_t)sizeof *(*front)->channel_for,
        1);
    if (!*front) return REDIST_ERR_MEMORY;
    for (int s = 0; s < SIDES; s++)
        TRY(find_near(move, &neighbors->node,
                      s == REDIST_SOURCE ? &move->send : &move->receive, &near->rank[s]));
    for (int64_t k = 0; k < move->receive.n; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED) near->inlets++;
    TRY(make_room(move, neighbors));
    return plan_part(move, near, neighbors, *front);
}

redist_err neighbors_make(const struct move *move, struct neighbors *neighbors)
{
    bool well = false;
    struct near near = {0};
    struct front *front = NULL;
    neighbors->shared.win = MPI_WIN_NULL;
    neighbors->plan_account = move->plan_account;
    neighbors->staging_account = move->staging_account;
    TRY(node_make(move->comm, &neighbors->node));
    redist_err err = prepare(move, neighbors, &near, &front);
    redist_err checked = exchange_all_well(move->comm, !err, &well);
    if (!err) err = checked;
    if (!err && well) { /* else the one that failed says so */
        err = show(neighbors, front);
        if (!err) err = connect_sends(move, &near, neighbors);
        if (!err) err = connect_receives(move, &near, neighbors);
    }
    for (int s = 0; s < SIDES; s++) mem_free(near.rank[s]);
    mem_free(front);
    return err;
}

void neighbors_free(struct neighbors *neighbors)
{
    if (neighbors->shared.win != MPI_WIN_NULL) {
        mem_charge(neighbors->plan_account, -neighbors->shown);
        mem_charge(neighbors->staging_account, -neighbors->rings);
        shared_free(&neighbors->shared);
    }
    node_free(&neighbors->node);
    transfers_free(&neighbors->far.send);
    transfers_free(&neighbors->far.receive);
    mem_free(neighbors->outlet);
    mem_free(neighbors->inlet);
    mem_free(neighbors->axes);
}
