/* SPDX-License-Identifier: MIT
 *
 * tool/command/explain.c - `redist explain`: the cost of a redistribution, without
 * running it.
 */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "plan/comm/options.h"
#include "tool/analysis/proposal.h"
#include "tool/analysis/verdict.h"
#include "tool/analysis/volume.h"
#include "tool/common/arguments.h"
#include "tool/common/specs.h"
#include "tool/common/tool.h"

struct arguments {
    const char *spec[2], *type, *strategy;
    int64_t staging; /* 0: the library's default */
    bool json;
};

/* The contents of the report. */
struct report {
    struct specs specs;
    const char *type;
    int ndims;
    int64_t period[REDIST_MAX_DIMS]; /* 0: it doesn't repeat */
    int64_t element_bytes;
    struct machine machine;
    struct volume volume;
    struct verdict verdict;
    bool relabel;
    struct neighborhood neighborhood;
    struct proposal proposal;
};

static struct arguments given;
static struct report told;

static const struct argument option_table[] = {
    {"type", "TYPE", "of the elements: f8 (the default), i4, c16, .. or bN: N bytes",
     .text = &given.type, .words = TOOL_TYPES},
    {"staging", "BYTES", "cap on the staging memory of a process; 8MiB by default",
     .bytes = &given.staging},
    {"strategy", "NAME", "instead of the library's choice", .text = &given.strategy,
     .candidate = tool_strategy},
    {"alpha", "TIME", "of the machine on which it is chosen: a startup, 2us by default,",
     .seconds = &told.machine.alpha},
    {"beta", "TIME", "a byte on the wire, 0.1ns,", .seconds = &told.machine.beta},
    {"gamma", "TIME", "and a byte packed or unpacked, 0.1ns",
     .seconds = &told.machine.gamma},
    {"node", "N", "processes, of consecutive ranks, on each of its nodes, 1 by default",
     .number = &told.neighborhood.size, .least = 1, .most = INT_MAX},
    {"relabel", NULL, "propose other places for the target's ranks, so that less moves",
     .flag = &told.relabel},
    {"within", "PERCENT", "how much what moves within a node counts there, 10 by default",
     .number = &told.neighborhood.within, .least = 0, .most = 100},
    {"json", NULL, "one JSON object, for programs", .flag = &given.json},
    {.name = NULL}};

/* ---- JSON -------------------------------------------------------------------------- */

static void json_text(const char *name, const char *text)
{
    (void)printf("  \"%s\": ", name);
    tool_print_json_string(stdout, text);
    (void)printf(",\n");
}

static void json_number(const char *name, int64_t number)
{
    (void)printf("  \"%s\": %" PRId64 ",\n", name, number);
}

/* min_x and max_x, in units of `unit`. */
static void json_range(const char *name, struct range range, int64_t unit)
{
    (void)printf("  \"min_%s\": %" PRId64 ",\n  \"max_%s\": %" PRId64 ",\n", name,
                 range.least * unit, name, range.most * unit);
}

static void print_json(const struct report *report)
{
    const struct volume *volume = &report->volume;
    int64_t size = report->element_bytes;
    (void)printf("{\n");
    json_text("source", report->specs.text[0]);
    json_text("target", report->specs.text[1]);
    json_text("type", report->type);
    json_number("element_bytes", size);
    json_number("elements", volume->elements);
    json_number("bytes", volume->elements * size);
    json_number("elements_moved", volume->moved);
    json_number("elements_kept", volume->kept);
    json_number("bytes_moved", volume->moved * size);
    json_number("bytes_kept", volume->kept * size);
    json_number("sources", volume->source.processes);
    json_number("targets", volume->target.processes);
    json_number("pairs", volume->pairs);
    json_number("messages", volume->messages);
    json_range("messages_sent", volume->source.messages, 1);
    json_range("messages_received", volume->target.messages, 1);
    json_range("sent_bytes", volume->source.elements, size);
    json_range("received_bytes", volume->target.elements, size);
    json_number("delta", volume_degree(volume));
    json_number("w_elements", volume_load(volume));
    json_number("sources_looked_at", volume->source.looked);
    json_number("targets_looked_at", volume->target.looked);
    (void)printf("  \"period\": [");
    for (int j = 0; j < report->ndims; j++) {
        const char *comma = j > 0 ? ", " : "";
        if (report->period[j] > 0)
            (void)printf("%s%" PRId64, comma, report->period[j]);
        else
            (void)printf("%snull", comma);
    }
    (void)printf("],\n");
    if (report->relabel) proposal_print_json(&report->proposal);
    verdict_print_json(&report->verdict);
    (void)printf("}\n");
}

/* ---- text -------------------------------------------------------------------------- */

static void print_amount(const char *what, int64_t elements, const struct report *report)
{
    char bytes[TOOL_BYTES_SIZE];
    int64_t all = report->volume.moved + report->volume.kept;
    (void)printf(
        "  %-8s %14" PRId64 " elements  %9s", what, elements,
        tool_format_bytes((double)elements * (double)report->element_bytes, bytes));
    if (all > 0) (void)printf("  %5.1f %%", 100 * (double)elements / (double)all);
    (void)printf("\n");
}

static void print_side(const char *who, const char *does, const struct side_volume *side,
                       const struct report *report)
{
    char least[TOOL_BYTES_SIZE], most[TOOL_BYTES_SIZE];
    double size = (double)report->element_bytes;
    (void)printf("  %s: messages %12" PRId64 " %12" PRId64 "\n", who,
                 side->messages.least, side->messages.most);
    (void)printf("          %-8s %12s %12s\n", does,
                 tool_format_bytes((double)side->elements.least * size, least),
                 tool_format_bytes((double)side->elements.most * size, most));
}

