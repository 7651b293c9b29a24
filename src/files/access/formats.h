/* SPDX-License-Identifier: MIT
 *
 * files/access/formats.h - all formats, by the ends of names.
 */
#ifndef REDIST_FILES_ACCESS_FORMATS_H
#define REDIST_FILES_ACCESS_FORMATS_H

#include "files/format/format.h"

/* The parts of a file's name. */
struct file_name {
    const struct file_format *format;
    int length;        /* characters of the path */
    const char *inner; /* what follows the colon, or "" */
};

/* Find the format of the file `name`, by its own name `wanted` or, if that is NULL, by
 * the end of `name`. ARG: the sentence lists the formats. */
redist_err formats_find(const char *name, const char *wanted, struct file_name *found);

/* Visit the arrays in the file `name`, as its format does. Without a format, or where a
 * file is one array, there is nothing to visit.
 * Local. IO, MEMORY, and what the visitor returns. */
redist_err formats_visit(const char *name, file_visitor *visitor, void *context);

#endif
