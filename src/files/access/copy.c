/* SPDX-License-Identifier: MIT */
#include "files/access/copy.h"

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

static redist_err check_pair(const redist_file *from, const struct section *of,
                             const redist_file *to, const struct section *into)
{
    const redist_file_layout *a = &from->layout, *b = &to->layout;
    if (to->mode == REDIST_FILE_READ)
        return error_arg("%s: is open for reading alone", to->path);
    if (from->nprocs != to->nprocs || from->rank != to->rank)
        return error_arg("%s and %s: are open on other communicators", from->path,
                         to->path);
    if (from->element_bytes != to->element_bytes && !between_numbers(from, to))
        return error_arg("%s: elements of %" PRId64 " bytes, those of %s have %" PRId64,
                         to->path, to->element_bytes, from->path, from->element_bytes);
    if (a->ndims != b->ndims)
        return error_arg("%s has %d dimensions, %s %d", from->path, a->ndims, to->path,
                         b->ndims);
    for (int i = 0; i < a->ndims; i++)
        if (of->extent[i] != into->extent[i])
            return error_arg("dim %d: %" PRId64 " elements of %s, %" PRId64 " of %s", i,
                             of->extent[i], from->path, into->extent[i], to->path);
    return REDIST_OK;
}

/* ---- slab by slab ------------------------------------------------------------------ */

/* A copy, in the slabs of the file that is written. */
struct copy {
    redist_file *from, *to;
    const struct section *of, *into; /* of the one, and of the other */
    const redist_file *watch;        /* whose user is told how far it is */
    int64_t before, behind;          /* slabs of other copies: done, and still to do */
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
    const struct section *of = copy->of;
    int64_t start[REDIST_MAX_DIMS];
    slabs_get(&copy->slabs, k, &slab);
    for (int i = 0; i < copy->slabs.ndims; i++) {
        if (slab.extent[i] == 0) return REDIST_OK; /* between two strides */
        start[i] = of->start[i] + slab.first[i] * of->stride[i];
    }
    struct box box = slab_part(&copy->slabs, &slab, to->rank);
    redist_err err = slab.covered ? REDIST_OK : slab_access(to, &box, copy->part, false);
    if (!err) err = slab_view(&copy->slabs, &slab, &dist, &view);
    err = collective_agree(to->comm, err);
    if (!err)
        err = redist_file_read_section(from, start, of->stride, &view, copy->type,
                                       copy->part);
    redist_dist_destroy(&dist);
    if (err) return from->checked ? slab_error(&copy->slabs, &slab, err) : err;
    return collective_agree(to->comm, slab_access(to, &box, copy->part, true));
}

static redist_err copy_slabs(struct copy copy)
{
    redist_file *to = copy.to;
    copy.type = MPI_DATATYPE_NULL;
    redist_err err = slabs_make(to, copy.into, false, to->staging_bytes, &copy.slabs);
    if (!err) {
        copy.part = mem_alloc_elements(NULL, slabs_part_bytes(&copy.slabs, to));
        if (!copy.part) err = REDIST_ERR_MEMORY;
    }
    if (!err) err = make_type(copy.from, to, &copy.type);
    err = collective_agree(to->comm, err);
    int64_t count = copy.slabs.count, all = copy.before + count + copy.behind;
    for (int64_t k = 0; !err && k < count; k++) {
        err = copy_slab(&copy, k);
        if (copy.watch->progress)
            copy.watch->progress(copy.watch->context, copy.before + k + 1, all);
    }
    if (copy.type != MPI_DATATYPE_NULL) MPI_Type_free(&copy.type);
    mem_free(copy.part);
    if (err) to->failed = true;
    return err;
}

/* ---- by way of a file between ------------------------------------------------------ */

static redist_err copy_by_way(struct copy copy, const struct between *between)
{
    char name[PATH_MAX];
    struct slabs slabs;
    const redist_file *from = copy.from, *to = copy.to;
    redist_file *middle = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    options.layout = &between->layout;
    options.format = "zarr";
    options.staging_bytes = (size_t)to->staging_bytes;
    options.writers = to->writers;
    options.checked = from->checked;
    int length = snprintf(name, sizeof name, "%s.between:/array", to->path);
    if (length >= (int)sizeof name || /* or nothing can be made there */
        redist_file_open(to->user, name, REDIST_FILE_CREATE, &options, &middle))
        return copy_slabs(copy);
    redist_err err = slabs_make_whole(middle, middle->staging_bytes, &slabs);
    struct copy first = copy, second = copy;
    first.to = second.from = middle;
    first.behind = between->slabs;
    second.before = slabs.count;
    if (!err) err = copy_slabs(first);
    if (!err) err = copy_slabs(second);
    middle->failed = true; /* it is not kept */
    redist_err closed = redist_file_close(&middle);
    return err ? err : closed;
}

redist_err redist_file_copy(redist_file *from, redist_file *to)
{
    struct between between = {0};
    bool pays = false;
    if (!from || !to) return error_arg("a file is NULL");
    const struct section of = section_whole(from), into = section_whole(to);
    const struct copy copy = {from, to, .of = &of, .into = &into, .watch = to};
    redist_err err = check_pair(from, &of, to, &into);
    if (!err) err = between_plan(from, to, &between, &pays);
    err = collective_agree(to->comm, err);
    if (!err) err = pays ? copy_by_way(copy, &between) : copy_slabs(copy);
    if (err) to->failed = true;
    return err;
}

redist_err copy_section(redist_file *from, const struct section *of, redist_file *to,
                        const struct section *into)
{
    const struct copy copy = {from, to, .of = of, .into = into, .watch = to};
    redist_err err = collective_agree(to->comm, check_pair(from, of, to, into));
    if (!err) err = copy_slabs(copy);
    if (err) to->failed = true;
    return err;
}
