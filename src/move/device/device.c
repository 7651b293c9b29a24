/* SPDX-License-Identifier: MIT */
#include "move/device/device.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/latch.h"
#include "base/lengths.h"
#include "base/mem.h"
#include "move/arith/combine.h"
#include "move/device/device_listed.h"
#include "move/device/jobs.h"
#include "move/device/pinned.h"
#include "move/device/reached.h"

enum {
    COPIES = 256, /* most copies by the host that wait for moves of the device */
    RANGES = 4,   /* that a queue remembers: CUDA takes 80 ns to tell of an address */
    UNIT = 16     /* bytes, at most */
};

/* Bytes of the bounce buffer of a queue. */
enum { BOUNCE = LENGTH(4 << 20, 4 << 10) };

/* A copy from the bounce buffer, by the host, when the device is done. */
struct copy {
    struct nest nest;
    char *to;
    const char *from;
};

struct queue {
    struct queue *next; /* of those that nobody uses */
    void *stream;       /* opened by the driver */
    redist_err err;     /* the first, with its sentence */
    char sentence[ERROR_MESSAGE_SIZE];
    char *bounce; /* [BOUNCE] pinned */
    int64_t used; /* bytes of it */
    int nmoves, ncopies;
    struct device_range range[RANGES]; /* that were asked for last */
    int nranges;
    bool launched; /* since the last wait */
    bool settled;  /* what the stream held at first is done */
    struct device_move move[DEVICE_MOVES];
    struct jobs jobs; /* of a launch */
    struct copy copy[COPIES];
};

static const struct device_driver *driver;

static atomic_flag latch = ATOMIC_FLAG_INIT;
static struct queue *unused;

/* ---- errors and order -------------------------------------------------------------- */

/* Keep the first error, with the sentence that error_set has made. */
static void keep_error(struct queue *queue, redist_err err)
{
    queue->err = err;
    memcpy(queue->sentence, redist_error_message(), sizeof queue->sentence);
}

/* Keep what the driver has returned, unless there is an error. Returns whether there is
 * none. */
static bool note(struct queue *queue, int code)
{
    if (code != 0 && !queue->err)
        keep_error(queue, error_set(REDIST_ERR_DEVICE, "%s: %s", driver->name,
                                    driver->message(code)));
    return !queue->err;
}

static void launch(struct queue *queue)
{
    if (queue->nmoves > 0 && !queue->err) {
        struct device_work work;
        jobs_arrange(queue->move, queue->nmoves, &queue->jobs, &work);
        note(queue, driver->launch(queue->stream, &work));
        queue->launched = true;
    }
    queue->nmoves = 0;
}

/* Wait for the moves so far. Returns whether they are done. */
static bool wait_moves(struct queue *queue)
{
    launch(queue);
    if (queue->launched) note(queue, driver->wait(queue->stream));
    queue->launched = false;
    return !queue->err;
}

/* Wait until all is done, the host's copies too; the bounce buffer is then empty. */
static void finish(struct queue *queue)
{
    (void)wait_moves(queue);
    for (int k = 0; k < queue->ncopies && !queue->err; k++) {
        const struct copy *copy = &queue->copy[k];
        memory_host.kind->move(&memory_host, &copy->nest, copy->to, copy->from);
    }
    queue->ncopies = 0;
    queue->used = 0;
}

/* Take room for `bytes` <= BOUNCE, and for one more copy of the host. */
static char *take_room(struct queue *queue, int64_t bytes)
{
    bytes = int_ceil_div(bytes, UNIT) * UNIT;
    if (queue->used + bytes > BOUNCE || queue->ncopies == COPIES) finish(queue);
    queue->used += bytes;
    return queue->bounce + queue->used - bytes;
}

/* Tell whether the device reaches an address. */
static bool reaches(struct queue *queue, const void *address)
{
    const char *at = address;
    for (int k = 0; k < RANGES; k++)
        if (at >= queue->range[k].begin && at < queue->range[k].end)
            return queue->range[k].place != DEVICE_HOST;
    struct device_range *range = &queue->range[queue->nranges++ % RANGES];
    *range = driver->place(at);
    if (range->place == DEVICE_HOST) (void)pinned_find(at, range);
    return range->place != DEVICE_HOST;
}

