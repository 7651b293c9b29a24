/* SPDX-License-Identifier: MIT */
#include "move/shared/shm_receive.h"

#include "base/error.h"
#include "base/intmath.h"
#include "move/arith/combine.h"
#include "move/message/stage.h"

enum {
    PATIENCE = 4000 /* polls without progress before arrived data are moved without the
                       rest */
};

static struct input of_kept(const struct move *move)
{
    struct walk *kept = &move->array[0].kept;
    return (struct input){.walk = kept, .way = WAY_COPY, .ready = kept->total};
}

/* The parts of a window that have arrived: *n, if more than 0. */
static struct input of_stretches(const struct incoming *incoming, int64_t *n)
{
    const struct channel_end *end = &incoming->end;
    struct walk *walk = &incoming->direct->walk;
    struct input input = {.walk = walk, .way = WAY_COPY, .ready = walk->done};
    const char *stretches = channel_pieces(end, n);
    if (*n <= 0) return input; /* the next one that it needs may not have arrived */
    input.from = stretches - source_window_end(incoming->window, end->done);
    input.ready = walk_before(walk, REDIST_SOURCE,
                              source_window_end(incoming->window, end->done + *n));
    return input;
}

/* The pieces of a message that have arrived and are contiguous in its ring. */
static struct input of_pieces(const struct incoming *incoming)
{
    const struct channel_end *end = &incoming->end;
    struct walk *walk = &incoming->transfer.part->walk;
    struct input input = {.walk = walk, .way = WAY_SCATTER, .ready = walk->done};
    int64_t n = 0, at = end->done * end->slot;
    const char *pieces = channel_pieces(end, &n);
    if (n == 0) return input;
    input.from = pieces + (walk->done * walk->grain - at);
    input.ready =
        int_min((end->done + n) * end->slot, incoming->transfer.bytes) / walk->grain;
    return input;
}

static struct input of_array(const struct incoming *incoming)
{
    struct walk *walk = &incoming->direct->walk;
    return (struct input){.walk = walk,
                          .way = WAY_COPY,
                          .from = incoming->direct->array,
                          .ready = walk->total};
}

/* List elements that stay, and all incoming messages in order. Returns the number of
 * inputs. */
static int64_t list(const struct move *move, const struct shm_peers *peers,
                    struct input inputs[])
{
    int64_t n = 0, come = 0;
    if (move->array[0].kept.total > 0) {
        inputs[n] = of_kept(move);
        if (move->sources) inputs[n].from = move->sources[0];
        n++;
    }
    for (int64_t k = 0; k < peers->nincoming; k++) {
        const struct incoming *incoming = &peers->incoming[k];
        inputs[n++] = incoming->state == READING ? of_array(incoming)
                      : incoming->window         ? of_stretches(incoming, &come)
                                                 : of_pieces(incoming);
    }
    return n;
}

/* Find out whether the inputs can be interleaved by table. */
static redist_err find_run_table(const struct move *move, const struct shm_peers *peers,
                                 struct run_table *table)
{
    int64_t n = 0;
    struct table_input *table_inputs =
        mem_alloc(NULL, peers->nincoming + 1, sizeof *table_inputs);
    if (!table_inputs) return REDIST_ERR_MEMORY;
    const struct walk *kept = &move->array[0].kept;
    if (kept->total > 0) table_inputs[n++] = (struct table_input){kept, NULL};
    for (int64_t k = 0; k < peers->nincoming; k++) {
        const struct incoming *incoming = &peers->incoming[k];
        table_inputs[n++] =
            (struct table_input){&incoming->direct->walk, &incoming->transfer.part->walk};
    }
    redist_err err = run_table_make(move->plan_account, table_inputs, n, table);
    mem_free(table_inputs);
    return err;
}

