/* SPDX-License-Identifier: MIT */
#include "tool/analysis/gantt.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "tool/analysis/bars.h"
#include "tool/picture/palette.h"

enum {
    MOST_BARS = 1 << 16,
    MOST_LANES = 64, /* most sources that are drawn */
    MOST_LEGEND = 24,
    MOST_TITLE = 100,
    LEGEND_LABEL = 56, /* "to rank" */
    PAD = 24,
    LINE = 20,
    FONT = 12,
    TITLE_FONT = 15,
    WIDTH = 720, /* of the time axis */
    HIGHEST = 480,
    HEADING = 38, /* over the lanes of a panel, */
    AXIS = 30     /* and under them */
};
static const double GLYPH = 0.6; /* width of a digit, of its font's size */

struct chart {
    const struct outcome *outcome;
    struct bars bars;
    int64_t end; /* of the time axis */
    int64_t lanes;
    double lane;        /* from one lane to the next, pixels */
    double left, scale; /* pixels; a unit of time */
};

/* ---- positions --------------------------------------------------------------------- */

static double x_of(const struct chart *chart, int64_t time)
{
    return chart->left + chart->scale * (double)time;
}

static double lanes_height(const struct chart *chart)
{
    return chart->lane * (double)chart->lanes;
}

static bool is_cut(const struct chart *chart)
{
    return chart->lanes < problem_processes(chart->outcome->problem, REDIST_SOURCE);
}

static int digits(int64_t number) { return snprintf(NULL, 0, "%" PRId64, number); }

static int64_t legend_entries(const struct chart *chart)
{
    int64_t Q = problem_processes(chart->outcome->problem, REDIST_TARGET);
    return Q > MOST_LEGEND ? MOST_LEGEND + 1 : Q;
}

static int legend_step(const struct chart *chart)
{
    const redist_view *target = &chart->outcome->problem->specs.view[1];
    return 24 + 8 * digits(grid_max_rank(target->dist->grid));
}

static int64_t legend_columns(const struct chart *chart)
{
    return (int64_t)((chart->left + WIDTH - PAD - LEGEND_LABEL) / legend_step(chart));
}

static void set_layout(struct chart *chart)
{
    const struct problem *problem = chart->outcome->problem;
    int64_t P = problem_processes(problem, REDIST_SOURCE);
    chart->lanes = int_min(P, MOST_LANES);
    chart->lane = (double)HIGHEST / (double)int_max(chart->lanes, 1);
    if (chart->lane > 22) chart->lane = 22;
    int places = digits(grid_max_rank(problem->specs.view[0].dist->grid));
    chart->left = PAD + 10 + FONT * GLYPH * (places + 5);
    chart->scale = WIDTH / (double)int_max(chart->end, 1);
}

/* ---- a panel ----------------------------------------------------------------------- */

/* Draw the lanes, grey where nothing is sent, with their ranks. */
static void draw_lanes(FILE *out, const struct chart *chart, double top, int64_t end)
{
    (void)fputs("<g fill=\"#eceff2\">\n", out);
    for (int64_t p = 0; p < chart->lanes; p++)
        (void)fprintf(out,
                      "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"/>\n",
                      chart->left, top + chart->lane * ((double)p + 0.06),
                      chart->scale * (double)end, 0.88 * chart->lane);
    (void)fputs("</g>\n<g text-anchor=\"end\">\n", out);
    int64_t every = int_ceil_div(14, (int64_t)int_max(1, (int64_t)chart->lane));
    for (int64_t p = 0; p < chart->lanes; p += every)
        (void)fprintf(out, "<text x=\"%.6g\" y=\"%.6g\">rank %d</text>\n",
                      chart->left - 8, top + chart->lane * ((double)p + 0.5) + 4,
                      problem_rank(chart->outcome->problem, REDIST_SOURCE, p));
    (void)fputs("</g>\n", out);
}

