/* SPDX-License-Identifier: MIT
 *
 * files/access/transfer.c - read and write a section: of each slab the writers read or
 * write their parts, and a plan moves the elements between these and the caller's array.
 */
#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/view.h"
#include "files/access/slab.h"
#include "files/format/collective.h"
#include "plan/comm/agree.h"
#include "plan/comm/number.h"

enum { MOST_STAGING = 8 << 20 }; /* of a plan */

struct transfer {
    redist_file *file;
    const redist_view *view;
    MPI_Datatype type, file_type; /* of the file's numbers; NULL: nothing is converted */
    bool write;
    const void *from; /* what is written */
    void *to;         /* what is read goes here */
    struct slabs slabs;
    char *part; /* this process's part of a slab */
    redist_options options;
};

/* ---- arguments --------------------------------------------------------------------- */

static int64_t extent_of(const redist_file *file, int i)
{
    return file->layout.ndims ? file->layout.shape[i] : 1;
}

static redist_err check_dim(const redist_file *file, int i, int64_t start, int64_t stride,
                            int64_t extent)
{
    int64_t shape = extent_of(file, i);
    if (stride < 1)
        return error_arg("dim %d: stride is %" PRId64 ", must be >= 1", i, stride);
    if (extent > 0 &&
        (start < 0 || start >= shape || (extent - 1) > (shape - 1 - start) / stride))
        return error_arg("dim %d: %" PRId64 " elements from %" PRId64 " on by %" PRId64
                         ", the file has %" PRId64,
                         i, extent, start, stride, shape);
    return REDIST_OK;
}

/* Find the section that pairs with the view's. */
static redist_err find_section(const redist_file *file, const int64_t start[],
                               const int64_t stride[], const redist_view *view,
                               struct section *section)
{
    if (!view) return error_arg("view is NULL");
    TRY(view_check(view));
    int n = file->layout.ndims ? file->layout.ndims : 1;
    int ndims = redist_dist_ndims(view->dist);
    if (ndims != n)
        return error_arg("the view has %d dimensions, the file %d", ndims,
                         file->layout.ndims);
    for (int i = 0; i < n; i++) {
        section->start[i] = start ? start[i] : 0;
        section->stride[i] = stride ? stride[i] : 1;
        section->extent[i] = view->extent[view->axes[i]];
        TRY(check_dim(file, i, section->start[i], section->stride[i],
                      section->extent[i]));
        int64_t shape = extent_of(file, i);
        if (!start && section->extent[i] != shape)
            return error_arg("dim %d: the section has %" PRId64
                             " elements, the file %" PRId64,
                             i, section->extent[i], shape);
    }
    return REDIST_OK;
}

/* Make the datatype of the file's numbers, if they are to be converted; otherwise
 * elements are bytes, as many on both sides. */
static redist_err find_file_type(struct transfer *t)
{
    const redist_file *file = t->file;
    struct format theirs, mine;
    MPI_Count bytes = 0;
    if (t->type == MPI_DATATYPE_NULL) return error_arg("type is MPI_DATATYPE_NULL");
    mine = number_format(t->type);
    if (mine.kind && format_parse(file->layout.type, &theirs) &&
        format_code(&mine) != format_code(&theirs))
        return redist_type_create(file->layout.type, &t->file_type);
    MPI_Type_size_x(t->type, &bytes);
    if (bytes == file->element_bytes) return REDIST_OK;
    return error_arg("type has %lld bytes, elements of the file have %" PRId64,
                     (long long)bytes, file->element_bytes);
}

