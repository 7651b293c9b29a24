/* SPDX-License-Identifier: MIT
 *
 * files/access/copy.c - copy an array from file to file, in other chunks and in another
 * format, in the slabs of the file that is written.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/access/slab.h"
#include "files/format/collective.h"
#include "move/arith/number_format.h"

static bool are_numbers(const redist_file *from, const redist_file *to)
{
    struct format format;
    return format_parse(from->layout.type, &format) &&
           format_parse(to->layout.type, &format);
}

/* Make the type of the elements that are written: of numbers it says which. */
static redist_err make_type(const redist_file *from, const redist_file *to,
                            MPI_Datatype *type)
{
    if (are_numbers(from, to)) return redist_type_create(to->layout.type, type);
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
    if (from->element_bytes != to->element_bytes && !are_numbers(from, to))
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

static redist_err copy_slab(redist_file *from, redist_file *to, const struct slabs *slabs,
                            int64_t k, MPI_Datatype type, void *part)
{
    struct slab slab;
    redist_dist *dist = NULL;
    redist_view view;
    slabs_get(slabs, k, &slab);
    TRY(collective_agree(to->comm, slab_view(slabs, &slab, &dist, &view)));
    redist_err err =
        redist_file_read_section(from, slab.box.start, NULL, &view, type, part);
    redist_dist_destroy(&dist);
    if (err) return from->checked ? slab_error(slabs, &slab, err) : err;
    struct box box = slab_part(slabs, &slab, to->rank);
    return collective_agree(to->comm, slab_access(to, &box, part, true));
}

redist_err redist_file_copy(redist_file *from, redist_file *to)
{
    struct slabs slabs = {0};
    void *part = NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (!from || !to) return error_set(REDIST_ERR_ARG, "a file is NULL");
    redist_err err = check_pair(from, to);
    if (!err) {
        const struct section whole = section_whole(to);
        err = slabs_make(to, &whole, to->staging_bytes, &slabs);
    }
    if (!err) {
        part = mem_alloc_elements(NULL, slabs_part_bytes(&slabs, to));
        if (!part) err = REDIST_ERR_MEMORY;
    }
    if (!err) err = make_type(from, to, &type);
    err = collective_agree(to->comm, err);
    for (int64_t k = 0; !err && k < slabs.count; k++) {
        err = copy_slab(from, to, &slabs, k, type, part);
        if (to->progress) to->progress(to->context, k + 1, slabs.count);
    }
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
    mem_free(part);
    if (err) to->failed = true;
    return err;
}