static void draw_bar(FILE *out, const struct chart *chart, const struct bar *bar,
                     double top)
{
    const struct problem *problem = chart->outcome->problem;
    struct color color = palette_color(bar->q);
    double width = chart->scale * (double)bar->weight, height = 0.88 * chart->lane;
    double gap = width > 6 ? 1 : width / 8;
    (void)fprintf(out,
                  "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" rx=\"%d\" "
                  "fill=\"#%02x%02x%02x\"><title>%d to %d: length %" PRId64 ", %" PRId64
                  " to %" PRId64 "</title></rect>\n",
                  x_of(chart, bar->begin) + gap / 2,
                  top + chart->lane * ((double)bar->p + 0.06), width - gap, height,
                  width > 8 && height > 8 ? 2 : 0, (unsigned)color.red,
                  (unsigned)color.green, (unsigned)color.blue,
                  problem_rank(problem, REDIST_SOURCE, bar->p),
                  problem_rank(problem, REDIST_TARGET, bar->q), bar->weight, bar->begin,
                  bar->begin + bar->weight);
}

/* Write the target in each bar with room for it. */
static void draw_targets(FILE *out, const struct chart *chart, double top)
{
    double size = chart->lane * 0.55 < 11 ? chart->lane * 0.55 : 11;
    if (size < 6) return;
    (void)fprintf(out,
                  "<g text-anchor=\"middle\" font-size=\"%.3g\" fill=\"#1f2328\" "
                  "fill-opacity=\".8\" pointer-events=\"none\">\n",
                  size);
    for (int64_t k = 0; k < chart->bars.n; k++) {
        const struct bar *bar = &chart->bars.bar[k];
        int rank = problem_rank(chart->outcome->problem, REDIST_TARGET, bar->q);
        double width = chart->scale * (double)bar->weight;
        if (bar->p >= chart->lanes || width < GLYPH * size * digits(rank) + 3) continue;
        (void)fprintf(out, "<text x=\"%.6g\" y=\"%.6g\">%d</text>\n",
                      x_of(chart, bar->begin) + width / 2,
                      top + chart->lane * ((double)bar->p + 0.5) + 0.36 * size, rank);
    }
    (void)fputs("</g>\n", out);
}

static void draw_barriers(FILE *out, const struct chart *chart, double top)
{
    if (chart->bars.nbarriers == 0) return;
    (void)fputs("<path stroke=\"#57606a\" stroke-width=\"1.2\" stroke-dasharray=\"2 2\" "
                "d=\"",
                out);
    for (int64_t k = 0; k < chart->bars.nbarriers; k++)
        (void)fprintf(out, "M%.6g %.6gv%.6g", x_of(chart, chart->bars.barrier[k]),
                      top - 3, lanes_height(chart) + 6);
    (void)fputs("\"/>\n", out);
}

/* Times under the lanes. */
static void draw_axis(FILE *out, const struct chart *chart, double top)
{
    double bottom = top + lanes_height(chart);
    int64_t step = 1;
    double need = FONT * GLYPH * digits(chart->end) + 14;
    for (int k = 0; chart->scale * (double)step < need && step < INT64_MAX / 10; k++)
        step = k % 3 == 1 ? step / 2 * 5 : step * 2;
    (void)fputs("<g text-anchor=\"middle\">\n", out);
    for (int64_t time = 0; time <= chart->end; time += step)
        (void)fprintf(out,
                      "<path stroke=\"#c4c9d0\" d=\"M%.6g %.6gv4\"/>"
                      "<text x=\"%.6g\" y=\"%.6g\">%" PRId64 "</text>\n",
                      x_of(chart, time), bottom + 2, x_of(chart, time), bottom + 19,
                      time);
    (void)fputs("</g>\n", out);
}

/* Draw a line at W, before the bars, so that it hides none. */
static void draw_bound(FILE *out, const struct chart *chart, double top)
{
    int64_t w = chart->outcome->cost.w;
    (void)fprintf(
        out,
        "<path stroke=\"#cf222e\" stroke-width=\"1.5\" d=\"M%.6g %.6gv%.6g\"/>\n"
        "<text x=\"%.6g\" y=\"%.6g\" text-anchor=\"%s\" fill=\"#cf222e\">W = "
        "%" PRId64 "</text>\n",
        x_of(chart, w), top - 6, lanes_height(chart) + 10, x_of(chart, w), top - 9,
        w == chart->end ? "end" : "middle", w);
}

