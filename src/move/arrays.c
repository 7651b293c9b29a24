/* SPDX-License-Identifier: MIT */
#include "move/arrays.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "move/exchange.h"
#include "move/node.h"

struct array {
    struct array *next;
    struct node node;
    struct shared shared;
    uint64_t name;
    char *own;
    int64_t bytes;
    char *part[]; /* [node.nranks] */
};

/* All arrays of the process, and who may look at them: for an instant at a time. */
static struct array *arrays;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void enter(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    }
}

static void leave(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

/* A number that no other process of the node draws, nor this one again. */
static uint64_t draw(void)
{
    static _Atomic int64_t drawn;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t number = hash_int(HASH_START, getpid());
    number = hash_int(number, (int64_t)now.tv_sec);
    number = hash_int(number, now.tv_nsec);
    return hash_int(number, atomic_fetch_add(&drawn, 1));
}

static void destroy(struct array *array)
{
    shared_free(&array->shared);
    node_free(&array->node);
    mem_free(array);
}

static redist_err share(struct array *array)
{
    array->name = draw();
    TRY(exchange_check(MPI_Bcast(&array->name, 1, MPI_UINT64_T, 0, array->node.comm),
                       "MPI_Bcast"));
    TRY(shared_make(&array->node, array->bytes, &array->shared));
    for (int k = 0; k < array->node.nranks; k++)
        TRY(shared_part(&array->shared, k, &array->part[k]));
    array->own = array->part[array->node.rank];
    return REDIST_OK;
}

redist_err arrays_make(MPI_Comm comm, int64_t bytes, void **part)
{
    struct node node;
    *part = NULL;
    TRY(node_make(comm, &node));
    struct array *array = mem_alloc(
        NULL, (int64_t)sizeof *array + node.nranks * (int64_t)sizeof(char *), 1);
    bool well = false;
    redist_err err = exchange_all_well(node.comm, array != NULL, &well);
    if (!array || !well || err) {
        node_free(&node);
        mem_free(array);
        return array ? err : REDIST_ERR_MEMORY;
    }
    array->node = node;
    array->shared.win = MPI_WIN_NULL;
    array->bytes = bytes > 0 ? bytes : 1; /* so that it can be told from others */
    err = share(array);
    if (err) {
        destroy(array);
        return err;
    }
    enter();
    array->next = arrays;
    arrays = array;
    leave();
    *part = array->own;
    return REDIST_OK;
}

redist_err arrays_free(void *part)
{
    enter();
    struct array **link = &arrays;
    while (*link && (*link)->own != part) link = &(*link)->next;
    struct array *array = *link;
    if (array) *link = array->next;
    leave();
    if (!array)
        return error_set(REDIST_ERR_ARG, "array is %p, which redist_alloc has not made",
                         part);
    destroy(array);
    return REDIST_OK;
}

bool arrays_place(const void *address, struct array_place *place)
{
    uintptr_t at = (uintptr_t)address;
    enter();
    const struct array *array = arrays;
    while (array && at - (uintptr_t)array->own >= (uintptr_t)array->bytes)
        array = array->next;
    if (array)
        *place = (struct array_place){array->name, array->node.rank,
                                      (int64_t)(at - (uintptr_t)array->own)};
    leave();
    return array;
}

const char *arrays_address(struct array_place place)
{
    enter();
    const struct array *array = arrays;
    while (array && array->name != place.name) array = array->next;
    const char *address = array ? array->part[place.part] + place.offset : NULL;
    leave();
    return address;
}