redist_err shm_receive_make(const struct move *move, const struct shm_peers *peers,
                            struct shm_receive *receiving)
{
    struct input *inputs =
        mem_alloc(move->plan_account, peers->nincoming + 1, sizeof *inputs);
    *receiving = (struct shm_receive){.inputs = inputs};
    if (!inputs) return REDIST_ERR_MEMORY;
    if (move->narrays > 1 || peers->far.receive.n > 0) return REDIST_OK;
    int64_t n = 0;
    struct interleave *whole = &receiving->whole;
    if (move->array[0].kept.total > 0) inputs[n++] = of_kept(move);
    for (int64_t k = 0; k < peers->nincoming; k++)
        inputs[n++] = (struct input){.walk = &peers->incoming[k].transfer.part->walk};
    int64_t least = WALK_STREAM / peers->node.sharing;
    if (!interleave_make(inputs, n, whole) || whole->end - whole->begin < least) {
        *whole = (struct interleave){0};
        return REDIST_OK;
    }
    TRY(find_run_table(move, peers, &receiving->table));
    if (receiving->table.piece) whole->table = &receiving->table;
    return REDIST_OK;
}

void shm_receive_free(struct shm_receive *receiving)
{
    run_table_free(&receiving->table);
    mem_free(receiving->inputs);
}

void shm_receive_start(const struct move *move, const struct shm_peers *peers,
                       struct shm_receive *receiving)
{
    const struct interleave *whole = &receiving->whole;
    bool replaces = !move->combine || move->combine->replaces;
    receiving->interleaving = whole->end > whole->begin && replaces &&
                              !move->buffers_invalid && memory_is_host(move->memory);
    receiving->interleave = *whole;
    receiving->vain = 0;
    for (int64_t k = 0; k < peers->nincoming; k++)
        if (peers->incoming[k].window) walk_seek(&peers->incoming[k].direct->walk, 0);
    if (!receiving->interleaving) return;
    walk_seek(&move->array[0].kept, 0);
    for (int64_t k = 0; k < peers->nincoming; k++) {
        walk_seek(&peers->incoming[k].transfer.part->walk, 0);
        walk_seek(&peers->incoming[k].direct->walk, 0);
    }
}

/* Skip the parts of a window with nothing more of the message, even if still to come. */
static void pass_stretches(struct incoming *incoming)
{
    struct walk *walk = &incoming->direct->walk;
    struct channel_end *end = &incoming->end;
    int64_t at = INT64_MAX, before = end->done;
    if (walk->done < walk->total) at = walk_place(walk, WAY_COPY, walk->done).source;
    while (end->done < end->pieces &&
           source_window_end(incoming->window, end->done + 1) <= at)
        end->done++;
    if (end->done > before) incoming_give_back(incoming);
}

/* Handle the parts of a window that have arrived. */
static bool take_stretches(const struct move *move, struct incoming *incoming)
{
    int64_t n = 0;
    struct input input = of_stretches(incoming, &n);
    if (n <= 0) return false;
    input.walk->memory = move->memory;
    if (!move->buffers_invalid)
        walk_combine(input.walk, WAY_COPY, move->combine, input.from, move->targets[0],
                     input.ready - input.walk->done);
    (void)stage_fence(move);
    incoming->end.done += n;
    incoming_give_back(incoming);
    return true;
}

bool shm_receive_take(const struct move *move, struct incoming *incoming)
{
    if (incoming->window) return take_stretches(move, incoming);
    struct channel_end *end = &incoming->end;
    const char *piece = incoming_piece(incoming);
    if (!piece) return false;
    int64_t at = end->done * end->slot;
    stage_unpack(move, &incoming->transfer, at,
                 int_min(end->slot, incoming->transfer.bytes - at), piece);
    end->done++;
    incoming_give_back(incoming);
    return true;
}

bool shm_receive_interleave(const struct move *move, struct shm_peers *peers,
                            struct shm_receive *receiving)
{
    int64_t n = list(move, peers, receiving->inputs);
    if (!interleave_advance(&receiving->interleave, receiving->inputs, n, move->combine,
                            move->targets[0]))
        return false;
    receiving->vain = 0;
    for (int64_t k = 0; k < peers->nincoming; k++) {
        struct incoming *incoming = &peers->incoming[k];
        struct channel_end *end = &incoming->end;
        if (incoming->window) {
            pass_stretches(incoming);
            continue;
        }
        const struct walk *walk = &incoming->transfer.part->walk;
        int64_t bytes = walk->done * walk->grain, before = end->done;
        while (end->done < end->pieces &&
               bytes >= int_min((end->done + 1) * end->slot, incoming->transfer.bytes))
            end->done++;
        if (end->done > before) incoming_give_back(incoming);
    }
    return true;
}

void shm_receive_wait(struct shm_receive *receiving)
{
    if (++receiving->vain > PATIENCE) receiving->interleaving = false;
}
