/* SPDX-License-Identifier: MIT
 *
 * move/walk/listed.h - messages whose elements lie anywhere in a local array: for each
 * message, where its elements lie, in its order. Both its ends have a list, each of its
 * own array, and need not know the other's.
 *
 *   places   5 2 9 3 ..           four bytes an element
 *   runs     (0, 5) (3, 20) ..    elements 0 .. 2 lie at 5, 6, 7; from 3 on at 20, ..
 *
 * A message has runs where they are long: the shorter list, and quicker to go by. And
 * where it lands (blocked_scatter.h), as all that comes to one of the array's blocks from
 * near places of the source is side by side.
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

/* Of one message. */
struct listed {
    int rank; /* of the other process; may be the own */
    int64_t elements;
    const uint32_t *place; /* [elements]; NULL: the message has runs */
    int64_t nruns;
    const struct listed_run *run; /* [nruns] */
    int window; /* the source is gone over by ascending windows of 1 << window elements;
                   0: it is not */
    /* of a target, or NULL */
    const struct blocked_scatter *scatter; /* runs say where elements land */
    const uint32_t *from;                  /* [elements] places in the source's array */
};

/* Of all messages of one side, ascending by rank. */
struct listing {
    int64_t n;
    struct listed *message;          /* [n] */
    uint32_t *place;                 /* of all messages that have places, or NULL */
    struct listed_run *run;          /* of all that have runs, or NULL */
    struct blocked_scatter *scatter; /* of all messages, or NULL */
    uint32_t *from;                  /* the same */
    int64_t block;  /* elements of the array that are one here: they always go together */
    int64_t length; /* of the local array, in these */
    bool known;     /* of a source: those who receive the messages have its places, too */
};
void listing_free(struct listing *listing);

/* So many elements a run on the average, and runs are quicker to go by than places. */
enum { LISTED_LONG = 16 };

/* Give those messages that have places, and long runs, these instead. The places are
 * given back if no message has any left.
 * O(elements). MEMORY: the listing is as it was. */
bool listing_shorten(struct mem_account *account, struct listing *listing);

/* Whether these places go by ascending windows of 1 << window elements, as seen from some
 * of them: only what is fetched early depends on it. O(elements), and little of it. */
bool listed_goes_by(const uint32_t place[], int64_t elements, int window);

/* Whether the elements of a message lie side by side, from `*place` on. O(1). */
bool listed_is_contiguous(const struct listed *list, int64_t *place);

/* The place of an element of a message in the array, where it belongs when all has come.
 * O(1), or O(log runs). */
int64_t listed_place(const struct listed *list, int64_t element);

/* Whether what replaces elements of an array that is too large for the cache is best
 * written past it. O(1). */
bool listed_streams(const struct listed *list, int64_t size);

/* How elements come into an array. */
struct filling {
    const struct combine *combine; /* with what is there; NULL: they replace it */
    bool stream;                   /* past the cache, up to the next stream_fence */
};

/* Elements at .. at + n - 1 of a message: out of the array into a dense buffer; out of
 * the buffer into the array; or out of one array into another. Elements are of `size`
 * bytes. What lands must be put in order then (blocked_scatter_order), unless it is
 * combined: that goes where it belongs. */
void listed_gather(const struct listed *list, int64_t at, int64_t n, int64_t size,
                   const char *array, char *dense);
void listed_scatter(const struct listed *list, int64_t at, int64_t n, int64_t size,
                    struct filling filling, const char *dense, char *array);
void listed_copy(const struct listed *from_list, const struct listed *to_list, int64_t at,
                 int64_t n, int64_t size, struct filling filling, const char *from,
                 char *to);

#endif
