/* SPDX-License-Identifier: MIT
 *
 * tests/device/wrap.c - with REDIST_TEST_DEVICE in the environment, runs of any test move
 * arrays in device memory (device_memory.h): between the check of a run's buffers and its
 * end, some of them are replaced by copies there. Which ones differs by process, side,
 * array and run. Linked with --wrap.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device_memory.h"
#include "plan/object/buffers.h"

redist_err __real_buffers_open(redist_plan *plan);
redist_err __real_buffers_close(redist_plan *plan, redist_err err);
redist_err __wrap_buffers_open(redist_plan *plan);
redist_err __wrap_buffers_close(redist_plan *plan, redist_err err);

enum { BUFFERS = 256 };

/* A buffer that is replaced at present. */
static struct replaced {
    redist_plan *plan; /* NULL: none */
    int item;
    redist_side side;
    void *given, *copy;
    size_t bytes;
} replaced[BUFFERS];
static const struct device_memory *device; /* NULL: not enabled */
static unsigned runs;

__attribute__((constructor)) static void add_device(void)
{
    const char *name = getenv("REDIST_TEST_DEVICE");
    if (name) device = device_memory_add(name);
}

static void *replace(redist_plan *plan, int item, redist_side side, void *given)
{
    const struct array *array = &plan->array[item];
    size_t bytes =
        (size_t)(array->sides[side].layout.span * sizes_element(array->sizes, (int)side));
    struct replaced *free_one = replaced;
    unsigned mix = (runs * 7u + (unsigned)plan->team.rank * 5u + (unsigned)item * 3u +
                    (unsigned)side) *
                   2654435761u;
    if (plan->move.converts) return given; /* in host memory only */
    if (!given || bytes == 0 || (mix >> 16) % 4 == 0) return given;
    while (free_one < replaced + BUFFERS && free_one->plan) free_one++;
    void *copy = free_one < replaced + BUFFERS ? device->alloc(bytes) : NULL;
    if (!copy) return given;
    device->put(copy, given, bytes);
    *free_one = (struct replaced){plan, item, side, given, copy, bytes};
    return copy;
}

static void restore(redist_plan *plan)
{
    for (struct replaced *one = replaced; one < replaced + BUFFERS; one++) {
        if (one->plan != plan) continue;
        if (one->side == REDIST_TARGET) {
            device->get(one->given, one->copy, one->bytes);
            plan->target[one->item] = one->given;
        } else {
            plan->source[one->item] = one->given;
        }
        device->free(one->copy);
        one->plan = NULL;
    }
}

/* The kind of memory of a plan's buffers: not the host's if any of them is not. */
static const struct memory_kind *kind_of_buffers(const redist_plan *plan)
{
    const struct memory_kind *found = memory_host.kind;
    for (int k = 0; k < plan->narrays; k++) {
        if (memory_of(plan->source[k]) != memory_host.kind)
            found = memory_of(plan->source[k]);
        if (memory_of(plan->target[k]) != memory_host.kind)
            found = memory_of(plan->target[k]);
    }
    return found;
}

redist_err __wrap_buffers_open(redist_plan *plan)
{
    redist_err err = __real_buffers_open(plan);
    bool can = device && !plan->exchange->host_only;
    if (err || !can) return err;
    runs++;
    for (int k = 0; k < plan->narrays; k++) {
        plan->source[k] =
            replace(plan, k, REDIST_SOURCE, (void *)(uintptr_t)plan->source[k]);
        plan->target[k] = replace(plan, k, REDIST_TARGET, plan->target[k]);
    }
    const struct memory_kind *kind = kind_of_buffers(plan);
    if (kind == memory_host.kind) return REDIST_OK;
    memory_close(&plan->memory);
    err = memory_open(&plan->memory, kind, plan->options.stream);
    if (!err) return REDIST_OK;
    plan->move.memory = &memory_host;
    restore(plan);
    return err;
}

redist_err __wrap_buffers_close(redist_plan *plan, redist_err err)
{
    err = __real_buffers_close(plan, err);
    restore(plan);
    return err;
}
