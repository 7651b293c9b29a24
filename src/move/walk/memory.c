/* SPDX-License-Identifier: MIT
 *
 * move/walk/memory.c - host memory: which two loops of a nest go to a kernel, and in
 * which order; and the kind that is beside it.
 */
#include "move/walk/memory.h"

#include <string.h>

#if defined __linux__
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "base/error.h"
#include "base/intmath.h"
#include "base/lengths.h"
#include "move/arith/combine.h"
#include "move/arith/convert.h"
#include "move/kernel/kernels.h"
#include "move/kernel/transpose.h"

enum {
    /* Loops may be exchanged over this many bytes, which stay in the cache. */
    BATCH = LENGTH(4 << 10, 256),
    /* A shorter inner loop costs more to begin than to run. */
    SHORT_LOOP = 8,
    LINE = 64
};

/* The loops of one nest in the order in which they run. */
struct loops {
    void (*run)(const struct loops *loops, char *to, const char *from);
    int64_t block;
    bool stream;
    const struct combine *combine;
    int n;                                      /* loops around the kernel's two */
    const struct level *level[NEST_MAX_LEVELS]; /* [n] */
    const struct level *outer, *inner;          /* the kernel's */
};

static void run_loops(const struct loops *loops, int k, char *to, const char *from)
{
    if (k == loops->n) {
        loops->run(loops, to, from);
        return;
    }
    const struct level *level = loops->level[k];
    for (int64_t c = 0; c < level->count; c++)
        run_loops(loops, k + 1, to + c * level->step[REDIST_TARGET],
                  from + c * level->step[REDIST_SOURCE]);
}

/* ---- two loops, in a kernel -------------------------------------------------------- */

static void run_two(const struct loops *loops, char *to, const char *from,
                    const struct level *outer, const struct level *inner)
{
    if (loops->combine)
        combine_blocks(loops->combine, to, from, outer, inner, loops->block,
                       loops->stream);
    else
        kernel_blocks(to, from, outer, inner, loops->block, loops->stream);
}

static void run_blocks(const struct loops *loops, char *to, const char *from)
{
    run_two(loops, to, from, loops->outer, loops->inner);
}

/* Run the long loop inside the short one, in pieces that stay in the cache. */
static void run_exchanged(const struct loops *loops, char *to, const char *from)
{
    const struct level *outer = loops->outer, *inner = loops->inner;
    struct level part = *outer;
    part.count = int_max(BATCH / (inner->count * loops->block), SHORT_LOOP);
    for (int64_t k = 0; k < outer->count; k += part.count) {
        part.count = int_min(part.count, outer->count - k);
        run_two(loops, to + k * outer->step[REDIST_TARGET],
                from + k * outer->step[REDIST_SOURCE], inner, &part);
    }
}

static void run_transposed(const struct loops *loops, char *to, const char *from)
{
    const struct level *across = loops->outer, *along = loops->inner;
    if (loops->combine)
        combine_transposed(loops->combine, to, from, across, along, loops->block,
                           loops->stream);
    else
        transpose_blocks(to, from, across, along, loops->block, loops->stream);
}

/* ---- which loops ------------------------------------------------------------------- */

/* Find the loop that would be innermost by the source's steps, if it is not the target's:
 * its blocks share cache lines of the source, those of the innermost do not. -1: none. */
static int loop_across(const struct level *level, int n)
{
    int across = n - 1;
    for (int k = 0; k < n - 1; k++)
        if (level[k].step[REDIST_SOURCE] < level[across].step[REDIST_SOURCE]) across = k;
    return across < n - 1 && level[across].step[REDIST_SOURCE] < LINE ? across : -1;
}

static int longest(const struct level *level, int from, int to)
{
    int found = from;
    for (int k = from; k < to; k++)
        if (level[k].count > level[found].count) found = k;
    return found;
}

