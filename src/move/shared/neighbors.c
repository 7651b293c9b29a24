/* SPDX-License-Identifier: MIT */
#include "move/shared/neighbors.h"

#include <stdlib.h>
#include <string.h>

#include "move/mpi/check.h"
#include "base/ablate.h"
#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"

enum {
    PAGE = 4096,
    GIVING = 125,     /* percent of what it gets */
    GIVEN = 512 << 10 /* bytes */
};

/* What a process shows the others at the beginning of its part. Behind it lie its
 * channels, then the rings, in the order of its inlets. */
struct front {
    int64_t layouts;  /* bytes from the front to the layouts of its sources [narrays] */
    int64_t places;   /* to their places in a run [narrays] */
    int64_t notice;   /* to the notice */
    int64_t channels; /* to the first channel */
    int64_t rings;    /* to the first ring */
    int64_t slot;     /* bytes of a ring's */
    int64_t nslots;   /* of a ring; 0: there is no room */
    bool slides;      /* it can show its source as it lies, in place of its rings: */
    struct slide slide;
    int64_t channel_for[]; /* [node's processes] the number of the channel; -1: none */
};

/* For making: ranks within the node. */
struct near {
    int *rank[SIDES]; /* [n] of those that messages go to, come from; or MPI_UNDEFINED */
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

/* Memory for as many of each kind as there can be. */
static redist_err make_room(const struct move *move, struct neighbors *neighbors)
{
    struct mem_account *account = move->plan_account;
    const struct transfers *send = &move->send, *receive = &move->receive;
    struct move *far = &neighbors->far;
    int64_t naxes = 0, others = move->nranks - receive->n;
    if (neighbors->node.nranks < move->nranks) others = 0; /* see meet_strangers */
    for (int a = 0; a < move->narrays; a++) {
        const struct overlap *overlap = &move->array[a].overlap[REDIST_TARGET];
        naxes += overlap->nmessages * overlap->ndims;
    }
    *far = *move;
    far->staging = move->staging - rings_cap(move->staging, move->grain);
    far->chunk = transfer_chunk(far->staging, move->grain);
    far->send = far->receive = (struct transfers){0};
    far->send.transfer = mem_alloc(account, send->n, sizeof *far->send.transfer);
    far->receive.transfer = mem_alloc(account, receive->n, sizeof *far->receive.transfer);
    neighbors->outlet = mem_alloc(account, send->n, sizeof *neighbors->outlet);
    neighbors->inlet = mem_alloc(account, receive->n, sizeof *neighbors->inlet);
    neighbors->part = mem_alloc(account, receive->nparts, sizeof *neighbors->part);
    neighbors->reach = mem_alloc(account, receive->nparts, sizeof *neighbors->reach);
    neighbors->axes = mem_alloc(account, naxes, sizeof *neighbors->axes);
    neighbors->stranger = mem_alloc(account, others, sizeof *neighbors->stranger);
    bool made = far->send.transfer && far->receive.transfer && neighbors->outlet &&
                neighbors->inlet && neighbors->part && neighbors->reach &&
                neighbors->axes && neighbors->stranger;
    return made ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* ---- what is shown ----------------------------------------------------------------- */

/* Bytes of the longest message from within the node. */
static int64_t find_longest(const struct move *move, const struct near *near)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < move->receive.n; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED)
            longest = int_max(longest, move->receive.transfer[k].bytes);
    return longest;
}

/* Divide the memory for rings among the inlets. */
static void cut_slots(const struct move *move, const struct near *near,
                      const struct node *node, struct front *front)
{
    int64_t cap = int_min(rings_cap(move->staging, move->grain), node->cache);
    struct slots slots =
        rings_cut(cap, move->grain, near->inlets, find_longest(move, near));
    front->slot = slots.bytes;
    front->nslots = slots.n;
    bool much = move->send.n == 0 || move->send.bytes >= WALK_STREAM / node->sharing;
    front->slides = node->nranks == move->nranks && (slots.n > 0 || near->inlets == 0) &&
                    much && !ABLATED(SLIDE) &&
                    slide_make(move, node->cache, &front->slide);
}

/* Bytes of a front with all that is known before the first run. */
static int64_t front_bytes(const struct move *move, const struct node *node)
{
    return (int64_t)sizeof(struct front) + node->nranks * (int64_t)sizeof(int64_t) +
           move->narrays * (int64_t)sizeof(struct layout);
}

