/* SPDX-License-Identifier: MIT */
#include "tool/store/input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/dist.h"
#include "files/format/collective.h"
#include "files/format/window.h"
#include "tool/store/file_arguments.h"
#include "tool/store/shards.h"

/* ---- open -------------------------------------------------------------------------- */

/* Create the dist of `extents`[ndims] that has all on rank 0. */
static redist_err collapsed_dist(int ndims, const int64_t extents[], redist_dist **dist)
{
    static const int one = 1;
    redist_format formats[REDIST_MAX_DIMS];
    for (int i = 0; i < ndims; i++) formats[i] = redist_collapsed();
    redist_grid *grid = NULL;
    TRY(redist_grid_create(1, &one, REDIST_ROW_MAJOR, NULL, &grid));
    redist_err err = redist_dist_create(ndims, extents, formats, grid, dist);
    redist_grid_destroy(&grid);
    return err;
}

/* Find what rank 0 sees at `path`; without a path the input is synthetic. */
static enum input_kind kind_of(MPI_Comm comm, const char *path)
{
    int rank, directory = 0;
    struct stat status;
    if (!path) return INPUT_SYNTHETIC;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        directory = !file_says_format(path) && stat(path, &status) == 0 &&
                    S_ISDIR(status.st_mode);
    MPI_Bcast(&directory, 1, MPI_INT, 0, comm);
    return directory ? INPUT_SHARDS : INPUT_FILE;
}

static const char *native_int64(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? "<i8" : ">i8";
}

static redist_err make_synthetic(const redist_dist *source, const char *descr,
                                 struct input *input)
{
    int64_t extents[REDIST_MAX_DIMS];
    for (int i = 0; i < source->ndims; i++) extents[i] = source->dim[i].extent;
    TRY(collapsed_dist(source->ndims, extents, &input->dist));
    return npy_make(descr, false, source->ndims, extents, &input->npy);
}

redist_err input_synthetic(const redist_dist *source, int64_t element_bytes,
                           struct input *input)
{
    char descr[32];
    (void)snprintf(descr, sizeof descr, "|V%" PRId64, element_bytes);
    *input = (struct input){.kind = INPUT_SYNTHETIC};
    redist_err err = make_synthetic(source, descr, input);
    if (!err) err = redist_view_init(input->dist, &input->view);
    if (err) input_free(input);
    return err;
}

/* Use the first dimension of a file for the replicas, whose arrays lie one after the
 * other. */
static redist_err take_replicas(const char *path, int64_t replicas, struct npy *npy)
{
    if (!npy->data_begin || npy->ndims < 2 || npy->shape[0] != replicas ||
        npy->fortran_order)
        return error_set(REDIST_ERR_IO,
                         "%s: partial results of %" PRId64
                         " replicas must be an .npy file in "
                         "C order with a dimension of so many before the source's",
                         path, replicas);
    npy->ndims--;
    npy->data_bytes /= replicas;
    for (int i = 0; i < npy->ndims; i++) npy->shape[i] = npy->shape[i + 1];
    return REDIST_OK;
}

/* Find where the data of an .npy file begin; 0 in a file of another format, and of a
 * section, whose elements do not lie dense. */
static redist_err find_data(MPI_Comm comm, const redist_file_layout *layout,
                            const char *section, struct input *input)
{
    int rank;
    char *header = NULL;
    int64_t size = 0, file_bytes;
    redist_err err = REDIST_OK;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0 && !section && strcmp(layout->format, "npy") == 0)
        err = window_read_header(input->path, &header, &size, &file_bytes);
    mem_free(header);
    MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
    input->npy.data_begin = size;
    return collective_agree(comm, err);
}

