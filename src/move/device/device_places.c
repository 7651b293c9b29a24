/* SPDX-License-Identifier: MIT */
#include "move/device/device_places.h"

#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "base/latch.h"
#include "base/mem.h"
#include "move/device/device_queue.h"

/* ---- lists in memory of the device ------------------------------------------------- */

enum { CHAINS = 1 << 10, NOT_STORED = -1 };

static struct stored {
    struct stored *next;
    const void *list; /* a struct listed */
    void *there;
} * chain[CHAINS];

static atomic_flag latch = ATOMIC_FLAG_INIT;

/* The link to the entry of a list, or to the end of its chain. */
static struct stored **find(const void *list)
{
    struct stored **link = &chain[hash_int(0, (int64_t)(uintptr_t)list) % CHAINS];
    while (*link && (*link)->list != list) link = &(*link)->next;
    return link;
}

/* Copy a list to the device. */
static int store(const struct device_driver *driver, const struct listed *list,
                 void **there)
{
    int64_t n = list->elements;
    uint32_t *all = mem_alloc_elements(NULL, n * (int64_t)sizeof *all);
    int code = all ? 0 : NOT_STORED;
    for (int64_t k = 0; k < n && code == 0; k++) {
        int64_t at = listed_place(list, k);
        all[k] = (uint32_t)at;
        if (at > UINT32_MAX) code = NOT_STORED;
    }
    if (code == 0) code = driver->store(all, (size_t)n * sizeof *all, there);
    mem_free(all);
    return code;
}

/* Find the list of a side: *at is its first place there, of all. Returns 0, or a code of
 * the driver; NOT_STORED: no memory, or a place of more than 32 bits. */
static int find_stored(const struct device_driver *driver, const struct listed *list,
                       const uint32_t **at)
{
    int code = 0;
    latch_lock(&latch);
    struct stored **link = find(list), *found = *link;
    if (!found) {
        found = mem_alloc(NULL, 1, sizeof *found);
        code = found ? store(driver, list, &found->there) : NOT_STORED;
        if (code == 0) {
            found->list = list;
            *link = found;
        } else {
            mem_free(found);
        }
    }
    if (code == 0) *at = found->there;
    latch_unlock(&latch);
    return code;
}

void device_places_leave(const struct device_driver *driver, const void *list)
{
    latch_lock(&latch);
    struct stored **link = find(list), *found = *link;
    if (found) {
        *link = found->next;
        driver->drop(found->there);
        mem_free(found);
    }
    latch_unlock(&latch);
}

/* ---- moving ------------------------------------------------------------------------ */

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
    one.combine = NULL;
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
        int code = find_stored(queue->driver, places->list[s], &at[s]);
        if (code == NOT_STORED)
            queue_keep_error(queue,
                             error_set(REDIST_ERR_MEMORY,
                                       "%s: no memory for a list of %" PRId64 " places",
                                       queue->driver->name, places->list[s]->elements));
        else if (queue_note(queue, code))
            at[s] += places->first;
    }
    if (queue->err) return;
    int linear = places->combine ? queue_take_linear(queue, places->combine) : 0;
    struct device_move *move = queue_take_move(queue);
    jobs_make_list(places, at, to, from, move);
    if (linear > 0) jobs_combine(places->combine, linear, move);
}

/* Bring elements of a side to a dense buffer, as `bring`. */
static char *bring_places(struct queue *queue, const struct places *places,
                          redist_side side, char *at)
{
    char *room = queue_take_room(queue, places->n * places->size);
    struct places one = one_sided(places, side);
    one.list[REDIST_SOURCE] = places->list[side];
    one.list[REDIST_TARGET] = NULL;
    if (queue_reaches(queue, at))
        push_places(queue, &one, room, at);
    else
        copy_places(&one, room, at);
    return room;
}

static void deliver_places(struct queue *queue, const struct places *places, char *to,
                           const char *room)
{
    const struct places one = one_sided(places, REDIST_TARGET);
    if (queue_reaches(queue, to)) {
        push_places(queue, &one, to, room);
    } else if (!one.list[REDIST_TARGET]) {
        queue->copy[queue->ncopies++] = (struct copy){dense_nest(places), to, room};
    } else { /* the room stays as it is until it is taken again */
        queue_finish(queue);
        if (!queue->err) copy_places(&one, to, room);
    }
}

/* Move elements by way of the bounce buffer. */
static void bounce_places(struct queue *queue, const struct places *places, char *to,
                          const char *from)
{
    int64_t bytes = int_ceil_div(places->n * places->size, ROOM) * ROOM;
    if (queue->used + SIDES * bytes > BOUNCE || queue->ncopies == COPIES)
        queue_finish(queue); /* room for all of this, at once */
    char *room = bring_places(queue, places, REDIST_SOURCE, (char *)(uintptr_t)from);
    if (places->combine) {
        struct nest nest = dense_nest(places);
        const char *source = room;
        nest.combine = places->combine;
        room = bring_places(queue, places, REDIST_TARGET, to);
        if (!queue_wait(queue)) return;
        memory_host.kind->move(&memory_host, &nest, room, source);
    }
    deliver_places(queue, places, to, room);
    if (places->combine) queue_finish(queue); /* the same elements may come again */
}

void device_move_places(struct memory *memory, const struct places *places, char *to,
                        const char *from)
{
    struct queue *queue = memory->queue;
    int64_t bits = places->size | (int64_t)(uintptr_t)to | (int64_t)(uintptr_t)from;
    bool can = !places->combine || jobs_can_combine(places->combine, bits);
    bool reached = can && queue_reaches(queue, to) && queue_reaches(queue, from);
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
