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

#endif
