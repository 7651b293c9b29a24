/* SPDX-License-Identifier: MIT
 *
 * tool/bench/bench_print.c - the results of `redist bench` as text.
 */
#include <string.h>

#include "tool/bench/bench.h"
#include "tool/common/terminal.h"
#include "tool/common/tool.h"

double bench_rate(const struct bench_report *report, double seconds)
{
    double bytes = (double)report->elements * (double)report->element_bytes;
    return seconds > 0 ? bytes / seconds / 1e9 : 0;
}

static double over_copy(const struct bench_report *report, double seconds)
{
    double copy = report->copy_seconds.median;
    return copy > 0 ? seconds / copy : 0;
}

static bool is_auto(const struct bench_entry *entry)
{
    return strcmp(entry->strategy, "auto") == 0;
}

bool bench_is_choice(const struct bench_report *report, const struct bench_entry *entry)
{
    for (int k = 0; k < report->n; k++)
        if (is_auto(&report->entry[k])) return is_auto(entry);
    return strcmp(entry->strategy, report->choice) == 0;
}

double bench_auto_ratio(const struct bench_report *report)
{
    double automatic = 0, least = 0;
    for (int k = 0; k < report->n; k++) {
        const struct bench_entry *entry = &report->entry[k];
        double seconds = entry->available ? entry->seconds.median : 0;
        if (is_auto(entry))
            automatic = seconds;
        else if (seconds > 0 && (least <= 0 || seconds < least))
            least = seconds;
    }
    return least > 0 ? automatic / least : 0;
}

/* ---- text -------------------------------------------------------------------------- */

static int name_width(const struct bench_report *report)
{
    size_t width = strlen("strategy");
    for (int k = 0; k < report->n; k++) {
        size_t length = strlen(report->entry[k].strategy);
        if (length > width) width = length;
    }
    return (int)width;
}

/* The table's columns. If it is wider than the terminal, the quartiles are left out
 * first, then the rate, then the planning time. */
struct columns {
    int name; /* width of the strategy's */
    bool quartiles, rate, plan;
};

enum { QUARTILES_WIDTH = 20, RATE_WIDTH = 8, PLAN_WIDTH = 10, OTHERS_WIDTH = 56 };

static struct columns fit_columns(const struct bench_report *report)
{
    struct columns columns = {name_width(report), true, true, true};
    int limit = terminal_columns();
    int width = columns.name + QUARTILES_WIDTH + RATE_WIDTH + PLAN_WIDTH + OTHERS_WIDTH;
    if (limit && width > limit) columns.quartiles = false, width -= QUARTILES_WIDTH;
    if (limit && width > limit) columns.rate = false, width -= RATE_WIDTH;
    if (limit && width > limit) columns.plan = false;
    return columns;
}

static void print_column_names(const struct columns *columns)
{
    (void)printf("  %-*s %5s %9s %9s", columns->name, "strategy", "turns", "median",
                 "min");
    if (columns->quartiles) (void)printf(" %9s %9s", "quartile1", "quartile3");
    if (columns->rate) (void)printf(" %7s", "GB/s");
    (void)printf(" %7s", "x copy");
    if (columns->plan) (void)printf(" %9s", "plan");
    (void)printf(" %9s %9s\n", "staging", "messages");
    (void)printf("  %-*s %5s %9s %9s", columns->name, "", "", "ms", "ms");
    if (columns->quartiles) (void)printf(" %9s %9s", "ms", "ms");
    if (columns->plan) (void)printf("%*s %9s", columns->rate ? 16 : 8, "", "ms");
    (void)printf("\n");
}

/* The columns of all lines that have a time, without the end of the line. */
static void print_times(const struct bench_report *report, const struct columns *columns,
                        const char *name, char mark, const struct spread *seconds)
{
    (void)printf("%c %-*s %5" PRId64 " %9.3f %9.3f", mark, columns->name, name,
                 seconds->turns, 1e3 * seconds->median, 1e3 * seconds->min);
    if (columns->quartiles)
        (void)printf(" %9.3f %9.3f", 1e3 * seconds->q1, 1e3 * seconds->q3);
    if (columns->rate) (void)printf(" %7.2f", bench_rate(report, seconds->median));
    if (report->copied)
        (void)printf(" %7.2f", over_copy(report, seconds->median));
    else
        (void)printf(" %7s", "-");
}

static void print_entry(const struct bench_report *report, const struct columns *columns,
                        const struct bench_entry *entry)
{
    char peak[TOOL_BYTES_SIZE];
    if (!entry->available) {
        int indent = printf("  %-*s not available: ", columns->name, entry->strategy);
        terminal_print_wrapped(indent, entry->why);
        return;
    }
    bool chosen = bench_is_choice(report, entry);
    print_times(report, columns, entry->strategy, chosen ? '*' : ' ', &entry->seconds);
    if (columns->plan) (void)printf(" %9.3f", 1e3 * entry->plan_seconds);
    (void)printf(" %9s %9" PRId64 "\n",
                 tool_format_bytes((double)entry->staging_peak, peak), entry->messages);
}

