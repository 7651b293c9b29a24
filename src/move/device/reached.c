/* SPDX-License-Identifier: MIT */
#include "move/device/reached.h"

#include <string.h>

#include "base/latch.h"
#include "base/mem.h"
#include "move/walk/memory.h"

enum { MOST = 64 /* allocations that are open for an owner, unless one run has more */ };

static struct reached {
    struct reached *next; /* used longer ago */
    const void *owner;
    int64_t run; /* of the owner, which used it last */
    struct memory_place place;
    char *begin; /* NULL: it cannot be reached */
} * all;

static atomic_flag latch = ATOMIC_FLAG_INIT;

static bool same_handle(const struct memory_place *x, const struct memory_place *y)
{
    return memcmp(x->handle, y->handle, sizeof x->handle) == 0;
}

/* Remove *link from the list. */
static void drop(const struct device_driver *driver, struct reached **link)
{
    struct reached *one = *link;
    *link = one->next;
    if (one->begin) driver->leave(one->begin);
    mem_free(one);
}

/* Take an owner's entry of this allocation out of the list; NULL: there is none. One of
 * an allocation that was freed is dropped, and the last ones of earlier runs, if there
 * are too many. */
static struct reached *take(const struct device_driver *driver, const void *owner,
                            int64_t run, const struct memory_place *place)
{
    int n = 0;
    for (struct reached **link = &all; *link;) {
        struct reached *one = *link;
        bool same = one->owner == owner && same_handle(&one->place, place);
        if (same && one->place.id == place->id) {
            *link = one->next;
            return one;
        }
        n += one->owner == owner;
        if (same || (one->owner == owner && n >= MOST && one->run != run))
            drop(driver, link);
        else
            link = &one->next;
    }
    return NULL;
}

static struct reached *open_one(const struct device_driver *driver, const void *owner,
                                const struct memory_place *place)
{
    struct reached *one = mem_alloc(NULL, 1, sizeof *one);
    void *begin = NULL;
    if (!one) return NULL;
    if (driver->reach(place, &begin) != 0) begin = NULL;
    *one = (struct reached){.owner = owner, .place = *place, .begin = begin};
    return one;
}

const char *reached_find(const struct device_driver *driver, const void *owner,
                         int64_t run, const struct memory_place *place)
{
    latch_lock(&latch);
    struct reached *found = take(driver, owner, run, place);
    if (!found) found = open_one(driver, owner, place);
    if (found) {
        found->run = run;
        found->next = all;
        all = found;
    }
    const char *at = found && found->begin ? found->begin + place->offset : NULL;
    latch_unlock(&latch);
    return at;
}

void reached_leave(const struct device_driver *driver, const void *owner)
{
    latch_lock(&latch);
    for (struct reached **link = &all; *link;) {
        if ((*link)->owner == owner)
            drop(driver, link);
        else
            link = &(*link)->next;
    }
    latch_unlock(&latch);
}
