/* SPDX-License-Identifier: MIT
 *
 * A dist's text is first parsed, then evaluated:
 *
 *   dist    = "[" extent {"," extent} "]" "(" format {"," format} ")" "onto" grid
 *   format  = "*"
 *           | ( "block" ["(" m ")"] | "cyclic" ["(" m ")"]
 *             | "gen_block" "(" series ")" | "indirect" "(" [series] ")" )
 *             {"from" coordinate | "on" axis}
 *   grid    = shape {"x" shape} {"column-major" | "row-major" | "ranks" series}
 *   series  = item {"," item}
 *   item    = a | a "*" count | first ":" last [":" step]
 */
#include "describe/notation/notation.h"

#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/notation/series.h"

/* A parsed format; sizes and owners are written out once the grid is known. */
struct format_text {
    const char *place;
    redist_format format;
    struct series list; /* of GEN_BLOCK and INDIRECT */
    int64_t *sizes;
    int *owners;
};

struct dist_text {
    int ndims;
    int64_t extents[REDIST_MAX_DIMS];
    struct format_text formats[REDIST_MAX_DIMS];
    int naxes;
    int shape[REDIST_MAX_DIMS];
    redist_order order;
    struct series ranks; /* empty: none */
    const char *shape_place, *ranks_place;
};

static void dist_text_free(struct dist_text *text)
{
    for (int i = 0; i < REDIST_MAX_DIMS; i++) {
        series_free(&text->formats[i].list);
        mem_free(text->formats[i].sizes);
        mem_free(text->formats[i].owners);
    }
    series_free(&text->ranks);
}

/* ---- parsing ----------------------------------------------------------------------- */

redist_err notation_once(struct scan *scan, const char *place, const char *name,
                         bool *there)
{
    if (*there) return scan_blame(scan, place, error_arg("%s is given twice", name));
    *there = true;
    return REDIST_OK;
}

static redist_err scan_extents(struct scan *scan, struct dist_text *text)
{
    TRY(scan_expect(scan, '['));
    do {
        if (text->ndims == REDIST_MAX_DIMS)
            return scan_blame(scan, scan_place(scan),
                              error_arg("more than %d dimensions", REDIST_MAX_DIMS));
        int64_t *extent = &text->extents[text->ndims++];
        TRY(scan_integer(scan, "extent", 0, INT64_MAX, extent));
    } while (scan_char(scan, ','));
    return scan_expect(scan, ']');
}

/* Read "(m)"; any m but the sentinel, as redist_dist_create checks it. */
static redist_err scan_block(struct scan *scan, int64_t *block)
{
    if (!scan_char(scan, '(')) return REDIST_OK;
    TRY(scan_integer(scan, "block", REDIST_EVEN_BLOCK + 1, INT64_MAX, block));
    return scan_expect(scan, ')');
}

static redist_err scan_list(struct scan *scan, const char *what, int64_t high,
                            struct series *list)
{
    TRY(scan_expect(scan, '('));
    TRY(series_scan(list, scan, what, high));
    return scan_expect(scan, ')');
}

static redist_err scan_owners(struct scan *scan, struct series *list)
{
    struct scan ahead = *scan;
    if (scan_char(&ahead, '(') && scan_char(&ahead, ')')) { /* no elements, no owners */
        *scan = ahead;
        return REDIST_OK;
    }
    return scan_list(scan, "owner", INT_MAX, list);
}

static redist_err scan_from_and_on(struct scan *scan, redist_format *format)
{
    bool from = false, on = false;
    for (;;) {
        const char *place = scan_place(scan);
        if (scan_word(scan, "from")) {
            TRY(notation_once(scan, place, "from", &from));
            TRY(scan_int(scan, "coordinate", 0, INT_MAX, &format->first));
        } else if (scan_word(scan, "on")) {
            TRY(notation_once(scan, place, "on", &on));
            TRY(scan_int(scan, "axis", 0, REDIST_MAX_DIMS - 1, &format->axis));
        } else {
            return REDIST_OK;
        }
    }
}

static redist_err scan_format(struct scan *scan, struct format_text *text)
{
    redist_format *format = &text->format;
    text->place = scan_place(scan);
    if (scan_char(scan, '*')) {
        *format = redist_collapsed();
        return REDIST_OK;
    }
    if (scan_word(scan, "block")) {
        *format = redist_block();
        TRY(scan_block(scan, &format->block));
    } else if (scan_word(scan, "cyclic")) {
        *format = redist_cyclic(1);
        TRY(scan_block(scan, &format->block));
    } else if (scan_word(scan, "gen_block")) {
        *format = redist_gen_block(NULL);
        TRY(scan_list(scan, "size", INT64_MAX, &text->list));
    } else if (scan_word(scan, "indirect")) {
        *format = redist_indirect(NULL);
        TRY(scan_owners(scan, &text->list));
    } else {
        return scan_expected(scan, "*, block, cyclic, gen_block or indirect");
    }
    return scan_from_and_on(scan, format);
}

static redist_err scan_formats(struct scan *scan, struct dist_text *text)
{
    for (int i = 0; i < text->ndims; i++) {
        TRY(scan_item(scan, "()", i, text->ndims, "formats"));
        TRY(scan_format(scan, &text->formats[i]));
    }
    return scan_item(scan, "()", text->ndims, text->ndims, "formats");
}

static redist_err scan_shape(struct scan *scan, struct dist_text *text)
{
    if (!scan_word(scan, "onto")) return scan_expected(scan, "\"onto\"");
    text->shape_place = scan_place(scan);
    do {
        if (text->naxes == REDIST_MAX_DIMS)
            return scan_blame(scan, scan_place(scan),
                              error_arg("more than %d axes", REDIST_MAX_DIMS));
        TRY(scan_int(scan, "shape", 1, INT_MAX, &text->shape[text->naxes++]));
    } while (scan_char(scan, 'x'));
    return REDIST_OK;
}

