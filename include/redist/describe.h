/* SPDX-License-Identifier: MIT
 *
 * redist/describe.h - say who owns what. Free of MPI: everything here is local and pure.
 *
 *   redist_grid   a process grid: shape, and a map from coordinates to ranks
 *   redist_dist   an N-dimensional index space over a grid, one HPF-2 format a dimension
 *   redist_view   a dist, plus the section of it that takes part and its layout in memory
 *
 * Grids and dists never change once they are made: any number of threads may use them.
 *
 * Example: a 4096 x 4096 matrix in ScaLAPACK's block-cyclic distribution over 2 x 2
 * processes.
 *
 *   redist_dist *dist;
 *   const char *text = "[4096,4096] (cyclic(64),cyclic(64)) onto 2x2";
 *   if (redist_dist_parse(text, &dist)) puts(redist_error_message());
 */
#ifndef REDIST_DESCRIBE_H
#define REDIST_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define REDIST_API
#else
#define REDIST_API __attribute__((visibility("default")))
#endif

/* The version. Until 1.0 a new minor one may break what is built with an older one; from
 * then on a struct changes with a new major one alone, but for redist_options, whose
 * `size` tells. */
#define REDIST_VERSION_MAJOR 0
#define REDIST_VERSION_MINOR 1
#define REDIST_VERSION_PATCH 1

/* The most dimensions of an array, and the most axes of a process grid. */
#define REDIST_MAX_DIMS 15

/* ---- errors ------------------------------------------------------------------------ */

/* Every function that can fail returns one of these. */
typedef enum redist_err {
    REDIST_OK = 0,
    REDIST_ERR_ARG,      /* an argument is not of the described form */
    REDIST_ERR_MISMATCH, /* processes of one collective call passed different things */
    REDIST_ERR_MEMORY,   /* an allocation failed */
    REDIST_ERR_STATE,    /* not now: for instance wait without start */
    REDIST_ERR_MPI,      /* an MPI call failed; the message holds MPI's own words */
    REDIST_ERR_IO,       /* a file could not be read or written */
    REDIST_ERR_DEVICE    /* a device failed to move data; the message holds its words */
} redist_err;

/* Return the sentence that the last failed call of this thread left: it names the
 * argument, its value and what was expected. Empty if none failed yet. Valid until this
 * thread's next failure.
 * Local. O(1). Never fails. */
REDIST_API const char *redist_error_message(void);

/* Say why this process cannot take part in the collective call that comes next, as a
 * binding does that checks its own arguments. That call is still to be made, as all
 * processes make it, with whatever arguments: if it makes or runs something, it returns
 * ARG on every process, with "rank k: " and this sentence instead of what is wrong with
 * those arguments. It is for this thread's next such call alone; NULL withdraws it.
 * Local. O(1). Never fails: a sentence of more than 511 bytes is cut. */
REDIST_API void redist_refuse(const char *sentence);

/* Return the name of an error code, for instance "ARG".
 * Local. O(1). Never fails: an unknown code gives "unknown". */
REDIST_API const char *redist_error_name(redist_err err);

/* The two sides of a redistribution. */
typedef enum redist_side { REDIST_SOURCE = 0, REDIST_TARGET = 1 } redist_side;

/* ---- process grids ----------------------------------------------------------------- */

typedef struct redist_grid redist_grid;

/* Order of a multi-dimensional thing in a linear one. ROW: the last index varies fastest
 * (C). */
typedef enum redist_order { REDIST_ROW_MAJOR = 0, REDIST_COLUMN_MAJOR = 1 } redist_order;

/* Create a process grid of `naxes` axes (1 to 15) with `shape`[naxes] coordinates each
 * (>= 1). The process at linear position k, counted over the coordinates in `order`, is
 * rank `ranks`[k]; `ranks` may be NULL: rank k itself. Ranks are those of the
 * communicator of the plan; they must be >= 0 and pairwise different. A grid without
 * `ranks` takes O(1) memory.
 *
 *   shape 2x3, row-major, ranks NULL:  0 1 2      column-major:  0 2 4
 *                                      3 4 5                     1 3 5
 *
 * The caller owns the grid, and may destroy it as soon as dists were made from it.
 * Local. O(P log P) with ranks, O(1) without. ARG, MEMORY. */
REDIST_API redist_err redist_grid_create(int naxes, const int shape[], redist_order order,
                                         const int ranks[], redist_grid **grid);

/* Destroy a grid and set `*grid` to NULL. NULL-safe.
 * Local. O(1). Never fails. */
REDIST_API void redist_grid_destroy(redist_grid **grid);

/* Return the number of axes, the coordinates along one axis (0 if there is no such
 * axis), and the number of processes.
 * Local. O(1). Never fail: 0 for a NULL grid. */
