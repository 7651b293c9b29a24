/* SPDX-License-Identifier: MIT */
#include "node/chart.h"

#include "tool/picture/palette.h"

enum {
    PAD = 24,
    LINE = 20,
    FONT = 12,
    WIDTH = 640, /* of the longest bar */
    BAR = 16,    /* from one bar to the next */
    VALUE = 60,  /* room for a number behind it */
    ROW = LINE + CHART_BARS * BAR + 14,
    HEAD = PAD + 3 * LINE
};

static double longest(int n, const struct chart_row rows[])
{
    double most = 0;
    for (int k = 0; k < n; k++) {
        if (rows[k].copy > most) most = rows[k].copy;
        for (int j = 0; j < CHART_BARS; j++)
            if (rows[k].rate[j] > most) most = rows[k].rate[j];
    }
    return most > 0 ? most : 1;
}

/* Arrows in the text would end a tag. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '>')
            (void)fputs("&gt;", out);
        else
            (void)fputc(*text, out);
}

static void put_fill(FILE *out, int bar)
{
    struct color color = palette_color(bar);
    (void)fprintf(out, "fill=\"#%02x%02x%02x\"", (unsigned)color.red,
                  (unsigned)color.green, (unsigned)color.blue);
}

static void draw_legend(FILE *out, const char *const names[CHART_BARS])
{
    for (int j = 0; j < CHART_BARS; j++) {
        int x = PAD + j * (WIDTH + VALUE) / CHART_BARS;
        (void)fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" rx=\"2\" ",
                      x, PAD + LINE);
        put_fill(out, j);
        (void)fprintf(out, "/>\n<text x=\"%d\" y=\"%d\">%s</text>\n", x + 18,
                      PAD + LINE + 10, names[j]);
    }
}

static void draw_row(FILE *out, const struct chart_row *row, double scale, int y)
{
    double copy = PAD + scale * row->copy;
    (void)fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"#1f2328\">", PAD, y + 14);
    put_text(out, row->text);
    (void)fputs("</text>\n", out);
    for (int j = 0; j < CHART_BARS; j++) {
        int top = y + LINE + j * BAR;
        if (row->rate[j] <= 0) continue;
        (void)fprintf(out,
                      "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" ",
                      PAD, top, scale * row->rate[j], BAR - 3);
        put_fill(out, j);
        (void)fprintf(out, "/>\n<text x=\"%.1f\" y=\"%d\">%.2f</text>\n",
                      PAD + scale * row->rate[j] + 6, top + 11, row->rate[j]);
    }
    (void)fprintf(out,
                  "<path stroke=\"#cf222e\" stroke-width=\"1.5\" d=\"M%.1f %dV%d\"/>\n",
                  copy, y + LINE - 2, y + LINE + CHART_BARS * BAR);
}

void chart_draw(FILE *out, const char *title, const char *const names[CHART_BARS], int n,
                const struct chart_row rows[])
{
    int width = 2 * PAD + WIDTH + VALUE, height = HEAD + n * ROW + PAD;
    double scale = WIDTH / longest(n, rows);
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"system-ui, "
                  "'Helvetica Neue', Arial, sans-serif\" font-size=\"%d\" "
                  "fill=\"#57606a\">\n<title>copies within a node</title>\n"
                  "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#fff\"/>\n"
                  "<text x=\"%d\" y=\"%d\">",
                  width, height, width, height, FONT, width, height, PAD, PAD + 4);
    put_text(out, title);
    (void)fputs("</text>\n", out);
    draw_legend(out, names);
    for (int k = 0; k < n; k++) draw_row(out, &rows[k], scale, HEAD + k * ROW);
    (void)fputs("</svg>\n", out);
}
