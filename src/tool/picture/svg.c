/* SPDX-License-Identifier: MIT
 *
 * tool/picture/svg.c - draw a slice as SVG.
 */
#include "tool/picture/picture.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "tool/picture/page.h"
#include "tool/picture/palette.h"

static double least_of(double a, double b) { return a < b ? a : b; }

enum {
    MOST_LABELS = 600, /* patches; with more, owners are not written into them */
    SEEN = 9           /* pixels of an element that is outlined */
};

/* ---- the picture ------------------------------------------------------------------- */

/* Tell whether elements are large enough to be visible. */
static bool elements_seen(const struct page *page)
{
    return page->scale[0] >= SEEN && page->scale[1] >= SEEN;
}

static struct color color_of(const struct page *page, int rank)
{
    if (rank == SLICE_BLANK) return (struct color){0xee, 0xf0, 0xf3};
    return palette_color(grid_find(page->slice->view->dist->grid, rank));
}

static void draw_head(FILE *out, const struct page *page)
{
    double w = page->page_width, h = page->page_height;
    (void)fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"system-ui, "
        "'Helvetica Neue', Arial, sans-serif\" font-size=\"%d\" fill=\"#57606a\">\n",
        w, h, w, h, PAGE_FONT);
    (void)fprintf(out, "<title>%.*s</title>\n", PAGE_MOST_TITLE, page->title);
    (void)fprintf(out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"#fff\"/>\n",
                  w, h);
    (void)fprintf(
        out,
        "<text x=\"%d\" y=\"%d\" font-family=\"ui-monospace, 'DejaVu Sans Mono', "
        "Menlo, Consolas, monospace\" font-size=\"%d\" fill=\"#1f2328\">%.*s%s"
        "</text>\n",
        PAGE_PAD, PAGE_PAD + 14, PAGE_TITLE_FONT, PAGE_MOST_TITLE, page->title,
        strlen(page->title) > PAGE_MOST_TITLE ? " .." : "");
}

static void draw_patches(FILE *out, const struct page *page)
{
    double gap = 0.15 * least_of(page_band_pixels(page, 0), page_band_pixels(page, 1));
    (void)fprintf(out, "<g stroke=\"#fff\" stroke-width=\"%.3g\">\n", least_of(gap, 1.5));
    for (int64_t i = 0; i < page->npatches; i++) {
        const struct patch *p = &page->patches[i];
        struct color c = color_of(page, p->rank);
        struct band row = page_band(page->slice, 0, p->row);
        int64_t begin = page_band(page->slice, 1, p->begin).begin;
        int64_t end = page_band(page->slice, 1, p->end - 1).end;
        double w = page->scale[1] * (double)(end - begin);
        double h = page->scale[0] * (double)(row.end - row.begin);
        if (i == 0 || p->rank != p[-1].rank)
            (void)fprintf(out, "<path fill=\"#%02x%02x%02x\" d=\"", (unsigned)c.red,
                          (unsigned)c.green, (unsigned)c.blue);
        (void)fprintf(out, "M%.6g %.6gh%.6gv%.6gh-%.6gz", page_x(page, begin),
                      page_y(page, row.begin), w, h, w);
        if (i + 1 == page->npatches || p->rank != p[1].rank) (void)fputs("\"/>\n", out);
    }
    (void)fputs("</g>\n", out);
}

/* Draw thin lines between elements. */
static void draw_grid(FILE *out, const struct page *page)
{
    if (!elements_seen(page)) return;
    int64_t rows = page_shown(page->slice, 0), columns = page_shown(page->slice, 1);
    (void)fputs("<path stroke=\"#fff\" stroke-opacity=\".55\" d=\"", out);
    for (int64_t i = 1; i < columns; i++)
        (void)fprintf(out, "M%.6g %.6gv%.6g", page_x(page, i), page->top, page->height);
    for (int64_t i = 1; i < rows; i++)
        (void)fprintf(out, "M%.6g %.6gh%.6g", page->left, page_y(page, i), page->width);
    (void)fputs("\"/>\n", out);
}