void bench_print(const struct bench_report *report)
{
    char all[TOOL_BYTES_SIZE], moved[TOOL_BYTES_SIZE], kept[TOOL_BYTES_SIZE];
    const struct columns columns = fit_columns(report);
    double bytes = (double)report->elements * (double)report->element_bytes;
    (void)printf("  source    %s\n  target    %s\n", report->source, report->target);
    (void)printf("  elements  %" PRId64 " of %s, %s: %s moved, %s kept\n",
                 report->elements, report->type, tool_format_bytes(bytes, all),
                 tool_format_bytes((double)report->bytes_moved, moved),
                 tool_format_bytes((double)report->bytes_kept, kept));
    (void)printf("  processes %d, in turns, at most %" PRId64 " times each\n\n",
                 report->processes, report->rounds);
    print_column_names(&columns);
    for (int k = 0; k < report->n; k++) print_entry(report, &columns, &report->entry[k]);
    if (report->copied) {
        print_times(report, &columns, "memcpy", ' ', &report->copy_seconds);
        (void)printf("\n");
    }
    (void)printf(report->verified
                     ? "\n  Every strategy was verified, each element against its global "
                       "index.\n"
                     : "\n  Only the sizes counted: nothing was verified.\n");
    (void)printf("  * the library's choice: %s\n", report->choice);
    double ratio = bench_auto_ratio(report);
    if (ratio > 0) (void)printf("  auto over the fastest other: %.3f\n", ratio);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void print_text(const char *indent, const char *key, const char *text)
{
    (void)printf(",\n%s\"%s\": ", indent, key);
    tool_print_json_string(stdout, text);
}

static void print_integer(const char *indent, const char *key, int64_t value)
{
    (void)printf(",\n%s\"%s\": %" PRId64, indent, key, value);
}

static void print_number(const char *indent, const char *key, double value)
{
    (void)printf(",\n%s\"%s\": %.9g", indent, key, value);
}

static void print_spread(const struct bench_report *report, const char *indent,
                         const struct spread *seconds)
{
    print_integer(indent, "repetitions", seconds->turns);
    print_number(indent, "median_seconds", seconds->median);
    print_number(indent, "min_seconds", seconds->min);
    print_number(indent, "quartile_1_seconds", seconds->q1);
    print_number(indent, "quartile_3_seconds", seconds->q3);
    print_number(indent, "max_seconds", seconds->max);
    print_number(indent, "gb_per_second", bench_rate(report, seconds->median));
    if (report->copied)
        print_number(indent, "times_copy", over_copy(report, seconds->median));
}

static void print_entry_json(const struct bench_report *report,
                             const struct bench_entry *entry)
{
    static const char indent[] = "      ";
    (void)printf("    {\n%s\"strategy\": ", indent);
    tool_print_json_string(stdout, entry->strategy);
    (void)printf(",\n%s\"available\": %s", indent, entry->available ? "true" : "false");
    if (!entry->available) {
        print_text(indent, "why", entry->why);
    } else {
        (void)printf(",\n%s\"why\": null,\n%s\"verified\": %s", indent, indent,
                     entry->verified ? "true" : "false");
        print_spread(report, indent, &entry->seconds);
        print_number(indent, "plan_seconds", entry->plan_seconds);
        print_integer(indent, "messages", entry->messages);
        print_integer(indent, "staging_promised_bytes", entry->staging_promised);
        print_integer(indent, "staging_peak_bytes", entry->staging_peak);
        print_integer(indent, "plan_bytes", entry->plan_bytes);
    }
    (void)printf("\n    }");
}

void bench_print_json(const struct bench_report *report)
{
    static const char indent[] = "  ";
    (void)printf("{\n  \"processes\": %d", report->processes);
    print_text(indent, "source", report->source);
    print_text(indent, "target", report->target);
    print_text(indent, "type", report->type);
    print_integer(indent, "element_bytes", report->element_bytes);
    print_integer(indent, "elements", report->elements);
    print_integer(indent, "bytes", report->elements * report->element_bytes);
    print_integer(indent, "bytes_moved", report->bytes_moved);
    print_integer(indent, "bytes_kept", report->bytes_kept);
    print_integer(indent, "repetitions", report->rounds);
    print_integer(indent, "staging_cap_bytes", report->staging_cap);
    print_text(indent, "choice", report->choice);
    double ratio = bench_auto_ratio(report);
    (void)printf(",\n  \"auto_over_fastest\": ");
    (void)printf(ratio > 0 ? "%.9g" : "null", ratio);
    if (report->copied) {
        (void)printf(",\n  \"copy\": {\n    \"bytes\": %" PRId64,
                     report->elements * report->element_bytes);
        print_spread(report, "    ", &report->copy_seconds);
        (void)printf("\n  }");
    }
    (void)printf(",\n  \"strategies\": [\n");
    for (int k = 0; k < report->n; k++) {
        print_entry_json(report, &report->entry[k]);
        (void)printf(k + 1 < report->n ? ",\n" : "\n");
    }
    (void)printf("  ]\n}\n");
}
