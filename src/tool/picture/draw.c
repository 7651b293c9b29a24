/* SPDX-License-Identifier: MIT
 *
 * tool/picture/draw.c - draw a slice in the terminal.
 */
#include "tool/picture/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "tool/picture/palette.h"

enum {
    MARGIN = 2, /* columns left free */
    MOST_ROWS = 32,
    MOST_LINES = 8 /* into which a strip is folded before its scale is reduced */
};

/* ---- one cell ---------------------------------------------------------------------- */

/* The form of owners: as numbers with a gap after each, or as one letter. */
struct pen {
    const struct terminal *terminal;
    const struct slice *slice;
    bool letters;
    int digits; /* of the label */
    int width;  /* of a cell, the gap included */
};

static const char letters[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum { NLETTERS = sizeof letters - 1 };

static int decimal_digits(int64_t number)
{
    int digits = 1;
    while (number >= 10) number /= 10, digits++;
    return digits;
}

static int max_rank(const struct slice *slice)
{
    return grid_max_rank(slice->view->dist->grid);
}

static struct pen make_pen(const struct terminal *terminal, const struct slice *slice,
                           bool compact)
{
    int digits = decimal_digits(max_rank(slice));
    if (compact && max_rank(slice) < NLETTERS)
        return (struct pen){terminal, slice, true, 1, 1};
    return (struct pen){terminal, slice, false, digits, digits + 1};
}

static void set_color(const struct pen *pen, int rank)
{
    if (pen->terminal->color == DRAW_PLAIN) return;
    FILE *out = pen->terminal->out;
    if (rank == SLICE_BLANK) {
        (void)fputs("\033[0;2m", out);
        return;
    }
    struct color c = palette_color(grid_find(pen->slice->view->dist->grid, rank));
    if (pen->terminal->color == DRAW_TRUE_COLOR)
        (void)fprintf(out, "\033[0;30;48;2;%d;%d;%dm", c.red, c.green, c.blue);
    else
        (void)fprintf(out, "\033[0;38;5;16;48;5;%dm", palette_xterm(c));
}

/* Draw the cells [begin, end) of a row; the last one's gap only where it has a colour. */
static void draw_cells(const struct pen *pen, int64_t row, int64_t begin, int64_t end)
{
    FILE *out = pen->terminal->out;
    bool plain = pen->terminal->color == DRAW_PLAIN;
    int before = SLICE_BLANK - 1;
    for (int64_t column = begin; column < end; column++) {
        int rank = slice_rank(pen->slice, row, column);
        if (rank != before) set_color(pen, rank);
        before = rank;
        if (rank == SLICE_BLANK)
            (void)fprintf(out, "%*s", pen->digits, ".");
        else if (pen->letters)
            (void)fputc(letters[rank], out);
        else
            (void)fprintf(out, "%*d", pen->digits, rank);
        int gap = plain && column + 1 == end ? 0 : pen->width - pen->digits;
        (void)fprintf(out, "%*s", gap, "");
    }
    (void)fputs(plain ? "\n" : "\033[0m\n", out);
}

/* Print the ranks of letters, unless they are digits. */
static void say_letters(const struct pen *pen)
{
    int last = max_rank(pen->slice);
    if (!pen->letters || last < 10) return;
    (void)fprintf(pen->terminal->out, "%*sa is rank 10%s\n", MARGIN, "",
                  last < 36 ? "" : ", A is rank 36");
}

/* ---- the ruler --------------------------------------------------------------------- */

/* Return the least of 1, 2, 5, 10, 20, .. that is >= least. */
static int64_t tick_step(int64_t least)
{
    int64_t step = 1;
    for (int k = 0; step < least; k++) step = k % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

/* Return the cells from one label of the ruler to the next, with a blank between. */
static int64_t ruler_step(const struct pen *pen)
{
    const struct axis *columns = &pen->slice->axis[1];
    return tick_step(int_ceil_div(decimal_digits(columns->shown) + 1, pen->width));
}

/* Write the indices of the cells [begin, end) above them, as many as fit. */
static void draw_ruler(const struct pen *pen, int indent, int64_t begin, int64_t end)
{
    FILE *out = pen->terminal->out;
    const struct axis *columns = &pen->slice->axis[1];
    int64_t step = ruler_step(pen), at = 0;
    for (int64_t cell = int_ceil_div(begin, step) * step; cell < end; cell += step) {
        int64_t index = columns->bands[cell].begin, length = decimal_digits(index);
        int64_t to = indent + (cell - begin) * pen->width + pen->digits -
                     int_min(length, pen->digits);
        if (to + length > pen->terminal->columns) break;
        (void)fprintf(out, "%*s%" PRId64, (int)(to - at), "", index);
        at = to + length;
    }
    (void)fputc('\n', out);
}

/* ---- one dimension: a strip, folded ------------------------------------------------ */

/* Return the cells of a folded line: a round number, so that rulers look alike. */
static int64_t line_cells(const struct pen *pen)
{
    int64_t cells = (pen->terminal->columns - 2 * MARGIN) / pen->width;
    return cells < 10 ? cells : cells - cells % 10;
}

static redist_err draw_strip(const struct terminal *terminal, struct slice *slice)
{
    int64_t extent = redist_dist_extent(slice->view->dist, slice->axis[1].dim);
    struct pen pen = make_pen(terminal, slice, false);
    if (extent > MOST_LINES * line_cells(&pen)) pen = make_pen(terminal, slice, true);
    int64_t line = line_cells(&pen);
    TRY(slice_set_cells(slice, 1, extent <= MOST_LINES * line ? extent : line));
    int64_t cells = slice_bands(slice, 1);
    for (int64_t begin = 0; begin < cells; begin += line) {
        int64_t end = int_min(begin + line, cells);
        draw_ruler(&pen, MARGIN, begin, end);
        (void)fprintf(terminal->out, "%*s", MARGIN, "");
        draw_cells(&pen, 0, begin, end);
    }
    say_letters(&pen);
    return REDIST_OK;
}

/* ---- two dimensions: a matrix ------------------------------------------------------ */

static redist_err draw_matrix(const struct terminal *terminal, struct slice *slice)
{
    const redist_dist *dist = slice->view->dist;
    int64_t nrows = redist_dist_extent(dist, slice->axis[0].dim);
    int64_t ncolumns = redist_dist_extent(dist, slice->axis[1].dim);
    int labels = decimal_digits(nrows), indent = MARGIN + labels + 2;
    int room = terminal->columns - indent - MARGIN;
    struct pen pen = make_pen(terminal, slice, false);
    bool fits = nrows <= MOST_ROWS && ncolumns <= room / pen.width;
    if (!fits) pen = make_pen(terminal, slice, true);
    TRY(slice_set_cells(slice, 0, MOST_ROWS));
    TRY(slice_set_cells(slice, 1, int_max(room / pen.width, 1)));
    int64_t rows = slice_bands(slice, 0), step = rows <= 10 ? 1 : rows <= 20 ? 2 : 5;
    draw_ruler(&pen, indent, 0, slice_bands(slice, 1));
    for (int64_t row = 0; row < rows; row++) {
        if (row % step == 0)
            (void)fprintf(terminal->out, "%*" PRId64 "  ", MARGIN + labels,
                          slice->axis[0].bands[row].begin);
        else
            (void)fprintf(terminal->out, "%*s", indent, "");
        draw_cells(&pen, row, 0, slice_bands(slice, 1));
    }
    say_letters(&pen);
    return REDIST_OK;
}

redist_err draw_slice(const struct terminal *terminal, struct slice *slice)
{
    return slice->axis[0].dim < 0 ? draw_strip(terminal, slice)
                                  : draw_matrix(terminal, slice);
}