/* Write the owner into each patch with room for it. */
static void draw_ranks(FILE *out, const struct page *page)
{
    if (page->npatches > MOST_LABELS) return;
    const struct slice *slice = page->slice;
    double size = 0;
    for (int64_t i = 0; i < page->npatches; i++) {
        struct band row = page_band(slice, 0, page->patches[i].row);
        struct band column = page_band(slice, 1, page->patches[i].begin);
        double h = page->scale[0] * (double)(row.end - row.begin);
        double w = page->scale[1] * (double)(column.end - column.begin);
        if (size < 0.42 * least_of(w, h)) size = 0.42 * least_of(w, h);
    }
    size = size < 9 ? 9 : size > 17 ? 17 : size;
    (void)fprintf(out,
                  "<g text-anchor=\"middle\" font-size=\"%.3g\" fill=\"#1f2328\" "
                  "fill-opacity=\".8\">\n",
                  size);
    for (int64_t i = 0; i < page->npatches; i++) {
        const struct patch *p = &page->patches[i];
        struct band row = page_band(slice, 0, p->row);
        double x0 = page_x(page, page_band(slice, 1, p->begin).begin);
        double x1 = page_x(page, page_band(slice, 1, p->end - 1).end);
        double y0 = page_y(page, row.begin), y1 = page_y(page, row.end);
        bool fits = x1 - x0 >= PAGE_GLYPH * size * page_digits(p->rank) + 3 &&
                    y1 - y0 >= size + 1;
        if (p->rank != SLICE_BLANK && fits)
            (void)fprintf(out, "<text x=\"%.5g\" y=\"%.5g\">%d</text>\n", (x0 + x1) / 2,
                          (y0 + y1) / 2 + 0.36 * size, p->rank);
    }
    (void)fputs("</g>\n", out);
}

/* ---- indices along the axes -------------------------------------------------------- */

/* Write `index` at `place` pixels along an axis; `*free` is where the next one fits. */
static void draw_index(FILE *out, const struct page *page, int axis, int64_t index,
                       double place, double *free)
{
    double half = axis == 1 ? PAGE_FONT * PAGE_GLYPH * page_digits(index) / 2 : 6;
    if (place - half < *free) return;
    *free = place + half + (axis == 1 ? 8 : 3);
    double x = axis == 1 ? place : page->left - 8;
    double y = axis == 1 ? page->top - 8 : place + 4;
    (void)fprintf(out, "<text x=\"%.5g\" y=\"%.5g\">%" PRId64 "</text>\n", x, y, index);
}

/* Return the least of 1, 2, 5, 10, .. units of `pixels` at which indices do not
 * overlap. */
