/* SPDX-License-Identifier: MIT */
#include "move/shared/shm_peers.h"

#include <stdlib.h>
#include <string.h>

#include "base/ablate.h"
#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"

enum {
    PAGE = 4096,
    GIVING = 125,     /* percent of the bytes that it receives */
    GIVEN = 512 << 10 /* bytes */
};

/* The begin of a process's shared part. Its channels follow, then the rings, in the order
 * of its incoming messages. */
struct shm_header {
    int64_t layouts;  /* bytes from the header to the layouts of its sources [narrays] */
    int64_t places;   /* to their places in a run [narrays] */
    int64_t flag;     /* to the status flag */
    int64_t channels; /* to the first channel */
    int64_t rings;    /* to the first ring */
    int64_t slot;     /* bytes of a ring's slot */
    int64_t nslots;   /* of a ring; 0: no room */
    bool has_window;  /* it can show its source in a window instead of rings: */
    struct source_window window;
    int64_t channel_for[]; /* [node's processes] the number of the channel; -1: none */
};

/* What lies so many bytes behind a header. */
static void *behind(const struct shm_header *header, int64_t bytes)
{
    return (char *)(uintptr_t)header + bytes;
}

/* For making: ranks within the node. */
struct near {
    int *rank[SIDES]; /* [n] ranks of receivers, of senders; or MPI_UNDEFINED */
    int64_t incoming; /* messages from within the node */
};

static int64_t round_up(int64_t bytes, int64_t unit)
{
    return int_ceil_div(bytes, unit) * unit;
}

static redist_err find_near(const struct move *move, const struct node *node,
                            const struct transfers *transfers, int **near)
{
    int *ranks = transfers_ranks(transfers);
    *near = mem_alloc(NULL, transfers->n, sizeof **near);
    redist_err err = ranks && *near ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) err = node_ranks(node, move->comm, (int)transfers->n, ranks, *near);
    mem_free(ranks);
    return err;
}

/* Allocate for as many of each kind as there can be. */
static redist_err make_room(const struct move *move, struct shm_peers *peers)
{
    struct mem_account *account = move->plan_account;
    const struct transfers *send = &move->send, *receive = &move->receive;
    struct move *far = &peers->far;
    int64_t naxes = 0, others = move->nranks - receive->n;
    if (peers->node.nranks < move->nranks) others = 0; /* see meet_silent_peers */
    for (int a = 0; a < move->narrays; a++) {
        const struct overlap *overlap = &move->array[a].overlap[REDIST_TARGET];
        naxes += overlap->nmessages * overlap->ndims;
    }
    far->staging = move->staging - rings_cap(move->staging, move->grain);
    far->chunk = transfer_chunk(far->staging, move->grain);
    far->send.transfer = mem_alloc(account, send->n, sizeof *far->send.transfer);
    far->receive.transfer = mem_alloc(account, receive->n, sizeof *far->receive.transfer);
    peers->outgoing = mem_alloc(account, send->n, sizeof *peers->outgoing);
    peers->incoming = mem_alloc(account, receive->n, sizeof *peers->incoming);
    peers->part = mem_alloc(account, receive->nparts, sizeof *peers->part);
    peers->direct = mem_alloc(account, receive->nparts, sizeof *peers->direct);
    peers->axes = mem_alloc(account, naxes, sizeof *peers->axes);
    peers->silent = mem_alloc(account, others, sizeof *peers->silent);
    bool made = far->send.transfer && far->receive.transfer && peers->outgoing &&
                peers->incoming && peers->part && peers->direct && peers->axes &&
                peers->silent;
    return made ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* ---- the shared part --------------------------------------------------------------- */

/* Bytes of the longest message from within the node. */
static int64_t find_longest(const struct move *move, const struct near *near)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < move->receive.n; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED)
            longest = int_max(longest, move->receive.transfer[k].bytes);
    return longest;
}

/* Divide the memory of rings among the incoming messages. */
static void cut_slots(const struct move *move, const struct near *near,
                      const struct node *node, struct shm_header *header)
{
    int64_t cap = int_min(rings_cap(move->staging, move->grain), node->cache);
    struct slots slots =
        rings_cut(cap, move->grain, near->incoming, find_longest(move, near));
    header->slot = slots.bytes;
    header->nslots = slots.n;
    bool much = move->send.n == 0 || move->send.bytes >= WALK_STREAM / node->sharing;
    header->has_window =
        node->nranks == move->nranks && (slots.n > 0 || near->incoming == 0) && much &&
        !ABLATED(SOURCE_WINDOW) && source_window_make(move, node->cache, &header->window);
}

/* Bytes of a header with all that is known before the first run. */
static int64_t header_bytes(const struct move *move, const struct node *node)
{
    return (int64_t)sizeof(struct shm_header) + node->nranks * (int64_t)sizeof(int64_t) +
           move->narrays * (int64_t)sizeof(struct layout);
}