static redist_err open_file(MPI_Comm comm, const char *section, struct input *input)
{
    redist_file_layout layout;
    struct npy *npy = &input->npy;
    TRY(file_argument_open(comm, input->path, REDIST_FILE_READ,
                           (redist_file_options)REDIST_FILE_OPTIONS_INIT, &input->file));
    TRY(redist_file_describe(input->file, &layout));
    TRY(collective_agree(
        comm, file_section("--section", section, input->file, &input->section)));
    TRY(collective_agree(comm, npy_make(layout.type, layout.order == REDIST_COLUMN_MAJOR,
                                        layout.ndims, input->section.extent, npy)));
    TRY(find_data(comm, &layout, section, input));
    if (input->replicas > 0) TRY(take_replicas(input->path, input->replicas, npy));
    if (npy->ndims == 0)
        return error_set(REDIST_ERR_IO, "%s: a single number is no array to distribute",
                         input->path);
    return collapsed_dist(npy->ndims, npy->shape, &input->dist);
}

static redist_err open_shards(MPI_Comm comm, struct input *input)
{
    TRY(shards_open(comm, input->path, &input->manifest, &input->dist));
    if (input->replicas > 0 && input->dist->nreplicas != input->replicas)
        return error_set(REDIST_ERR_IO,
                         "%s: its distribution has %" PRId64 " replicas, the source's "
                         "has %" PRId64 " partial results",
                         input->path, input->dist->nreplicas, input->replicas);
    int64_t extents[REDIST_MAX_DIMS];
    for (int i = 0; i < input->dist->ndims; i++) extents[i] = input->dist->dim[i].extent;
    return npy_make(input->manifest.descr, input->manifest.fortran_order,
                    input->dist->ndims, extents, &input->npy);
}

static void print_shape(const redist_dist *dist, char *text, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < dist->ndims && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%" PRId64, i ? "," : "[",
                               dist->dim[i].extent);
    if (at < size) (void)snprintf(text + at, size - at, "]");
}

static redist_err check_shape(const struct input *input, const char *section,
                              const redist_dist *source)
{
    bool same = input->dist->ndims == source->ndims;
    for (int i = 0; same && i < source->ndims; i++)
        same = input->dist->dim[i].extent == source->dim[i].extent;
    if (same) return REDIST_OK;
    char there[160], wanted[160];
    print_shape(input->dist, there, sizeof there);
    print_shape(source, wanted, sizeof wanted);
    return error_set(REDIST_ERR_IO, "%s: %s shape is %s, the source's is %s", input->path,
                     section ? "the section's" : "its", there, wanted);
}

redist_err input_open(MPI_Comm comm, const char *path, const char *section,
                      const redist_dist *source, bool partial, struct input *input)
{
    *input = (struct input){.kind = kind_of(comm, path),
                            .path = path,
                            .replicas = partial ? source->nreplicas : 0};
    if (section && input->kind != INPUT_FILE)
        return error_arg("--section: the input must be a file");
    redist_err err = input->kind == INPUT_FILE ? open_file(comm, section, input)
                     : input->kind == INPUT_SHARDS
                         ? open_shards(comm, input)
                         : make_synthetic(source, native_int64(), input);
    if (!err) err = check_shape(input, section, source);
    if (!err) err = redist_view_init(input->dist, &input->view);
    err = collective_agree(comm, err);
    if (err) input_free(input);
    return err;
}

void input_free(struct input *input)
{
    (void)redist_file_close(&input->file);
    npy_free(&input->npy);
    manifest_free(&input->manifest);
    redist_dist_destroy(&input->dist);
}

redist_err input_replica(const struct input *input, int64_t replica, struct input *one)
{
    *one = *input;
    one->replica = replica;
    one->npy.data_begin += replica * input->npy.data_bytes;
    if (input->kind != INPUT_SHARDS) return REDIST_OK;
    one->dist = NULL;
    TRY(dist_of_replica(input->dist, replica, &one->dist));
    one->view.dist = one->dist;
    return REDIST_OK;
}

void input_replica_free(struct input *one)
{
    if (one->kind == INPUT_SHARDS) redist_dist_destroy(&one->dist);
}