static struct layout *front_layouts(const struct front *front)
{
    return (struct layout *)(void *)((char *)front + front->layouts);
}

/* Fill in the front, and find the bytes of the whole part. */
static void plan_part(const struct move *move, const struct near *near,
                      struct neighbors *neighbors, struct front *front)
{
    int64_t nranks = neighbors->node.nranks;
    cut_slots(move, near, &neighbors->node, front);
    for (int64_t k = 0; k < nranks; k++) front->channel_for[k] = -1;
    int64_t channels = 0;
    for (int64_t k = 0; k < move->receive.n && front->nslots > 0; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED)
            front->channel_for[near->rank[REDIST_TARGET][k]] = channels++;
    front->places = front_bytes(move, &neighbors->node);
    front->layouts = front->places - move->narrays * (int64_t)sizeof(struct layout);
    for (int a = 0; a < move->narrays; a++)
        front_layouts(front)[a] = move->array[a].sides[REDIST_SOURCE].layout;
    front->notice =
        round_up(front->places + move->narrays * (int64_t)sizeof(struct segment_place),
                 CHANNEL_LINE);
    front->channels = front->notice + (int64_t)sizeof(struct notice);
    front->rings =
        round_up(front->channels + channels * (int64_t)sizeof(struct channel), PAGE);
    neighbors->shown = front->rings + CHANNEL_LINE;
    neighbors->rings = channels * front->nslots * front->slot;
    if (front->slides)
        neighbors->rings =
            int_max(neighbors->rings, front->slide.slot * front->slide.nslots);
}

/* Whether this process may find itself without a buffer that it needs. */
static bool holds(const struct move *move)
{
    for (int a = 0; a < move->narrays; a++)
        for (int s = 0; s < SIDES; s++)
            if (move->array[a].overlap[s].nmessages > 0) return true;
    return false;
}

/* Agree on whether all are well, and find the most bytes that a part takes. */
static redist_err agree(const struct move *move, const struct neighbors *neighbors,
                        redist_err err, bool *well, int64_t *most)
{
    int64_t least[] = {!err, -(neighbors->shown + neighbors->rings)};
    *well = false;
    TRY(mpi_check(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MIN, move->comm),
                  "MPI_Allreduce"));
    *well = least[0];
    *most = -least[1];
    return err;
}

/* Make the own part and show it. */
static redist_err show(const struct move *move, struct neighbors *neighbors,
                       const struct front *front, int64_t most)
{
    char *part = NULL;
    int64_t bytes = neighbors->shown + neighbors->rings;
    TRY(spare_part(neighbors->spare, &neighbors->node,
                   (struct spare_need){neighbors->shown, bytes, most}, &neighbors->shared,
                   &neighbors->own, &part));
    mem_charge(neighbors->plan_account, neighbors->shown);
    mem_charge(neighbors->staging_account, neighbors->rings);
    memcpy(part, front, (size_t)front->places);
    neighbors->place = (void *)(part + front->places);
    neighbors->notice = (void *)(part + front->notice);
    neighbors->notice->holds = holds(move);
    return node_barrier(&neighbors->node);
}

/* The front of another process, and its notice. */
static redist_err find_front(const struct neighbors *neighbors, int rank,
                             const struct front **front, const struct notice **notice)
{
    char *part = NULL;
    TRY(shared_part(&neighbors->shared, rank, &part));
    *front = (const void *)part;
    *notice = (const void *)(part + (*front)->notice);
    return REDIST_OK;
}

/* ---- connecting -------------------------------------------------------------------- */

/* Find out whether all slide: what is in place of the rings must be the same for all. */
static redist_err find_sliding(struct neighbors *neighbors, bool slides)
{
    const struct notice *notice = NULL;
    for (int rank = 0; rank < neighbors->node.nranks && slides; rank++) {
        const struct front *front = NULL;
        TRY(find_front(neighbors, rank, &front, &notice));
        slides = front->slides;
        if (rank == neighbors->node.rank) neighbors->slide = &front->slide;
    }
    neighbors->sliding = slides;
    return REDIST_OK;
}

