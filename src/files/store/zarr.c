/* SPDX-License-Identifier: MIT
 *
 * files/store/zarr.c - an array of Zarr, version 2 or 3: a folder with a file a chunk.
 * The first process reads and writes the metadata; each one reads and writes its own
 * chunks.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "files/store/stores.h"
#include "files/store/zarr_contents.h"
#include "files/zarr/chunk.h"
#include "files/zarr/common.h"
#include "files/zarr/folder.h"

struct zarr {
    struct metadata metadata;
    struct chunks chunks;
    char folder[PATH_MAX]; /* of the chunks, for now */
    struct folder *made;   /* of a created array; owned */
};

static void release(redist_file *file)
{
    struct zarr *zarr = file->state;
    metadata_free(&zarr->metadata);
    chunks_free(&zarr->chunks);
    mem_free(zarr->made);
}

/* ---- open -------------------------------------------------------------------------- */

static redist_err read_metadata(const redist_file *file, char **text, int64_t *size)
{
    const struct zarr *zarr = file->state;
    bool is_array = false;
    TRY(folder_read(zarr->folder, text, size, &is_array));
    if (is_array) return REDIST_OK;
    redist_err err =
        *text ? error_set(REDIST_ERR_IO,
                          "%s: a group, must be an array: name one as in %s:/name",
                          zarr->folder, file->path)
              : error_set(REDIST_ERR_IO, "%s: no array of Zarr is there", zarr->folder);
    mem_free(*text);
    *text = NULL;
    return err;
}

/* Tell the core and the chunks what the metadata say. */
static void take_metadata(redist_file *file)
{
    struct zarr *zarr = file->state;
    const struct metadata *m = &zarr->metadata;
    file->layout.version = m->version;
    for (int i = 0; i < m->ndims; i++) file->layout.chunk[i] = m->chunk[i];
    zarr->chunks.folder = zarr->folder;
    zarr->chunks.metadata = m;
}

static redist_err parse_metadata(redist_file *file, const char *text, int64_t size)
{
    struct zarr *zarr = file->state;
    struct metadata *m = &zarr->metadata;
    char codec[METADATA_CODEC_TEXT];
    redist_err err = metadata_parse(text, size, m);
    if (!err) err = file_set_layout(file, m->ndims, m->shape, m->type, m->order);
    if (err == REDIST_ERR_IO) return error_prefix(err, "%s", zarr->folder);
    TRY(err);
    take_metadata(file);
    return file_set_codec(file, metadata_codec(m, codec));
}

static redist_err zarr_open(redist_file *file)
{
    struct zarr *zarr = file->state;
    char *text = NULL;
    int64_t size = 0;
    redist_err err = folder_name(file->path, file->inner, zarr->folder);
    if (!err && file->rank == 0) err = read_metadata(file, &text, &size);
    err = collective_share(file->comm, err, &text, &size);
    if (!err) err = collective_agree(file->comm, parse_metadata(file, text, size));
    mem_free(text);
    return err;
}

/* ---- create ------------------------------------------------------------------------ */

/* Make the folder, on rank 0; all others learn of it. */
static redist_err share_folder(redist_file *file)
{
    struct zarr *zarr = file->state;
    int64_t size = sizeof *zarr->made;
    char *block = NULL;
    redist_err err = REDIST_OK;
    if (file->rank == 0) {
        zarr->made = mem_alloc(NULL, 1, sizeof *zarr->made);
        err = zarr->made ? folder_create(file->path, file->inner, file->layout.version,
                                         zarr->made)
                         : REDIST_ERR_MEMORY;
        block = (char *)zarr->made;
    }
    err = collective_share(file->comm, err, &block, &size);
    zarr->made = err ? NULL : (struct folder *)block;
    return err;
}

static redist_err make_metadata(redist_file *file)
{
    struct zarr *zarr = file->state;
    redist_err err = metadata_make(zarr->made->version, &file->layout,
                                   file->element_bytes, &zarr->metadata);
    if (err == REDIST_ERR_IO) return error_prefix(REDIST_ERR_ARG, "layout");
    TRY(err);
    memcpy(zarr->folder, zarr->made->array, sizeof zarr->folder);
    take_metadata(file);
    return REDIST_OK;
}

static redist_err zarr_create(redist_file *file)
{
    int version = file->layout.version;
    if (version != 0 && version != 2 && version != 3)
        return error_arg("layout: version is %d, must be 0, 2 or 3", version);
    struct zarr *zarr = file->state;
    TRY(share_folder(file));
    redist_err err = collective_agree(file->comm, make_metadata(file));
    if (err && file->rank == 0) temporary_folder_discard(&zarr->made->part);
    return err;
}

/* ---- boxes ------------------------------------------------------------------------- */

static redist_err zarr_read(redist_file *file, const struct box *box, void *elements)
{
    struct zarr *zarr = file->state;
    struct common common;
    if (box_elements(file, box) == 0) return REDIST_OK;
    zarr->chunks.complete = file->complete;
    for (int64_t k = 0;
         common_find(&zarr->metadata, zarr->metadata.chunk, box, k, &common); k++)
        TRY(chunk_read(&zarr->chunks, &common, box, elements));
    return REDIST_OK;
}

static redist_err zarr_write(redist_file *file, const struct box *box,
                             const void *elements)
{
    struct zarr *zarr = file->state;
    struct chunks *chunks = &zarr->chunks;
    char *from = (char *)(uintptr_t)elements;
    struct common common;
    if (box_elements(file, box) == 0) return REDIST_OK;
    chunks->to_disk = file->to_disk;
    for (int64_t k = 0;
         common_find(&zarr->metadata, zarr->metadata.chunk, box, k, &common); k++) {
        TRY(chunk_prepare(chunks, common.cut));
        common_copy(&common, box, file->element_bytes, chunks->work.block[0].bytes, from,
                    false);
        TRY(chunk_write(chunks, common.index));
    }
    return REDIST_OK;
}

/* ---- close ------------------------------------------------------------------------- */

static redist_err keep(const struct zarr *zarr)
{
    char *text;
    int64_t size;
    redist_err err = metadata_print(&zarr->metadata, &text, &size);
    if (err)
        temporary_folder_discard(&zarr->made->part);
    else
        err = folder_keep(zarr->made, text, size);
    mem_free(text);
    return err;
}

static redist_err zarr_close(redist_file *file)
{
    const struct zarr *zarr = file->state;
    if (!zarr->made || file->rank != 0) return REDIST_OK;
    if (!file->failed) return keep(zarr);
    temporary_folder_discard(&zarr->made->part);
    return REDIST_OK;
}

static const char *const suffixes[] = {".zarr", NULL};

const struct file_format store_zarr = {
    .name = "zarr",
    .suffixes = suffixes,
    .has_inner = true,
    .visit = zarr_contents_visit,
    .state_bytes = sizeof(struct zarr),
    .release = release,
    .open = zarr_open,
    .create = zarr_create,
    .read = zarr_read,
    .write = zarr_write,
    .close = zarr_close,
};
