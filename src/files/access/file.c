/* SPDX-License-Identifier: MIT
 *
 * files/access/file.c - open, describe and close an array in a file.
 */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/access/formats.h"
#include "files/format/collective.h"
#include "move/arith/number_format.h"
#include "plan/comm/agree.h"
#include "plan/comm/team.h"

enum { DEFAULT_STAGING = 64 << 20, MOST_WRITERS = 64 };

/* ---- arguments --------------------------------------------------------------------- */

static redist_err check_layout(const redist_file_layout *layout)
{
    if (layout->size != sizeof *layout)
        return error_arg("layout: size is %zu, must be %zu", layout->size,
                         sizeof *layout);
    if (layout->ndims < 0 || layout->ndims > REDIST_MAX_DIMS)
        return error_arg("layout: ndims is %d, must be 0 .. %d", layout->ndims,
                         REDIST_MAX_DIMS);
    if (!layout->type) return error_arg("layout: type is NULL");
    if (layout->order != REDIST_ROW_MAJOR && layout->order != REDIST_COLUMN_MAJOR)
        return error_arg("layout: order is %d, which is none", (int)layout->order);
    if (layout->offset < 0)
        return error_arg("layout: offset is %" PRId64 ", must be >= 0", layout->offset);
    if (layout->version < 0)
        return error_arg("layout: version is %d, must be >= 0", layout->version);
    for (int i = 0; i < layout->ndims; i++) {
        if (layout->chunk[i] < 0 || (layout->chunk[i] == 0) != (layout->chunk[0] == 0))
            return error_arg("layout: chunk of dim %d is %" PRId64
                             ", must be >= 1, or 0 for all",
                             i, layout->chunk[i]);
    }
    return REDIST_OK;
}

static redist_err check_options(const redist_file_options *options)
{
    if (options->size != sizeof *options)
        return error_arg("options: size is %zu, must be %zu", options->size,
                         sizeof *options);
    if (options->staging_bytes > INT64_MAX)
        return error_arg("options: staging_bytes is %zu", options->staging_bytes);
    if (options->writers < 0)
        return error_arg("options: writers is %d, must be >= 0", options->writers);
    return options->layout ? check_layout(options->layout) : REDIST_OK;
}

/* Set the layout that the caller gives. The type of numbers gets its byte order. */
static redist_err take_layout(redist_file *file, const redist_file_layout *layout)
{
    struct format format;
    char number[FORMAT_NAME];
    bool is_number = format_parse(layout->type, &format);
    if (is_number) format_print(&format, number);
    redist_err err = file_set_layout(file, layout->ndims, layout->shape,
                                     is_number ? number : layout->type, layout->order);
    if (!err) err = file_set_codec(file, layout->codec);
    if (err) return err == REDIST_ERR_IO ? error_prefix(REDIST_ERR_ARG, "layout") : err;
    file->layout.offset = layout->offset;
    file->layout.version = layout->version;
    for (int i = 0; i < layout->ndims; i++) file->layout.chunk[i] = layout->chunk[i];
    return REDIST_OK;
}

static redist_err take_arguments(redist_file *file, const char *name,
                                 redist_file_mode mode,
                                 const redist_file_options *options)
{
    static const redist_file_options defaults = REDIST_FILE_OPTIONS_INIT;
    struct file_name found;
    if (!options) options = &defaults;
    if (!name) return error_arg("name is NULL");
    if (mode < REDIST_FILE_READ || mode > REDIST_FILE_CREATE)
        return error_arg("mode is %d, which is none", (int)mode);
    TRY(check_options(options));
    TRY(formats_find(name, options->format, &found));
    file->format = found.format;
    bool needs = mode == REDIST_FILE_CREATE || file->format->bare;
    if (needs != (options->layout != NULL))
        return error_arg("%s: options.layout must be %s", name,
                         needs ? "given: the file does not say it"
                               : "NULL: the file says it");
    file->mode = mode;
    file->checked = options->checked != 0;
    file->staging_bytes =
        options->staging_bytes ? (int64_t)options->staging_bytes : DEFAULT_STAGING;
    file->writers = options->writers ? options->writers : MOST_WRITERS;
    if (file->writers > file->nprocs) file->writers = file->nprocs;
    file->path = mem_copy(NULL, name, found.length + 1, 1);
    file->inner = mem_copy(NULL, found.inner, (int64_t)strlen(found.inner) + 1, 1);
    if (!file->path || !file->inner) return REDIST_ERR_MEMORY;
    file->path[found.length] = 0;
    file->state = mem_alloc(NULL, 1, file->format->state_bytes);
    if (!file->state) return REDIST_ERR_MEMORY;
    return options->layout ? take_layout(file, options->layout) : REDIST_OK;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++) hash = hash_int(hash, *text);
    return hash_int(hash, text ? 0 : -1);
}

