/* SPDX-License-Identifier: MIT
 *
 * tool/store/rows.h - visit the elements that a process shares with a file, in the order
 * of the file.
 *
 * A file holds the local array of one process of a distribution, dense in C or in Fortran
 * order: a shard. The file of a whole array is that of a process which owns all of it.
 * Elements come in rows, each a progression in the file and in the local array.
 */
#ifndef REDIST_TOOL_STORE_ROWS_H
#define REDIST_TOOL_STORE_ROWS_H

#include "intersect/overlap.h"

/* `count` elements. The first is at `file` in the file's array and at `local` in my
 * buffer; both grow by their steps, all in elements. Its index in my local array is
 * `index`; from element to element index[along] grows by index_step. */
struct row {
    int64_t count;
    int64_t file, file_step;
    int64_t local, local_step;
    const int64_t *index;
    int along;
    int64_t index_step;
};

/* Handle a row; an error ends the visit. */
typedef redist_err row_visitor(void *context, const struct row *row);

/* The elements that this process shares with all files. */
struct rows {
    const redist_view
        *files; /* dist and section of the files, borrowed; their memory order is
                   `fortran_order`, not the view's */
    const redist_view *mine; /* borrowed */
    bool fortran_order;
    struct layout layout;   /* of my local array */
    struct overlap overlap; /* one message a file */
};

/* Find what process `rank` of the view `mine` shares with the files of the view
 * `files`, whose section is paired with that of `mine`. Free with rows_free.
 * O(own runs of one period). ARG, MEMORY. */
redist_err rows_make(const redist_view *files, bool fortran_order,
                     const redist_view *mine, int rank, struct rows *rows);
void rows_free(struct rows *rows);

/* Visit all rows shared with the file of one message.
 * O(rows). What the visitor returns. */
redist_err rows_visit(const struct rows *rows, const struct message *message,
                      row_visitor *visitor, void *context);

#endif
