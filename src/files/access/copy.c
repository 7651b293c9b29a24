/* SPDX-License-Identifier: MIT
 *
 * files/access/copy.c - copy an array from file to file, in other chunks and in another
 * format, in the slabs of the file that is written.
 */
#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/access/between.h"
#include "files/format/collective.h"
#include "move/arith/number_format.h"

/* Make the type of the elements that are written: of numbers it says which. */
static redist_err make_type(const redist_file *from, const redist_file *to,
                            MPI_Datatype *type)
{
    if (between_numbers(from, to)) return redist_type_create(to->layout.type, type);
    MPI_Type_contiguous((int)to->element_bytes, MPI_BYTE, type);
    MPI_Type_commit(type);
    return REDIST_OK;
}

static redist_err check_pair(const redist_file *from, const redist_file *to)
{
    const redist_file_layout *a = &from->layout, *b = &to->layout;
    if (to->mode == REDIST_FILE_READ)
        return error_set(REDIST_ERR_ARG, "%s: is open for reading alone", to->path);
    if (from->nprocs != to->nprocs || from->rank != to->rank)
        return error_set(REDIST_ERR_ARG, "%s and %s: are open on other communicators",
                         from->path, to->path);
    if (from->element_bytes != to->element_bytes && !between_numbers(from, to))
        return error_set(REDIST_ERR_ARG,
                         "%s: elements of %" PRId64 " bytes, those of %s have %" PRId64,
                         to->path, to->element_bytes, from->path, from->element_bytes);
    if (a->ndims != b->ndims)
        return error_set(REDIST_ERR_ARG, "%s has %d dimensions, %s %d", from->path,
                         a->ndims, to->path, b->ndims);
    for (int i = 0; i < a->ndims; i++)
        if (a->shape[i] != b->shape[i])
            return error_set(REDIST_ERR_ARG,
                             "dim %d: %s has %" PRId64 " elements, %s %" PRId64, i,
                             from->path, a->shape[i], to->path, b->shape[i]);
    return REDIST_OK;
}

/* ---- slab by slab ------------------------------------------------------------------ */

/* A copy, in the slabs of the file that is written. */
struct copy {
    redist_file *from, *to;
    struct slabs slabs;
    MPI_Datatype type;
    void *part;
};

static redist_err copy_slab(const struct copy *copy, int64_t k)
{
    struct slab slab;
    redist_dist *dist = NULL;
    redist_view view;
    redist_file *from = copy->from, *to = copy->to;
    slabs_get(&copy->slabs, k, &slab);
    TRY(collective_agree(to->comm, slab_view(&copy->slabs, &slab, &dist, &view)));
    redist_err err = redist_file_read_section(from, slab.box.start, NULL, &view,
                                              copy->type, copy->part);
    redist_dist_destroy(&dist);
    if (err) return from->checked ? slab_error(&copy->slabs, &slab, err) : err;
    struct box box = slab_part(&copy->slabs, &slab, to->rank);
    return collective_agree(to->comm, slab_access(to, &box, copy->part, true));
}

/* Copy, and tell `watch` of the slabs: `before` are done, `behind` come later. */
static redist_err copy_slabs(redist_file *from, redist_file *to, const redist_file *watch,
                             int64_t before, int64_t behind)
{
    struct copy copy = {.from = from, .to = to, .type = MPI_DATATYPE_NULL};
    redist_err err = slabs_make_whole(to, to->staging_bytes, &copy.slabs);
    if (!err) {
        copy.part = mem_alloc_elements(NULL, slabs_part_bytes(&copy.slabs, to));
        if (!copy.part) err = REDIST_ERR_MEMORY;
    }
    if (!err) err = make_type(from, to, &copy.type);
    err = collective_agree(to->comm, err);
    int64_t count = copy.slabs.count;
    for (int64_t k = 0; !err && k < count; k++) {
        err = copy_slab(&copy, k);
        if (watch->progress)
            watch->progress(watch->context, before + k + 1, before + count + behind);
    }
    if (copy.type != MPI_DATATYPE_NULL) MPI_Type_free(&copy.type);
    mem_free(copy.part);
    if (err) to->failed = true;
    return err;
}

/* ---- by way of a file between ------------------------------------------------------ */

static redist_err copy_by_way(redist_file *from, const struct between *between,
                              redist_file *to)
{
    char name[PATH_MAX];
    struct slabs slabs;
    redist_file *middle = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    options.layout = &between->layout;
    options.format = "zarr";
    options.staging_bytes = (size_t)to->staging_bytes;
    options.writers = to->writers;
    options.checked = from->checked;
    int length = snprintf(name, sizeof name, "%s.between", to->path);
    if (length >= (int)sizeof name ||
        redist_file_open(to->user, name, REDIST_FILE_CREATE, &options, &middle))
        return copy_slabs(from, to, to, 0, 0); /* nothing can be made there */
    redist_err err = slabs_make_whole(middle, middle->staging_bytes, &slabs);
    if (!err) err = copy_slabs(from, middle, to, 0, between->slabs);
    if (!err) err = copy_slabs(middle, to, to, slabs.count, 0);
    middle->failed = true; /* it is not kept */
    redist_err closed = redist_file_close(&middle);
    return err ? err : closed;
}

redist_err redist_file_copy(redist_file *from, redist_file *to)
{
    struct between between = {0};
    bool pays = false;
    if (!from || !to) return error_set(REDIST_ERR_ARG, "a file is NULL");
    redist_err err = check_pair(from, to);
    if (!err) err = between_plan(from, to, &between, &pays);
    err = collective_agree(to->comm, err);
    if (!err)
        err = pays ? copy_by_way(from, &between, to) : copy_slabs(from, to, to, 0, 0);
    if (err) to->failed = true;
    return err;
}
