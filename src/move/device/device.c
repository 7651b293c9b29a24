/* SPDX-License-Identifier: MIT */
#include "move/device/device.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/device/device_listed.h"
#include "move/device/device_queue.h"
#include "move/device/pinned.h"
#include "move/device/reached.h"

static const struct device_driver *driver;

/* ---- blocks ------------------------------------------------------------------------ */

static int64_t bytes_of(const struct nest *nest)
{
    int64_t bytes = nest->block;
    for (int k = 0; k < nest->n; k++) bytes *= nest->level[k].count;
    return bytes;
}

/* Make a side dense. */
static void densify(struct blocks *blocks, redist_side side)
{
    struct nest *nest = &blocks->nest;
    int64_t step = nest->block;
    for (int k = nest->n - 1; k >= 0; k--) {
        nest->level[k].step[side] = step;
        step *= nest->level[k].count;
    }
    blocks->list[side] = NULL;
}

/* All bits that are set in addresses, steps and the block of a nest. */
static int64_t bits_of(const struct nest *nest, const char *to, const char *from)
{
    int64_t bits = nest->block | (int64_t)(uintptr_t)to | (int64_t)(uintptr_t)from;
    for (int k = 0; k < nest->n; k++)
        bits |= nest->level[k].step[REDIST_SOURCE] | nest->level[k].step[REDIST_TARGET];
    return bits;
}

/* Tell whether the device does what a nest asks, between places that it reaches. */
static bool runs_there(const struct nest *nest, const char *to, const char *from)
{
    return !nest->combine || jobs_can_combine(nest->combine, bits_of(nest, to, from));
}

/* Find the places of a list where the device reads them. Returns whether it could. */
static bool find_list(struct queue *queue, const struct listed *list, int64_t first,
                      const uint32_t **at)
{
    int code = device_listed_find(queue->driver, list, at);
    if (code == DEVICE_LISTED_NOT)
        queue_keep_error(queue, error_set(REDIST_ERR_MEMORY,
                                          "%s: there is no memory for a list of %" PRId64
                                          " elements, or it names one beyond 2^32 - 1",
                                          queue->driver->name, list->elements));
    else if (queue_note(queue, code))
        *at += first;
    return !queue->err;
}

/* Queue blocks of at most DEVICE_LEVELS loops and DEVICE_MOST_UNITS bytes, between places
 * that the device reaches. */
static void push(struct queue *queue, const struct blocks *blocks, char *to,
                 const char *from)
{
    const struct combine *combine = blocks->nest.combine;
    const uint32_t *at[SIDES] = {NULL, NULL};
    for (int s = 0; s < SIDES; s++)
        if (blocks->list[s] && !find_list(queue, blocks->list[s], blocks->first, &at[s]))
            return;
    int linear = combine ? queue_take_linear(queue, combine) : 0;
    struct device_move *move = queue_take_move(queue);
    jobs_make_move(&blocks->nest, at, to, from, move);
    if (linear > 0) jobs_combine(combine, linear, move);
}

/* Bring a side that lies at `at` to a dense buffer that the device and the host reach. */
static char *bring(struct queue *queue, const struct blocks *blocks, redist_side side,
                   const char *at)
{
    struct blocks dense = *blocks;
    char *room = queue_take_room(queue, bytes_of(&blocks->nest));
    dense.nest.combine = NULL;
    dense.nest.stream = false;
    for (int k = 0; k < dense.nest.n; k++)
        dense.nest.level[k].step[REDIST_SOURCE] = blocks->nest.level[k].step[side];
    dense.list[REDIST_SOURCE] = blocks->list[side];
    densify(&dense, REDIST_TARGET);
    if (queue_reaches(queue, at))
        push(queue, &dense, room, at);
    else
        memory_move_blocks(&memory_host, &dense, room, at);
    return room;
}

/* Move from a dense buffer of pinned memory to `to`. */
static void deliver(struct queue *queue, const struct blocks *blocks, char *to,
                    const char *room)
{
    struct blocks dense = *blocks;
    dense.nest.combine = NULL;
    dense.nest.stream = false;
    densify(&dense, REDIST_SOURCE);
    if (queue_reaches(queue, to))
        push(queue, &dense, to, room);
    else
        queue->copy[queue->ncopies++] = (struct copy){dense, to, room};
}

/* Combine on the host: bytes_of(blocks) <= BOUNCE / 2. */
static void combine(struct queue *queue, const struct blocks *blocks, char *to,
                    const char *from)
{
    struct blocks dense = *blocks;
    bool reached = queue_reaches(queue, to);
    char *target = to;
    densify(&dense, REDIST_SOURCE);
    queue_launch(queue); /* what was combined with the same elements before */
    if (queue->used + 2 * (bytes_of(&blocks->nest) + ROOM) > BOUNCE ||
        queue->ncopies == COPIES)
        queue_finish(queue);
    const char *source = bring(queue, blocks, REDIST_SOURCE, from);
    if (reached) {
        densify(&dense, REDIST_TARGET);
        target = bring(queue, blocks, REDIST_TARGET, to);
    }
    if (!queue_wait(queue)) return;
    memory_move_blocks(&memory_host, &dense, target, source);
    if (reached) deliver(queue, blocks, to, target);
}

