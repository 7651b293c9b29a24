/* SPDX-License-Identifier: MIT
 *
 * files/metadata/type.h - the types of elements: in NumPy's notation, and in JSON.
 *
 *   [('a', '<f4'), ('b', '<i8', (3,))]     [["a", "<f4"], ["b", "<i8", [3]]]
 */
#ifndef REDIST_FILES_METADATA_TYPE_H
#define REDIST_FILES_METADATA_TYPE_H

#include "files/text/json.h"
#include "files/text/text.h"

struct element {
    char order;  /* <, >, or | where bytes have no order */
    char letter; /* of NumPy; V for fields, too */
    int64_t bytes;
};

/* Take a valid type apart: `bytes` is what dtype_bytes says. *rest is what follows the
 * order; NULL for fields. */
struct element type_element(const char *type, int64_t bytes, const char **rest);

/* Read a type of version 2 in JSON: a text that the caller frees with mem_free, not
 * checked yet. Print a valid one. IO: a title, an escape that JSON lacks. MEMORY. */
redist_err type_read(struct json value, char **type);
redist_err type_print(const char *type, int64_t bytes, struct text *out);

#endif
