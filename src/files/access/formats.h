/* SPDX-License-Identifier: MIT
 *
 * files/access/formats.h - all formats, by the ends of names.
 */
#ifndef REDIST_FILES_ACCESS_FORMATS_H
#define REDIST_FILES_ACCESS_FORMATS_H

#include "files/format/format.h"

/* Find the format of `name`, and how many of its characters are the path; `*inner` is what
 * follows the colon, or "". ARG: the sentence lists the formats. */
redist_err formats_find(const char *name, const struct file_format **format,
                        int64_t *path_length, const char **inner);

#endif
