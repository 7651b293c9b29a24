/* SPDX-License-Identifier: MIT */
#include "tool/analysis/verdict.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "tool/common/tool.h"

redist_err verdict_find(const redist_view views[SIDES], const struct volume *volume,
                        const struct machine *machine, const char *strategy,
                        int64_t staging, struct verdict *verdict)
{
    struct choice choice;
    struct candidate *taken = &verdict->taken;
    *verdict = (struct verdict){
        .machine = machine,
        .rates = rates_assume(machine->alpha, machine->beta, machine->gamma,
                              volume->load.nranks),
    };
    TRY(strategy_take(strategy, true, &taken->strategy, &verdict->origin));
    const struct query query = {
        .source = &views[0],
        .target = &views[1],
        .element = machine->bytes,
        .most = staging,
        .rates = &verdict->rates,
        .schedule = taken->strategy.exchange ? NULL : taken->strategy.schedule,
        .seed = taken->strategy.seed,
        .nranks = volume->load.nranks};
    TRY(choose_method(&query, NULL, REDIST_OK, &choice));
    verdict->n = choose_rank(&volume->load, &verdict->rates, staging, machine->bytes,
                             &choice, verdict->ranked);
    if (!taken->strategy.exchange)
        *taken = verdict->ranked[0];
    else
        (void)choose_staging(&volume->load, &verdict->rates, staging, machine->bytes,
                             taken);
    return REDIST_OK;
}

/* Return the candidate to compare the chosen one with: the best of the others. */
static const struct candidate *find_rival(const struct verdict *verdict)
{
    for (int k = 0; k < verdict->n; k++) {
        const struct candidate *rival = &verdict->ranked[k];
        if (rival->strategy.exchange != verdict->taken.strategy.exchange) return rival;
    }
    return NULL;
}

/* ---- text -------------------------------------------------------------------------- */

static void print_candidate(const struct candidate *candidate, char mark,
                            const struct rates *rates)
{
    char seconds[TOOL_SECONDS_SIZE], staging[TOOL_BYTES_SIZE];
    bool known = !isinf(candidate->seconds);
    int64_t bytes = known ? candidate->effort.staging : candidate->staging;
    (void)printf("  %c %-24s %9s  %-10s %9s\n", mark, candidate->strategy.text,
                 known ? tool_format_seconds(candidate->seconds, seconds) : "-",
                 known ? choose_term_names[choose_deciding(candidate, NULL, rates)] : "-",
                 tool_format_bytes((double)bytes, staging));
}

static void print_reason(const struct verdict *verdict)
{
    const struct candidate *taken = &verdict->taken, *rival = find_rival(verdict);
    if (strcmp(verdict->origin, "auto") != 0)
        (void)printf("%s by %s", taken->strategy.text,
                     strcmp(verdict->origin, "given") == 0 ? "--strategy"
                                                           : verdict->origin);
    else if (!rival || taken->seconds <= 0)
        (void)printf("%s: there is nothing to choose", taken->strategy.text);
    else if (rival->seconds <= taken->seconds)
        (void)printf("%s: no other is faster by a twentieth", taken->strategy.text);
    else
        (void)printf("%s: faster than %s, most in %s", taken->strategy.text,
                     rival->strategy.text,
                     choose_term_names[choose_deciding(taken, rival, &verdict->rates)]);
}

void verdict_print(const struct verdict *verdict)
{
    char alpha[TOOL_SECONDS_SIZE], beta[TOOL_SECONDS_SIZE], gamma[TOOL_SECONDS_SIZE];
    const struct machine *machine = verdict->machine;
    (void)printf("\n  strategy ");
    print_reason(verdict);
    (void)printf("\n  by the model of alpha %s, beta %s, gamma %s\n\n",
                 tool_format_seconds(machine->alpha, alpha),
                 tool_format_seconds(machine->beta, beta),
                 tool_format_seconds(machine->gamma, gamma));
    (void)printf("    %-24s %9s  %-10s %9s\n", "", "takes", "most of it", "staging");
    print_candidate(&verdict->taken, '*', &verdict->rates);
    for (int k = 0, shown = 1; k < verdict->n && shown < VERDICT_SHOWN; k++) {
        const struct candidate *other = &verdict->ranked[k];
        if (strcmp(other->strategy.text, verdict->taken.strategy.text) == 0) continue;
        print_candidate(other, ' ', &verdict->rates);
        shown++;
    }
}

/* ---- JSON -------------------------------------------------------------------------- */

static void print_json_candidate(const struct candidate *candidate,
                                 const struct rates *rates)
{
    (void)printf("    {\"strategy\": \"%s\", \"staging_bytes\": %" PRId64,
                 candidate->strategy.text, candidate->effort.staging);
    (void)printf(", \"seconds\": %.9g", candidate->seconds);
    for (int k = 0; k < EFFORT_TERMS; k++)
        (void)printf(", \"%s\": %.9g", choose_term_names[k],
                     choose_seconds(candidate, rates, (enum effort_term)k));
    (void)printf("}");
}

void verdict_print_json(const struct verdict *verdict)
{
    const struct candidate *taken = &verdict->taken, *rival = find_rival(verdict);
    const struct machine *machine = verdict->machine;
    bool known = !isinf(taken->seconds);
    (void)printf("  \"strategy\": \"%s\",\n  \"origin\": \"%s\",\n", taken->strategy.text,
                 verdict->origin);
    (void)printf("  \"alpha\": %.9g,\n  \"beta\": %.9g,\n  \"gamma\": %.9g,\n",
                 machine->alpha, machine->beta, machine->gamma);
    (void)printf("  \"staging_peak_bytes\": %" PRId64 ",\n",
                 known ? taken->effort.staging : taken->staging);
    (void)printf("  \"seconds\": ");
    (void)printf(known ? "%.9g" : "null", taken->seconds);
    (void)printf(",\n  \"deciding\": ");
    if (known && rival && taken->seconds > 0)
        (void)printf("\"%s\"",
                     choose_term_names[choose_deciding(taken, rival, &verdict->rates)]);
    else
        (void)printf("null");
    (void)printf(",\n  \"candidates\": [\n");
    for (int k = 0; k < verdict->n; k++) {
        print_json_candidate(&verdict->ranked[k], &verdict->rates);
        (void)printf(k + 1 < verdict->n ? ",\n" : "\n");
    }
    (void)printf("  ]\n");
}