REDIST_API int redist_grid_naxes(const redist_grid *grid);
REDIST_API int redist_grid_shape(const redist_grid *grid, int axis);
REDIST_API int64_t redist_grid_size(const redist_grid *grid);

/* Return the rank at `coords`[naxes], or -1 if a coordinate lies outside.
 * Local. O(naxes). Never fails. */
REDIST_API int redist_grid_rank(const redist_grid *grid, const int coords[]);

/* Find the `coords`[naxes] of `rank`. Returns 1, or 0 if the rank is not in the grid.
 * Local. O(naxes), with a rank list O(log P). Never fails. */
REDIST_API int redist_grid_coords(const redist_grid *grid, int rank, int coords[]);

/* ---- formats ----------------------------------------------------------------------- */

/* How one dimension is spread over one axis of the grid, in HPF-2's words. */
typedef enum redist_format_kind {
    REDIST_COLLAPSED, /* *            not distributed */
    REDIST_BLOCK,  /* BLOCK(m)     one block a coordinate; m * P must cover the extent */
    REDIST_CYCLIC, /* CYCLIC(m)    blocks of m dealt round */
    REDIST_GEN_BLOCK, /* GEN_BLOCK()  one block a coordinate, each of its own size */
    REDIST_INDIRECT   /* INDIRECT()   an owner for each element */
} redist_format_kind;

/* `block` of a plain BLOCK: ceil(extent / P). */
#define REDIST_EVEN_BLOCK INT64_MIN
/* `axis` of a distributed dimension that names none: the dimensions that do so take,
 * in order, the axes that no other names. */
#define REDIST_NEXT_AXIS (-1)

/* A format. Make it with one of the functions below, then change `first` or `axis` if the
 * defaults don't suit. */
typedef struct redist_format {
    redist_format_kind kind;
    /* BLOCK, CYCLIC: elements of a block, >= 1 or REDIST_EVEN_BLOCK. */
    int64_t block;
    /* The coordinate that owns element 0 (ScaLAPACK's RSRC, CSRC); the next blocks go to
     * first + 1, .. cyclically. 0 for INDIRECT and *. */
    int first;
    /* The grid's axis, or REDIST_NEXT_AXIS. */
    int axis;
    /* GEN_BLOCK: [P], >= 0, in the order of the elements; they sum to the extent. */
    const int64_t *sizes;
    /* INDIRECT: [extent], the coordinate that owns each element. */
    const int *owners;
} redist_format;

/* Return the format `*`, BLOCK, BLOCK(m), CYCLIC(m), GEN_BLOCK(sizes) or
 * INDIRECT(owners). The arrays are borrowed until redist_dist_create has copied them.
 * Local. O(1). Never fail: redist_dist_create checks. */
static inline redist_format redist_collapsed(void)
{
    redist_format f = {
        REDIST_COLLAPSED, REDIST_EVEN_BLOCK, 0, REDIST_NEXT_AXIS, NULL, NULL};
    return f;
}
static inline redist_format redist_block(void)
{
    redist_format f = {REDIST_BLOCK, REDIST_EVEN_BLOCK, 0, REDIST_NEXT_AXIS, NULL, NULL};
    return f;
}
static inline redist_format redist_block_of(int64_t m)
{
    redist_format f = {REDIST_BLOCK, m, 0, REDIST_NEXT_AXIS, NULL, NULL};
    return f;
}
static inline redist_format redist_cyclic(int64_t m)
{
    redist_format f = {REDIST_CYCLIC, m, 0, REDIST_NEXT_AXIS, NULL, NULL};
    return f;
}
static inline redist_format redist_gen_block(const int64_t sizes[])
{
    redist_format f = {REDIST_GEN_BLOCK, 0, 0, REDIST_NEXT_AXIS, sizes, NULL};
    return f;
}
static inline redist_format redist_indirect(const int owners[])
{
    redist_format f = {REDIST_INDIRECT, 0, 0, REDIST_NEXT_AXIS, NULL, owners};
    return f;
}

/* ---- distributions ----------------------------------------------------------------- */

typedef struct redist_dist redist_dist;

/* Create a distribution of an array of `extents`[ndims] elements (1 to 15 dimensions,
 * each >= 0) over `grid`, dimension i by `formats`[i]. Every dimension that is not
 * collapsed takes a grid axis of its own; an axis that no dimension takes replicates:
 * each coordinate along it holds the same elements. Everything is copied. The caller
 * owns the dist.
 *
 * On its process a local array of n_0 x n_1 x .. elements lies dense in row-major order,
 * in ascending global order along each dimension, unless a view says otherwise.
 * Local. O(ndims); with GEN_BLOCK O(P) time, O(non-empty blocks) memory; with INDIRECT
 * O(extent) time, O(blocks) memory; a copy of the grid's ranks, if it has a list. ARG,
 * MEMORY. */
