/* SPDX-License-Identifier: MIT
 *
 * move/in_place/pages.h - where the pages of messages lie: in slots of the array they are
 * made from, or of a small staging memory.
 *
 *   slots   | 0 | 1 | 2 | 3 | 4 | 5 |.| 6 | 7 | 8 |     of one page each; the rest at the
 *            array                      staging         array's end is no slot
 *
 * A slot of the array is `away` while the array needs its elements. Slots are lent to
 * pages from the array's start on or from its end back, and reclaimed from its start on.
 * A page in a reclaimed slot moves to another one.
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
    int64_t nslots, inside; /* all, and those in the array, which come first */
    int64_t lent;           /* slots before this one have been lent */
    int64_t reclaimed;      /* slots before this one have been reclaimed */
    char *array, *staging;
    int32_t *slot;  /* [pages]: where each page lies */
    int32_t *owner; /* [nslots]: the page in it, SLOT_FREE or SLOT_AWAY */
    int32_t *free;  /* [nfree]: a stack of slots, some of which may have been reclaimed */
    int64_t nfree;
};
enum { SLOT_FREE = -1, SLOT_AWAY = -2 };

/* The size of pages, and the number of slots. */
struct pages_size {
    int64_t element;         /* bytes */
    int64_t page;            /* elements */
    int64_t pages;           /* at most */
    int64_t inside, outside; /* slots of the array, and of staging memory */
};

/* What pages must hold: the elements of an array in some lists of pages, the last page of
 * each of which may be partly filled. */
struct pages_demand {
    int64_t element;  /* bytes */
    int64_t elements; /* of the array */
    int64_t lists;    /* of pages */
    int64_t copies;   /* pages are numbered for this many copies of the array's elements,
                         1 or 2 */
    int64_t window;   /* elements of the array that are in it and in pages at the same
                         time */
};

/* Find the largest pages for which `bytes` of staging memory suffice: half of it for
 * partly filled pages, a quarter for the window. A page is a message of MPI, of at most
 * 2^30 bytes. False if there are none. O(1). */
bool pages_fit(const struct pages_demand *demand, int64_t bytes, struct pages_size *size);

/* Return the bytes of staging memory that suffice, if `cap` does not: a number that
 * `fits` accepts. 0: the cap does; INT64_MAX: no number does. O(log). */
int64_t pages_lack(bool (*fits)(void *context, int64_t bytes), void *context,
                   int64_t cap);

/* Refuse a cap that does not suffice, for a local array of `useful` bytes. ARG. */
redist_err pages_refuse(int64_t useful, int64_t cap, int64_t lack);

/* Find how much staging memory to use of a cap that suffices: at most `useful`, unless
 * more is needed. Calls `fits`; the last number that it accepts counts. O(log). */
void pages_use(bool (*fits)(void *context, int64_t bytes), void *context, int64_t useful,
               int64_t cap);

/* Bytes of the slots in staging memory and of the tables. */
int64_t pages_staging_bytes(const struct pages_size *size);

/* Begin with all slots of the array away and all slots of staging memory free. `staging`
 * has pages_staging_bytes and is aligned to 8 bytes. O(slots). */
void pages_begin(struct pages *pages, const struct pages_size *size, char *array,
                 char *staging);

/* Lend the slots that lie completely before, or behind, place `x` of the array. */
void pages_lend_before(struct pages *pages, int64_t x);
void pages_lend_behind(struct pages *pages, int64_t x);

/* Reclaim the slots that begin before place `x`; there must be room for their pages. */
void pages_reclaim_before(struct pages *pages, int64_t x);

/* The address of page `id`. */
static inline char *pages_at(const struct pages *pages, int64_t id)
{
    int64_t slot = pages->slot[id], bytes = pages->page * pages->element;
    return slot < pages->inside ? pages->array + slot * bytes
                                : pages->staging + (slot - pages->inside) * bytes;
}

/* Give page `id` a free slot; there must be one, and the page has none. Returns its
 * address. */
char *pages_take(struct pages *pages, int64_t id);

/* Free the slot of page `id`. */
void pages_drop(struct pages *pages, int64_t id);

#endif