static redist_err prepare(struct transfer *t, const int64_t start[],
                          const int64_t stride[])
{
    redist_file *file = t->file;
    struct section section;
    if (t->write && file->mode == REDIST_FILE_READ)
        return error_arg("%s: is open for reading alone", file->path);
    TRY(find_section(file, start, stride, t->view, &section));
    TRY(find_file_type(t));
    int64_t staging = int_min(file->staging_bytes / 4, MOST_STAGING);
    staging = int_max(staging, 2 * file->element_bytes);
    t->options = (redist_options)REDIST_OPTIONS_INIT;
    t->options.staging_bytes = (size_t)staging;
    t->options.checked = file->checked;
    if (t->file_type != MPI_DATATYPE_NULL)
        t->options.source_type = t->write ? t->type : t->file_type;
    TRY(slabs_make(file, &section, !t->write, file->staging_bytes - staging, &t->slabs));
    t->part = mem_alloc_elements(NULL, slabs_part_bytes(&t->slabs, file));
    return t->part ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* Check that all processes do the same: otherwise they would visit other slabs. */
static redist_err agree_section(const struct transfer *t)
{
    static const char *const names[] = {"section of the file", "call"};
    const struct section *section = &t->slabs.section;
    uint64_t hash = HASH_START;
    for (int i = 0; i < t->slabs.ndims; i++) {
        hash = hash_int(hash_int(hash, section->start[i]), section->stride[i]);
        hash = hash_int(hash, section->extent[i]);
    }
    const int64_t numbers[] = {(int64_t)(hash >> 1), t->write};
    return agree_equal(t->file->comm, REDIST_OK, 2, numbers, names);
}

/* ---- a slab ------------------------------------------------------------------------ */

/* The elements of the caller's section that a slab has. */
static redist_view select_elements(const struct transfer *t, const struct slab *slab)
{
    redist_view view = *t->view;
    for (int j = 0; j < t->slabs.ndims; j++) {
        int i = view.axes[j];
        view.start[i] += slab->first[j] * view.stride[i];
        view.extent[i] = slab->extent[j];
    }
    return view;
}

static redist_err make_plan(const struct transfer *t, const struct slab *slab,
                            redist_plan **plan)
{
    redist_view mine = select_elements(t, slab), part;
    redist_dist *dist = NULL;
    TRY(slab_view(&t->slabs, slab, &dist, &part));
    MPI_Datatype type =
        t->write && t->file_type != MPI_DATATYPE_NULL ? t->file_type : t->type;
    redist_err err = redist_plan_create(t->file->user, type, t->write ? &mine : &part,
                                        t->write ? &part : &mine, &t->options, plan);
    redist_dist_destroy(&dist);
    return err;
}

static redist_err move_slab(const struct transfer *t, int64_t k)
{
    struct slab slab;
    redist_plan *plan = NULL;
    slabs_get(&t->slabs, k, &slab);
    for (int i = 0; i < t->slabs.ndims; i++)
        if (slab.extent[i] == 0) return REDIST_OK; /* between two strides */
    struct box part = slab_part(&t->slabs, &slab, t->file->rank);
    redist_err err = REDIST_OK;
    if (!t->write || !slab.covered) err = slab_access(t->file, &part, t->part, false);
    TRY(collective_agree(t->file->comm, err));
    TRY(make_plan(t, &slab, &plan));
    err = redist_execute(plan, t->write ? t->from : t->part, t->write ? t->part : t->to);
    if (err && t->write && t->options.checked) err = slab_error(&t->slabs, &slab, err);
    redist_err destroyed = redist_plan_destroy(&plan);
    if (!err) err = destroyed;
    if (!err && t->write)
        err = collective_agree(t->file->comm, slab_access(t->file, &part, t->part, true));
    return err;
}

static redist_err transfer(struct transfer *t, const int64_t start[],
                           const int64_t stride[])
{
    if (!t->file) return error_arg("file is NULL");
    redist_err err = collective_agree(t->file->comm, prepare(t, start, stride));
    if (!err) err = agree_section(t);
    for (int64_t k = 0; !err && k < t->slabs.count; k++) {
        err = move_slab(t, k);
        if (t->file->progress) t->file->progress(t->file->context, k + 1, t->slabs.count);
    }
    mem_free(t->part);
    if (t->file_type != MPI_DATATYPE_NULL) MPI_Type_free(&t->file_type);
    if (err && t->write) t->file->failed = true;
    return err;
}

/* ---- the calls --------------------------------------------------------------------- */

redist_err redist_file_read_section(redist_file *file, const int64_t start[],
                                    const int64_t stride[], const redist_view *view,
                                    MPI_Datatype type, void *buffer)
{
    struct transfer t = {.file = file,
                         .view = view,
                         .type = type,
                         .file_type = MPI_DATATYPE_NULL,
                         .to = buffer};
    return transfer(&t, start, stride);
}

redist_err redist_file_write_section(redist_file *file, const int64_t start[],
                                     const int64_t stride[], const redist_view *view,
                                     MPI_Datatype type, const void *buffer)
{
    struct transfer t = {.file = file,
                         .view = view,
                         .type = type,
                         .file_type = MPI_DATATYPE_NULL,
                         .write = true,
                         .from = buffer};
    return transfer(&t, start, stride);
}

redist_err redist_file_read(redist_file *file, const redist_view *view, MPI_Datatype type,
                            void *buffer)
{
    return redist_file_read_section(file, NULL, NULL, view, type, buffer);
}

redist_err redist_file_write(redist_file *file, const redist_view *view,
                             MPI_Datatype type, const void *buffer)
{
    return redist_file_write_section(file, NULL, NULL, view, type, buffer);
}