/* Fill in the header, and find the bytes of the whole part. */
static void plan_part(const struct move *move, const struct near *near,
                      struct shm_peers *peers, struct shm_header *header)
{
    int64_t nranks = peers->node.nranks;
    cut_slots(move, near, &peers->node, header);
    for (int64_t k = 0; k < nranks; k++) header->channel_for[k] = -1;
    int64_t channels = 0;
    for (int64_t k = 0; k < move->receive.n && header->nslots > 0; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED)
            header->channel_for[near->rank[REDIST_TARGET][k]] = channels++;
    header->places = header_bytes(move, &peers->node);
    header->layouts = header->places - move->narrays * (int64_t)sizeof(struct layout);
    struct layout *layouts = behind(header, header->layouts);
    for (int a = 0; a < move->narrays; a++)
        layouts[a] = move->array[a].sides[REDIST_SOURCE].layout;
    header->flag =
        round_up(header->places + move->narrays * (int64_t)sizeof(struct shown_place),
                 CHANNEL_LINE);
    header->channels = header->flag + (int64_t)sizeof(struct status_flag);
    header->rings =
        round_up(header->channels + channels * (int64_t)sizeof(struct channel), PAGE);
    peers->shown = header->rings + CHANNEL_LINE;
    peers->rings = channels * header->nslots * header->slot;
    if (header->has_window)
        peers->rings = int_max(peers->rings, header->window.slot * header->window.nslots);
}

/* Tell whether this process may lack a buffer that it needs. */
static bool holds(const struct move *move)
{
    for (int a = 0; a < move->narrays; a++)
        for (int s = 0; s < SIDES; s++)
            if (move->array[a].overlap[s].nmessages > 0) return true;
    return false;
}

/* Agree on whether any process has failed, and find the most bytes of a part. */
static redist_err agree(const struct move *move, const struct shm_peers *peers,
                        redist_err err, bool *well, int64_t *most)
{
    int64_t least[] = {!err, -(peers->shown + peers->rings)};
    *well = false;
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MIN, move->comm)));
    *well = least[0];
    *most = -least[1];
    return err;
}

/* Make the own part and publish it. */
static redist_err publish_header(const struct move *move, struct shm_peers *peers,
                                 const struct shm_header *header, int64_t most)
{
    char *part = NULL;
    int64_t bytes = peers->shown + peers->rings;
    TRY(plan_cache_part(move->cache, &peers->node,
                        (struct plan_cache_need){peers->shown, bytes, most},
                        &peers->shared, &peers->own, &part));
    mem_charge(move->plan_account, peers->shown);
    mem_charge(move->staging_account, peers->rings);
    memcpy(part, header, (size_t)header->places);
    const struct shm_header *own = (const void *)part;
    peers->place = behind(own, header->places);
    peers->flag = behind(own, header->flag);
    peers->flag->holds = holds(move);
    return node_barrier(&peers->node);
}

/* The header of another process. */
static redist_err find_header(const struct shm_peers *peers, int rank,
                              const struct shm_header **header)
{
    char *part = NULL;
    TRY(shared_part(&peers->shared, rank, &part));
    *header = (const void *)part;
    return REDIST_OK;
}

/* ---- connecting -------------------------------------------------------------------- */

/* Find out whether all processes have a window, which must replace the rings on all or
 * none. */
static redist_err find_windows(struct shm_peers *peers, bool has_window)
{
    for (int rank = 0; rank < peers->node.nranks && has_window; rank++) {
        const struct shm_header *header = NULL;
        TRY(find_header(peers, rank, &header));
        has_window = header->has_window;
        if (rank == peers->node.rank) peers->window = &header->window;
    }
    peers->by_window = has_window;
    return REDIST_OK;
}

/* Use a window for a message: its parts are in the sender's shared part. */
static redist_err use_window(const struct shm_peers *peers, int from,
                             struct channel_end *end)
{
    const struct shm_header *header = NULL;
    TRY(find_header(peers, from, &header));
    end->slots = behind(header, header->rings);
    end->slot = header->window.slot;
    end->nslots = header->window.nslots;
    end->all = header->window.n;
    return REDIST_OK;
}

/* Find the channel of a message from one process of the node to another, either of which
 * may be MPI_UNDEFINED: elsewhere. false: none. */
static redist_err find_end(const struct shm_peers *peers, int from, int to, int64_t bytes,
                           struct channel_end *end, bool *found)
{
    const struct shm_header *header = NULL;
    *found = false;
    if (from == MPI_UNDEFINED || to == MPI_UNDEFINED) return REDIST_OK;
    TRY(find_header(peers, to, &header));
    int64_t number = header->channel_for[from];
    *found = number >= 0;
    if (!*found) return REDIST_OK;
    int64_t ring = header->rings + number * header->nslots * header->slot;
    struct channel *channels = behind(header, header->channels);
    *end = (struct channel_end){.channel = &channels[number],
                                .slots = behind(header, ring),
                                .slot = header->slot,
                                .nslots = header->nslots,
                                .all = int_ceil_div(bytes, header->slot)};
    return peers->by_window ? use_window(peers, from, end) : REDIST_OK;
}

