/* SPDX-License-Identifier: MIT
 *
 * describe/dim.h - one dimension: which coordinate owns which element, and where it keeps
 * it.
 *
 * Every format deals out blocks: stretches of consecutive elements of one owner, which
 * lie side by side in the owner's local array. Regular formats (*, BLOCK, CYCLIC) are all
 * CYCLIC(m) from a first coordinate, with closed forms; irregular ones (GEN_BLOCK,
 * INDIRECT) keep a list.
 *
 *   CYCLIC(2) onto 3, extent 9    elements  0 1 2 3 4 5 6 7 8
 *                                 owner     0 0 1 1 2 2 0 0 1
 *                                 local     0 1 0 1 0 1 2 3 2
 */
#ifndef REDIST_DESCRIBE_DIM_H
#define REDIST_DESCRIBE_DIM_H

#include <stdbool.h>

#include <redist/describe.h>

#include "base/mem.h"

/* A stretch [begin, end) of global elements of one owner, at local index `local` on. */
struct block {
    int64_t begin, end;
    int64_t local;
    int owner;
};

struct dim {
    redist_format_kind kind;
    int64_t extent;
    int procs; /* coordinates, >= 1; 1 if collapsed */
    int axis;  /* of the grid; -1 if collapsed */
    int first; /* coordinate that owns element 0, or that gets sizes[0] */
    int64_t m; /* regular: elements of a block, 1 to the extent; all where procs is 1 */
    int64_t
        written; /* the argument m as given, for the text form; REDIST_EVEN_BLOCK: none */
    /* irregular: the non-empty blocks in ascending order, the coordinates that own any,
     * and the ids of each one's own. Its memory does not depend on procs. */
    int64_t nblocks, nowners;
    struct block *blocks; /* [nblocks] */
    int *owners;          /* [nowners] ascending */
    int64_t *own_begin;   /* [nowners + 1] into own */
    int64_t *own;         /* [nblocks] ids of blocks, ascending within a coordinate */
};

/* Make the dimension of `format` over `procs` coordinates along `axis`; number `i` is
 * for messages. O(1); GEN_BLOCK O(procs); INDIRECT O(extent). ARG, MEMORY. */
redist_err dim_make(int i, int64_t extent, const redist_format *format, int procs,
                    int axis, struct dim *dim);
void dim_free(struct dim *dim);

/* Make the dimension, INDIRECT along axis 0, of `n` blocks [begin, end) and their owners,
 * ascending and disjoint; empty ones are left out, `local` is not looked at. Elements
 * between them belong to nobody that is known, and must not be asked for: a process may
 * so describe those parts of a large array that it has to do with.
 * O(n). MEMORY. */
redist_err dim_from_blocks(int64_t extent, int procs, int64_t n,
                           const struct block blocks[], struct dim *dim);

/* Copy a dimension. `account`, which may be NULL, is charged.
 * Irregular O(blocks). MEMORY. */
redist_err dim_copy(struct mem_account *account, const struct dim *dim, struct dim *copy);

static inline bool dim_is_regular(const struct dim *dim)
{
    return dim->kind != REDIST_GEN_BLOCK && dim->kind != REDIST_INDIRECT;
}

/* Elements that coordinate c holds. O(1), irregular O(log nowners). */
int64_t dim_count(const struct dim *dim, int c);

/* A coordinate that holds the most (sign 1) or the least (-1) elements.
 * O(1), irregular O(nowners log nowners). */
int dim_extreme(const struct dim *dim, int sign);

/* The block that holds element i, 0 <= i < extent. The last block ends with the extent.
 * O(1), irregular O(log nblocks). */
struct block dim_block_at(const struct dim *dim, int64_t i);

/* How many blocks coordinate c owns, and its j-th. O(1), irregular O(log nowners). */
int64_t dim_block_count(const struct dim *dim, int c);
struct block dim_block(const struct dim *dim, int c, int64_t j);

/* The global index of local element `local` of coordinate c, 0 <= local < dim_count.
 * O(1), irregular O(log nowners log own blocks). */
int64_t dim_global(const struct dim *dim, int c, int64_t local);

/* Whether two dimensions give every element to the same coordinate at the same place.
 * O(1), irregular O(blocks log blocks). */
bool dim_equal(const struct dim *a, const struct dim *b);

#endif
