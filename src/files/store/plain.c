/* SPDX-License-Identifier: MIT
 *
 * files/store/plain.c - elements that lie dense in one file: .npy behind its header, raw
 * files behind `offset` bytes. Every process opens the file and reads and writes by
 * itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "files/format/npy.h"
#include "files/format/temporary.h"
#include "files/format/window.h"
#include "files/store/stores.h"

struct plain {
    int descriptor;
    bool is_open; /* it is one */
    int64_t data_begin;
};

/* ---- open -------------------------------------------------------------------------- */

static redist_err cannot_open(const redist_file *file, int error)
{
    return error_set(REDIST_ERR_IO, "%s: %s", file->path, strerror(error));
}

/* Open `path`, the file or its temporary, on this process. */
static redist_err open_here(redist_file *file, const char *path, int64_t data_begin)
{
    struct plain *plain = file->state;
    int flags = file->mode == REDIST_FILE_READ ? O_RDONLY : O_RDWR;
    for (int i = 0; i < file->layout.ndims; i++) file->layout.chunk[i] = 1;
    plain->data_begin = data_begin;
    plain->descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK);
    plain->is_open = plain->descriptor >= 0;
    return plain->is_open ? REDIST_OK : cannot_open(file, errno);
}

static void release(redist_file *file)
{
    const struct plain *plain = file->state;
    if (plain->is_open) (void)close(plain->descriptor);
}

/* Set the layout that a header says, of a file of at least `bytes` bytes. */
static redist_err parse_npy(redist_file *file, const char *header, int64_t size,
                            int64_t bytes, int64_t *data_begin)
{
    struct npy npy = {0};
    redist_err err = npy_parse(header, size, &npy);
    if (!err) err = npy_check_size(&npy, bytes);
    if (err) {
        npy_free(&npy);
        return error_prefix(err, "%s", file->path);
    }
    redist_order order = npy.fortran_order ? REDIST_COLUMN_MAJOR : REDIST_ROW_MAJOR;
    err = file_set_layout(file, npy.ndims, npy.shape, npy.descr, order);
    *data_begin = npy.data_begin;
    npy_free(&npy);
    return err;
}

static int64_t data_bytes(const redist_file *file)
{
    int64_t bytes = file->element_bytes;
    for (int i = 0; i < file->layout.ndims; i++) bytes *= file->layout.shape[i];
    return bytes;
}

/* Check that the file holds all elements. `bytes` is its length. */
static redist_err check_length(const redist_file *file, int64_t data_begin, int64_t bytes)
{
    if (bytes - data_begin >= data_bytes(file)) return REDIST_OK;
    return error_set(REDIST_ERR_IO,
                     "%s: truncated: the shape takes %" PRId64 " bytes of data, %" PRId64
                     " are there",
                     file->path, data_bytes(file), int_max(bytes - data_begin, 0));
}

static redist_err npy_open(redist_file *file)
{
    char *header = NULL;
    int64_t size = 0, bytes = INT64_MAX,
            data_begin = 0; /* rank 0 sees the file's bytes */
    redist_err err = REDIST_OK;
    if (file->rank == 0) err = window_read_header(file->path, &header, &size, &bytes);
    TRY(collective_share(file->comm, err, &header, &size));
    err = parse_npy(file, header, size, bytes, &data_begin);
    mem_free(header);
    if (!err) err = open_here(file, file->path, data_begin);
    return collective_agree(file->comm, err);
}

/* A raw file's layout is the caller's. */
static redist_err raw_open(redist_file *file)
{
    struct stat status;
    redist_err err = open_here(file, file->path, file->layout.offset);
    if (!err && file->rank == 0) {
        const struct plain *plain = file->state;
        if (fstat(plain->descriptor, &status)) err = cannot_open(file, errno);
        if (!err && !S_ISREG(status.st_mode))
            err = error_set(REDIST_ERR_IO, "%s: is no regular file", file->path);
        if (!err) err = check_length(file, plain->data_begin, status.st_size);
    }
    return collective_agree(file->comm, err);
}

/* ---- create ------------------------------------------------------------------------ */

/* Make the temporary file with the `header`, on rank 0. */
static redist_err create_here(redist_file *file, const char *header, int64_t header_bytes)
{
    int descriptor = -1;
    TRY(temporary_create(&file->temporary, file->path, header_bytes + data_bytes(file),
                         &descriptor));
    redist_err err = write_fully(descriptor, file->path, header, header_bytes, 0);
    return close(descriptor) && !err ? cannot_open(file, errno) : err;
}

