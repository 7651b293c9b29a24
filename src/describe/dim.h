/* SPDX-License-Identifier: MIT
 *
 * describe/dim.h - one dimension: which coordinate owns each element, and at which local
 * index.
 *
 * Every format consists of blocks: consecutive elements of one owner, which are
 * contiguous in its local array. Regular formats (*, BLOCK, CYCLIC) are all CYCLIC(m)
 * from a first coordinate, with closed forms; irregular ones (GEN_BLOCK, INDIRECT) keep a
 * list.
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

/* Global elements [begin, end) of one owner, at its local indices from `local` on. */
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
    int64_t written; /* m as given, for the text form; REDIST_EVEN_BLOCK: none */
    /* irregular: the non-empty blocks, ascending, the coordinates that own any, and the
     * ids of each owner's blocks. The memory does not depend on procs. */
    int64_t nblocks, nowners;
    struct block *blocks; /* [nblocks] */
    int *owners;          /* [nowners] ascending */
    int64_t *own_begin;   /* [nowners + 1] into own */
    int64_t *own;         /* [nblocks] ids of blocks, ascending within a coordinate */
};

/* Make the dimension of `format` over `procs` coordinates along `axis`; number `i` is for
 * messages.
 * O(1); GEN_BLOCK O(procs); INDIRECT O(extent). ARG, MEMORY. */
redist_err dim_make(int i, int64_t extent, const redist_format *format, int procs,
                    int axis, struct dim *dim);
void dim_free(struct dim *dim);

/* Make the dimension, INDIRECT along axis 0, of `n` blocks [begin, end) with their
 * owners, ascending and disjoint; empty ones are skipped, `local` is ignored. Elements
 * between them have no known owner and must not be queried: so a process can describe
 * only those parts of a large array that concern it.
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

/* Count the elements of coordinate c. O(1), irregular O(log nowners). */
int64_t dim_count(const struct dim *dim, int c);

/* Return a coordinate with the most (sign 1) or the fewest (-1) elements.
 * O(1), irregular O(nowners log nowners). */
int dim_extreme(const struct dim *dim, int sign);

/* Return the block of element i, 0 <= i < extent. The last block ends with the extent.
 * O(1), irregular O(log nblocks). */
struct block dim_block_at(const struct dim *dim, int64_t i);

/* Count the blocks of coordinate c; return its j-th. O(1), irregular O(log nowners). */
int64_t dim_block_count(const struct dim *dim, int c);
struct block dim_block(const struct dim *dim, int c, int64_t j);

/* Return the global index of local element `local` of coordinate c, 0 <= local <
 * dim_count.
 * O(1), irregular O(log nowners log own blocks). */
int64_t dim_global(const struct dim *dim, int c, int64_t local);

/* Tell whether two dimensions give every element the same owner and local index.
 * O(1), irregular O(blocks log blocks). */
bool dim_equal(const struct dim *a, const struct dim *b);

#endif
