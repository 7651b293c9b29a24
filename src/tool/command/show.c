/* SPDX-License-Identifier: MIT
 *
 * tool/command/show.c - `redist show`: draw who owns what, and tabulate how much.
 */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "tool/common/arguments.h"
#include "tool/common/terminal.h"
#include "tool/common/tool.h"
#include "tool/picture/picture.h"

struct arguments {
    const char *spec, *rank, *axes, *at, *color, *svg;
    bool json;
};

static struct arguments given;

static const struct argument option_table[] = {
    {"rank", "R", "only the elements of rank R", .text = &given.rank},
    {"axes", "I,J", "dimension I down, J across; otherwise the last two distributed ones",
     .text = &given.axes},
    {"at", "I,J,..",
     "where the picture lies in the other dimensions, an index for each\n"
     "dimension; otherwise where the section begins",
     .text = &given.at},
    {"color", "WHEN", "auto (a terminal in colour), always or never",
     .text = &given.color, .words = "auto always never"},
    {"svg", "FILE", "write an SVG picture instead, to stdout where FILE is -",
     .text = &given.svg},
    {"json", NULL, "one JSON object, for programs: what each rank holds",
     .flag = &given.json},
    {.name = NULL}};

/* ---- the table --------------------------------------------------------------------- */

enum {
    MOST_TABLE_ROWS = 16, /* of more processes, the first and the last ones: */
    FIRST_TABLE_ROWS = 6,
    LAST_TABLE_ROWS = 2
};

static int64_t product(int n, const int64_t factors[])
{
    int64_t p = 1;
    for (int i = 0; i < n; i++) p *= factors[i];
    return p;
}

/* Print the row of `rank`, which takes `width` columns. */
static redist_err table_row(const redist_dist *dist, int width, int rank)
{
    int64_t local[REDIST_MAX_DIMS];
    char text[REDIST_MAX_DIMS * 21] = "";
    int length = 0, ndims = redist_dist_ndims(dist);
    TRY(redist_dist_local_extents(dist, rank, local));
    for (int i = 0; i < ndims; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRId64,
                           i ? "x" : "", local[i]);
    (void)printf("  %*d  %13s  %12" PRId64 "\n", width, rank, text,
                 product(ndims, local));
    return REDIST_OK;
}

static void say_extreme(const redist_dist *dist, const char *word, int sign)
{
    int coords[REDIST_MAX_DIMS];
    int64_t local[REDIST_MAX_DIMS];
    for (int i = 0; i < dist->ndims; i++) {
        coords[i] = dim_extreme(&dist->dim[i], sign);
        local[i] = dim_count(&dist->dim[i], coords[i]);
    }
    (void)printf("  the %s: %" PRId64 " elements, on rank %d\n", word,
                 product(dist->ndims, local), dist_rank(dist, coords, 0));
}

static redist_err print_table(const struct slice *slice)
{
    const redist_dist *dist = slice->view->dist;
    int64_t size = dist->grid->size;
    int width = snprintf(NULL, 0, "%4d", grid_max_rank(dist->grid));
    (void)printf("\n  %*s  %13s  %12s\n", width, "rank", "local extents", "elements");
    if (slice->only_rank) return table_row(dist, width, slice->rank);
    for (int64_t k = 0; k < size; k++) {
        if (size > MOST_TABLE_ROWS && k == FIRST_TABLE_ROWS) {
            k = size - LAST_TABLE_ROWS;
            (void)printf("  %*s\n", width, "..");
        }
        TRY(table_row(dist, width, grid_rank_at(dist->grid, k)));
    }
    if (size > MOST_TABLE_ROWS) {
        say_extreme(dist, "most", 1);
        say_extreme(dist, "least", -1);
    }
    return REDIST_OK;
}

/* ---- JSON -------------------------------------------------------------------------- */

static void json_list(const char *name, int n, const int64_t numbers[])
{
    (void)printf("\"%s\": [", name);
    for (int i = 0; i < n; i++) (void)printf("%s%" PRId64, i > 0 ? ", " : "", numbers[i]);
    (void)printf("]");
}

static redist_err json_rank(const redist_dist *dist, int rank)
{
    int naxes = dist->grid->naxes, at[REDIST_MAX_DIMS];
    int64_t coords[REDIST_MAX_DIMS], local[REDIST_MAX_DIMS];
    TRY(redist_dist_local_extents(dist, rank, local));
    (void)redist_grid_coords(dist->grid, rank, at);
    for (int i = 0; i < naxes; i++) coords[i] = at[i];
    (void)printf("    {\"rank\": %d, ", rank);
    json_list("coords", naxes, coords);
    (void)printf(", ");
    json_list("local_extents", dist->ndims, local);
    (void)printf(", \"elements\": %" PRId64 "}", product(dist->ndims, local));
    return REDIST_OK;
}

