/* SPDX-License-Identifier: MIT
 *
 * move/in_place/portions.h - convert a dense local array into pages of its messages, and
 * back, within the array's own memory.
 *
 *   array   a b c a b c a b c a b c
 *   split   - - - a b c a b c a b c    a window has been read: staging has  a. b. c.
 *           - - - - - - a b c a b c    the next: its pages are full         aa bb cc
 *           a . b . c . - - - a b c    elements read make room for pages
 *           a a b b c c - - - - - -
 *   merge   the reverse: pages leave a window, then it is filled
 *
 * In both, the elements of each message follow the order of the array's memory: so a
 * window of the array holds a range of each message.
 */
#ifndef REDIST_MOVE_IN_PLACE_PORTIONS_H
#define REDIST_MOVE_IN_PLACE_PORTIONS_H

#include "move/in_place/pages.h"
#include "move/walk/walk.h"

/* One message. */
struct portion {
    int rank; /* of the other process */
    int64_t elements;
    int64_t first; /* its first page; the others follow */
    int64_t done;  /* elements split off, or merged */
    int64_t begin; /* the begin of its place in the array, if it has one of its own */
    struct walk walk;
};

/* All messages of a dense local array. */
struct portions {
    redist_side side; /* of the array: the source is split, the target is merged */
    int64_t elements; /* of the array */
    bool whole; /* each portion is contiguous in the array, with a place of its own */
    int64_t n;
    struct portion *portion; /* [n], in one block with the axes of their walks */
};

/* Make the portions of an overlap's messages, of the process to itself too, in the array
 * of `sides[side]`. Both views must have the same order, that of the elements of each
 * message. The overlap must live on. O(messages). MEMORY. */
redist_err portions_make(struct mem_account *account, const struct overlap *overlap,
                         const struct memory_side sides[SIDES], redist_side side,
                         int64_t element, struct portions *portions);
void portions_free(struct portions *portions);

/* Count the pages of a portion. */
static inline int64_t portion_pages(const struct portion *portion, int64_t page)
{
    return portion->elements / page + (portion->elements % page != 0);
}

/* Number the pages of all portions from `first` on; returns the next number. */
int64_t portions_number(struct portions *portions, int64_t first, int64_t page);

/* An array is traversed by windows, which begin anew with each row. */
struct windows {
    int64_t row, window; /* elements */
};

/* Move the array's elements into the pages of its portions, or back, a window at a
 * time. */
void portions_move(struct portions *portions, struct pages *pages,
                   const struct windows *windows);

#endif