/* ---- moves ------------------------------------------------------------------------- */

static int64_t bytes_of(const struct nest *nest)
{
    int64_t bytes = nest->block;
    for (int k = 0; k < nest->n; k++) bytes *= nest->level[k].count;
    return bytes;
}

/* Make a side dense. */
static void densify(struct nest *nest, redist_side side)
{
    int64_t step = nest->block;
    for (int k = nest->n - 1; k >= 0; k--) {
        nest->level[k].step[side] = step;
        step *= nest->level[k].count;
    }
}

/* Take room for one more move between places that the device reaches. */
static struct device_move *take_move(struct queue *queue)
{
    if (queue->nmoves == DEVICE_MOVES) launch(queue);
    return &queue->move[queue->nmoves++];
}

/* Queue a move of at most DEVICE_LEVELS loops and DEVICE_MOST_UNITS bytes. */
static void push(struct queue *queue, const struct nest *nest, char *to, const char *from)
{
    jobs_make_move(nest, to, from, take_move(queue));
}

/* Bring a side that lies at `at` to a dense buffer that the device and the host reach. */
static char *bring(struct queue *queue, const struct nest *nest, redist_side side,
                   char *at)
{
    struct nest dense = *nest;
    char *room = take_room(queue, bytes_of(nest));
    dense.combine = NULL;
    dense.stream = false;
    for (int k = 0; k < dense.n; k++)
        dense.level[k].step[REDIST_SOURCE] = nest->level[k].step[side];
    densify(&dense, REDIST_TARGET);
    if (reaches(queue, at))
        push(queue, &dense, room, at);
    else
        memory_host.kind->move(&memory_host, &dense, room, at);
    return room;
}

/* Move from a dense buffer of pinned memory to `to`. */
static void deliver(struct queue *queue, const struct nest *nest, char *to,
                    const char *room)
{
    struct nest dense = *nest;
    dense.combine = NULL;
    dense.stream = false;
    densify(&dense, REDIST_SOURCE);
    if (reaches(queue, to))
        push(queue, &dense, to, room);
    else
        queue->copy[queue->ncopies++] = (struct copy){dense, to, room};
}

/* Combine on the host: bytes_of(nest) <= BOUNCE / 2. */
static void combine(struct queue *queue, const struct nest *nest, char *to,
                    const char *from)
{
    struct nest dense = *nest;
    bool reached = reaches(queue, to);
    char *target = to;
    densify(&dense, REDIST_SOURCE);
    launch(queue); /* what was combined with the same elements before */
    if (queue->used + 2 * (bytes_of(nest) + UNIT) > BOUNCE || queue->ncopies == COPIES)
        finish(queue);
    const char *source = bring(queue, nest, REDIST_SOURCE, (char *)(uintptr_t)from);
    if (reached) {
        densify(&dense, REDIST_TARGET);
        target = bring(queue, nest, REDIST_TARGET, to);
    }
    if (!wait_moves(queue)) return;
    memory_host.kind->move(&memory_host, &dense, target, source);
    if (reached) deliver(queue, nest, to, target);
}

/* Move a nest that is small enough. */
static void move_part(struct queue *queue, const struct nest *nest, char *to,
                      const char *from)
{
    bool reached = reaches(queue, to) && reaches(queue, from);
    if (nest->combine)
        combine(queue, nest, to, from);
    else if (reached)
        push(queue, nest, to, from);
    else
        deliver(queue, nest, to,
                bring(queue, nest, REDIST_SOURCE, (char *)(uintptr_t)from));
}