static int64_t index_step(const struct page *page, int axis, double pixels)
{
    double width = PAGE_FONT * PAGE_GLYPH * page_digits(page_shown(page->slice, 1));
    double need = axis == 1 ? width + 8 : PAGE_FONT + 3;
    int64_t step = 1;
    for (int k = 0; pixels * (double)step < need; k++)
        step = k % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

/* Write indices at the middle of elements, if these are visible. */
static void draw_element_indices(FILE *out, const struct page *page, int axis)
{
    double scale = page->scale[axis], from = axis == 1 ? page->left : page->top, free = 0;
    int64_t step = index_step(page, axis, scale);
    for (int64_t i = 0; i < page_shown(page->slice, axis); i += step)
        draw_index(out, page, axis, i, from + scale * ((double)i + 0.5), &free);
}

/* Otherwise write indices where bands begin, and where the last one ends. */
static void draw_band_indices(FILE *out, const struct page *page, int axis)
{
    const struct slice *slice = page->slice;
    const struct dim *dim = &slice->view->dist->dim[slice->axis[axis].dim];
    double scale = page->scale[axis], from = axis == 1 ? page->left : page->top, free = 0;
    int64_t end = page_shown(slice, axis), step = 1;
    if (dim_is_regular(dim)) step = index_step(page, axis, page_band_pixels(page, axis));
    for (int64_t k = 0; k < slice_bands(slice, axis); k += step) {
        int64_t begin = page_band(slice, axis, k).begin;
        draw_index(out, page, axis, begin, from + scale * (double)begin, &free);
    }
    draw_index(out, page, axis, end, from + scale * (double)end, &free);
}

static void draw_indices(FILE *out, const struct page *page, int axis)
{
    if (page->slice->axis[axis].dim < 0) return;
    (void)fprintf(out, "<g text-anchor=\"%s\">\n", axis == 1 ? "middle" : "end");
    if (page->scale[axis] >= SEEN)
        draw_element_indices(out, page, axis);
    else
        draw_band_indices(out, page, axis);
    (void)fputs("</g>\n", out);
}

static void draw_axes(FILE *out, const struct page *page)
{
    draw_indices(out, page, 1);
    draw_indices(out, page, 0);
    if (page->slice->axis[0].dim < 0) return;
    double x = page->left + page->width / 2, y = page->top + page->height / 2;
    (void)fprintf(
        out,
        "<g text-anchor=\"middle\" fill=\"#8b949e\">\n"
        "<text x=\"%.5g\" y=\"%.5g\">dimension %d</text>\n"
        "<text transform=\"translate(%d %.5g) rotate(-90)\">dimension %d</text>\n"
        "</g>\n",
        x, page->top - 28, page->slice->axis[1].dim, PAGE_PAD + 10, y,
        page->slice->axis[0].dim);
}

/* ---- below and above the picture --------------------------------------------------- */

/* Let the picture fade where the array continues. */
static void draw_fade(FILE *out, const struct page *page)
{
    enum { FADE = 40 };
    for (int axis = 0; axis < 2; axis++) {
        if (!page_cropped(page->slice, axis)) continue;
        double w = axis == 1 ? FADE : page->width + 2;
        double h = axis == 0 ? FADE : page->height + 2;
        (void)fprintf(out,
                      "<linearGradient id=\"fade%d\" x2=\"%d\" y2=\"%d\"><stop "
                      "stop-color=\"#fff\" stop-opacity=\"0\"/><stop offset=\"1\" "
                      "stop-color=\"#fff\"/></linearGradient>\n"
                      "<rect x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\" "
                      "fill=\"url(#fade%d)\"/>\n",
                      axis, axis == 1, axis == 0, page->left + page->width + 1 - w,
                      page->top + page->height + 1 - h, w, h, axis);
    }
}

/* List the ranks in the picture; returns the y of the next line. */
static double draw_legend(FILE *out, const struct page *page)
{
    double top = page->top + page->height + PAGE_PAD;
    int columns = page_legend_columns(page), step = page_legend_step(page), entry = 0;
    for (int64_t i = 0; i < page->npatches && entry < PAGE_MOST_LEGEND; i++) {
        const struct patch *p = &page->patches[i];
        if (p->rank == SLICE_BLANK || (i > 0 && p->rank == p[-1].rank)) continue;
        struct color c = color_of(page, p->rank);
        int line = entry / columns, x = PAGE_PAD + entry % columns * step;
        double y = top + line * PAGE_LINE;
        (void)fprintf(
            out,
            "<rect x=\"%d\" y=\"%.5g\" width=\"12\" height=\"12\" rx=\"2\" "
            "fill=\"#%02x%02x%02x\"/><text x=\"%d\" y=\"%.5g\">rank %d</text>\n",
            x, y, (unsigned)c.red, (unsigned)c.green, (unsigned)c.blue, x + 17, y + 10.5,
            p->rank);
        entry++;
    }
    if (page->nranks > PAGE_MOST_LEGEND) {
        int line = entry / columns;
        (void)fprintf(out, "<text x=\"%d\" y=\"%.5g\">and %d more</text>\n",
                      PAGE_PAD + entry % columns * step, top + line * PAGE_LINE + 10.5,
                      page->nranks - PAGE_MOST_LEGEND);
    }
    return top + PAGE_LINE * page_legend_lines(page) + 4;
}

static void draw_captions(FILE *out, const struct page *page, double top)
{
    for (int i = 0; i < page->caption.nlines; i++)
        (void)fprintf(out, "<text x=\"%d\" y=\"%.5g\">%s</text>\n", PAGE_PAD,
                      top + i * PAGE_LINE + 10.5, page->caption.line[i]);
}

redist_err svg_draw(FILE *out, struct slice *slice, const char *title)
{
    struct page page;
    TRY(page_make(slice, title, &page));
    draw_head(out, &page);
    if (page.npatches > 0) {
        draw_patches(out, &page);
        draw_grid(out, &page);
        draw_ranks(out, &page);
        draw_fade(out, &page);
        draw_axes(out, &page);
    }
    draw_captions(out, &page, draw_legend(out, &page));
    (void)fputs("</svg>\n", out);
    page_free(&page);
    return REDIST_OK;
}