/* Tell whether others wait for a process that sends much more than it receives: writing
 * lines of a ring that are in the receiver's cache takes longer than writing to memory,
 * wherever the receiver is. */
static bool gives(const struct move *move)
{
    return move->send.bytes >= GIVEN &&
           (double)move->send.bytes * 100 >= (double)move->receive.bytes * GIVING;
}

/* Begin to measure the distance of long messages, unless the environment sets it or it
 * does not matter. Where processes share cores each may run on any core: one value is
 * learned, by senders alone, as a waiting process wakes on the core of its sender; also
 * for a window, some of whose receivers are on other cores. For a window, sending more
 * than receiving does not matter, as several processes read each line. */
static void begin_distance(const struct move *move, const struct shm_peers *peers,
                           struct outgoing *outgoing)
{
    struct cache_distance *distance = &outgoing->distance;
    const char *said = secure_getenv("REDIST_CORES");
    bool is_far = said && strcmp(said, "far") == 0;
    bool is_said = is_far || (said && strcmp(said, "near") == 0);
    bool shares = peers->node.sharing > 1;
    bool gives_more = !is_said && !(shares && peers->by_window) && gives(move);
    *distance = (struct cache_distance){.votes = &distance->own};
    if (ABLATED(CACHE_DISTANCE) || !shm_peers_learn(peers, outgoing->transfer.bytes))
        return;
    distance->own = gives_more || is_far;
    distance->learned = !is_said && !gives_more;
    distance->helped = distance->learned && !shares;
    if (distance->learned && shares) distance->votes = &peers->outgoing->distance.own;
}

static redist_err connect_sends(const struct move *move, const struct near *near,
                                struct shm_peers *peers)
{
    for (int64_t k = 0; k < move->send.n; k++) {
        const struct transfer *transfer = &move->send.transfer[k];
        struct outgoing *outgoing = &peers->outgoing[peers->noutgoing];
        bool found = false;
        TRY(find_end(peers, peers->node.rank, near->rank[REDIST_SOURCE][k],
                     transfer->bytes, &outgoing->end, &found));
        if (found) {
            outgoing->transfer = *transfer;
            begin_distance(move, peers, outgoing);
            peers->noutgoing++;
        } else {
            transfers_append(&peers->far.send, transfer);
        }
    }
    return REDIST_OK;
}

/* The rest of the room for all incoming messages. */
struct room {
    struct part *part;
    struct direct_read *direct;
    struct axis *axes;
};

/* Make the walk by lists from the sender's array, if the receiver has the sender's
 * list. */
static void reach_lists(const struct array *array, const struct message *message,
                        struct direct_read *direct)
{
    const struct listed *list = &array->listing[REDIST_TARGET].message[message->number];
    const struct listed *const lists[SIDES] = {&direct->list, list};
    direct->list = (struct listed){.rank = list->rank,
                                   .elements = list->elements,
                                   .place = list->from,
                                   .window = list->window};
    if (list->from) walk_make_listed(lists, array->sizes, WAY_COPY, &direct->walk);
}

/* Fill an incoming message with parts of its own, and walks from the sender's arrays. */
static redist_err fill_incoming(const struct move *move, const struct shm_peers *peers,
                                int from, struct room *room, struct incoming *incoming)
{
    const struct shm_header *header = NULL;
    TRY(find_header(peers, from, &header));
    const struct layout *layouts = behind(header, header->layouts);
    const struct part *parts = incoming->transfer.part;
    incoming->place = behind(header, header->places);
    if (peers->by_window) incoming->window = &header->window;
    incoming->transfer.part = room->part;
    incoming->direct = room->direct;
    for (int64_t k = 0; k < incoming->transfer.nparts; k++) {
        const struct array *array = &move->array[parts[k].number];
        const struct overlap *overlap = &array->overlap[REDIST_TARGET];
        struct memory_side sides[SIDES] = {array->sides[REDIST_SOURCE],
                                           array->sides[REDIST_TARGET]};
        sides[REDIST_SOURCE].layout = layouts[parts[k].number];
        if (array->listed)
            reach_lists(array, parts[k].message, room->direct);
        else
            walk_make(overlap, parts[k].message, sides, array->sizes, WAY_COPY, false,
                      room->axes, &room->direct->walk);
        room->direct++;
        room->axes += overlap->ndims;
        *room->part = parts[k];
        room->part++->walk.stream =
            move->receive.bytes >= WALK_STREAM / peers->node.sharing;
    }
    return REDIST_OK;
}