/* Move blocks that are few enough. */
static void move_part(struct queue *queue, const struct blocks *blocks, char *to,
                      const char *from)
{
    bool reached = queue_reaches(queue, to) && queue_reaches(queue, from);
    if (reached && runs_there(&blocks->nest, to, from))
        push(queue, blocks, to, from);
    else if (blocks->nest.combine)
        combine(queue, blocks, to, from);
    else
        deliver(queue, blocks, to, bring(queue, blocks, REDIST_SOURCE, from));
}

/* Move blocks in parts of at most `most` bytes, and few loops. */
static void move_parts(struct queue *queue, const struct blocks *blocks, int64_t most,
                       char *to, const char *from)
{
    const struct nest *nest = &blocks->nest;
    int64_t bytes = bytes_of(nest), unit = nest->combine ? nest->combine->unit : 1;
    if (queue->err || bytes == 0) return;
    if (bytes <= most && nest->n <= DEVICE_LEVELS) {
        move_part(queue, blocks, to, from);
        return;
    }
    struct blocks part = *blocks;
    if (nest->n == 0) {
        for (int64_t at = 0; at < bytes; at += part.nest.block) {
            part.nest.block = int_min(most - most % unit, bytes - at);
            move_part(queue, &part, to + at, from + at);
        }
        return;
    }
    const struct level outer = nest->level[0];
    int64_t some = most / (bytes / outer.count); /* rounds of the outer loop at a time */
    bool single = nest->n > DEVICE_LEVELS || some <= 1;
    if (single) {
        some = 1;
        part.nest.n--;
        memmove(part.nest.level, nest->level + 1,
                (size_t)part.nest.n * sizeof *part.nest.level);
        part.list[REDIST_SOURCE] = part.list[REDIST_TARGET] = NULL;
    }
    for (int64_t c = 0; c < outer.count; c += some) {
        char *at[SIDES] = {(char *)(uintptr_t)from, to};
        if (!single) part.nest.level[0].count = int_min(some, outer.count - c);
        part.first = blocks->first + c;
        for (int s = 0; s < SIDES; s++)
            if (!part.list[s]) at[s] = blocks_at(blocks, (redist_side)s, at[s], c);
        move_parts(queue, &part, most, at[REDIST_TARGET], at[REDIST_SOURCE]);
    }
}

static void move_blocks(struct memory *memory, const struct blocks *blocks, char *to,
                        const char *from)
{
    struct queue *queue = memory->queue;
    if (queue->err) return;
    int reached = queue_reaches(queue, to) + queue_reaches(queue, from);
    if (reached == 0)
        memory_move_blocks(&memory_host, blocks, to, from);
    else if (reached == 1 || !runs_there(&blocks->nest, to, from))
        move_parts(queue, blocks, BOUNCE / 4, to, from);
    else
        move_parts(queue, blocks, DEVICE_MOST_UNITS, to, from);
}

static void move_nest(struct memory *memory, const struct nest *nest, char *to,
                      const char *from)
{
    const struct blocks blocks = {.nest = *nest};
    move_blocks(memory, &blocks, to, from);
}

/* ---- the kind ---------------------------------------------------------------------- */

static redist_err open_queue(struct memory *memory, void *stream)
{
    struct queue *queue = NULL;
    TRY(queue_open(driver, stream, &queue));
    memory->queue = queue;
    return REDIST_OK;
}

static redist_err fence(struct memory *memory)
{
    struct queue *queue = memory->queue;
    queue_finish(queue);
    return queue->err ? error_set(queue->err, "%s", queue->sentence) : REDIST_OK;
}

static void close_queue(struct memory *memory) { queue_close(memory->queue); }

static bool show(struct memory *memory, const void *address, struct memory_place *place)
{
    struct queue *queue = memory->queue;
    if (queue->err || driver->place(address).place != DEVICE_OWN ||
        driver->show(address, place) != 0)
        return false;
    if (!queue->settled) queue_note(queue, driver->wait(queue->stream));
    queue->settled = true;
    return !queue->err;
}

static const char *reach(const void *owner, int64_t run, const struct memory_place *place)
{
    return reached_find(driver, owner, run, place);
}

static void leave(const void *owner)
{
    reached_leave(driver, owner);
    device_listed_leave(driver, owner);
}

static bool owns(const void *address)
{
    return driver->place(address).place == DEVICE_OWN;
}

static redist_err check(const void *address)
{
    int code = driver->check(address);
    if (code == 0) return REDIST_OK;
    return error_arg("%s memory: %s", driver->name, driver->message(code));
}

const struct memory_kind *device_kind(const struct device_driver *given)
{
    static struct memory_kind kind = {.owns = owns,
                                      .check = check,
                                      .move = move_nest,
                                      .move_blocks = move_blocks,
                                      .open = open_queue,
                                      .fence = fence,
                                      .close = close_queue,
                                      .show = show,
                                      .reach = reach,
                                      .leave = leave};
    if (given->version != DEVICE_DRIVER_VERSION) return NULL;
    driver = given;
    pinned_begin(driver);
    kind.name = driver->name;
    return &kind;
}
