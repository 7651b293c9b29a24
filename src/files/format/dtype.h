/* SPDX-License-Identifier: MIT
 *
 * files/format/dtype.h - NumPy's element types in text form. Only the bytes of an element
 * matter, as elements are moved unchanged.
 *
 *   <f8  >i4  |b1  <c16  |S10  <U5 (4 bytes a character)  <M8[ns]  |V7
 *   [('a', '<f4'), (('title', 'b'), '<i8', (3,)), ('c', [('x', '|u1')])]
 *
 * Python objects (|O) are addresses, meaningless to another process: an error.
 */
#ifndef REDIST_FILES_FORMAT_DTYPE_H
#define REDIST_FILES_FORMAT_DTYPE_H

#include "files/text/literal.h"

/* Read a dtype in a Python literal, a string or a list of fields, and find the bytes of
 * an element, 1 .. 2^31 - 1. IO. */
redist_err dtype_read(struct literal *in, int64_t *bytes);

/* Find the bytes of an element of the dtype `text`: a string without its quotes, or a
 * list of fields. IO. */
redist_err dtype_bytes(const char *text, int64_t *bytes);

#endif