static redist_err create(redist_file *file, const char *header, int64_t header_bytes)
{
    char *path = NULL;
    const char *codec = file->layout.codec;
    if (codec && strcmp(codec, "none") != 0)
        return error_arg("%s: codec is \"%.40s\", must be none: the format compresses "
                         "nothing",
                         file->path, codec);
    redist_err err = REDIST_OK;
    if (file->rank == 0) err = create_here(file, header, header_bytes);
    err = file_share_path(file, err, &path);
    if (!err) err = open_here(file, path, header_bytes);
    mem_free(path);
    return collective_agree(file->comm, err);
}

static redist_err npy_create(redist_file *file)
{
    const redist_file_layout *layout = &file->layout;
    struct npy npy = {0};
    char *header = NULL;
    redist_err err = npy_make(layout->type, layout->order == REDIST_COLUMN_MAJOR,
                              layout->ndims, layout->shape, &npy);
    if (!err) err = npy_print(&npy, &header);
    err = collective_agree(file->comm, err);
    if (!err) err = create(file, header, npy.data_begin);
    mem_free(header);
    npy_free(&npy);
    return err;
}

static redist_err raw_create(redist_file *file)
{
    char *zeros = mem_alloc(NULL, file->layout.offset, 1);
    redist_err err = collective_agree(file->comm, zeros ? REDIST_OK : REDIST_ERR_MEMORY);
    if (!err) err = create(file, zeros, file->layout.offset);
    mem_free(zeros);
    return err;
}

/* ---- boxes ------------------------------------------------------------------------- */

/* Read into `to`, or write `from`: one of them is NULL. The file is visited in its order,
 * in pieces as long as they can be. */
static redist_err move(redist_file *file, const struct box *box, char *to,
                       const char *from)
{
    const struct plain *plain = file->state;
    const redist_file_layout *layout = &file->layout;
    int n = layout->ndims, dim[REDIST_MAX_DIMS];
    int64_t stride[REDIST_MAX_DIMS], bytes = file->element_bytes, at = plain->data_begin;
    if (box_elements(file, box) == 0) return REDIST_OK;
    for (int k = n - 1; k >= 0; k--) { /* from the fastest on */
        int i = dim[k] = layout->order == REDIST_COLUMN_MAJOR ? n - 1 - k : k;
        stride[k] = bytes;
        bytes *= layout->shape[i];
        at += box->start[i] * stride[k];
    }
    int64_t piece = file->element_bytes, index[REDIST_MAX_DIMS] = {0};
    int outer = n; /* dimensions that are stepped through */
    for (bool whole = true; outer > 0 && whole; outer--) {
        int i = dim[outer - 1];
        piece *= box->extent[i];
        whole = box->extent[i] == layout->shape[i];
    }
    for (int64_t done = 0;; done += piece) {
        int64_t offset = at;
        for (int k = 0; k < outer; k++) offset += index[k] * stride[k];
        TRY(to ? read_fully(plain->descriptor, file->path, to + done, piece, offset)
               : write_fully(plain->descriptor, file->path, from + done, piece, offset));
        int k = outer - 1;
        for (; k >= 0 && ++index[k] == box->extent[dim[k]]; k--) index[k] = 0;
        if (k < 0) return REDIST_OK;
    }
}

static redist_err plain_read(redist_file *file, const struct box *box, void *elements)
{
    return move(file, box, elements, NULL);
}

static redist_err plain_write(redist_file *file, const struct box *box,
                              const void *elements)
{
    return move(file, box, NULL, elements);
}

/* ---- close ------------------------------------------------------------------------- */

static redist_err plain_close(redist_file *file)
{
    struct plain *plain = file->state;
    plain->is_open = false;
    return close(plain->descriptor) ? cannot_open(file, errno) : REDIST_OK;
}

static const char *const npy_suffixes[] = {".npy", NULL};
static const char *const raw_suffixes[] = {".raw", ".bin", ".dat", NULL};

const struct file_format store_npy = {
    .name = "npy",
    .suffixes = npy_suffixes,
    .state_bytes = sizeof(struct plain),
    .release = release,
    .open = npy_open,
    .create = npy_create,
    .read = plain_read,
    .write = plain_write,
    .close = plain_close,
};

const struct file_format store_raw = {
    .name = "raw",
    .bare = true,
    .suffixes = raw_suffixes,
    .state_bytes = sizeof(struct plain),
    .release = release,
    .open = raw_open,
    .create = raw_create,
    .read = plain_read,
    .write = plain_write,
    .close = plain_close,
};
