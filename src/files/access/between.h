/* SPDX-License-Identifier: MIT
 *
 * files/access/between.h - whether an array is copied by way of a file between two
 * others.
 *
 * Where the slabs of both files lie across each other, each slab of the target needs a
 * little of many chunks of the source, which are then read again and again:
 *
 *   source in rows   - - -     | | |   target in columns
 *                    - - -     | | |
 *
 * A file between them, whose chunks are what slabs of both have in common, is written
 * once and read once. The package rechunker for Python (Pangeo, 2020) does so.
 */
#ifndef REDIST_FILES_ACCESS_BETWEEN_H
#define REDIST_FILES_ACCESS_BETWEEN_H

#include "files/access/slab.h"

/* The file between. */
struct between {
    redist_file_layout layout;
    char type[32];
    int64_t slabs; /* of the target */
};

/* Return whether both have numbers, which can be converted. */
bool between_numbers(const redist_file *from, const redist_file *to);

/* Plan a file between, if the copy is less work with it. O(slabs). ARG: staging_bytes
 * holds no chunk. */
redist_err between_plan(const redist_file *from, const redist_file *to,
                        struct between *between, bool *pays);

#endif