/* Returns the y of the next panel. */
static double draw_panel(FILE *out, const struct chart *chart, const char *what,
                         int64_t end, double y)
{
    double top = y + HEADING;
    (void)fprintf(out,
                  "<text x=\"%.6g\" y=\"%.6g\" fill=\"#1f2328\" font-weight=\"600\">%s: "
                  "done at %" PRId64 "</text>\n",
                  chart->left, y + 12, what, end);
    draw_lanes(out, chart, top, end);
    draw_bound(out, chart, top);
    for (int64_t k = 0; k < chart->bars.n; k++)
        if (chart->bars.bar[k].p < chart->lanes)
            draw_bar(out, chart, &chart->bars.bar[k], top);
    draw_targets(out, chart, top);
    draw_barriers(out, chart, top);
    draw_axis(out, chart, top);
    return top + lanes_height(chart) + AXIS + 16;
}

/* ---- around the panels ------------------------------------------------------------- */

static void draw_head(FILE *out, const struct chart *chart, int panels)
{
    const struct outcome *outcome = chart->outcome;
    const char *const *text = (const char *const *)outcome->problem->specs.text;
    const struct cost *cost = &outcome->cost;
    int64_t legend_lines = int_ceil_div(legend_entries(chart), legend_columns(chart));
    double w = chart->left + WIDTH + PAD;
    double h = PAD + 3 * LINE + 16 +
               panels * (HEADING + lanes_height(chart) + AXIS + 16) +
               LINE * (double)(legend_lines + 2) + PAD;
    (void)fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"system-ui, "
        "'Helvetica Neue', Arial, sans-serif\" font-size=\"%d\" fill=\"#57606a\">\n"
        "<title>schedule %s: %s</title>\n",
        w, h, w, h, FONT, outcome->name, outcome->kind->what);
    (void)fprintf(
        out,
        "<desc>From %s to %s. A lane for each source, time to the right, a bar for each "
        "message. NS %" PRId64 ", TC %" PRId64 "; Delta %" PRId64 ", W %" PRId64
        ", SB %" PRId64 ".</desc>\n"
        "<rect x=\".5\" y=\".5\" width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"#fff\" "
        "stroke=\"#d0d7de\"/>\n",
        text[0], text[1], cost->ns, cost->tc, cost->delta, cost->w, cost->sb, w - 1,
        h - 1);
    (void)fprintf(out,
                  "<g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, "
                  "monospace\" font-size=\"%d\" fill=\"#1f2328\">\n",
                  TITLE_FONT - 1);
    for (int k = 0; k < 2; k++)
        (void)fprintf(out, "<text x=\"%d\" y=\"%d\">%s%.*s%s</text>\n", PAD,
                      PAD + 12 + k * LINE, k == 0 ? "from " : "to &#160; ", MOST_TITLE,
                      text[k], strlen(text[k]) > MOST_TITLE ? " .." : "");
    (void)fprintf(out,
                  "</g>\n<text x=\"%d\" y=\"%d\"><tspan fill=\"#1f2328\" "
                  "font-weight=\"600\">%s</tspan>: NS %" PRId64 ", TC %" PRId64
                  "; Delta %" PRId64 ", W %" PRId64 ", SB %" PRId64 "</text>\n",
                  PAD, PAD + 14 + 2 * LINE, outcome->name, cost->ns, cost->tc,
                  cost->delta, cost->w, cost->sb);
}