/* Move a nest in parts of at most `most` bytes, and few loops. */
static void move_parts(struct queue *queue, const struct nest *nest, int64_t most,
                       char *to, const char *from)
{
    struct nest part = *nest;
    int64_t bytes = bytes_of(nest), unit = nest->combine ? nest->combine->unit : 1;
    if (queue->err || bytes == 0) return;
    if (bytes <= most && nest->n <= DEVICE_LEVELS) {
        move_part(queue, nest, to, from);
        return;
    }
    if (nest->n == 0) {
        for (int64_t at = 0; at < bytes; at += part.block) {
            part.block = int_min(most - most % unit, bytes - at);
            move_part(queue, &part, to + at, from + at);
        }
        return;
    }
    const struct level outer = nest->level[0];
    int64_t some = most / (bytes / outer.count); /* rounds of the outer loop at a time */
    if (nest->n > DEVICE_LEVELS || some <= 1) {
        some = 1;
        part.n--;
        memmove(part.level, nest->level + 1, (size_t)part.n * sizeof *part.level);
    }
    for (int64_t c = 0; c < outer.count; c += some) {
        if (part.n == nest->n) part.level[0].count = int_min(some, outer.count - c);
        move_parts(queue, &part, most, to + c * outer.step[REDIST_TARGET],
                   from + c * outer.step[REDIST_SOURCE]);
    }
}

static void move_nest(struct memory *memory, const struct nest *nest, char *to,
                      const char *from)
{
    struct queue *queue = memory->queue;
    if (queue->err) return;
    int reached = reaches(queue, to) + reaches(queue, from);
    if (reached == 0)
        memory_host.kind->move(&memory_host, nest, to, from);
    else if (nest->combine || reached == 1)
        move_parts(queue, nest, BOUNCE / 4, to, from);
    else
        move_parts(queue, nest, DEVICE_MOST_UNITS, to, from);
}

/* ---- lists ------------------------------------------------------------------------- */

/* A nest of elements that follow each other on both sides. */
static struct nest dense_nest(const struct places *places)
{
    return (struct nest){.block = places->n * places->size};
}

/* The same elements, by the list of one side alone. */
static struct places one_sided(const struct places *places, redist_side side)
{
    struct places one = *places;
    one.list[!side] = NULL;
    return one;
}

/* Copy by the host. */
static void copy_places(const struct places *places, char *to, const char *from)
{
    for (int64_t k = 0; k < places->n; k++)
        memcpy(to + places_at(places, REDIST_TARGET, k) * places->size,
               from + places_at(places, REDIST_SOURCE, k) * places->size,
               (size_t)places->size);
}

/* Queue a move between what the device reaches. */
static void push_places(struct queue *queue, const struct places *places, char *to,
                        const char *from)
{
    const uint32_t *at[SIDES] = {NULL, NULL};
    for (int s = 0; s < SIDES && !queue->err; s++) {
        if (!places->list[s]) continue;
        int code = device_listed_find(driver, places, (redist_side)s, &at[s]);
        if (code == DEVICE_LISTED_NOT)
            keep_error(queue, error_set(REDIST_ERR_MEMORY,
                                        "%s: no memory for a list of %" PRId64 " places",
                                        driver->name, places->all));
        else if (note(queue, code))
            at[s] += places->first;
    }
    if (!queue->err) jobs_make_list(places, at, to, from, take_move(queue));
}

/* Bring elements of a side to a dense buffer, as `bring`. */
static char *bring_places(struct queue *queue, const struct places *places,
                          redist_side side, char *at)
{
    char *room = take_room(queue, places->n * places->size);
    struct places one = one_sided(places, side);
    one.list[REDIST_SOURCE] = places->list[side];
    one.list[REDIST_TARGET] = NULL;
    if (reaches(queue, at))
        push_places(queue, &one, room, at);
    else
        copy_places(&one, room, at);
    return room;
}

static void deliver_places(struct queue *queue, const struct places *places, char *to,
                           const char *room)
{
    const struct places one = one_sided(places, REDIST_TARGET);
    if (reaches(queue, to)) {
        push_places(queue, &one, to, room);
    } else if (!one.list[REDIST_TARGET]) {
        queue->copy[queue->ncopies++] = (struct copy){dense_nest(places), to, room};
    } else { /* the room stays as it is until it is taken again */
        finish(queue);
        if (!queue->err) copy_places(&one, to, room);
    }
}