REDIST_API redist_err redist_dist_create(int ndims, const int64_t extents[],
                                         const redist_format formats[],
                                         const redist_grid *grid, redist_dist **dist);

/* Destroy a dist and set `*dist` to NULL. NULL-safe. Views and plans made from it: a
 * plan has copied what it needs, a view has not.
 * Local. O(1). Never fails. */
REDIST_API void redist_dist_destroy(redist_dist **dist);

/* Return the number of dimensions, the extent of one (0 if there is no such dimension),
 * and the grid (owned by the dist).
 * Local. O(1). Never fail: 0 or NULL for a NULL dist. */
REDIST_API int redist_dist_ndims(const redist_dist *dist);
REDIST_API int64_t redist_dist_extent(const redist_dist *dist, int dim);
REDIST_API const redist_grid *redist_dist_grid(const redist_dist *dist);

/* Return 1 if the two dists give every element to the same ranks at the same local
 * place.
 * Local. O(ndims), with irregular formats O(blocks log blocks), with rank lists O(P).
 * Never fails. */
REDIST_API int redist_dist_equal(const redist_dist *a, const redist_dist *b);

/* Find the elements that `rank` holds along each dimension, `local`[ndims]; all 0 if the
 * rank is not in the grid. Their product is the local array's size in elements.
 * Local. O(ndims), with irregular formats O(log blocks), with a rank list O(log P).
 * ARG. */
REDIST_API redist_err redist_dist_local_extents(const redist_dist *dist, int rank,
                                                int64_t local[]);

/* Find the rank that owns the element at `index`[ndims], the first of them where the
 * grid replicates, and its place `local`[ndims] in that rank's local array. `local` may
 * be NULL.
 * Local. O(ndims), with irregular formats O(log blocks). ARG. */
REDIST_API redist_err redist_dist_owner(const redist_dist *dist, const int64_t index[],
                                        int *rank, int64_t local[]);

/* Find the global `index`[ndims] of the element at `local`[ndims] of `rank`: the inverse
 * of redist_dist_owner.
 * Local. O(ndims), with irregular formats O(log blocks). ARG if the rank has no such
 * element. */
REDIST_API redist_err redist_dist_index(const redist_dist *dist, int rank,
                                        const int64_t local[], int64_t index[]);

/* ---- views ------------------------------------------------------------------------- */

/* What of a dist takes part in a redistribution, in which order of axes, and how the
 * local array lies in memory. redist_view_init fills in the whole array, dense; change
 * what differs.
 *
 * The section has `extent`[i] elements along dimension i: start, start + stride, ..
 * Source and target pair up by section: element (k_0, k_1, ..) of the source's goes to
 * (k_0, k_1, ..) of the target's, where k_j runs along dimension `axes`[j]. So {1,0} on
 * one side alone transposes.
 *
 * In memory, dimension order[0] varies slowest and order[ndims-1] fastest. Around the
 * local part lie `halo_low`[i] and `halo_high`[i] elements that are never touched. Where
 * the local strides follow from nothing of that (ScaLAPACK's LLD), give them in `lead`,
 * in elements; this is the one field that may differ from process to process.
 *
 *   local 2 x 3, halo 1 all round:   . . . . .      the buffer's address is the first dot
 *                                    . x x x .
 *                                    . x x x .
 *                                    . . . . .
 */
typedef struct redist_view {
    const redist_dist *dist;        /* borrowed until the plan is made */
    int64_t start[REDIST_MAX_DIMS]; /* first element of the section, 0 .. extent of dim */
    int64_t extent[REDIST_MAX_DIMS]; /* elements of the section */
    int64_t stride[REDIST_MAX_DIMS]; /* >= 1 */
    int axes[REDIST_MAX_DIMS];       /* permutation of the dimensions: pairing */
    int order[REDIST_MAX_DIMS]; /* permutation of the dimensions: memory, slowest first */
    int64_t halo_low[REDIST_MAX_DIMS];  /* elements before the local part, >= 0 */
    int64_t halo_high[REDIST_MAX_DIMS]; /* elements after it, >= 0 */
    int64_t lead[REDIST_MAX_DIMS]; /* elements from one to the next along each dimension
                                      on this process; all 0: as order and halo say */
} redist_view;

/* Set `*view` to the whole of `dist`, axes in order, dense in row-major order.
 * Local. O(1). ARG. */
REDIST_API redist_err redist_view_init(const redist_dist *dist, redist_view *view);

/* Set the memory order of a view to row-major (C, the default) or column-major
 * (Fortran).
 * Local. O(1). ARG. */
REDIST_API redist_err redist_view_set_order(redist_view *view, redist_order order);