/* Print the table's contents, for each rank. */
static redist_err print_json(const struct slice *slice, const char *title)
{
    const redist_dist *dist = slice->view->dist;
    int64_t extents[REDIST_MAX_DIMS];
    for (int i = 0; i < dist->ndims; i++) extents[i] = redist_dist_extent(dist, i);
    (void)printf("{\n  \"spec\": ");
    tool_print_json_string(stdout, title);
    (void)printf(",\n  ");
    json_list("extents", dist->ndims, extents);
    (void)printf(",\n  \"elements\": %" PRId64 ",\n  \"processes\": %" PRId64
                 ",\n  \"ranks\": [\n",
                 dist_elements(dist), dist->grid->size);
    for (int64_t k = 0; k < dist->grid->size; k++) {
        int rank = grid_rank_at(dist->grid, k);
        if (slice->only_rank && rank != slice->rank) continue;
        TRY(json_rank(dist, rank));
        bool last = slice->only_rank || k + 1 == dist->grid->size;
        (void)printf(last ? "\n" : ",\n");
    }
    (void)printf("  ]\n}\n");
    return tool_flush();
}

/* ---- the picture ------------------------------------------------------------------- */

static redist_err show_in_terminal(struct slice *slice, const struct terminal *terminal,
                                   const char *title)
{
    enum { MOST_TITLE = 300 };
    bool cut = strlen(title) > MOST_TITLE;
    struct caption caption;
    (void)printf("%.*s%s\n\n", MOST_TITLE, title, cut ? " .." : "");
    if (dist_elements(slice->view->dist) > 0) TRY(draw_slice(terminal, slice));
    slice_caption(slice, &caption);
    for (int i = 0; i < caption.nlines; i++)
        terminal_print_wrapped(printf("  "), caption.line[i]);
    TRY(print_table(slice));
    return tool_flush();
}

/* ---- arguments --------------------------------------------------------------------- */

/* Read the options that depend on the distribution into the slice. */
static redist_err set_slice(const struct arguments *args, const redist_view *view,
                            struct slice *slice)
{
    int ndims = redist_dist_ndims(view->dist);
    int64_t axes[2] = {0, 0}, rank = 0, at[REDIST_MAX_DIMS];
    if (args->axes) {
        if (ndims < 2)
            return error_arg("--axes: the array has 1 dimension, must be "
                             "2 or more");
        TRY(tool_parse_numbers("--axes", args->axes, 2, 0, ndims - 1, axes));
        if (axes[0] == axes[1])
            return error_arg("--axes: %s, must be two different dimensions", args->axes);
    }
    slice_init(view, args->axes ? (int[]){(int)axes[0], (int)axes[1]} : NULL, slice);
    if (args->at) {
        TRY(tool_parse_numbers("--at", args->at, ndims, 0, INT64_MAX, at));
        for (int i = 0; i < ndims; i++) {
            int64_t extent = redist_dist_extent(view->dist, i);
            if (at[i] >= extent)
                return error_arg("--at: index %" PRId64
                                 " of dimension %d, must be less than "
                                 "its extent %" PRId64,
                                 at[i], i, extent);
            slice->at[i] = at[i];
        }
    }
    if (args->rank) {
        TRY(tool_parse_number("--rank", args->rank, 0, INT_MAX, &rank));
        TRY(slice_restrict(slice, (int)rank));
    }
    return REDIST_OK;
}

struct drawing {
    struct slice *slice;
    const char *title;
};

static redist_err draw_svg(FILE *out, void *what)
{
    const struct drawing *drawing = what;
    return svg_draw(out, drawing->slice, drawing->title);
}

static redist_err show(const struct arguments *args, const struct terminal *terminal,
                       struct slice *slice)
{
    char *title = NULL;
    TRY(tool_print_spec(slice->view, &title));
    struct drawing drawing = {slice, title};
    redist_err err = args->json  ? print_json(slice, title)
                     : args->svg ? picture_write(args->svg, draw_svg, &drawing)
                                 : show_in_terminal(slice, terminal, title);
    mem_free(title);
    slice_free(slice);
    return err;
}

static int tool_show(int argc, char **argv)
{
    given = (struct arguments){0};
    struct terminal terminal;
    struct slice slice;
    redist_dist *dist = NULL;
    redist_view view;
    int status = arguments_take(argc, argv, true, &command_show, &given.spec);
    if (status) return status;
    if (given.json && (given.svg || given.axes || given.at))
        return tool_misused(argv[0], "--json goes with no --svg, --axes or --at");
    if (terminal_find(given.color, &terminal))
        return tool_misused(argv[0], "%s", redist_error_message());
    if (tool_parse_spec(given.spec, &dist, &view)) return tool_fail_last();
    if (set_slice(&given, &view, &slice))
        status = tool_misused(argv[0], "%s", redist_error_message());
    else if (show(&given, &terminal, &slice))
        status = tool_fail_last();
    redist_dist_destroy(&dist);
    return status;
}

const struct command command_show = {.name = "show",
                                     .arguments = "SPEC",
                                     .nwords = 1,
                                     .summary = "draw who owns what",
                                     .options = option_table,
                                     .notes =
                                         "SPEC is the text of a distribution, such as "
                                         "'[9,9] (cyclic(2),block) onto 2x2', or\n"
                                         "@FILE: the text is in the file.\n",
                                     .run = tool_show};
