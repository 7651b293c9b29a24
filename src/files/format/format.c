/* SPDX-License-Identifier: MIT */
#include "files/format/format.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "files/format/dtype.h"

redist_err file_set_layout(redist_file *file, int ndims, const int64_t shape[],
                           const char *type, redist_order order)
{
    redist_file_layout *layout = &file->layout;
    int64_t elements = 1, bytes;
    TRY(dtype_bytes(type, &file->element_bytes));
    if (ndims < 0 || ndims > REDIST_MAX_DIMS)
        return error_set(REDIST_ERR_IO, "%d dimensions, must be 0 .. %d", ndims,
                         REDIST_MAX_DIMS);
    *layout =
        (redist_file_layout){.size = sizeof *layout, .ndims = ndims, .order = order};
    bool fits = true;
    for (int i = 0; i < ndims; i++) {
        if (shape[i] < 0)
            return error_set(REDIST_ERR_IO, "dim %d: extent %" PRId64 ", must be >= 0", i,
                             shape[i]);
        layout->shape[i] = shape[i];
        layout->chunk[i] = 1;
        fits = fits && int_mul(elements, shape[i], &elements);
    }
    if (!fits || !int_mul(elements, file->element_bytes, &bytes))
        return error_set(REDIST_ERR_IO, "the array has more than 2^63 bytes");
    layout->type = mem_copy(NULL, type, (int64_t)strlen(type) + 1, 1);
    return layout->type ? REDIST_OK : REDIST_ERR_MEMORY;
}

redist_err file_set_codec(redist_file *file, const char *codec)
{
    if (!codec) return REDIST_OK;
    file->layout.codec = mem_copy(NULL, codec, (int64_t)strlen(codec) + 1, 1);
    return file->layout.codec ? REDIST_OK : REDIST_ERR_MEMORY;
}

redist_err file_share_path(redist_file *file, redist_err err, char **path)
{
    const char *name = file->temporary.path ? file->temporary.path : file->path;
    int64_t length = (int64_t)strlen(name) + 1;
    *path = NULL;
    if (!err && file->rank == 0) {
        *path = mem_copy(NULL, name, length, 1);
        if (!*path) err = REDIST_ERR_MEMORY;
    }
    return collective_share(file->comm, err, path, &length);
}

int64_t box_elements(const redist_file *file, const struct box *box)
{
    int64_t elements = box->extent[0]; /* also of a file of no dimensions */
    for (int i = 1; i < file->layout.ndims; i++) elements *= box->extent[i];
    return elements;
}
