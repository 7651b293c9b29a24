/* SPDX-License-Identifier: MIT
 *
 * move/walk/listed.h - messages of index lists, whose elements lie anywhere in a local
 * array. A list tells where each element of the message lies, in the message's order.
 * Each end has a list of its own array and need not know the other's.
 *
 *   places   5 2 9 3 ..           four bytes an element
 *   runs     (0, 5) (3, 20) ..    elements 0 .. 2 lie at 5, 6, 7; from 3 on at 20, ..
 *
 * A message whose runs are long has runs, which are shorter and faster than places. At a
 * target with a blocked scatter (blocked_scatter.h) it has runs, too: elements that come
 * to one block of the array from nearby places of the source are contiguous.
 */
#ifndef REDIST_MOVE_WALK_LISTED_H
#define REDIST_MOVE_WALK_LISTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "move/walk/blocked_scatter.h"

struct combine; /* combine.h */

struct listed_run {
    int64_t at;    /* elements of the message before it */
    int64_t place; /* of its first element in the array */
};

/* One message. */
struct listed {
    int rank; /* of the other process; may be the own */
    int64_t elements;
    const uint32_t *place; /* [elements]; NULL: the message has runs */
    int64_t nruns;
    const struct listed_run *run; /* [nruns] */
    int window; /* the source is traversed by ascending windows of 1 << window elements;
                   0: it is not */
    /* of a target, or NULL */
    const struct blocked_scatter *scatter; /* runs tell where elements are put before they
                                              are ordered */
    const uint32_t *from;                  /* [elements] places in the source's array */
};

/* All messages of one side, ascending by rank. */
struct listing {
    int64_t n;
    struct listed *message;          /* [n] */
    uint32_t *place;                 /* of all messages that have places, or NULL */
    struct listed_run *run;          /* of all that have runs, or NULL */
    struct blocked_scatter *scatter; /* of all messages, or NULL */
    uint32_t *from;                  /* the same */
    int64_t block;  /* elements of the user's that are one element here */
    int64_t length; /* of the local array, in these blocks */
    bool known;     /* of a source: the receivers of the messages know its places, too */
};
void listing_free(struct listing *listing);

/* The mean elements of a run from which on runs are faster than places. */
enum { LISTED_LONG = 16 };

/* Replace the places of messages with long runs by runs. The memory of the places is
 * freed if no message has any left.
 * O(elements). MEMORY: the listing is unchanged. */
bool listing_shorten(struct mem_account *account, struct listing *listing);

/* Tell whether these places go by ascending windows of 1 << window elements, judged by a
 * sample. Only prefetching depends on it. O(elements), with a small constant. */
bool listed_goes_by(const uint32_t place[], int64_t elements, int window);

/* Tell whether the elements of a message are contiguous, from `*place` on. O(1). */
bool listed_is_contiguous(const struct listed *list, int64_t *place);

/* Find the place of an element of a message in the array: its final place, with a blocked
 * scatter too. O(1), or O(log runs). */
int64_t listed_place(const struct listed *list, int64_t element);

/* Tell whether non-temporal stores are best for replacing elements of an array too large
 * for the cache. O(1). */
bool listed_streams(const struct listed *list, int64_t size);

/* How elements are stored into an array. */
struct filling {
    const struct combine *combine; /* with the array's values; NULL: replace them */
    bool stream;                   /* past the cache, ordered by the next stream_fence */
};

/* Move elements at .. at + n - 1 of a message: from the array into a dense buffer; from
 * the buffer into the array; or from array to array. Elements have `size` bytes, if they
 * are converted in the target. With a blocked scatter, the array must be ordered
 * afterwards (blocked_scatter_order), unless elements are combined: those go to their
 * final places. */
void listed_gather(const struct listed *list, int64_t at, int64_t n, int64_t size,
                   const char *array, char *dense);
void listed_scatter(const struct listed *list, int64_t at, int64_t n, int64_t size,
                    struct filling filling, const char *dense, char *array);
void listed_copy(const struct listed *from_list, const struct listed *to_list, int64_t at,
                 int64_t n, int64_t size, struct filling filling, const char *from,
                 char *to);

#endif
