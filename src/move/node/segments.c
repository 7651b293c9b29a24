/* SPDX-License-Identifier: MIT */
#include "move/node/segments.h"

#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/latch.h"
#include "base/mem.h"
#include "move/mpi/check.h"
#include "move/node/huge.h"
#include "move/node/node.h"

struct segment {
    struct segment *next;
    struct node node;
    struct huge huge;
    struct shared shared; /* if there is no huge memory */
    uint64_t name;
    char *own;
    int64_t bytes;
    char *part[]; /* [node.nranks] */
};

/* All segments of the process. */
static struct segment *segments;
static atomic_flag latch = ATOMIC_FLAG_INIT;

/* Draw a number unique on the node, and never drawn again by this process. */
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

static void destroy(struct segment *segment)
{
    huge_free(&segment->huge);
    shared_free(&segment->shared);
    node_free(&segment->node);
    mem_free(segment);
}

/* Make the memory. `begin` is room for [node.nranks]. */
static redist_err share(struct segment *segment, int64_t begin[])
{
    segment->name = draw();
    TRY(mpi_call(MPI_Bcast(&segment->name, 1, MPI_UINT64_T, 0, segment->node.comm)));
    TRY(huge_make(&segment->node, segment->bytes, begin, &segment->huge));
    char *base = segment->huge.base;
    if (!base) TRY(shared_make(&segment->node, segment->bytes, &segment->shared));
    for (int k = 0; k < segment->node.nranks; k++)
        if (base)
            segment->part[k] = base + begin[k];
        else
            TRY(shared_part(&segment->shared, k, &segment->part[k]));
    segment->own = segment->part[segment->node.rank];
    return REDIST_OK;
}

redist_err segments_make(MPI_Comm comm, int64_t bytes, void **part)
{
    struct node node;
    *part = NULL;
    TRY(node_make(comm, &node));
    struct segment *segment = mem_alloc(
        NULL, (int64_t)sizeof *segment + node.nranks * (int64_t)sizeof(char *), 1);
    int64_t *begin = mem_alloc(NULL, node.nranks, sizeof *begin);
    bool well = false;
    redist_err err =
        mpi_all_well(node.comm, segment && begin ? REDIST_OK : REDIST_ERR_MEMORY, &well);
    if (err || !well) {
        node_free(&node);
        mem_free(segment);
        mem_free(begin);
        return err;
    }
    segment->node = node;
    segment->huge.base = NULL;
    segment->shared.win = MPI_WIN_NULL;
    segment->bytes = bytes > 0 ? bytes : 1; /* so that it differs from others */
    err = share(segment, begin);
    mem_free(begin);
    if (err) {
        destroy(segment);
        return err;
    }
    latch_lock(&latch);
    segment->next = segments;
    segments = segment;
    latch_unlock(&latch);
    *part = segment->own;
    return REDIST_OK;
}

redist_err segments_free(void *part)
{
    latch_lock(&latch);
    struct segment **link = &segments;
    while (*link && (*link)->own != part) link = &(*link)->next;
    struct segment *segment = *link;
    if (segment) *link = segment->next;
    latch_unlock(&latch);
    if (!segment) return error_arg("memory is %p, which redist_alloc has not made", part);
    destroy(segment);
    return REDIST_OK;
}

bool segments_place(const void *address, struct segment_place *place)
{
    uintptr_t at = (uintptr_t)address;
    latch_lock(&latch);
    const struct segment *segment = segments;
    while (segment && at - (uintptr_t)segment->own >= (uintptr_t)segment->bytes)
        segment = segment->next;
    if (segment)
        *place = (struct segment_place){segment->name, segment->node.rank,
                                        (int64_t)(at - (uintptr_t)segment->own)};
    latch_unlock(&latch);
    return segment;
}

const char *segments_address(struct segment_place place)
{
    latch_lock(&latch);
    const struct segment *segment = segments;
    while (segment && segment->name != place.name) segment = segment->next;
    const char *address = segment ? segment->part[place.part] + place.offset : NULL;
    latch_unlock(&latch);
    return address;
}
