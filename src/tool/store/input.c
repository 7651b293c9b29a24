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
#include "tool/format/rows.h"
#include "tool/store/array_file.h"
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
    if (rank == 0) directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    MPI_Bcast(&directory, 1, MPI_INT, 0, comm);
    return directory ? INPUT_SHARDS : INPUT_NPY;
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
    if (npy->ndims < 2 || npy->shape[0] != replicas || npy->fortran_order)
        return error_set(REDIST_ERR_IO,
                         "%s: partial results of %" PRId64
                         " replicas must be an array in "
                         "C order with a dimension of so many before the source's",
                         path, replicas);
    npy->ndims--;
    npy->data_bytes /= replicas;
    for (int i = 0; i < npy->ndims; i++) npy->shape[i] = npy->shape[i + 1];
    return REDIST_OK;
}

static redist_err open_npy(MPI_Comm comm, struct input *input)
{
    TRY(array_file_open(comm, input->path, &input->npy));
    struct npy *npy = &input->npy;
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

static redist_err check_shape(const struct input *input, const redist_dist *source)
{
    bool same = input->dist->ndims == source->ndims;
    for (int i = 0; same && i < source->ndims; i++)
        same = input->dist->dim[i].extent == source->dim[i].extent;
    if (same) return REDIST_OK;
    char there[160], wanted[160];
    print_shape(input->dist, there, sizeof there);
    print_shape(source, wanted, sizeof wanted);
    return error_set(REDIST_ERR_IO, "%s: its shape is %s, the source's is %s",
                     input->path, there, wanted);
}

redist_err input_open(MPI_Comm comm, const char *path, const redist_dist *source,
                      bool partial, struct input *input)
{
    *input = (struct input){.kind = kind_of(comm, path),
                            .path = path,
                            .replicas = partial ? source->nreplicas : 0};
    redist_err err = input->kind == INPUT_NPY ? open_npy(comm, input)
                     : input->kind == INPUT_SHARDS
                         ? open_shards(comm, input)
                         : make_synthetic(source, native_int64(), input);
    if (!err) err = check_shape(input, source);
    if (!err) err = redist_view_init(input->dist, &input->view);
    err = collective_agree(comm, err);
    if (err) input_free(input);
    return err;
}

void input_free(struct input *input)
{
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

/* ---- visit ------------------------------------------------------------------------- */

/* The data of a row visitor: elements of a buffer, and those of a file, if any. */
struct task {
    struct window *window; /* of the file */
    int64_t data_begin;
    int64_t element_bytes;
    char *buffer;
    const redist_dist *dist; /* of the buffer, and its owner */
    int rank;
    int64_t replica; /* of a synthetic array, see struct input */
    const char *expected;
    int64_t
        differing; /* elements found to differ, and the first one's place in the array */
    int64_t first;
};

/* Find elements `from` .. of a row in the file: as many as fit a window, *count of
 * them. */
static redist_err get_elements(struct task *task, const struct row *row, int64_t from,
                               int64_t *count, const char **bytes)
{
    int64_t fit = (WINDOW_BYTES / task->element_bytes - 1) / row->file_step + 1;
    *count = int_min(int_max(fit, 1), row->count - from);
    int64_t place = row->file + from * row->file_step;
    int64_t span = (*count - 1) * row->file_step + 1;
    return window_get(task->window, task->data_begin + place * task->element_bytes,
                      span * task->element_bytes, bytes);
}

static redist_err copy_row(void *context, const struct row *row)
{
    struct task *task = context;
    size_t size = (size_t)task->element_bytes;
    int64_t count;
    for (int64_t from = 0; from < row->count; from += count) {
        const char *file;
        TRY(get_elements(task, row, from, &count, &file));
        char *mine =
            task->buffer + (row->local + from * row->local_step) * task->element_bytes;
        if (row->file_step == 1 && row->local_step == 1) {
            memcpy(mine, file, (size_t)count * size);
            continue;
        }
        for (int64_t i = 0; i < count; i++)
            memcpy(mine + i * row->local_step * task->element_bytes,
                   file + i * row->file_step * task->element_bytes, size);
    }
    return REDIST_OK;
}

/* Note that element i of a row differs. */
static redist_err note_difference(struct task *task, const struct row *row, int64_t i)
{
    int64_t local[REDIST_MAX_DIMS], index[REDIST_MAX_DIMS], place = 0;
    for (int k = 0; k < task->dist->ndims; k++) local[k] = row->index[k];
    local[row->along] += i * row->index_step;
    TRY(redist_dist_index(task->dist, task->rank, local, index));
    for (int k = 0; k < task->dist->ndims; k++)
        place = place * task->dist->dim[k].extent + index[k];
    task->first = task->differing++ ? int_min(task->first, place) : place;
    return REDIST_OK;
}

static redist_err compare_row(void *context, const struct row *row)
{
    struct task *task = context;
    size_t size = (size_t)task->element_bytes;
    int64_t count;
    for (int64_t from = 0; from < row->count; from += count) {
        const char *file;
        TRY(get_elements(task, row, from, &count, &file));
        const char *mine =
            task->buffer + (row->local + from * row->local_step) * task->element_bytes;
        bool dense = row->file_step == 1 && row->local_step == 1;
        if (dense && memcmp(mine, file, (size_t)count * size) == 0) continue;
        for (int64_t i = 0; i < count; i++) {
            if (memcmp(mine + i * row->local_step * task->element_bytes,
                       file + i * row->file_step * task->element_bytes, size) != 0)
                TRY(note_difference(task, row, from + i));
        }
    }
    return REDIST_OK;
}

/* Write a synthetic element: its place in each 8 bytes, or all bits of the place folded
 * into fewer. */
static void write_place(int64_t place, char *element, int64_t element_bytes)
{
    uint64_t bits = (uint64_t)place;
    if (element_bytes < 8) {
        for (int64_t shift = 8 * element_bytes; shift < 64; shift += 8 * element_bytes)
            bits ^= (uint64_t)place >> shift;
        for (int64_t k = 0; k < element_bytes; k++) element[k] = (char)(bits >> 8 * k);
        return;
    }
    for (int64_t done = 0; done < element_bytes; done += 8)
        memcpy(element + done, &bits, (size_t)int_min(8, element_bytes - done));
}

/* Tell whether an element has the value of its place. */
static bool is_place(int64_t place, const char *element, int64_t element_bytes)
{
    char expected[8];
    write_place(place, expected, int_min(8, element_bytes));
    for (int64_t done = 0; done < element_bytes; done += 8) {
        if (memcmp(element + done, expected, (size_t)int_min(8, element_bytes - done)))
            return false;
    }
    return true;
}

static redist_err fill_row(void *context, const struct row *row)
{
    struct task *task = context;
    int64_t size = task->element_bytes;
    char *mine = task->buffer + row->local * size;
    for (int64_t i = 0; i < row->count; i++)
        write_place(row->file + i * row->file_step + task->replica,
                    mine + i * row->local_step * size, size);
    return REDIST_OK;
}

static redist_err compare_synthetic_row(void *context, const struct row *row)
{
    struct task *task = context;
    int64_t size = task->element_bytes;
    const char *mine = task->buffer + row->local * size;
    for (int64_t i = 0; i < row->count; i++) {
        if (!is_place(row->file + i * row->file_step, mine + i * row->local_step * size,
                      size))
            TRY(note_difference(task, row, i));
    }
    return REDIST_OK;
}

static redist_err compare_expected_row(void *context, const struct row *row)
{
    struct task *task = context;
    int64_t size = task->element_bytes;
    for (int64_t i = 0; i < row->count; i++) {
        int64_t at = (row->local + i * row->local_step) * size;
        if (memcmp(task->buffer + at, task->expected + at, (size_t)size) != 0)
            TRY(note_difference(task, row, i));
    }
    return REDIST_OK;
}

/* Visit the elements shared with one file. */
static redist_err visit_file(const struct input *input, const struct rows *rows,
                             const struct message *message, row_visitor *visit,
                             struct task *task)
{
    if (input->kind == INPUT_SYNTHETIC || task->expected)
        return rows_visit(rows, message, visit, task);
    redist_err err;
    if (input->kind == INPUT_NPY) {
        struct window window;
        TRY(window_open(input->path, &window));
        task->window = &window;
        task->data_begin = input->npy.data_begin;
        err = rows_visit(rows, message, visit, task);
        window_close(&window);
        task->window = NULL;
    } else {
        struct shard shard;
        TRY(shard_open(input->path, &input->manifest, input->dist, message->rank,
                       &shard));
        task->window = &shard.window;
        task->data_begin = shard.data_begin;
        err = rows_visit(rows, message, visit, task);
        shard_close(&shard);
        task->window = NULL;
    }
    return err;
}

/* Visit all elements that the view `mine` shares with the files, whose section is that of
 * `files`. */
static redist_err visit_files(const struct input *input, const redist_view *files,
                              const redist_view *mine, row_visitor *visit,
                              struct task *task, struct progress *progress)
{
    struct rows rows;
    TRY(rows_make(files, input->npy.fortran_order, mine, task->rank, &rows));
    redist_err err = REDIST_OK;
    for (int64_t k = 0; k < rows.overlap.nmessages && !err; k++) {
        err = visit_file(input, &rows, &rows.overlap.message[k], visit, task);
        progress_step(progress, k + 1, rows.overlap.nmessages);
    }
    rows_free(&rows);
    return err;
}

/* ---- read, check ------------------------------------------------------------------- */

/* Return the view of the whole array in the memory layout of `view`. */
static redist_view whole_of(const redist_view *view)
{
    redist_view whole = *view;
    for (int i = 0; i < view->dist->ndims; i++) {
        whole.start[i] = 0;
        whole.extent[i] = view->dist->dim[i].extent;
        whole.stride[i] = 1;
        whole.axes[i] = i;
    }
    return whole;
}

redist_err input_read(MPI_Comm comm, const struct input *input, const redist_view *source,
                      void *buffer, struct progress *progress)
{
    if (input->kind == INPUT_NPY)
        return array_file_read(comm, input->path, &input->npy, source, buffer, progress);
    redist_view whole = whole_of(source);
    struct task task = {.element_bytes = input->npy.element_bytes,
                        .buffer = buffer,
                        .dist = source->dist,
                        .replica = input->replica};
    MPI_Comm_rank(comm, &task.rank);
    row_visitor *visit = input->kind == INPUT_SYNTHETIC ? fill_row : copy_row;
    return collective_agree(
        comm, visit_files(input, &input->view, &whole, visit, &task, progress));
}

/* Sum the differences of all processes and fail if there are any. */
static redist_err report_differences(MPI_Comm comm, const struct task *task)
{
    int64_t differing = task->differing, first = differing ? task->first : INT64_MAX;
    MPI_Allreduce(MPI_IN_PLACE, &differing, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, comm);
    if (differing == 0) return REDIST_OK;
    char index[REDIST_MAX_DIMS * 21] = "";
    int64_t below = dist_elements(task->dist);
    for (int i = 0, at = 0; i < task->dist->ndims; i++) {
        below /= task->dist->dim[i].extent;
        at += snprintf(index + at, sizeof index - (size_t)at, "%s%" PRId64, i ? "," : "",
                       first / below);
        first %= below;
    }
    return error_set(REDIST_ERR_STATE,
                     "verification failed: %" PRId64
                     " elements differ, the first at [%s]",
                     differing, index);
}

/* Visit the elements of the target's section in the files, at the same places of the
 * source's. */
static redist_err visit_section(MPI_Comm comm, const struct input *input,
                                const redist_view *source, const redist_view *target,
                                row_visitor *visit, struct task *task,
                                struct progress *progress)
{
    redist_view files = input->view;
    for (int i = 0; i < source->dist->ndims; i++) {
        files.start[i] = source->start[i];
        files.extent[i] = source->extent[i];
        files.stride[i] = source->stride[i];
        files.axes[i] = source->axes[i];
    }
    task->element_bytes = input->npy.element_bytes;
    task->dist = target->dist;
    MPI_Comm_rank(comm, &task->rank);
    return collective_agree(comm,
                            visit_files(input, &files, target, visit, task, progress));
}

redist_err input_fetch(MPI_Comm comm, const struct input *input,
                       const redist_view *source, const redist_view *target, void *buffer,
                       struct progress *progress)
{
    struct task task = {.buffer = buffer, .replica = input->replica};
    row_visitor *visit = input->kind == INPUT_SYNTHETIC ? fill_row : copy_row;
    return visit_section(comm, input, source, target, visit, &task, progress);
}

redist_err input_check(MPI_Comm comm, const struct input *input,
                       const redist_view *source, const redist_view *target,
                       const void *buffer, struct progress *progress)
{
    struct task task = {.buffer = (char *)(uintptr_t)buffer}; /* not written */
    row_visitor *visit =
        input->kind == INPUT_SYNTHETIC ? compare_synthetic_row : compare_row;
    TRY(visit_section(comm, input, source, target, visit, &task, progress));
    return report_differences(comm, &task);
}

redist_err input_compare(MPI_Comm comm, const struct input *input,
                         const redist_view *source, const redist_view *target,
                         const void *buffer, const void *expected)
{
    struct progress quiet = {0};
    struct task task = {.buffer = (char *)(uintptr_t)buffer, .expected = expected};
    TRY(visit_section(comm, input, source, target, compare_expected_row, &task, &quiet));
    return report_differences(comm, &task);
}
