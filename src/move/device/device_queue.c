/* SPDX-License-Identifier: MIT */
#include "move/device/device_queue.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/latch.h"
#include "base/mem.h"
#include "move/device/pinned.h"

static atomic_flag latch = ATOMIC_FLAG_INIT;
static struct queue *unused;

/* ---- errors and order -------------------------------------------------------------- */

void queue_keep_error(struct queue *queue, redist_err err)
{
    queue->err = err;
    memcpy(queue->sentence, redist_error_message(), sizeof queue->sentence);
}

bool queue_note(struct queue *queue, int code)
{
    if (code != 0 && !queue->err)
        queue_keep_error(queue,
                         error_set(REDIST_ERR_DEVICE, "%s: %s", queue->driver->name,
                                   queue->driver->message(code)));
    return !queue->err;
}

void queue_launch(struct queue *queue)
{
    if (queue->nmoves > 0 && !queue->err) {
        struct device_work work;
        jobs_arrange(queue->move, queue->nmoves, &queue->jobs, &work);
        work.linear = queue->linear;
        work.nlinear = queue->nlinear;
        queue_note(queue, queue->driver->launch(queue->stream, &work));
        queue->launched = true;
    }
    queue->nmoves = queue->nlinear = 0;
}

bool queue_wait(struct queue *queue)
{
    queue_launch(queue);
    if (queue->launched) queue_note(queue, queue->driver->wait(queue->stream));
    queue->launched = false;
    return !queue->err;
}

void queue_finish(struct queue *queue)
{
    (void)queue_wait(queue);
    for (int k = 0; k < queue->ncopies && !queue->err; k++) {
        const struct copy *copy = &queue->copy[k];
        memory_move_blocks(&memory_host, &copy->blocks, copy->to, copy->from);
    }
    queue->ncopies = 0;
    queue->used = 0;
}

char *queue_take_room(struct queue *queue, int64_t bytes)
{
    bytes = int_ceil_div(bytes, ROOM) * ROOM;
    if (queue->used + bytes > BOUNCE || queue->ncopies == COPIES) queue_finish(queue);
    queue->used += bytes;
    return queue->bounce + queue->used - bytes;
}

bool queue_reaches(struct queue *queue, const void *address)
{
    const char *at = address;
    for (int k = 0; k < RANGES; k++)
        if (at >= queue->range[k].begin && at < queue->range[k].end)
            return queue->range[k].place != DEVICE_HOST;
    struct device_range *range = &queue->range[queue->nranges++ % RANGES];
    *range = queue->driver->place(at);
    if (range->place == DEVICE_HOST) (void)pinned_find(at, range);
    return range->place != DEVICE_HOST;
}

struct device_move *queue_take_move(struct queue *queue)
{
    if (queue->nmoves == DEVICE_MOVES) queue_launch(queue);
    return &queue->move[queue->nmoves++];
}

int queue_take_linear(struct queue *queue, const struct combine *combine)
{
    bool full = queue->nmoves == DEVICE_MOVES || queue->nlinear == DEVICE_LINEARS;
    if (full || combine->adds_up) queue_launch(queue);
    if (queue->nlinear == 0 || queue->combine != combine)
        queue->linear[queue->nlinear++] = jobs_linear(combine);
    queue->combine = combine;
    return queue->nlinear;
}

/* ---- opening ----------------------------------------------------------------------- */

static struct queue *make_queue(const struct device_driver *driver)
{
    struct queue *queue = mem_alloc(NULL, 1, sizeof *queue);
    if (!queue) return NULL;
    queue->driver = driver;
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

redist_err queue_open(const struct device_driver *driver, void *stream,
                      struct queue **opened)
{
    latch_lock(&latch);
    struct queue *queue = unused;
    if (queue) unused = queue->next;
    latch_unlock(&latch);
    if (!queue) queue = make_queue(driver);
    if (!queue) return REDIST_ERR_MEMORY;
    queue->driver = driver;
    queue->err = REDIST_OK;
    queue->nmoves = queue->nlinear = queue->ncopies = 0;
    queue->used = 0;
    queue->launched = queue->settled = false;
    memset(queue->range, 0, sizeof queue->range);
    if (!queue_note(queue, driver->open(stream, &queue->stream))) {
        redist_err err = queue->err;
        release(queue); /* another thread may have it now */
        return err;
    }
    *opened = queue;
    return REDIST_OK;
}

void queue_close(struct queue *queue)
{
    queue_finish(queue); /* what an error has left behind */
    queue->driver->close(queue->stream);
    release(queue);
}