static int64_t hash_layout(const redist_file *file)
{
    const redist_file_layout *layout = &file->layout;
    uint64_t hash = hash_text(hash_text(HASH_START, layout->type), layout->codec);
    hash = hash_int(hash_int(hash, (int64_t)layout->order), layout->offset);
    hash = hash_int(hash, layout->version);
    for (int i = 0; i < layout->ndims; i++)
        hash = hash_int(hash_int(hash, layout->shape[i]), layout->chunk[i]);
    return (int64_t)(hash >> 1);
}

/* Check that all processes have passed the same. */
static redist_err agree_arguments(const redist_file *file, redist_err err)
{
    static const char *const names[] = {"mode",
                                        "the hash of the name and the format",
                                        "the hash of the layout",
                                        "staging_bytes",
                                        "writers",
                                        "checked"};
    int64_t numbers[6] = {0};
    if (!err) {
        numbers[0] = file->mode;
        uint64_t hash = hash_text(hash_text(HASH_START, file->path), file->inner);
        numbers[1] = (int64_t)(hash_text(hash, file->format->name) >> 1);
        numbers[2] = hash_layout(file);
        numbers[3] = file->staging_bytes;
        numbers[4] = file->writers;
        numbers[5] = file->checked;
    }
    return agree_equal(file->comm, err, 6, numbers, names);
}

/* Unless the caller says how much memory there is, a chunk fits. */
static void fit_chunk(redist_file *file)
{
    int64_t bytes = 2 * file->element_bytes;
    for (int i = 0; i < file->layout.ndims; i++) {
        int64_t chunk = int_min(file->layout.chunk[i], file->layout.shape[i]);
        if (!int_mul(bytes, chunk, &bytes)) return;
    }
    file->staging_bytes = int_max(file->staging_bytes, bytes);
}

/* ---- open and close ---------------------------------------------------------------- */

static void free_file(redist_file *file)
{
    if (file->state && file->format->release) file->format->release(file);
    temporary_discard(&file->temporary);
    mem_free(file->state);
    char *type = (char *)(uintptr_t)file->layout.type; /* owned */
    char *codec = (char *)(uintptr_t)file->layout.codec;
    mem_free(type);
    mem_free(codec);
    mem_free(file->path);
    mem_free(file->inner);
    if (file->comm != MPI_COMM_NULL) MPI_Comm_free(&file->comm);
    mem_free(file);
}

redist_err redist_file_open(MPI_Comm comm, const char *name, redist_file_mode mode,
                            const redist_file_options *options, redist_file **opened)
{
    MPI_Comm own;
    if (!opened) return error_arg("file is NULL");
    *opened = NULL;
    TRY(team_check_intra(comm));
    if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS)
        return error_set(REDIST_ERR_MPI, "MPI_Comm_dup failed");
    redist_file *file = mem_alloc(NULL, 1, sizeof *file);
    redist_err err = agree(own, file ? REDIST_OK : REDIST_ERR_MEMORY);
    if (err) {
        mem_free(file);
        MPI_Comm_free(&own);
        return err;
    }
    file->comm = own;
    file->user = comm;
    MPI_Comm_rank(own, &file->rank);
    MPI_Comm_size(own, &file->nprocs);
    err = agree_arguments(file, take_arguments(file, name, mode, options));
    if (!err) {
        bool create = mode == REDIST_FILE_CREATE;
        err = create ? file->format->create(file) : file->format->open(file);
    }
    if (err) {
        free_file(file);
        return err;
    }
    if (!options || options->staging_bytes == 0) fit_chunk(file);
    *opened = file;
    return REDIST_OK;
}

redist_err redist_file_describe(const redist_file *file, redist_file_layout *layout)
{
    if (!file || !layout) return error_arg("%s is NULL", file ? "layout" : "file");
    *layout = file->layout;
    layout->format = file->format->name;
    return REDIST_OK;
}

redist_err redist_file_set_progress(redist_file *file,
                                    void (*progress)(void *context, int64_t done,
                                                     int64_t total),
                                    void *context)
{
    if (!file) return error_arg("file is NULL");
    file->progress = progress;
    file->context = context;
    return REDIST_OK;
}

redist_err redist_file_close(redist_file **file)
{
    if (!file || !*file) return REDIST_OK;
    redist_file *f = *file;
    redist_err err = collective_agree(f->comm, f->format->close(f));
    if (!err && f->mode == REDIST_FILE_CREATE) {
        if (!f->failed && f->temporary.path) err = temporary_keep(&f->temporary);
        err = collective_agree(f->comm, err);
    }
    free_file(f);
    *file = NULL;
    return err;
}
