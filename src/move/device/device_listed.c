/* SPDX-License-Identifier: MIT */
#include "move/device/device_listed.h"

#include "base/hash.h"
#include "base/latch.h"
#include "base/mem.h"

enum { CHAINS = 1 << 10 };

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
    int code = all ? 0 : DEVICE_LISTED_NOT;
    for (int64_t k = 0; k < n && code == 0; k++) {
        int64_t at = listed_place(list, k);
        all[k] = (uint32_t)at;
        if (at > UINT32_MAX) code = DEVICE_LISTED_NOT;
    }
    if (code == 0) code = driver->store(all, (size_t)n * sizeof *all, there);
    mem_free(all);
    return code;
}

int device_listed_find(const struct device_driver *driver, const struct listed *list,
                       const uint32_t **at)
{
    int code = 0;
    latch_lock(&latch);
    struct stored **link = find(list), *found = *link;
    if (!found) {
        found = mem_alloc(NULL, 1, sizeof *found);
        code = found ? store(driver, list, &found->there) : DEVICE_LISTED_NOT;
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

void device_listed_leave(const struct device_driver *driver, const void *list)
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
