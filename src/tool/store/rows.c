/* SPDX-License-Identifier: MIT */
#include "tool/store/rows.h"

#include "base/error.h"

redist_err rows_make(const redist_view *files, bool fortran_order,
                     const redist_view *mine, int rank, struct rows *rows)
{
    *rows = (struct rows){.files = files, .mine = mine, .fortran_order = fortran_order};
    TRY(overlap_check(files, mine));
    TRY(view_layout(mine, rank, &rows->layout));
    return overlap_make(NULL, files, mine, REDIST_TARGET, rank, &rows->overlap);
}

void rows_free(struct rows *rows) { overlap_free(&rows->overlap); }

/* ---- rows -------------------------------------------------------------------------- */

/* One dimension: its common runs, and the distance of elements from one local index to
 * the next. */
struct level {
    int dim; /* of my array */
    const struct runs *runs;
    int64_t file_stride, local_stride;
    int64_t file_step, local_step; /* from one to the next within a run */
};

struct visit {
    int ndims;
    struct level level[REDIST_MAX_DIMS]; /* slowest in the file first */
    int64_t index[REDIST_MAX_DIMS];      /* in my local array */
    row_visitor *row;
    void *context;
};

static redist_err visit_level(struct visit *visit, int depth, int64_t file,
                              int64_t local);

/* Visit `row`, which lies along the dimension of the level: pass it on if that is the
 * fastest, else visit the levels below for each of its elements. */
static redist_err visit_row(struct visit *visit, int depth, const struct row *row)
{
    if (depth == visit->ndims - 1) return visit->row(visit->context, row);
    int64_t first = visit->index[row->along];
    for (int64_t i = 0; i < row->count; i++) {
        visit->index[row->along] = first + i * row->index_step;
        TRY(visit_level(visit, depth + 1, row->file + i * row->file_step,
                        row->local + i * row->local_step));
    }
    return REDIST_OK;
}

/* Visit a progression of runs, shifted by `shift`: one row if they have one element, else
 * a row each. */
static redist_err visit_run(struct visit *visit, int depth, const struct run *run,
                            const int64_t shift[SIDES], int64_t file, int64_t local)
{
    const struct level *level = &visit->level[depth];
    bool single = run->length == 1 && run->count > 1;
    for (int64_t k = 0; k < (single ? 1 : run->count); k++) {
        int64_t in_file = run->local[REDIST_SOURCE] + k * run->local_step[REDIST_SOURCE] +
                          shift[REDIST_SOURCE];
        int64_t in_mine = run->local[REDIST_TARGET] + k * run->local_step[REDIST_TARGET] +
                          shift[REDIST_TARGET];
        visit->index[level->dim] = in_mine;
        struct row row = {
            .count = single ? run->count : run->length,
            .file = file + in_file * level->file_stride,
            .file_step = level->file_stride *
                         (single ? run->local_step[REDIST_SOURCE] : level->file_step),
            .local = local + in_mine * level->local_stride,
            .local_step = level->local_stride *
                          (single ? run->local_step[REDIST_TARGET] : level->local_step),
            .index = visit->index,
            .along = level->dim,
            .index_step = single ? run->local_step[REDIST_TARGET] : level->local_step,
        };
        TRY(visit_row(visit, depth, &row));
    }
    return REDIST_OK;
}

static redist_err visit_level(struct visit *visit, int depth, int64_t file, int64_t local)
{
    const struct runs *runs = visit->level[depth].runs;
    for (int64_t t = 0; t < runs->repeats; t++) {
        int64_t shift[SIDES] = {t * runs->local_period[0], t * runs->local_period[1]};
        for (int64_t k = 0; k < runs->nperiod; k++)
            TRY(visit_run(visit, depth, &runs->run[k], shift, file, local));
    }
    static const int64_t none[SIDES] = {0, 0};
    for (int64_t k = runs->nperiod; k < runs->nperiod + runs->ntail; k++)
        TRY(visit_run(visit, depth, &runs->run[k], none, file, local));
    return REDIST_OK;
}

redist_err rows_visit(const struct rows *rows, const struct message *message,
                      row_visitor *visitor, void *context)
{
    const redist_view *files = rows->files, *mine = rows->mine;
    int ndims = files->dist->ndims;
    int64_t count[REDIST_MAX_DIMS], stride = 1;
    TRY(redist_dist_local_extents(files->dist, message->rank, count));
    struct visit visit = {.ndims = ndims, .row = visitor, .context = context};
    for (int depth = ndims - 1; depth >= 0; depth--) {
        int i = rows->fortran_order ? ndims - 1 - depth : depth, j = 0;
        while (files->axes[j] != i) j++;
        int my_dim = mine->axes[j];
        visit.level[depth] = (struct level){
            .dim = my_dim,
            .runs = &overlap_partner(&rows->overlap, message, j)->runs,
            .file_stride = stride,
            .local_stride = rows->layout.stride[my_dim],
            .file_step = files->stride[i],
            .local_step = mine->stride[my_dim],
        };
        stride *= count[i];
    }
    return visit_level(&visit, 0, 0, rows->layout.offset);
}
