/* SPDX-License-Identifier: MIT
 *
 * move/in_place/relayout.h - change the order of the dimensions of a dense local array
 * within its own memory.
 *
 * The array is cut into slabs that are contiguous in the new order and small compared to
 * the staging memory. A slab is treated as a message of the process to itself
 * (portions.h): it is split from the array in the old order and merged into it in the new
 * one.
 *
 *   row-major   a b c d           slabs   a e | c g     merged   a e i b f j | c g k ..
 *               e f g h                   b f | d h
 *               i j k l                   i j | k l              column-major
 */
#ifndef REDIST_MOVE_IN_PLACE_RELAYOUT_H
#define REDIST_MOVE_IN_PLACE_RELAYOUT_H

#include "move/in_place/portions.h"

struct relayout {
    bool needed; /* the orders differ in dimensions of more than one element */
    struct windows windows;
    struct pages_size size;
    struct overlap overlap;
    struct portions portions[SIDES];
};

/* Prepare to reorder an array with `view`'s dimensions and `count`[ndims] local elements
 * along them, from the order `from`[ndims] to the view's. At most `staging` bytes are
 * used; relayout->size tells how many. If they do not suffice, `*lack` is as
 * pages_lack's, and nothing is prepared; else 0. O(slabs). MEMORY. */
redist_err relayout_make(struct mem_account *account, const redist_view *view,
                         const int64_t count[], const int from[], int64_t element,
                         int64_t staging, struct relayout *relayout, int64_t *lack);
void relayout_free(struct relayout *relayout);

/* Reorder the array. */
void relayout_run(struct relayout *relayout, char *array, char *staging);

#endif
