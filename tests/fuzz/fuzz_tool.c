/* SPDX-License-Identifier: MIT
 *
 * Command lines of the tool's subcommands that need no processes: a first line of show,
 * explain, schedule or balance, then an argument a line. No file is read or written, and
 * arrays over many processes are left out.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "views.h"

#include "describe/notation/series.h"
#include "tool/common/tool.h"

enum { MOST_WORDS = 12, MOST_RUNS = 1000, MOST_MESSAGES = 256, MOST_NUMBERS = 256 };

static const struct command *const subcommands[] = {&command_show, &command_explain,
                                                    &command_schedule, &command_balance};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

/* Tell whether an argument, or an abbreviation of it, names a file. */
static bool names_file(const char *word)
{
    return strchr(word, '@') || (strncmp(word, "--s", 3) == 0 &&
                                 strncmp(word, "--sc", 4) && strncmp(word, "--st", 4));
}

static bool is_long_list(const char *word)
{
    struct series series = {0};
    struct scan scan = scan_of(word + strcspn(word, "0123456789"));
    redist_err err = series_scan(&series, &scan, "number", INT64_MAX);
    bool is_long = !err && series.count > MOST_NUMBERS;
    series_free(&series);
    return is_long;
}

static bool is_quick(int argc, char *argv[])
{
    redist_view views[2] = {{.dist = NULL}, {.dist = NULL}};
    int n = 0;
    bool quick = true;
    for (int k = 1; k < argc && quick; k++) {
        redist_dist *dist = NULL;
        redist_view view;
        quick = !names_file(argv[k]) && !is_long_list(argv[k]);
        if (!quick || redist_view_parse(argv[k], &dist, &view)) continue;
        quick = redist_grid_size(redist_dist_grid(dist)) <= MOST_MESSAGES;
        if (n < 2)
            views[n++] = view;
        else
            redist_dist_destroy(&dist);
    }
    if (quick && n == 2 && views[0].dist->ndims == views[1].dist->ndims)
        quick = views_runs(views) <= MOST_RUNS && views_messages(views) <= MOST_MESSAGES;
    views_free(views);
    return quick;
}

static void run(int which, int argc, char *argv[])
{
    char *text[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    FILE *const usual[2] = {stdout, stderr};
    FILE *const kept[2] = {open_memstream(&text[0], &size[0]),
                           open_memstream(&text[1], &size[1])};
    CHECK(kept[0] && kept[1]);
    stdout = kept[0], stderr = kept[1];
    optind = 0; /* begin anew */
    int status = subcommands[which]->run(argc, argv);
    stdout = usual[0], stderr = usual[1];
    CHECK(!fclose(kept[0]) && !fclose(kept[1]));
    bool well = status == TOOL_OK || status == TOOL_HELPED;
    CHECK(well || status == TOOL_FAILED || status == TOOL_USAGE);
    CHECK(well ? size[0] > 0 && size[1] == 0 : strncmp(text[1], "redist", 6) == 0);
    free(text[0]);
    free(text[1]);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *argv[MOST_WORDS + 1] = {NULL}, *rest = text;
    int argc = 0, which = 0;
    while (rest && argc < MOST_WORDS) argv[argc++] = strsep(&rest, "\n");
    argv[argc] = NULL;
    while (which < SUBCOMMANDS && strcmp(argv[0], subcommands[which]->name) != 0) which++;
    if (which < SUBCOMMANDS && is_quick(argc, argv)) run(which, argc, argv);
    free(text);
}