static redist_err connect_receives(const struct move *move, const struct near *near,
                                   struct shm_peers *peers)
{
    struct room room = {peers->part, peers->direct, peers->axes};
    for (int64_t k = 0; k < move->receive.n; k++) {
        const struct transfer *transfer = &move->receive.transfer[k];
        struct incoming *incoming = &peers->incoming[peers->nincoming];
        int from = near->rank[REDIST_TARGET][k];
        bool found = false;
        TRY(find_end(peers, from, peers->node.rank, transfer->bytes, &incoming->end,
                     &found));
        if (found) {
            incoming->transfer = *transfer;
            incoming->timed = shm_peers_learn(peers, transfer->bytes);
            incoming->helps = incoming->timed && peers->node.sharing == 1;
            TRY(fill_incoming(move, peers, from, &room, incoming));
            peers->nincoming++;
        } else {
            transfers_append(&peers->far.receive, transfer);
        }
    }
    return REDIST_OK;
}

/* List the silent peers, if all processes are on this node and hold elements. */
static redist_err find_silent_peers(const struct move *move, const struct near *near,
                                    struct shm_peers *peers)
{
    const int *senders = near->rank[REDIST_TARGET];
    peers->uses_flags = peers->node.nranks == move->nranks;
    for (int rank = 0; rank < move->nranks && peers->uses_flags; rank++) {
        const struct shm_header *header = NULL;
        TRY(find_header(peers, rank, &header));
        const struct status_flag *flag = behind(header, header->flag);
        bool sends = rank == move->rank;
        for (int64_t k = 0; k < move->receive.n; k++) sends |= senders[k] == rank;
        if (!sends) peers->silent[peers->nsilent++] = (struct silent_peer){rank, flag};
        peers->uses_flags = flag->holds;
    }
    if (!peers->uses_flags) peers->nsilent = 0;
    return REDIST_OK;
}

/* Prepare all that this process can do alone; the caller frees `*header`. */
static redist_err prepare(const struct move *move, struct shm_peers *peers,
                          struct near *near, struct shm_header **header)
{
    *header = mem_alloc(NULL, header_bytes(move, &peers->node), 1);
    if (!*header) return REDIST_ERR_MEMORY;
    for (int s = 0; s < SIDES; s++)
        TRY(find_near(move, &peers->node,
                      s == REDIST_SOURCE ? &move->send : &move->receive, &near->rank[s]));
    for (int64_t k = 0; k < move->receive.n; k++)
        if (near->rank[REDIST_TARGET][k] != MPI_UNDEFINED) near->incoming++;
    TRY(make_room(move, peers));
    plan_part(move, near, peers, *header);
    return REDIST_OK;
}

redist_err shm_peers_make(const struct move *move, struct shm_peers *peers)
{
    bool well = false;
    int64_t most = 0;
    struct near near = {0};
    struct shm_header *header = NULL;
    peers->shared.win = MPI_WIN_NULL;
    peers->far = *move;
    peers->far.send = peers->far.receive = (struct transfers){0};
    TRY(move->cache ? plan_cache_node(move->cache, move->comm, &peers->node)
                    : node_make(move->comm, &peers->node));
    redist_err err = prepare(move, peers, &near, &header);
    err = agree(move, peers, err, &well, &most);
    if (!err && well) { /* otherwise the failed process reports it */
        err = publish_header(move, peers, header, most);
        if (!err) err = find_windows(peers, header->has_window);
        if (!err) err = connect_sends(move, &near, peers);
        if (!err) err = connect_receives(move, &near, peers);
        if (!err) err = find_silent_peers(move, &near, peers);
    }
    for (int s = 0; s < SIDES; s++) mem_free(near.rank[s]);
    mem_free(header);
    return err;
}

void shm_peers_free(struct shm_peers *peers)
{
    memory_leave(peers);
    for (int64_t k = 0; k < peers->nincoming; k++)
        for (int64_t j = 0; j < peers->incoming[k].transfer.nparts; j++)
            memory_leave(&peers->incoming[k].direct[j].list);
    if (peers->shared.win != MPI_WIN_NULL) {
        mem_charge(peers->far.plan_account, -peers->shown);
        mem_charge(peers->far.staging_account, -peers->rings);
        if (peers->far.cache)
            plan_cache_give(peers->far.cache, &peers->shared, peers->own);
        else
            shared_free(&peers->shared);
    }
    if (!peers->far.cache) node_free(&peers->node);
    transfers_free(&peers->far.send);
    transfers_free(&peers->far.receive);
    mem_free(peers->outgoing);
    mem_free(peers->incoming);
    mem_free(peers->part);
    mem_free(peers->direct);
    mem_free(peers->axes);
    mem_free(peers->silent);
}
