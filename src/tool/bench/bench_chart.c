/* SPDX-License-Identifier: MIT
 *
 * tool/bench/bench_chart.c - the results of `redist bench` as a bar chart: the rate of
 * each strategy, and of a copy.
 *
 *   alltoallv    [==============|-]  6.2             | memcpy
 *   nonblocking  [===========|--]  5.1               |
 *                0      2      4      6      8      10   GB/s
 */
#include <string.h>

#include "tool/bench/bench.h"
#include "tool/picture/palette.h"

enum {
    PAD = 24,
    LINE = 20,
    FONT = 12,
    TITLE_FONT = 14,
    MOST_TITLE = 100,
    MOST_WHY = 110,
    WIDTH = 640, /* of the axis */
    BAR = 26,    /* from one bar to the next */
    VALUE = 48,  /* room for a number behind the longest bar */
    AXIS = 42    /* under the bars */
};
static const double GLYPH = 0.66; /* width of a letter, of its font's size */

struct chart {
    const struct bench_report *report;
    double left, top, bottom; /* of the bars */
    double most, scale;       /* GB/s at the axis's end; pixels for one of them */
};

static int available(const struct bench_report *report)
{
    int n = 0;
    while (n < report->n && report->entry[n].available) n++;
    return n;
}

static double rate(const struct chart *chart, double seconds)
{
    return bench_rate(chart->report, seconds);
}

static double x_of(const struct chart *chart, double rate)
{
    return chart->left + chart->scale * rate;
}

static void set_layout(const struct bench_report *report, struct chart *chart)
{
    *chart = (struct chart){.report = report};
    size_t longest = strlen("memcpy");
    chart->most = rate(chart, report->copy_seconds.q1);
    for (int k = 0; k < report->n; k++) {
        const struct bench_entry *entry = &report->entry[k];
        size_t length = strlen(entry->strategy);
        if (length > longest) longest = length;
        double fastest = entry->available ? rate(chart, entry->seconds.q1) : 0;
        if (fastest > chart->most) chart->most = fastest;
    }
    if (chart->most <= 0) chart->most = 1;
    chart->left = PAD + 10 + FONT * GLYPH * (double)longest;
    chart->scale = (WIDTH - VALUE) / chart->most;
    chart->top = PAD + 3 * LINE + 26;
    chart->bottom = chart->top + BAR * available(report);
}

/* Print text as XML, at most `most` characters. */
static void put_text(FILE *out, const char *text, int most)
{
    for (int k = 0; k < most && text[k]; k++) {
        if (text[k] == '<')
            (void)fputs("&lt;", out);
        else if (text[k] == '&')
            (void)fputs("&amp;", out);
        else
            (void)fputc(text[k], out);
    }
    if (strlen(text) > (size_t)most) (void)fputs(" ..", out);
}

static void draw_head(FILE *out, const struct chart *chart)
{
    const struct bench_report *report = chart->report;
    const char *const text[2] = {report->source, report->target};
    double w = chart->left + WIDTH + PAD;
    double h = chart->bottom + AXIS + LINE * (report->n - available(report) + 1) + PAD;
    (void)fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"system-ui, "
        "'Helvetica Neue', Arial, sans-serif\" font-size=\"%d\" fill=\"#57606a\">\n"
        "<title>strategies compared</title>\n"
        "<rect width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"#fff\"/>\n",
        w, h, w, h, FONT, w, h);
    (void)fprintf(out,
                  "<g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, "
                  "monospace\" font-size=\"%d\" fill=\"#1f2328\">\n",
                  TITLE_FONT);
    for (int k = 0; k < 2; k++) {
        (void)fprintf(out, "<text x=\"%d\" y=\"%d\">%s", PAD, PAD + 12 + k * LINE,
                      k == 0 ? "from " : "to &#160; ");
        put_text(out, text[k], MOST_TITLE);
        (void)fputs("</text>\n", out);
    }
    (void)fprintf(out, "</g>\n<text x=\"%d\" y=\"%d\">%" PRId64 " elements of ", PAD,
                  PAD + 14 + 2 * LINE, report->elements);
    put_text(out, report->type, MOST_TITLE);
    (void)fprintf(out,
                  " on %d process%s, in turns, at most %" PRId64
                  " times each; GB/s of the array, more is better</text>\n",
                  report->processes, report->processes == 1 ? "" : "es", report->rounds);
}

