/* SPDX-License-Identifier: MIT */
#include "tool/store/elements.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/dist.h"
#include "files/format/collective.h"
#include "files/format/window.h"
#include "tool/store/rows.h"
#include "tool/store/shards.h"

/* ---- visit ------------------------------------------------------------------------- */

/* The data of a row visitor: elements of a buffer, and those that they come from. */
struct task {
    const struct input *input;
    struct window *window; /* of a file of the input */
    int64_t data_begin;
    char *made; /* [WINDOW_BYTES] elements of a synthetic input */
    char *buffer;
    const redist_dist *dist; /* of the buffer, and its owner */
    int rank;
    const char *expected; /* like the buffer, instead of the input */
    int64_t
        differing; /* elements found to differ, and the first one's place in the array */
    int64_t first;
};

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

/* Elements of a row, in bytes from one to the next. */
struct elements {
    int64_t count, step;
    const char *bytes;
};

/* Find elements `from` .. of a row where they come from: as many as fit a window. */
static redist_err get_elements(struct task *task, const struct row *row, int64_t from,
                               struct elements *elements)
{
    int64_t size = task->input->npy.element_bytes, left = row->count - from;
    int64_t place = row->file + from * row->file_step;
    if (task->expected) {
        int64_t at = row->local + from * row->local_step;
        *elements =
            (struct elements){left, row->local_step * size, task->expected + at * size};
        return REDIST_OK;
    }
    if (task->made) {
        int64_t count = int_min(int_max(WINDOW_BYTES / size, 1), left);
        for (int64_t k = 0; k < count; k++)
            write_place(place + k * row->file_step + task->input->replica,
                        task->made + k * size, size);
        *elements = (struct elements){count, size, task->made};
        return REDIST_OK;
    }
    int64_t fit = (WINDOW_BYTES / size - 1) / row->file_step + 1;
    elements->count = int_min(int_max(fit, 1), left);
    elements->step = row->file_step * size;
    return window_get(task->window, task->data_begin + place * size,
                      ((elements->count - 1) * row->file_step + 1) * size,
                      &elements->bytes);
}