/* The targets in their colours. Returns the y of the next line. */
static double draw_legend(FILE *out, const struct chart *chart, double top)
{
    const struct problem *problem = chart->outcome->problem;
    int64_t entries = legend_entries(chart), columns = legend_columns(chart);
    int step = legend_step(chart);
    (void)fprintf(out, "<text x=\"%d\" y=\"%.6g\">to rank</text>\n", PAD, top + 12);
    for (int64_t q = 0; q < entries; q++) {
        double x = PAD + LEGEND_LABEL + (double)(q % columns * step);
        int64_t row = q / columns;
        double y = top + LINE * (double)row;
        struct color color = palette_color(q);
        if (q == MOST_LEGEND) {
            (void)fprintf(
                out, "<text x=\"%.6g\" y=\"%.6g\">and %" PRId64 " more</text>\n", x,
                y + 12, problem_processes(problem, REDIST_TARGET) - MOST_LEGEND);
            break;
        }
        (void)fprintf(out,
                      "<rect x=\"%.6g\" y=\"%.6g\" width=\"%d\" height=\"16\" rx=\"2\" "
                      "fill=\"#%02x%02x%02x\"/><text x=\"%.6g\" y=\"%.6g\" "
                      "text-anchor=\"middle\" fill=\"#1f2328\">%d</text>\n",
                      x, y, step - 4, (unsigned)color.red, (unsigned)color.green,
                      (unsigned)color.blue, x + 0.5 * (step - 4), y + 12,
                      problem_rank(problem, REDIST_TARGET, q));
    }
    return top + LINE * (double)int_ceil_div(entries, columns);
}

static void draw_captions(FILE *out, const struct chart *chart, double top)
{
    char caption[PROBLEM_CAPTION_SIZE];
    int64_t P = problem_processes(chart->outcome->problem, REDIST_SOURCE);
    (void)fprintf(out, "<text x=\"%d\" y=\"%.6g\">%s", PAD, top + 14,
                  problem_caption(chart->outcome->problem, caption));
    if (is_cut(chart))
        (void)fprintf(out, "; %" PRId64 " of %" PRId64 " sources", chart->lanes, P);
    (void)fprintf(out,
                  "</text>\n<text x=\"%d\" y=\"%.6g\">A bar is a message on its way; a "
                  "source is idle where its lane is grey. %sW: no schedule is done "
                  "before.</text>\n",
                  PAD, top + 14 + LINE,
                  chart->outcome->kind->timed ? "" : "Dotted lines are barriers. ");
}

/* ---- the picture ------------------------------------------------------------------- */

/* If no message can begin before its barrier, one panel shows both. */
static redist_err draw_stepped(FILE *out, struct chart *chart)
{
    int64_t synchronous = 0, free_running = 0;
    TRY(bars_place(&chart->bars, false, &free_running));
    TRY(bars_place(&chart->bars, true, &synchronous));
    bool same = !chart->bars.moved;
    chart->end = int_max(synchronous, chart->outcome->cost.w);
    set_layout(chart);
    draw_head(out, chart, same ? 1 : 2);
    double y = PAD + 3 * LINE + 16;
    y = draw_panel(out, chart,
                   same ? "with a barrier after each step or without"
                        : "with a barrier after each step",
                   synchronous, y);
    if (!same) {
        TRY(bars_place(&chart->bars, false, &free_running));
        y = draw_panel(out, chart, "without barriers", free_running, y);
    }
    draw_captions(out, chart, draw_legend(out, chart, y));
    (void)fputs("</svg>\n", out);
    return REDIST_OK;
}

static void draw_timed(FILE *out, struct chart *chart)
{
    int64_t end = chart->outcome->cost.tc;
    chart->end = int_max(end, chart->outcome->cost.w);
    set_layout(chart);
    draw_head(out, chart, 1);
    double y = PAD + 3 * LINE + 16;
    y = draw_panel(out, chart, "start times, without barriers", end, y);
    draw_captions(out, chart, draw_legend(out, chart, y));
    (void)fputs("</svg>\n", out);
}

redist_err gantt_draw(FILE *out, const struct outcome *outcome)
{
    struct chart chart = {.outcome = outcome};
    redist_err err = outcome->cost.counted ? bars_read(outcome, &chart.bars) : REDIST_OK;
    if (!err && (!outcome->cost.counted || chart.bars.n > MOST_BARS))
        err = error_arg("too many messages, or pieces of them, to be drawn, must be at "
                        "most %d",
                        MOST_BARS);
    if (!err && outcome->kind->timed)
        draw_timed(out, &chart);
    else if (!err)
        err = draw_stepped(out, &chart);
    bars_free(&chart.bars);
    return err;
}