/* A bar as long as the median, and a mark from quartile to quartile. */
static void draw_bar(FILE *out, const struct chart *chart,
                     const struct bench_entry *entry, double y)
{
    double x = chart->left, middle = y + BAR / 2.0;
    double median = x_of(chart, rate(chart, entry->seconds.median));
    double slow = x_of(chart, rate(chart, entry->seconds.q3));
    double fast = x_of(chart, rate(chart, entry->seconds.q1));
    bool chosen = bench_is_choice(chart->report, entry);
    struct color color = palette_color(chosen ? 1 : 0);
    (void)fprintf(out,
                  "<text x=\"%.6g\" y=\"%.6g\" text-anchor=\"end\" fill=\"#1f2328\"%s>",
                  x - 8, middle + 4, chosen ? " font-weight=\"600\"" : "");
    put_text(out, entry->strategy, MOST_TITLE);
    (void)fprintf(out,
                  "</text>\n<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" "
                  "rx=\"2\" fill=\"#%02x%02x%02x\"><title>median %.4g ms, quartiles %.4g "
                  "and %.4g ms, least %.4g ms</title></rect>\n",
                  x, y + 3, median - x, BAR - 6.0, (unsigned)color.red,
                  (unsigned)color.green, (unsigned)color.blue,
                  1e3 * entry->seconds.median, 1e3 * entry->seconds.q1,
                  1e3 * entry->seconds.q3, 1e3 * entry->seconds.min);
    (void)fprintf(out,
                  "<path stroke=\"#57606a\" fill=\"none\" d=\"M%.6g %.6gv8M%.6g %.6gH%.6g"
                  "M%.6g %.6gv8\"/>\n<text x=\"%.6g\" y=\"%.6g\">%.3g</text>\n",
                  slow, middle - 4, slow, middle, fast, fast, middle - 4,
                  (fast > median ? fast : median) + 6, middle + 4,
                  rate(chart, entry->seconds.median));
}

static void draw_axis(FILE *out, const struct chart *chart)
{
    double step = 1e-3;
    for (int k = 0; chart->scale * step < 48; k++) step *= k % 3 == 1 ? 2.5 : 2;
    (void)fputs("<g text-anchor=\"middle\">\n", out);
    for (int k = 0; k * step <= chart->most * 1.0001; k++)
        (void)fprintf(out,
                      "<path stroke=\"#c4c9d0\" d=\"M%.6g %.6gv4\"/>"
                      "<text x=\"%.6g\" y=\"%.6g\">%.4g</text>\n",
                      x_of(chart, k * step), chart->bottom + 2, x_of(chart, k * step),
                      chart->bottom + 19, k * step);
    (void)fputs("</g>\n", out);
}

static void draw_copy(FILE *out, const struct chart *chart)
{
    double copy = rate(chart, chart->report->copy_seconds.median);
    (void)fprintf(
        out,
        "<path stroke=\"#cf222e\" stroke-width=\"1.5\" d=\"M%.6g %.6gV%.6g\"/>\n"
        "<text x=\"%.6g\" y=\"%.6g\" text-anchor=\"%s\" fill=\"#cf222e\">memcpy "
        "%.3g</text>\n",
        x_of(chart, copy), chart->top - 6, chart->bottom + 2, x_of(chart, copy),
        chart->top - 10, copy > chart->most / 2 ? "end" : "start", copy);
}

/* Print the strategies not available, and what the chart means. */
static void draw_captions(FILE *out, const struct chart *chart)
{
    const struct bench_report *report = chart->report;
    double y = chart->bottom + AXIS;
    for (int k = available(report); k < report->n; k++, y += LINE) {
        (void)fprintf(out, "<text x=\"%d\" y=\"%.6g\">", PAD, y);
        put_text(out, report->entry[k].strategy, MOST_TITLE);
        (void)fputs(": not available: ", out);
        put_text(out, report->entry[k].why, MOST_WHY);
        (void)fputs("</text>\n", out);
    }
    (void)fprintf(
        out,
        "<text x=\"%d\" y=\"%.6g\">A bar ends at the median of the slowest "
        "process's time, the mark goes from quartile to quartile.</text>\n"
        "<text x=\"%d\" y=\"%.6g\">%sThe library's own choice: ",
        PAD, y, PAD, y + LINE,
        report->copied ? "memcpy: each process copies its part of as many bytes. " : "");
    put_text(out, report->choice, MOST_TITLE);
    (void)fputs("</text>\n", out);
}

void bench_draw(FILE *out, const struct bench_report *report)
{
    struct chart chart;
    set_layout(report, &chart);
    draw_head(out, &chart);
    for (int k = 0; k < available(report); k++)
        draw_bar(out, &chart, &report->entry[k], chart.top + BAR * k);
    draw_axis(out, &chart);
    if (report->copied) draw_copy(out, &chart);
    draw_captions(out, &chart);
    (void)fputs("</svg>\n", out);
}