/* A message that comes in stretches: these are in the sender's part. */
static redist_err use_slide(const struct neighbors *neighbors, int from,
                            struct channel_end *end)
{
    char *part = NULL;
    TRY(shared_part(&neighbors->shared, from, &part));
    const struct front *front = (const void *)part;
    end->slots = part + front->rings;
    end->slot = front->slide.slot;
    end->nslots = front->slide.nslots;
    end->all = front->slide.n;
    return REDIST_OK;
}

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
    struct channel *channel = (struct channel *)(void *)(part + front->channels) + number;
    *end = (struct channel_end){.channel = channel,
                                .slots = part + front->rings +
                                         number * front->nslots * front->slot,
                                .slot = front->slot,
                                .nslots = front->nslots,
                                .all = int_ceil_div(bytes, front->slot)};
    return neighbors->sliding ? use_slide(neighbors, from, end) : REDIST_OK;
}

/* Whether others wait for one that gives much more than it gets: to take the lines of a
 * ring back from them keeps it longer than to write to memory, wherever they are. */
static bool gives(const struct move *move)
{
    return move->send.bytes >= GIVEN &&
           (double)move->send.bytes * 100 >= (double)move->receive.bytes * GIVING;
}

/* Of long messages it is worth learning how far they go, but that the environment says it
 * or it does not matter. Where processes share cores any may be on any: one figure is
 * learned, by senders alone, as who waits is woken on the core of who has sent; of a
 * window, too, some of whose receivers are on other cores. That one gives more than it
 * gets says nothing of what slides, as several read each line. */
static void begin_distance(const struct move *move, const struct neighbors *neighbors,
                           struct outlet *outlet)
{
    struct distance *distance = &outlet->distance;
    const char *said = getenv("REDIST_CORES");
    bool is_far = said && strcmp(said, "far") == 0;
    bool is_said = is_far || (said && strcmp(said, "near") == 0);
    bool shares = neighbors->node.sharing > 1;
    bool gives_more = !is_said && !(shares && neighbors->sliding) && gives(move);
    *distance = (struct distance){.votes = &distance->own};
    if (ABLATED(DISTANCE) || !neighbors_learn(neighbors, outlet->transfer.bytes)) return;
    distance->own = gives_more || is_far;
    distance->learned = !is_said && !gives_more;
    distance->helped = distance->learned && !shares;
    if (distance->learned && shares) distance->votes = &neighbors->outlet->distance.own;
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
            begin_distance(move, neighbors, outlet);
            neighbors->noutlets++;
        } else {
            transfers_append(&neighbors->far.send, transfer);
        }
    }
    return REDIST_OK;
}

/* Where in all inlets' room there is some left. */
struct room {
    struct part *part;
    struct reach *reach;
    struct axis *axes;
};

/* Make the walk from the sender's array by lists, if the receiver has the sender's. */
static void reach_lists(const struct array *array, const struct message *message,
                        struct reach *reach)
{
    const struct listed *list = &array->listing[REDIST_TARGET].message[message->number];
    const struct listed *const lists[SIDES] = {&reach->list, list};
    reach->list = (struct listed){.rank = list->rank,
                                  .elements = list->elements,
                                  .place = list->from,
                                  .window = list->window};
    if (list->from) walk_make_listed(lists, array->sizes.grain, &reach->walk);
}

/* Give an inlet parts of its own, and the walks from the sender's arrays. */
static redist_err fill_inlet(const struct move *move, const struct neighbors *neighbors,
                             int from, struct room *room, struct inlet *inlet)
{
    char *shown = NULL;
    TRY(shared_part(&neighbors->shared, from, &shown));
    const struct front *front = (const void *)shown;
    const struct part *parts = inlet->transfer.part;
    inlet->place = (const void *)(shown + front->places);
    if (neighbors->sliding) inlet->slide = &front->slide;
    inlet->transfer.part = room->part;
    inlet->reach = room->reach;
    for (int64_t k = 0; k < inlet->transfer.nparts; k++) {
        const struct array *array = &move->array[parts[k].number];
        const struct overlap *overlap = &array->overlap[REDIST_TARGET];
        struct memory_side sides[SIDES] = {array->sides[REDIST_SOURCE],
                                           array->sides[REDIST_TARGET]};
        sides[REDIST_SOURCE].layout = front_layouts(front)[parts[k].number];
        if (array->listed)
            reach_lists(array, parts[k].message, room->reach);
        else
            walk_make(overlap, parts[k].message, sides, array->sizes, WAY_COPY,
                      room->axes, &room->reach->walk);
        room->reach++;
        room->axes += overlap->ndims;
        *room->part = parts[k];
        room->part++->walk.stream =
            move->receive.bytes >= WALK_STREAM / neighbors->node.sharing;
    }
    return REDIST_OK;
}