/* Find how many elements the buffer of `rank` spans from its first to behind its last,
 * halo included; 0 where the rank holds nothing. Allocate that many.
 * Local. O(ndims). ARG. */
REDIST_API redist_err redist_view_span(const redist_view *view, int rank,
                                       int64_t *elements);

/* Create the dist, and the view, of a ScaLAPACK matrix: `desc`[9] = DTYPE, CTXT, M, N,
 * MB, NB, RSRC, CSRC, LLD over a two-axis `grid` of NPROW x NPCOL. DTYPE and CTXT are
 * not looked at; LLD is this process's own. The memory is column-major. For sub(A) set
 * start and extent afterwards. The caller owns the dist.
 * Local. O(1). ARG, MEMORY. */
REDIST_API redist_err redist_view_from_descriptor(const int desc[9],
                                                  const redist_grid *grid,
                                                  redist_dist **dist, redist_view *view);

/* ---- index lists ------------------------------------------------------------------- */

/* The consecutive indices first .. first + count - 1, count >= 0. */
typedef struct redist_range {
    int64_t first, count;
} redist_range;

/* The indices, from 0 on, of the elements that the calling process has, or is to have, in
 * the order in which they lie in its local array, dense: for redist_plan_create_indexed.
 * Make it with one of the functions below. Lists are each process's own, and of any
 * order; nobody needs to know another's. */
typedef struct redist_indices {
    int64_t n;                  /* of list or ranges, >= 0 */
    const int64_t *list;        /* [n], or NULL */
    const redist_range *ranges; /* [n], one behind the other; or NULL */
    const redist_dist *dist;    /* of one dimension: what it gives the process; or NULL */
} redist_indices;

/* Return the indices list[n]; those of ranges[n]; those that `dist` gives the process,
 * ascending. What they point to is borrowed until the plan is made.
 * Local. O(1). Never fail: redist_plan_create_indexed checks. */
static inline redist_indices redist_indices_of_list(int64_t n, const int64_t list[])
{
    redist_indices indices = {n, list, NULL, NULL};
    return indices;
}
static inline redist_indices redist_indices_of_ranges(int64_t n,
                                                      const redist_range ranges[])
{
    redist_indices indices = {n, NULL, ranges, NULL};
    return indices;
}
static inline redist_indices redist_indices_of_dist(const redist_dist *dist)
{
    redist_indices indices = {0, NULL, NULL, dist};
    return indices;
}

/* ---- the text form ----------------------------------------------------------------- */

/* Create a dist from its text, for instance
 *
 *   [4096,4096] (cyclic(64),cyclic(64)) onto 2x2
 *   [1000] (gen_block(10,20,970)) onto 3
 *   [300,300] (block,*) onto 20 ranks 4:23
 *   [9] (indirect(4*0,1,3*0,1)) onto 2            4*0: four elements of coordinate 0
 *   [64,64] (cyclic(4) from 1,block on 0) onto 2x3 column-major
 *
 * `from c`: the coordinate that owns element 0. `on a`: the grid's axis. Ranges a:b and
 * a:b:step hold both ends, repeat counts stand first, as in Fortran. Upper and lower case
 * and white space don't matter. The caller owns the dist.
 * Local. O(text), and as redist_grid_create and redist_dist_create of the lists that
 * ranges and repeat counts stand for. ARG (the message points at the character),
 * MEMORY. */
REDIST_API redist_err redist_dist_parse(const char *text, redist_dist **dist);

/* Write the text of a dist to `text`[size], cut off and ended by a 0 if it doesn't fit;
 * `*length` (may be NULL) is what the whole text takes, without the 0. text may be NULL
 * where size is 0. Parsing the text gives an equal dist.
 * Local. O(ndims), with irregular formats O(blocks), with a rank list O(P). ARG. */
REDIST_API redist_err redist_dist_print(const redist_dist *dist, char *text, size_t size,
                                        size_t *length);

/* Create a dist and a view of it from a text: that of a dist, then any of
 *
 *   section [0:99:2,5:9]    first:last:stride of each dimension; 5:4 is empty
 *   axes (1,0)              pairing
 *   order column-major      memory; also row-major, or a list as (2,0,1), slowest first
 *   halo (1,2:0)            elements round the local part, low:high or both alike
 *
 * The caller owns the dist.
 * Local. As redist_dist_parse. ARG (the message points at the character), MEMORY. */
REDIST_API redist_err redist_view_parse(const char *text, redist_dist **dist,
                                        redist_view *view);

/* Write the text of a view, as redist_dist_print does. `lead`, being local, is not part
 * of it.
 * Local. As redist_dist_print. ARG. */
REDIST_API redist_err redist_view_print(const redist_view *view, char *text, size_t size,
                                        size_t *length);

#ifdef __cplusplus
}
#endif
#endif