static void print_period(const struct report *report)
{
    (void)printf("  period   ");
    for (int j = 0; j < report->ndims; j++) {
        if (j > 0) (void)printf(" x ");
        if (report->period[j] > 0)
            (void)printf("%" PRId64, report->period[j]);
        else
            (void)printf("-");
    }
    (void)printf("   elements until the pattern repeats\n");
}

/* Tell which processes determined the load, if not all. */
static void print_looked(const struct volume *volume)
{
    const struct side_volume *source = &volume->source, *target = &volume->target;
    if (source->looked == source->processes && target->looked == target->processes)
        return;
    (void)printf("\n  The strategies are compared by what %" PRId64 " of %" PRId64
                 " sources and %" PRId64 " of %" PRId64 " targets have.\n",
                 source->looked, source->processes, target->looked, target->processes);
}

static const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

static void print_human(const struct report *report)
{
    const struct volume *volume = &report->volume;
    int64_t sources = volume->source.processes, targets = volume->target.processes;
    char bytes[TOOL_BYTES_SIZE];
    double mean = volume->messages == 0
                      ? 0
                      : (double)volume->moved / (double)volume->messages *
                            (double)report->element_bytes;
    (void)printf("source  %s\ntarget  %s\ntype    %s, %" PRId64 " byte%s an element\n\n",
                 report->specs.text[0], report->specs.text[1], report->type,
                 report->element_bytes, plural(report->element_bytes));
    print_amount("moved", volume->moved, report);
    print_amount("kept", volume->kept, report);
    (void)printf("  %" PRId64 " message%s from %" PRId64 " source%s to %" PRId64
                 " target%s, %s on average\n\n",
                 volume->messages, plural(volume->messages), sources, plural(sources),
                 targets, plural(targets), tool_format_bytes(mean, bytes));
    (void)printf("  %16s %12s %12s\n", "", "least", "most");
    print_side("source", "sent", &volume->source, report);
    print_side("target", "received", &volume->target, report);
    (void)printf("\n  Delta    %" PRId64
                 "   most messages of a process, to itself counted\n",
                 volume_degree(volume));
    (void)printf("  W        %" PRId64
                 "   most elements of a process, kept ones counted\n",
                 volume_load(volume));
    print_period(report);
    print_looked(volume);
    verdict_print(&report->verdict);
    if (report->relabel) proposal_print(&report->proposal, report->element_bytes);
}

/* ---- the work ---------------------------------------------------------------------- */

/* The bytes of all that arrives must fit 64 bits. */
static redist_err check_size(const redist_view views[2], int64_t element_bytes)
{
    int64_t all = 0;
    if (int_mul(view_elements(&views[0]), views[1].dist->nreplicas, &all) &&
        int_mul(all, element_bytes, &all))
        return REDIST_OK;
    return error_arg("the section takes more than 2^63 - 1 bytes");
}

static redist_err explain(const redist_view views[2], const struct arguments *args,
                          struct report *report)
{
    redist_options chosen = REDIST_OPTIONS_INIT, options;
    chosen.staging_bytes = (size_t)args->staging;
    TRY(options_take(&chosen, (size_t)report->element_bytes, &options));
    TRY(check_size(views, report->element_bytes));
    TRY(volume_find(&views[0], &views[1], report->element_bytes,
                    (int)report->neighborhood.size, &report->volume));
    TRY(verdict_find(views, &report->volume, &report->machine, args->strategy,
                     (int64_t)options.staging_bytes, &report->verdict));
    if (report->relabel)
        TRY(proposal_find(&views[0], &views[1], &report->neighborhood,
                          &report->proposal));
    report->ndims = redist_dist_ndims(views[0].dist);
    for (int j = 0; j < report->ndims; j++)
        report->period[j] = volume_period(&views[0], &views[1], j);
    if (args->json)
        print_json(report);
    else
        print_human(report);
    return tool_flush();
}

/* Read both specifications, and explain. */
static redist_err parse_and_explain(const struct arguments *args, struct report *report)
{
    redist_err err = specs_read(args->spec, &report->specs);
    if (!err) err = explain(report->specs.view, args, report);
    proposal_free(&report->proposal);
    specs_free(&report->specs);
    return err;
}

static int tool_explain(int argc, char **argv)
{
    given = (struct arguments){.type = "f8"};
    struct neighborhood *near = &told.neighborhood;
    told = (struct report){.machine = machine_default, .neighborhood = {0, -1}};
    int status = arguments_take(argc, argv, true, &command_explain, given.spec);
    if (status) return status;
    if (near->within >= 0 && !(told.relabel && near->size))
        return tool_misused(argv[0], "--within is given, needs --relabel and --node");
    if (tool_parse_type(given.type, &told.element_bytes))
        return tool_misused(argv[0], "%s", redist_error_message());
    if (near->within < 0) near->within = 10;
    if (!near->size) near->size = 1;
    told.type = given.type;
    told.machine.bytes = told.element_bytes;
    return parse_and_explain(&given, &told) ? tool_fail_last() : TOOL_OK;
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "SOURCE TARGET",
    .nwords = 2,
    .summary = "say what a redistribution costs",
    .options = option_table,
    .notes = "SOURCE and TARGET are texts of distributions, such as '[9,9] "
             "(cyclic(2),block) onto\n"
             "2x2', or @FILE: the text is in the file. No processes are needed.\n",
    .run = tool_explain};