static redist_err copy_row(void *context, const struct row *row)
{
    struct task *task = context;
    int64_t size = task->input->npy.element_bytes;
    struct elements given;
    for (int64_t from = 0; from < row->count; from += given.count) {
        TRY(get_elements(task, row, from, &given));
        char *mine = task->buffer + (row->local + from * row->local_step) * size;
        if (given.step == size && row->local_step == 1) {
            memcpy(mine, given.bytes, (size_t)(given.count * size));
            continue;
        }
        for (int64_t i = 0; i < given.count; i++)
            memcpy(mine + i * row->local_step * size, given.bytes + i * given.step,
                   (size_t)size);
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
    int64_t size = task->input->npy.element_bytes;
    struct elements given;
    for (int64_t from = 0; from < row->count; from += given.count) {
        TRY(get_elements(task, row, from, &given));
        const char *mine = task->buffer + (row->local + from * row->local_step) * size;
        bool dense = given.step == size && row->local_step == 1;
        if (dense && memcmp(mine, given.bytes, (size_t)(given.count * size)) == 0)
            continue;
        for (int64_t i = 0; i < given.count; i++) {
            if (memcmp(mine + i * row->local_step * size, given.bytes + i * given.step,
                       (size_t)size) != 0)
                TRY(note_difference(task, row, from + i));
        }
    }
    return REDIST_OK;
}

/* Visit the elements shared with one file. */
static redist_err visit_file(const struct rows *rows, const struct message *message,
                             row_visitor *visit, struct task *task)
{
    const struct input *input = task->input;
    struct shard shard = {.window = {.descriptor = -1}};
    redist_err err = REDIST_OK;
    if (input->kind == INPUT_FILE && !task->expected)
        err = window_open(input->path, &shard.window);
    if (input->kind == INPUT_SHARDS && !task->expected)
        err =
            shard_open(input->path, &input->manifest, input->dist, message->rank, &shard);
    task->window = &shard.window;
    task->data_begin =
        input->kind == INPUT_FILE ? input->npy.data_begin : shard.data_begin;
    if (!err) err = rows_visit(rows, message, visit, task);
    shard_close(&shard);
    task->window = NULL;
    return err;
}

/* Visit all elements that the view `mine` shares with the files, whose section is that of
 * `files`. */
static redist_err visit_files(const redist_view *files, const redist_view *mine,
                              row_visitor *visit, struct task *task,
                              struct progress *progress)
{
    struct rows rows;
    const struct npy *npy = &task->input->npy;
    TRY(rows_make(files, npy->fortran_order, mine, task->rank, &rows));
    redist_err err = REDIST_OK;
    if (task->input->kind == INPUT_SYNTHETIC && !task->expected) {
        task->made = mem_alloc(NULL, int_max(WINDOW_BYTES, npy->element_bytes), 1);
        if (!task->made) err = REDIST_ERR_MEMORY;
    }
    for (int64_t k = 0; k < rows.overlap.nmessages && !err; k++) {
        err = visit_file(&rows, &rows.overlap.message[k], visit, task);
        progress_step(progress, k + 1, rows.overlap.nmessages);
    }
    mem_free(task->made);
    rows_free(&rows);
    return err;
}

/* ---- read, check ------------------------------------------------------------------- */

redist_view elements_whole(const redist_view *view)
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

static void step(void *progress, int64_t done, int64_t total)
{
    progress_step(progress, done, total);
}

void elements_show_progress(redist_file *file, struct progress *progress)
{
    (void)redist_file_set_progress(file, step, progress);
}

/* Read a section of the array that an input is into that of a view. */
static redist_err read_file(const struct input *input, const int64_t start[],
                            const int64_t stride[], const redist_view *view, void *buffer,
                            struct progress *progress)
{
    MPI_Datatype type;
    struct section section = input->section;
    for (int i = 0; i < input->npy.ndims; i++) {
        section.start[i] += start[i] * section.stride[i];
        if (!int_mul(section.stride[i], stride[i], &section.stride[i]))
            section.stride[i] = 1; /* of one element */
    }
    elements_show_progress(input->file, progress);
    MPI_Type_contiguous((int)input->npy.element_bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    redist_err err = redist_file_read_section(input->file, section.start, section.stride,
                                              view, type, buffer);
    MPI_Type_free(&type);
    return err;
}

redist_err elements_read(MPI_Comm comm, const struct input *input,
                         const redist_view *source, void *buffer,
                         struct progress *progress)
{
    redist_view whole = elements_whole(source);
    if (input->kind == INPUT_FILE && input->replicas == 0)
        return read_file(input, whole.start, whole.stride, &whole, buffer, progress);
    struct task task = {.input = input, .buffer = buffer, .dist = source->dist};
    MPI_Comm_rank(comm, &task.rank);
    return collective_agree(comm,
                            visit_files(&input->view, &whole, copy_row, &task, progress));
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
static redist_err visit_section(MPI_Comm comm, const redist_view *source,
                                const redist_view *target, row_visitor *visit,
                                struct task *task, struct progress *progress)
{
    redist_view files = task->input->view;
    for (int i = 0; i < source->dist->ndims; i++) {
        files.start[i] = source->start[i];
        files.extent[i] = source->extent[i];
        files.stride[i] = source->stride[i];
        files.axes[i] = source->axes[i];
    }
    task->dist = target->dist;
    MPI_Comm_rank(comm, &task->rank);
    return collective_agree(comm, visit_files(&files, target, visit, task, progress));
}

/* Compare with the input or, unless that is NULL, with what is `expected`. */
static redist_err compare(MPI_Comm comm, const struct input *input,
                          const redist_view *source, const redist_view *target,
                          const void *buffer, const void *expected,
                          struct progress *progress)
{
    struct task task = {.input = input,
                        .buffer = (char *)(uintptr_t)buffer, /* not written */
                        .expected = expected};
    TRY(visit_section(comm, source, target, compare_row, &task, progress));
    return report_differences(comm, &task);
}

/* Read the expected section of a file whose rows cannot be found by their offset. */
static redist_err fetch_file(const struct input *input, const redist_view *source,
                             const redist_view *target, void *buffer,
                             struct progress *progress)
{
    redist_view view = *target;
    for (int j = 0; j < source->dist->ndims; j++)
        view.axes[source->axes[j]] = target->axes[j];
    return read_file(input, source->start, source->stride, &view, buffer, progress);
}

static bool has_rows(const struct input *input)
{
    return input->kind != INPUT_FILE || input->npy.data_begin > 0;
}

redist_err elements_fetch(MPI_Comm comm, const struct input *input,
                          const redist_view *source, const redist_view *target,
                          void *buffer, struct progress *progress)
{
    struct task task = {.input = input, .buffer = buffer};
    if (!has_rows(input)) return fetch_file(input, source, target, buffer, progress);
    return visit_section(comm, source, target, copy_row, &task, progress);
}

/* Check against a second read of the file. */
static redist_err check_file(MPI_Comm comm, const struct input *input,
                             const redist_view *source, const redist_view *target,
                             const void *buffer, struct progress *progress)
{
    int rank;
    int64_t span;
    MPI_Comm_rank(comm, &rank);
    redist_err err = redist_view_span(target, rank, &span);
    void *expected = err ? NULL : mem_alloc(NULL, span, (size_t)input->npy.element_bytes);
    if (!err && !expected) err = REDIST_ERR_MEMORY;
    err = collective_agree(comm, err);
    if (!err) err = fetch_file(input, source, target, expected, progress);
    if (!err) err = elements_compare(comm, input, source, target, buffer, expected);
    mem_free(expected);
    return err;
}

redist_err elements_check(MPI_Comm comm, const struct input *input,
                          const redist_view *source, const redist_view *target,
                          const void *buffer, struct progress *progress)
{
    if (!has_rows(input))
        return check_file(comm, input, source, target, buffer, progress);
    return compare(comm, input, source, target, buffer, NULL, progress);
}

redist_err elements_compare(MPI_Comm comm, const struct input *input,
                            const redist_view *source, const redist_view *target,
                            const void *buffer, const void *expected)
{
    struct progress quiet = {0};
    return compare(comm, input, source, target, buffer, expected, &quiet);
}
