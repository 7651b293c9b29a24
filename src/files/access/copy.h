/* SPDX-License-Identifier: MIT
 *
 * files/access/copy.h - copy an array from file to file, in other chunks and in another
 * format, in the slabs of the file that is written.
 */
#ifndef REDIST_FILES_ACCESS_COPY_H
#define REDIST_FILES_ACCESS_COPY_H

#include "files/access/slab.h"

/* Copy the section `of` one file to the section `into` of another; both have the same
 * extents and lie in their files. What is round and between the elements that are written
 * stays as it is. All else is as in redist_file_copy, but that it never goes by way of a
 * file between. */
redist_err copy_section(redist_file *from, const struct section *of, redist_file *to,
                        const struct section *into);

#endif
