/* SPDX-License-Identifier: MIT */
#include "move/in_place/pages.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"

/* ---- sizes ------------------------------------------------------------------------- */

/* Pages of staging memory in addition to those of lists and of the window, as windows and
 * the array's end cut pages. */
enum { SPARE = 3 };

static int64_t slots_bytes(const struct pages_size *size)
{
    int64_t bytes = size->outside * size->page * size->element;
    return bytes + int_mod(-bytes, (int64_t)sizeof(int64_t));
}

int64_t pages_staging_bytes(const struct pages_size *size)
{
    int64_t slots = size->inside + size->outside;
    return slots_bytes(size) + (size->pages + 2 * slots) * (int64_t)sizeof(int32_t);
}

bool pages_fit(const struct pages_demand *demand, int64_t bytes, struct pages_size *size)
{
    int64_t element = demand->element;
    int64_t page = int_min(bytes / 2 / (demand->lists + SPARE + 1), 1 << 30) / element;
    page = int_min(page, demand->window);
    if (page < 1) return false;
    int64_t full = demand->elements / page;
    *size = (struct pages_size){.element = demand->element,
                                .page = page,
                                .pages = demand->copies * full + demand->lists,
                                .inside = full,
                                .outside = int_ceil_div(demand->window, page) +
                                           demand->lists + SPARE};
    return size->pages <= INT32_MAX && size->inside + size->outside <= INT32_MAX &&
           pages_staging_bytes(size) <= bytes;
}

/* Return the least power of two that fits; INT64_MAX: none does. */
static int64_t find_enough(bool (*fits)(void *context, int64_t bytes), void *context)
{
    int64_t enough = 64;
    for (; !fits(context, enough); enough *= 2)
        if (enough > INT64_MAX / 2) return INT64_MAX;
    return enough;
}

int64_t pages_lack(bool (*fits)(void *context, int64_t bytes), void *context, int64_t cap)
{
    int64_t enough = find_enough(fits, context);
    return enough <= cap || fits(context, cap) ? 0 : enough;
}

redist_err pages_refuse(int64_t useful, int64_t cap, int64_t lack)
{
    if (lack == INT64_MAX)
        return error_arg("in_place: the local array is too large, of %" PRId64 " bytes",
                         useful);
    return error_arg("in_place: staging_bytes is %" PRId64
                     ", too few for this exchange, %" PRId64 " will do",
                     cap, lack);
}

void pages_use(bool (*fits)(void *context, int64_t bytes), void *context, int64_t useful,
               int64_t cap)
{
    int64_t enough = int_min(find_enough(fits, context), cap);
    if (!fits(context, int_min(int_max(enough, useful), cap)))
        (void)fits(context, enough);
}

/* ---- slots ------------------------------------------------------------------------- */

static void set_free(struct pages *pages, int64_t slot)
{
    pages->owner[slot] = SLOT_FREE;
    pages->free[pages->nfree++] = (int32_t)slot;
}

void pages_begin(struct pages *pages, const struct pages_size *size, char *array,
                 char *staging)
{
    *pages = (struct pages){.element = size->element,
                            .page = size->page,
                            .nslots = size->inside + size->outside,
                            .inside = size->inside,
                            .array = array,
                            .staging = staging};
    pages->slot = (int32_t *)(void *)(staging + slots_bytes(size));
    pages->owner = pages->slot + size->pages;
    pages->free = pages->owner + pages->nslots;
    for (int64_t slot = 0; slot < pages->inside; slot++) pages->owner[slot] = SLOT_AWAY;
    for (int64_t slot = pages->inside; slot < pages->nslots; slot++)
        set_free(pages, slot);
}

void pages_lend_before(struct pages *pages, int64_t x)
{
    int64_t end = int_min(x / pages->page, pages->inside);
    for (; pages->lent < end; pages->lent++)
        if (pages->owner[pages->lent] == SLOT_AWAY) set_free(pages, pages->lent);
}

void pages_lend_behind(struct pages *pages, int64_t x)
{
    for (int64_t slot = int_ceil_div(x, pages->page); slot < pages->inside; slot++)
        set_free(pages, slot);
}

/* Return a free slot that has not been reclaimed. */
static int64_t pop(struct pages *pages)
{
    int64_t slot = SLOT_AWAY;
    while (slot < 0) {
        assert(pages->nfree > 0);
        slot = pages->free[--pages->nfree];
        if (pages->owner[slot] == SLOT_AWAY) slot = SLOT_AWAY;
    }
    return slot;
}

char *pages_take(struct pages *pages, int64_t id)
{
    int64_t slot = pop(pages);
    pages->slot[id] = (int32_t)slot;
    pages->owner[slot] = (int32_t)id;
    return pages_at(pages, id);
}

void pages_drop(struct pages *pages, int64_t id) { set_free(pages, pages->slot[id]); }

void pages_reclaim_before(struct pages *pages, int64_t x)
{
    int64_t first = pages->reclaimed;
    int64_t end = int_min(int_ceil_div(x, pages->page), pages->inside);
    /* all are away before any page moves, so that none moves into one of them */
    for (int64_t slot = first; slot < end; slot++)
        if (pages->owner[slot] == SLOT_FREE) pages->owner[slot] = SLOT_AWAY;
    for (int64_t slot = first; slot < end; slot++) {
        int64_t id = pages->owner[slot];
        if (id < 0) continue;
        const char *from = pages_at(pages, id);
        pages->owner[slot] = SLOT_AWAY;
        memcpy(pages_take(pages, id), from, (size_t)(pages->page * pages->element));
    }
    pages->reclaimed = int_max(first, end);
}