static redist_err scan_order_and_ranks(struct scan *scan, struct dist_text *text)
{
    bool order = false, ranks = false;
    for (;;) {
        const char *place = scan_place(scan);
        bool column_major = scan_word(scan, "column-major");
        if (column_major || scan_word(scan, "row-major")) {
            TRY(notation_once(scan, place, "the grid's order", &order));
            text->order = column_major ? REDIST_COLUMN_MAJOR : REDIST_ROW_MAJOR;
        } else if (scan_word(scan, "ranks")) {
            TRY(notation_once(scan, place, "ranks", &ranks));
            text->ranks_place = scan_place(scan);
            TRY(series_scan(&text->ranks, scan, "rank", INT_MAX));
        } else {
            return REDIST_OK;
        }
    }
}

static redist_err scan_dist(struct scan *scan, struct dist_text *text)
{
    TRY(scan_extents(scan, text));
    TRY(scan_formats(scan, text));
    TRY(scan_shape(scan, text));
    return scan_order_and_ranks(scan, text);
}

/* ---- evaluation -------------------------------------------------------------------- */

static redist_err make_ranked_grid(const struct dist_text *text, int64_t size,
                                   redist_grid **grid)
{
    if (text->ranks.count != size)
        return error_arg("%" PRId64 " ranks for a grid of %" PRId64 " processes",
                         text->ranks.count, size);
    int *ranks = NULL;
    TRY(series_write(&text->ranks, sizeof *ranks, &ranks));
    redist_err err =
        redist_grid_create(text->naxes, text->shape, text->order, ranks, grid);
    mem_free(ranks);
    return err;
}

static redist_err make_grid(const struct scan *scan, const struct dist_text *text,
                            redist_grid **grid)
{
    TRY(scan_blame(
        scan, text->shape_place,
        redist_grid_create(text->naxes, text->shape, text->order, NULL, grid)));
    if (text->ranks.count == 0) return REDIST_OK;
    int64_t size = redist_grid_size(*grid);
    redist_grid_destroy(grid);
    return scan_blame(scan, text->ranks_place, make_ranked_grid(text, size, grid));
}

static redist_err write_sizes(int i, int procs, struct format_text *format)
{
    if (format->list.count != procs)
        return error_arg("dim %d: %" PRId64 " gen_block sizes for %d coordinates", i,
                         format->list.count, procs);
    TRY(series_write(&format->list, sizeof(int64_t), &format->sizes));
    format->format.sizes = format->sizes;
    return REDIST_OK;
}

static redist_err write_owners(int i, int64_t extent, struct format_text *format)
{
    if (format->list.count != extent)
        return error_arg("dim %d: %" PRId64 " indirect owners for %" PRId64 " elements",
                         i, format->list.count, extent);
    TRY(series_write(&format->list, sizeof(int), &format->owners));
    format->format.owners = format->owners;
    return REDIST_OK;
}

/* Write out the lists. If an axis does not exist, redist_dist_create reports it before it
 * reads any list. */
static redist_err write_lists(const struct scan *scan, struct dist_text *text)
{
    int distributed = 0;
    for (int i = 0; i < text->ndims; i++) {
        struct format_text *format = &text->formats[i];
        if (format->format.kind == REDIST_COLLAPSED) continue;
        int axis = format->format.axis;
        if (axis == REDIST_NEXT_AXIS) axis = distributed;
        distributed++;
        redist_err err = REDIST_OK;
        if (format->format.kind == REDIST_GEN_BLOCK && axis < text->naxes)
            err = write_sizes(i, text->shape[axis], format);
        else if (format->format.kind == REDIST_INDIRECT)
            err = write_owners(i, text->extents[i], format);
        TRY(scan_blame(scan, format->place, err));
    }
    return REDIST_OK;
}

/* Point at the format of the dimension named in redist_dist_create's message, or else at
 * the whole text. */
static redist_err blame_format(const struct scan *scan, const struct dist_text *text,
                               redist_err err)
{
    const char *place = scan->text;
    int i = 0;
    bool named = err && sscanf(redist_error_message(), "dim %d:", &i) == 1;
    if (named && i >= 0 && i < text->ndims) place = text->formats[i].place;
    return scan_blame(scan, place, err);
}

static redist_err make_dist(const struct scan *scan, struct dist_text *text,
                            redist_dist **dist)
{
    redist_grid *grid = NULL;
    TRY(make_grid(scan, text, &grid));
    redist_err err = write_lists(scan, text);
    if (!err) {
        redist_format formats[REDIST_MAX_DIMS];
        for (int i = 0; i < text->ndims; i++) formats[i] = text->formats[i].format;
        err = redist_dist_create(text->ndims, text->extents, formats, grid, dist);
        err = blame_format(scan, text, err);
    }
    redist_grid_destroy(&grid);
    return err;
}

redist_err notation_scan_dist(struct scan *scan, redist_dist **dist)
{
    struct dist_text text = {0};
    redist_err err = scan_dist(scan, &text);
    if (!err) err = make_dist(scan, &text, dist);
    dist_text_free(&text);
    return err;
}

redist_err redist_dist_parse(const char *text, redist_dist **dist)
{
    if (!dist) return error_arg("dist is NULL");
    *dist = NULL;
    if (!text) return error_arg("text is NULL");
    struct scan scan = scan_of(text);
    TRY(notation_scan_dist(&scan, dist));
    if (*scan_place(&scan) == 0) return REDIST_OK;
    redist_dist_destroy(dist);
    return scan_expected(&scan, "the end");
}
