/* SPDX-License-Identifier: MIT
 *
 * tool/picture/page.h - the layout of a slice's picture on a page, in pixels.
 *
 *      title
 *            dimension 1
 *           0    4    8             indices
 *      d 0  +---------+----+
 *      i    |         |    |        patches: rectangles of one owner
 *      m 4  +---------+----+
 *      0
 *      # rank 0  # rank 1           legend
 *      captions
 */
#ifndef REDIST_TOOL_PICTURE_PAGE_H
#define REDIST_TOOL_PICTURE_PAGE_H

#include "tool/picture/slice.h"

enum {
    PAGE_PAD = 24,         /* round the page, and round the legend */
    PAGE_LINE = 20,        /* from one line of text to the next */
    PAGE_MOST_TITLE = 96,  /* characters; the rest is left out */
    PAGE_MOST_LEGEND = 24, /* ranks; the others are counted */
    PAGE_FONT = 12,
    PAGE_TITLE_FONT = 15
};
#define PAGE_GLYPH 0.6 /* width of a digit, relative to the font's size */

/* A rectangle of one owner: a row's band, and the columns' bands [begin, end). */
struct patch {
    int rank; /* or SLICE_BLANK */
    int64_t row, begin, end;
};

struct page {
    const struct slice *slice;
    const char *title;
    struct caption caption;
    int64_t npatches;
    struct patch *patches;           /* [npatches] by rank */
    int nranks;                      /* number of ranks in the picture */
    double scale[2];                 /* pixels of an element, down and across */
    double left, top, height, width; /* of the picture */
    double page_width, page_height;
};

/* Set the bands of a slice and lay out its page. The slice and the title are borrowed.
 * The caller frees with page_free. MEMORY. */
redist_err page_make(struct slice *slice, const char *title, struct page *page);
void page_free(struct page *page);

/* Elements that axis 0 or 1 shows, its k-th band, and whether it leaves elements out.
 * Without an axis of rows there is one row of one element. */
int64_t page_shown(const struct slice *slice, int axis);
struct band page_band(const struct slice *slice, int axis, int64_t k);
bool page_cropped(const struct slice *slice, int axis);

/* The position of an element's begin. */
double page_x(const struct page *page, int64_t element);
double page_y(const struct page *page, int64_t element);

/* The mean size of a band of axis 0 or 1. */
double page_band_pixels(const struct page *page, int axis);

/* The legend: pixels from rank to rank, ranks in a line, lines. */
int page_legend_step(const struct page *page);
int page_legend_columns(const struct page *page);
int page_legend_lines(const struct page *page);

/* The number of digits of a number. */
int page_digits(int64_t number);

#endif