static redist_err connect_receives(const struct move *move, const struct near *near,
                                   struct neighbors *neighbors)
{
    struct room room = {neighbors->part, neighbors->reach, neighbors->axes};
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
            inlet->timed = neighbors_learn(neighbors, transfer->bytes);
            inlet->tells = inlet->timed && neighbors->node.sharing == 1;
            TRY(fill_inlet(move, neighbors, from, &room, inlet));
            neighbors->ninlets++;
        } else {
            transfers_append(&neighbors->far.receive, transfer);
        }
    }
    return REDIST_OK;
}

/* List the strangers, if all live here and have something to say. */
static redist_err meet_strangers(const struct move *move, const struct near *near,
                                 struct neighbors *neighbors)
{
    const int *senders = near->rank[REDIST_TARGET];
    neighbors->acquainted = neighbors->node.nranks == move->nranks;
    for (int rank = 0; rank < move->nranks && neighbors->acquainted; rank++) {
        const struct front *front = NULL;
        const struct notice *notice = NULL;
        TRY(find_front(neighbors, rank, &front, &notice));
        bool sends = rank == move->rank;
        for (int64_t k = 0; k < move->receive.n; k++) sends |= senders[k] == rank;
        if (!sends)
            neighbors->stranger[neighbors->nstrangers++] =
                (struct stranger){rank, notice};
        neighbors->acquainted = notice->holds;
    }
    if (!neighbors->acquainted) neighbors->nstrangers = 0;
    return REDIST_OK;
}

/* Find out all that this process can by itself; `*front` is for the caller to free. */
static redist_err prepare(const struct move *move, struct neighbors *neighbors,
                          struct near *near, struct front **front)
{
    *front = mem_alloc(NULL, front_bytes(move, &neighbors->node), 1);
    if (!*front) return REDIST_ERR_MEMORY;
    for (int s = 0; s < SIDES; s++)
        TRY(find_near(move, &neighbors->node,
                      s == REDIST_SOURCE ? &move->send : &move->receive, &near->rank[s]));
    for (int64_t k = 0; k < move->receive.n; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED) near->inlets++;
    TRY(make_room(move, neighbors));
    plan_part(move, near, neighbors, *front);
    return REDIST_OK;
}

redist_err neighbors_make(const struct move *move, struct neighbors *neighbors)
{
    bool well = false;
    int64_t most = 0;
    struct near near = {0};
    struct front *front = NULL;
    neighbors->shared.win = MPI_WIN_NULL;
    neighbors->plan_account = move->plan_account;
    neighbors->staging_account = move->staging_account;
    neighbors->spare = move->spare;
    TRY(neighbors->spare ? spare_node(move->spare, move->comm, &neighbors->node)
                         : node_make(move->comm, &neighbors->node));
    redist_err err = prepare(move, neighbors, &near, &front);
    err = agree(move, neighbors, err, &well, &most);
    if (!err && well) { /* else the one that failed says so */
        err = show(move, neighbors, front, most);
        if (!err) err = find_sliding(neighbors, front->slides);
        if (!err) err = connect_sends(move, &near, neighbors);
        if (!err) err = connect_receives(move, &near, neighbors);
        if (!err) err = meet_strangers(move, &near, neighbors);
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
        if (neighbors->spare)
            spare_give(neighbors->spare, &neighbors->shared, neighbors->own);
        else
            shared_free(&neighbors->shared);
    }
    if (!neighbors->spare) node_free(&neighbors->node);
    transfers_free(&neighbors->far.send);
    transfers_free(&neighbors->far.receive);
    mem_free(neighbors->outlet);
    mem_free(neighbors->inlet);
    mem_free(neighbors->part);
    mem_free(neighbors->reach);
    mem_free(neighbors->axes);
    mem_free(neighbors->stranger);
}
