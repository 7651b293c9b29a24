/* SPDX-License-Identifier: MIT
 *
 * files/access/slab.h - a section of a file in slabs, and each writer's part of a slab.
 *
 * A slab has one chunk along the slower dimensions, some along the dimension `split`,
 * and all that the section touches along the faster ones. Along `split` the writers have
 * equal blocks of whole chunks, so a part is a box, and long in the file:
 *
 *   8 x 6, chunks of 2 x 6, 2 writers              writer 0    writer 1
 *                                        slab 0    rows 0 1    rows 2 3
 *                                        slab 1    rows 4 5    rows 6 7
 */
#ifndef REDIST_FILES_ACCESS_SLAB_H
#define REDIST_FILES_ACCESS_SLAB_H

#include "files/format/format.h"

/* A section: elements start, start + stride, .. of the file, `extent` of them. A file of
 * no dimensions counts as one of one dimension, here and in slabs. */
struct section {
    int64_t start[REDIST_MAX_DIMS], stride[REDIST_MAX_DIMS], extent[REDIST_MAX_DIMS];
};

/* Return the section of the whole file. */
struct section section_whole(const redist_file *file);

/* How a section is cut. */
struct slabs {
    int ndims, writers;
    struct section section;
    redist_order order;
    int dim[REDIST_MAX_DIMS]; /* slowest first */
    int64_t chunk[REDIST_MAX_DIMS];
    /* What the section touches, in whole chunks; and what parts have of that, but along
     * the dimension that the writers share. */
    int64_t low[REDIST_MAX_DIMS], high[REDIST_MAX_DIMS];
    int64_t begin[REDIST_MAX_DIMS], end[REDIST_MAX_DIMS];
    int split;     /* dim[split] is the one that the writers share */
    int64_t block; /* elements of a writer along it */
    int64_t count; /* of slabs */
};

/* One of them. */
struct slab {
    struct box box; /* of the file */
    /* The section's elements that lie in it; extents may be 0. */
    int64_t first[REDIST_MAX_DIMS], extent[REDIST_MAX_DIMS];
    bool covered; /* all its elements are of the section */
};

/* Cut the section of a file so that no part exceeds `bytes`. Parts of a
 * section that is written have whole chunks; those of one that is `only_read` have what
 * the section touches. O(ndims). ARG: a chunk exceeds `bytes`. */
redist_err slabs_make(const redist_file *file, const struct section *section,
                      bool only_read, int64_t bytes, struct slabs *slabs);

/* The same of the whole file. */
redist_err slabs_make_whole(const redist_file *file, int64_t bytes, struct slabs *slabs);

/* Find slab k, 0 <= k < count, and the part of a writer in it. O(ndims). */
void slabs_get(const struct slabs *slabs, int64_t k, struct slab *slab);
struct box slab_part(const struct slabs *slabs, const struct slab *slab, int writer);

/* Return the bytes of this process's longest part: 0 where it is no writer. O(ndims). */
int64_t slabs_part_bytes(const struct slabs *slabs, const redist_file *file);

/* Read or write this process's part of a slab. Nothing is agreed. The format's errors. */
redist_err slab_access(redist_file *file, const struct box *part, void *elements,
                       bool write);

/* Put where a slab begins before the sentence of an error that has an index within it.
 * Returns `err`. */
redist_err slab_error(const struct slabs *slabs, const struct slab *slab, redist_err err);

/* Create the dist of a slab's box over the writers, and the view of the section's
 * elements in it; the caller owns the dist. O(ndims). MEMORY. */
redist_err slab_view(const struct slabs *slabs, const struct slab *slab,
                     redist_dist **dist, redist_view *view);

#endif
