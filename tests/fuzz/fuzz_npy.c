/* SPDX-License-Identifier: MIT
 *
 * The header of an .npy file: any bytes, or, behind a first byte of 1 to 3, the dict of a
 * header of that version. A header that is accepted is made anew, printed, and read
 * again.
 */
#include <string.h>

#include "fuzz.h"

#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/dtype.h"
#include "files/format/npy.h"

static void check_same(const struct npy *a, const struct npy *b)
{
    CHECK(strcmp(a->descr, b->descr) == 0);
    CHECK(a->element_bytes == b->element_bytes && a->ndims == b->ndims);
    CHECK(a->fortran_order == b->fortran_order && a->data_bytes == b->data_bytes);
    CHECK(memcmp(a->shape, b->shape, (size_t)a->ndims * sizeof *a->shape) == 0);
}

static void check_printed(const struct npy *npy)
{
    struct npy made, read;
    char *header = NULL;
    int64_t size = 0;
    GOOD(npy_make(npy->descr, npy->fortran_order, npy->ndims, npy->shape, &made));
    check_same(npy, &made);
    GOOD(npy_print(&made, &header));
    GOOD(npy_header_bytes(header, NPY_PREFIX_BYTES, &size));
    CHECK(size == made.data_begin && size % 64 == 0);
    GOOD(npy_parse(header, size, &read));
    check_same(npy, &read);
    npy_free(&read);
    npy_free(&made);
    mem_free(header);
}

static void check_numbers(const struct npy *npy)
{
    CHECK(npy->element_bytes >= 1 && npy->element_bytes <= INT32_MAX);
    CHECK(npy->ndims >= 0 && npy->ndims <= REDIST_MAX_DIMS);
    int128 bytes = npy->element_bytes;
    for (int i = 0; i < npy->ndims; i++) {
        CHECK(npy->shape[i] >= 0);
        bytes *= npy->shape[i];
    }
    CHECK(npy->data_bytes == (int64_t)bytes);
    fuzz_clear();
    GOOD(npy_check_size(npy, npy->data_begin + npy->data_bytes));
    redist_err err = npy_check_size(npy, npy->data_begin + npy->data_bytes - 1);
    fuzz_refused(err, NULL);
}

static void read_file(const uint8_t *data, int64_t size)
{
    int64_t bytes = 0;
    struct npy npy;
    fuzz_clear();
    redist_err err =
        npy_header_bytes(data, size < NPY_PREFIX_BYTES ? size : NPY_PREFIX_BYTES, &bytes);
    if (!err) {
        CHECK(bytes >= 10);
        if (bytes > size) return;
        err = npy_parse(data, bytes, &npy);
    }
    if (err) {
        fuzz_refused(err, NULL);
        return;
    }
    CHECK(npy.data_begin == bytes);
    check_numbers(&npy);
    check_printed(&npy);
    npy_free(&npy);
}

/* Put a dict into a header of a version. */
static void read_dict(int version, const uint8_t *dict, size_t length)
{
    static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    size_t prefix = version == 1 ? 10 : 12, size = prefix + length;
    if (version == 1 && length > UINT16_MAX) return;
    uint8_t *file = calloc(size > 12 ? size : 12, 1);
    CHECK(file);
    memcpy(file, magic, sizeof magic);
    file[6] = (uint8_t)version;
    for (size_t k = 0; k < prefix - 8; k++) file[8 + k] = (uint8_t)(length >> 8 * k);
    if (length > 0) memcpy(file + prefix, dict, length);
    uint8_t *exact = malloc(size);
    CHECK(exact);
    memcpy(exact, file, size);
    if (size >= NPY_PREFIX_BYTES) read_file(exact, (int64_t)size);
    free(exact);
    free(file);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    bool is_dict = size > 0 && data[0] >= 1 && data[0] <= 3;
    if (is_dict)
        read_dict(data[0], data + 1, size - 1);
    else
        read_file(data, (int64_t)size);
    char *text = fuzz_text(data, size);
    int64_t bytes = 0;
    fuzz_clear();
    redist_err err = dtype_bytes(text, &bytes);
    if (err)
        fuzz_refused(err, NULL);
    else
        CHECK(bytes >= 1 && bytes <= INT32_MAX);
    free(text);
}