static void host_move(struct memory *memory, const struct nest *nest, char *to,
                      const char *from)
{
    (void)memory;
    static const struct level once = {.count = 1};
    const struct level *level = nest->level;
    int n = nest->n;
    struct loops loops; /* not zeroed: that would take longer than all the rest */
    loops.run = run_blocks;
    loops.block = nest->block;
    loops.stream = nest->stream;
    loops.combine = nest->combine;
    loops.n = 0;
    const struct convert *convert = loops.combine ? loops.combine->convert : NULL;
    int64_t written = convert ? convert_bytes(convert, loops.block) : loops.block;
    for (;
         n > 0 && level[n - 1].step[0] == loops.block && level[n - 1].step[1] == written;
         n--) {
        loops.block *= level[n - 1].count;
        written *= level[n - 1].count;
    }
    if (n == 0 && !loops.combine && !loops.stream) {
        kernel_bytes(to, from, loops.block);
        return;
    }
    if (n <= 1) {
        run_two(&loops, to, from, &once, n == 1 ? &level[0] : &once);
        return;
    }
    int across = loops.block < LINE ? loop_across(level, n) : -1;
    int outer = across >= 0 ? across : n - 2, inner = n - 1;
    if (across >= 0 && level[across].count * loops.block >= LINE)
        loops.run = run_transposed;
    else if (across >= 0)
        inner = longest(level, across + 1, n);
    else if (level[inner].count < SHORT_LOOP && level[outer].count > level[inner].count)
        loops.run = run_exchanged;
    loops.outer = &level[outer];
    loops.inner = &level[inner];
    for (int k = 0; k < n; k++)
        if (k != outer && k != inner) loops.level[loops.n++] = &level[k];
    run_loops(&loops, 0, to, from);
}

static const struct memory_kind host_kind = {.name = "host", .move = host_move};

struct memory memory_host = {.kind = &host_kind};

/* ---- other kinds ------------------------------------------------------------------- */

static const struct memory_kind *other;

void memory_add(const struct memory_kind *kind) { other = kind; }

bool memory_has_kinds(void) { return other != NULL; }

const struct memory_kind *memory_of(const void *address)
{
    return other && address && other->owns(address) ? other : &host_kind;
}

/* Tell whether an address can be read; true if the system does not say. Linux reads the
 * word that a mask of signals is to have before it finds that it is not to change it. */
static bool is_readable(const void *address)
{
#if defined __linux__
    enum { WORD = 8, NO_CHANGE = -1 };
    uintptr_t word = (uintptr_t)address / WORD * WORD;
    return syscall(SYS_rt_sigprocmask, NO_CHANGE, word, NULL, WORD) == 0 ||
           errno != EFAULT;
#else
    return address;
#endif
}

redist_err memory_check(const struct memory_kind *kind, const void *address)
{
    if (kind->check) return kind->check(address);
    if (!other || kind != &host_kind || is_readable(address)) return REDIST_OK;
    return error_arg("neither memory of the host nor %s memory", other->name);
}

redist_err memory_open(struct memory *memory, const struct memory_kind *kind,
                       void *stream)
{
    *memory = (struct memory){.kind = kind};
    return kind->open ? kind->open(memory, stream) : REDIST_OK;
}

redist_err memory_fence(struct memory *memory)
{
    return memory->kind->fence ? memory->kind->fence(memory) : REDIST_OK;
}

void memory_close(struct memory *memory)
{
    if (memory->kind->close) memory->kind->close(memory);
}

void memory_leave(const void *owner)
{
    if (other && other->leave) other->leave(owner);
}

void memory_move_blocks(struct memory *memory, const struct blocks *blocks, char *to,
                        const char *from)
{
    const struct nest block = {.block = blocks->nest.block,
                               .combine = blocks->nest.combine};
    const bool copies = memory_is_host(memory) && !block.combine;
    if (!blocks->list[REDIST_SOURCE] && !blocks->list[REDIST_TARGET]) {
        memory->kind->move(memory, &blocks->nest, to, from);
        return;
    }
    for (int64_t k = 0; k < blocks->nest.level[0].count; k++) {
        char *t = blocks_at(blocks, REDIST_TARGET, to, k);
        const char *f = blocks_at(blocks, REDIST_SOURCE, from, k);
        if (copies)
            memcpy(t, f, (size_t)block.block);
        else
            memory->kind->move(memory, &block, t, f);
    }
}

redist_err memory_begin(struct memory *memory, const void *to, const void *from)
{
    const struct memory_kind *kind = memory_of(to);
    return memory_open(memory, kind == &host_kind ? memory_of(from) : kind, NULL);
}

redist_err memory_end(struct memory *memory)
{
    redist_err err = memory_fence(memory);
    memory_close(memory);
    return err;
}

redist_err memory_move(const struct nest *nest, char *to, const char *from)
{
    struct memory memory;
    TRY(memory_begin(&memory, to, from));
    memory.kind->move(&memory, nest, to, from);
    return memory_end(&memory);
}