/* Move elements by way of the bounce buffer. */
static void bounce_places(struct queue *queue, const struct places *places, char *to,
                          const char *from)
{
    int64_t bytes = int_ceil_div(places->n * places->size, UNIT) * UNIT;
    if (queue->used + SIDES * bytes > BOUNCE || queue->ncopies == COPIES)
        finish(queue); /* room for all of this, at once */
    char *room = bring_places(queue, places, REDIST_SOURCE, (char *)(uintptr_t)from);
    if (places->combine) {
        struct nest nest = dense_nest(places);
        const char *source = room;
        nest.combine = places->combine;
        room = bring_places(queue, places, REDIST_TARGET, to);
        if (!wait_moves(queue)) return;
        memory_host.kind->move(&memory_host, &nest, room, source);
    }
    deliver_places(queue, places, to, room);
    if (places->combine) finish(queue); /* the same elements may come again */
}

static void move_places(struct memory *memory, const struct places *places, char *to,
                        const char *from)
{
    struct queue *queue = memory->queue;
    bool reached = !places->combine && reaches(queue, to) && reaches(queue, from);
    int64_t most = (reached ? DEVICE_MOST_UNITS : BOUNCE / 8) / places->size;
    struct places part = *places;
    if (most == 0) {
        memory_move_each(memory, places, to, from); /* each bounces in parts */
        return;
    }
    for (int64_t k = 0; k < places->n && !queue->err; k += part.n) {
        part.n = int_min(most, places->n - k);
        part.first = places->first + k;
        char *target = to;
        const char *source = from;
        if (!places->list[REDIST_SOURCE]) source += k * places->size;
        if (!places->list[REDIST_TARGET]) target += k * places->size;
        if (reached)
            push_places(queue, &part, target, source);
        else
            bounce_places(queue, &part, target, source);
    }
}

/* ---- the kind ---------------------------------------------------------------------- */

static struct queue *make_queue(void)
{
    struct queue *queue = mem_alloc(NULL, 1, sizeof *queue);
    if (!queue) return NULL;
    queue->bounce = driver->alloc(BOUNCE);
    if (queue->bounce) return queue;
    mem_free(queue);
    (void)error_set(REDIST_ERR_MEMORY, "%s: no %d bytes of pinned memory", driver->name,
                    (int)BOUNCE);
    return NULL;
}

static void release(struct queue *queue)
{
    latch_lock(&latch);
    queue->next = unused;
    unused = queue;
    latch_unlock(&latch);
}

static redist_err open_queue(struct memory *memory, void *stream)
{
    latch_lock(&latch);
    struct queue *queue = unused;
    if (queue) unused = queue->next;
    latch_unlock(&latch);
    if (!queue) queue = make_queue();
    if (!queue) return REDIST_ERR_MEMORY;
    queue->err = REDIST_OK;
    queue->nmoves = queue->ncopies = 0;
    queue->used = 0;
    queue->launched = queue->settled = false;
    memset(queue->range, 0, sizeof queue->range);
    if (!note(queue, driver->open(stream, &queue->stream))) {
        release(queue);
        return error_set(queue->err, "%s", queue->sentence);
    }
    memory->queue = queue;
    return REDIST_OK;
}

static redist_err fence(struct memory *memory)
{
    struct queue *queue = memory->queue;
    finish(queue);
    return queue->err ? error_set(queue->err, "%s", queue->sentence) : REDIST_OK;
}

static void close_queue(struct memory *memory)
{
    struct queue *queue = memory->queue;
    finish(queue); /* what an error has left behind */
    driver->close(queue->stream);
    release(queue);
}

static bool show(struct memory *memory, const void *address, struct memory_place *place)
{
    struct queue *queue = memory->queue;
    if (queue->err || driver->place(address).place != DEVICE_OWN ||
        driver->show(address, place) != 0)
        return false;
    if (!queue->settled) note(queue, driver->wait(queue->stream));
    queue->settled = true;
    return !queue->err;
}

static const char *reach(const void *owner, const struct memory_place *place)
{
    return reached_find(driver, owner, place);
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
    return error_set(REDIST_ERR_ARG, "%s memory: %s", driver->name,
                     driver->message(code));
}

const struct memory_kind *device_kind(const struct device_driver *given)
{
    static struct memory_kind kind = {.owns = owns,
                                      .check = check,
                                      .move = move_nest,
                                      .move_places = move_places,
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
