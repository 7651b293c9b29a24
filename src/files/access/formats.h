/* SPDX-License-Identifier: MIT
 *
 * files/access/formats.h - all formats, by the ends of names.
 */
#ifndef REDIST_FILES_ACCESS_FORMATS_H
#define REDIST_FILES_ACCESS_FORMATS_H

#include "files/format/format.h"

/* Find the format of the file `name`, by its own name `wanted` or, if that is NULL, by
 * the end of `name`; and how many characters are the path. `*inner` is what follows the
 * colon, or "". ARG: the sentence lists the formats. */
redist_err formats_find(const char *name, const char *wanted,
                        const struct file_format **format, int64_t *path_length,
                        const char **inner);

/* Visit the arrays in the file `name`, as its format does. Without a format, or where a
 * file is one array, there is nothing to visit.
 * Local. IO, MEMORY, and what the visitor returns. */
redist_err formats_visit(const char *name, file_visitor *visitor, void *context);

#endif
