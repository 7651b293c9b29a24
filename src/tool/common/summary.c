/* SPDX-License-Identifier: MIT */
#include "tool/common/summary.h"

#include <inttypes.h>

#include "tool/common/tool.h"

void summary_collect(MPI_Comm comm, const redist_report *report,
                     const struct stage_seconds *seconds, struct summary *summary)
{
    int64_t sums[3] = {report->elements_sent, report->elements_kept,
                       report->messages_sent};
    int64_t most[3] = {report->staging_bytes, report->staging_peak_bytes,
                       report->plan_bytes};
    double slowest[5] = {seconds->plan, seconds->read, seconds->move, seconds->verify,
                         seconds->write};
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, slowest, 5, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Comm_size(comm, &summary->processes);
    summary->strategy = report->strategy;
    summary->origin = report->origin;
    summary->element_bytes = report->element_bytes;
    summary->bytes_moved = sums[0] * report->element_bytes;
    summary->bytes_kept = sums[1] * report->element_bytes;
    summary->messages = sums[2];
    summary->staging_promised = most[0];
    summary->staging_peak = most[1];
    summary->plan_bytes = most[2];
    summary->seconds = (struct stage_seconds){slowest[0], slowest[1], slowest[2],
                                              slowest[3], slowest[4]};
}

/* ---- text -------------------------------------------------------------------------- */

static void print_seconds(const char *what, double seconds, int64_t bytes)
{
    char rate[TOOL_BYTES_SIZE];
    if (seconds <= 0) return;
    const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
    double scaled = seconds < 1e-3 ? seconds * 1e6
                    : seconds < 1  ? seconds * 1e3
                                   : seconds;
    (void)printf("  %-9s %.3g %s", what, scaled, unit);
    if (bytes > 0)
        (void)printf(", %s/s", tool_format_bytes((double)bytes / seconds, rate));
    (void)putchar('\n');
}

void summary_print(const struct summary *s)
{
    char whole[TOOL_BYTES_SIZE], moved[TOOL_BYTES_SIZE], kept[TOOL_BYTES_SIZE];
    char peak[TOOL_BYTES_SIZE], promised[TOOL_BYTES_SIZE];
    int64_t bytes = s->elements * s->element_bytes;
    (void)printf("  source    %s\n  target    %s\n", s->source, s->target);
    (void)printf("  elements  %" PRId64 " of %s, %s\n", s->elements, s->dtype,
                 tool_format_bytes((double)bytes, whole));
    if (s->reduction)
        (void)printf("  reduction %s of %" PRId64 " partial results\n", s->reduction,
                     s->replicas);
    (void)printf("  moved     %s in %" PRId64 " messages, kept %s\n",
                 tool_format_bytes((double)s->bytes_moved, moved), s->messages,
                 tool_format_bytes((double)s->bytes_kept, kept));
    (void)printf("  strategy  %s (%s), staging %s of %s promised\n", s->strategy,
                 s->origin, tool_format_bytes((double)s->staging_peak, peak),
                 tool_format_bytes((double)s->staging_promised, promised));
    print_seconds("read", s->seconds.read, 0);
    print_seconds("plan", s->seconds.plan, 0);
    print_seconds("move", s->seconds.move, bytes);
    print_seconds("verify", s->seconds.verify, 0);
    print_seconds("write", s->seconds.write, 0);
    if (s->output) (void)printf("  wrote     %s\n", s->output);
    const char *source = s->input ? s->input : "its global index";
    if (s->verified && s->reduction)
        (void)printf("  verified  every element against the %s of %s\n", s->reduction,
                     s->input ? s->input : "global index + replica");
    else if (s->verified)
        (void)printf("  verified  every element against %s\n", source);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void print_text(const char *key, const char *text)
{
    (void)printf(",\n  \"%s\": ", key);
    if (text)
        tool_print_json_string(stdout, text);
    else
        (void)fputs("null", stdout);
}

static void print_integer(const char *key, int64_t value)
{
    (void)printf(",\n  \"%s\": %" PRId64, key, value);
}

static void print_number(const char *key, double value)
{
    (void)printf(",\n  \"%s\": %.9g", key, value);
}

void summary_print_json(const struct summary *s)
{
    (void)printf("{\n  \"processes\": %d", s->processes);
    print_text("source", s->source);
    print_text("target", s->target);
    print_text("input", s->input);
    print_text("output", s->output);
    print_text("reduction", s->reduction);
    print_text("dtype", s->dtype);
    print_integer("element_bytes", s->element_bytes);
    print_integer("elements", s->elements);
    print_integer("bytes_moved", s->bytes_moved);
    print_integer("bytes_kept", s->bytes_kept);
    print_integer("messages", s->messages);
    print_text("strategy", s->strategy);
    print_text("origin", s->origin);
    print_integer("staging_cap_bytes", s->staging_cap);
    print_integer("staging_promised_bytes", s->staging_promised);
    print_integer("staging_peak_bytes", s->staging_peak);
    print_integer("plan_bytes", s->plan_bytes);
    print_number("plan_seconds", s->seconds.plan);
    print_number("read_seconds", s->seconds.read);
    print_number("move_seconds", s->seconds.move);
    print_number("verify_seconds", s->seconds.verify);
    print_number("write_seconds", s->seconds.write);
    (void)printf(",\n  \"verified\": %s\n}\n", s->verified ? "true" : "null");
}
