/* SPDX-License-Identifier: MIT
 *
 * move/in_place/pages.h - where the pages of messages lie: in slots of the array that
 * they are made from, or of a little staging memory beside it.
 *
 *   slots   | 0 | 1 | 2 | 3 | 4 | 5 |.| 6 | 7 | 8 |     of one page each; what is left of
 *            array                      staging         the array at its end is no slot
 *
 * A slot of the array is away while the array needs its elements; it can be lent to the
 * pages from its start on or from its end back, and is reclaimed from its start on. A
 * page that stands in the way moves to another slot.
 */
#ifndef REDIST_MOVE_IN_PLACE_PAGES_H
#define REDIST_MOVE_IN_PLACE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <redist/describe.h>

struct pages {
    int64_t element;        /* bytes */
    int64_t page;           /* elements of a page */
    int64_t nslots, inside; /* all, and those in the array: the first */
    int64_t lent;           /* slots before this one are lent, once they were */
    int64_t reclaimed;      /* slots before this one are away again */
    char *array, *staging;
    int32_t *slot;  /* [pages]: where each page lies */
    int32_t *owner; /* [nslots]: the page in it, or one of the below */
    int32_t *free;  /* [nfree]: a stack of slots, which may since have been reclaimed */
    int64_t nfree;
};
enum { SLOT_FREE = -1, SLOT_AWAY = -2 };

/* How large pages are, and how many slots there are for how many. */
struct pages_size {
    int64_t element;         /* bytes */
    int64_t page;            /* elements */
    int64_t pages;           /* at most */
    int64_t inside, outside; /* slots of the array, and of staging memory */
};

/* What has to be held: the elements of an array in so many lists of pages that each may
 * end with a page that is not full. */
struct pages_demand {
    int64_t element;  /* bytes */
    int64_t elements; /* of the array */
    int64_t lists;    /* of pages */
    int64_t copies;   /* of the array's elements that are numbered as pages, 1 or 2 */
    int64_t window;   /* elements of the array that are in it and in pages at a time */
};

/* Find the largest pages for which staging memory of `bytes` is enough, half of it for
 * lists that are not full, a quarter for the window. False if there are none. O(1). */
bool pages_fit(const struct pages_demand *demand, int64_t bytes, struct pages_size *size);

/* Find how much staging memory to use: no more than `cap`, nor than is `useful` if less
 * will do. Calls `fits` with numbers of bytes; the last one for which it says yes counts.
 * O(log). ARG: all of the cap is not enough; the sentence says what is. */
redist_err pages_use(bool (*fits)(void *context, int64_t bytes), void *context,
                     int64_t useful, int64_t cap);

/* Bytes of the slots outside and of the tables. */
int64_t pages_staging_bytes(const struct pages_size *size);

/* Begin: all slots of the array are away, all of staging are free. `staging` is
 * pages_staging_bytes large and aligned to 8 bytes. O(slots). */
void pages_begin(struct pages *pages, const struct pages_size *size, char *array,
                 char *staging);

/* Lend the slots that lie wholly before, or behind, place `x` of the array. */
void pages_lend_before(struct pages *pages, int64_t x);
void pages_lend_behind(struct pages *pages, int64_t x);

/* Take back the slots that begin before place `x`; there must be room for what is in
 * them. */
void pages_reclaim_before(struct pages *pages, int64_t x);

/* Where page `id` lies. */
static inline char *pages_at(const struct pages *pages, int64_t id)
{
    int64_t slot = pages->slot[id], bytes = pages->page * pages->element;
    return slot < pages->inside ? pages->array + slot * bytes
                                : pages->staging + (slot - pages->inside) * bytes;
}

/* Give page `id`, which lies nowhere, a free slot, of which there must be one.
 * Returns its place. */
char *pages_take(struct pages *pages, int64_t id);

/* Page `id` is needed no more. */
void pages_drop(struct pages *pages, int64_t id);

#endif
