/* SPDX-License-Identifier: MIT
 *
 * files/format/npy.h - the header of NumPy's .npy file: parse and print it. No file is
 * read.
 *
 *   \x93NUMPY 1 0 <length> {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 *   magic     version      a Python dict, padded so that the data begins at a
 *                          multiple of 64
 *
 * Versions 1.0 to 3.0 differ in the bytes of the length (2, then 4) and in the encoding
 * of the dict (Latin-1; UTF-8 in 3.0).
 */
#ifndef REDIST_FILES_FORMAT_NPY_H
#define REDIST_FILES_FORMAT_NPY_H

#include <stdbool.h>

#include <redist/describe.h>

/* Bytes of a file that npy_header_bytes needs. */
enum { NPY_PREFIX_BYTES = 12 };

struct npy {
    char *descr; /* the dtype as text, in UTF-8: <f8 or [('a', '<f4'), ..]; owned */
    int64_t element_bytes;
    bool fortran_order; /* the first index varies fastest */
    int ndims;
    int64_t shape[REDIST_MAX_DIMS];
    int64_t data_begin; /* bytes of the file before the data */
    int64_t data_bytes;
};

/* Make a header of the array `shape`[ndims] of elements of the dtype `descr`; data_begin
 * is the end of npy_print's header. Free with npy_free. MEMORY, IO: a dtype that is not
 * supported, data of more than 2^63 bytes. */
redist_err npy_make(const char *descr, bool fortran_order, int ndims,
                    const int64_t shape[], struct npy *npy);
void npy_free(struct npy *npy);

/* Find the bytes of the header, data_begin, from the first `size` <= 12 bytes of a file.
 * IO: no .npy file, or an unknown version. */
redist_err npy_header_bytes(const void *prefix, int64_t size, int64_t *bytes);

/* Parse a whole header of `size` bytes. Free with npy_free. MEMORY, IO. */
redist_err npy_parse(const void *header, int64_t size, struct npy *npy);

/* Check that a file of `bytes` bytes holds all the data; more may follow. IO:
 * truncated. */
redist_err npy_check_size(const struct npy *npy, int64_t bytes);

/* Print the header as NumPy does, in the oldest version that can hold it: a block of
 * npy->data_begin bytes that the caller frees with mem_free. MEMORY. */
redist_err npy_print(const struct npy *npy, char **header);

#endif
