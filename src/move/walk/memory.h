/* SPDX-License-Identifier: MIT
 *
 * move/walk/memory.h - the kinds of memory that arrays lie in. All access to an array
 * goes through the functions of its kind; staging memory is host memory.
 *
 * Host memory is one kind. Another may be added: the library then asks it about each
 * array when a run begins, and leaves out whatever only host memory can do: to send a
 * contiguous part from where it lies, non-temporal stores, threads, and the exchanges
 * that are for host memory alone (exchange.h).
 */
#ifndef REDIST_MOVE_WALK_MEMORY_H
#define REDIST_MOVE_WALK_MEMORY_H

#include <redist/redist.h>

#include "move/kernel/nest.h"
#include "move/walk/listed.h"
#include "move/walk/memory_place.h"

/* What is moved: the blocks of a nest. Where a side has a list, the nest has one loop,
 * whose block k lies where the list has its element first + k, in blocks. */
struct blocks {
    struct nest nest;
    const struct listed *list[SIDES]; /* NULL: none */
    int64_t first;
};

/* The place of round c of the outermost loop on a side that begins at `base`. */
static inline char *blocks_at(const struct blocks *blocks, redist_side side,
                              const char *base, int64_t c)
{
    const struct listed *list = blocks->list[side];
    int64_t at = list ? listed_place(list, blocks->first + c) * blocks->nest.block
                      : c * blocks->nest.level[0].step[side];
    return (char *)(uintptr_t)base + at;
}

/* The memory of the arrays of a run. */
struct memory {
    const struct memory_kind *kind;
    void *queue; /* of a kind that queues moves, while it is open */
};

struct memory_kind {
    const char *name;
    /* Whether an address lies in this memory. NULL for host memory: any other does. */
    bool (*owns)(const void *address);
    /* Check that a run can use an array of this memory; NULL: any. ARG. */
    redist_err (*check)(const void *address);
    /* Copy, or combine, all blocks of a nest. The first lies at `from` and goes to `to`;
     * each of the two is in this memory or in host memory. */
    void (*move)(struct memory *memory, const struct nest *nest, char *to,
                 const char *from);
    /* The same for elements that lie by lists, of which it may have copies until `leave`.
     * NULL: each is a nest of its own. */
    void (*move_blocks)(struct memory *memory, const struct blocks *blocks, char *to,
                        const char *from);
    /* A kind may queue moves; NULL: it does not. Open a queue for one run: moves begin
     * after what `stream` holds at present (options.stream). Copies between two fences
     * run in any order, so they share no byte that one of them writes. MEMORY, DEVICE: no
     * queue is open. */
    redist_err (*open)(struct memory *memory, void *stream);
    /* Wait until all moves so far are done. Returns the first error since the queue was
     * opened: some moves are then missing, and later ones do nothing. DEVICE. */
    redist_err (*fence)(struct memory *memory);
    /* Close the queue, after all moves are done. */
    void (*close)(struct memory *memory);
    /* A kind may let other processes of the node read its arrays; NULL: it does not. Find
     * the place of an array, which holds what it held for the stream when the queue was
     * opened. Returns false if others cannot read it. */
    bool (*show)(struct memory *memory, const void *address, struct memory_place *place);
    /* Find the address here of an array that another process has shown, for a run of
     * `owner`, which numbers its runs; NULL: it cannot be read here. It stays readable in
     * this run. */
    const char *(*reach)(const void *owner, int64_t run,
                         const struct memory_place *place);
    /* Give up all that was reached for `owner`, or copied of the list `owner`. */
    void (*leave)(const void *owner);
};

extern struct memory memory_host;

/* Add a kind of memory beside host memory: one at most, before any plan is made. It must
 * live on. NULL: there is none any more. Not thread-safe. */
void memory_add(const struct memory_kind *kind);

/* Whether arrays may lie in other than host memory. */
bool memory_has_kinds(void);

/* The kind of memory that an address lies in; NULL is in host memory. */
const struct memory_kind *memory_of(const void *address);

/* Check that a run can use an array of this kind of memory. Where there is another kind,
 * a freed array of it is in none. ARG, a sentence of which the array is the subject. */
redist_err memory_check(const struct memory_kind *kind, const void *address);

/* Open, fence, and close a queue as struct memory_kind says, if the kind has such. */
redist_err memory_open(struct memory *memory, const struct memory_kind *kind,
                       void *stream);
redist_err memory_fence(struct memory *memory);
void memory_close(struct memory *memory);

/* As `leave` of any kind that there is. */
void memory_leave(const void *owner);

static inline bool memory_is_host(const struct memory *memory)
{
    return memory->kind == memory_host.kind;
}

/* Move blocks; where there are lists, each as a nest of its own. */
void memory_move_blocks(struct memory *memory, const struct blocks *blocks, char *to,
                        const char *from);

static inline bool memory_queues(const struct memory *memory)
{
    return memory->kind->fence;
}

/* Begin to move between two arrays, outside of a run; and end it: all moves are done.
 * MEMORY, DEVICE. */
redist_err memory_begin(struct memory *memory, const void *to, const void *from);
redist_err memory_end(struct memory *memory);

/* Move one nest between two addresses so. */
redist_err memory_move(const struct nest *nest, char *to, const char *from);

#endif
