/* SPDX-License-Identifier: MIT
 *
 * files/metadata/fill.h - the element that stands where no chunk is.
 */
#ifndef REDIST_FILES_METADATA_FILL_H
#define REDIST_FILES_METADATA_FILL_H

#include "files/metadata/type.h"

/* Read a fill_value into the zeros `fill`[element.bytes]. null is zeros. IO, MEMORY. */
redist_err fill_read(struct json value, int version, struct element element, char *fill);

/* Print the fill_value of zeros. Of an element of version 2 that is long and has no
 * numbers it is null. */
void fill_print_zeros(int version, struct element element, struct text *out);

#endif
