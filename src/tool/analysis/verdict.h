/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/verdict.h - the strategy that the library would choose on a machine
 * described on the command line, and why.
 */
#ifndef REDIST_TOOL_ANALYSIS_VERDICT_H
#define REDIST_TOOL_ANALYSIS_VERDICT_H

#include "plan/choice/choose.h"
#include "tool/analysis/forecast.h"
#include "tool/analysis/volume.h"

enum { VERDICT_SHOWN = 4 }; /* most alternatives shown */

struct verdict {
    const struct machine *machine;
    struct rates rates;
    const char *origin;     /* as in redist_report */
    struct candidate taken; /* its seconds are INFINITY if there is no prediction */
    int n;                  /* alternatives, the fastest first */
    struct candidate ranked[CHOOSE_MOST];
};

/* Find the choice for a redistribution of known volume, under a cap of `staging` bytes.
 * `strategy`: the requested one, or NULL. ARG: unknown; MEMORY. */
redist_err verdict_find(const redist_view views[SIDES], const struct volume *volume,
                        const struct machine *machine, const char *strategy,
                        int64_t staging, struct verdict *verdict);

/* Print it to stdout; as JSON, the last members of an object. */
void verdict_print(const struct verdict *verdict);
void verdict_print_json(const struct verdict *verdict);

#endif
