/* SPDX-License-Identifier: MIT */
#include "move/device/pinned.h"

#include <sys/mman.h>

#include "base/intmath.h"
#include "base/latch.h"
#include "base/lengths.h"
#include "base/mem.h"

enum { PAGE = 4 << 10, LEAST = LENGTH(64 << 10, 1 << 10) /* bytes of a block */ };

/* Precedes a block, in a page of its own. */
struct block {
    struct block *next;
    size_t bytes;
    enum { NOT_TRIED, PINNED, REFUSED } state;
};

static const struct device_driver *driver;
static atomic_flag latch = ATOMIC_FLAG_INIT;
static struct block *blocks;

static char *begin_of(struct block *block) { return (char *)block + PAGE; }

static void *take(size_t bytes)
{
    size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
    struct block *block = mmap(NULL, PAGE + pages, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
    *block = (struct block){.bytes = pages};
    latch_lock(&latch);
    block->next = blocks;
    blocks = block;
    latch_unlock(&latch);
    return begin_of(block);
}

static void give(void *memory)
{
    struct block *block = (struct block *)(void *)((char *)memory - PAGE),
                 **link = &blocks;
    latch_lock(&latch);
    while (*link != block) link = &(*link)->next;
    *link = block->next;
    latch_unlock(&latch);
    if (block->state == PINNED) driver->unpin(memory);
    (void)munmap(block, PAGE + block->bytes);
}

void pinned_begin(const struct device_driver *given)
{
    static const struct mem_source source = {LEAST, take, give};
    driver = given;
    mem_take_elements_from(&source);
}

bool pinned_find(const char *address, struct device_range *range)
{
    latch_lock(&latch);
    struct block *block = blocks;
    while (block &&
           (address < begin_of(block) || address >= begin_of(block) + block->bytes))
        block = block->next;
    if (block && block->state == NOT_TRIED)
        block->state = driver->pin(begin_of(block), block->bytes) == 0 ? PINNED : REFUSED;
    bool found = block && block->state == PINNED;
    if (found)
        *range = (struct device_range){DEVICE_PINNED, begin_of(block),
                                       begin_of(block) + block->bytes};
    latch_unlock(&latch);
    return found;
}
