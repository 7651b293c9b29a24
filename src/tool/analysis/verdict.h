/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/verdict.h - which strategy the library would take on a machine that the
 * command line describes, and why.
 */
#ifndef REDIST_TOOL_ANALYSIS_VERDICT_H
#define REDIST_TOOL_ANALYSIS_VERDICT_H

#include "plan/choice/choose.h"
#include "tool/analysis/forecast.h"
#include "tool/analysis/volume.h"

enum { VERDICT_SHOWN = 4 }; /* of those that could be chosen */

struct verdict {
    const struct machine *machine;
    struct rates rates;
    const char *origin;     /* as in redist_report */
    struct candidate taken; /* its seconds are INFINITY if there is no prediction */
    int n;                  /* of all that could be chosen, the fastest first */
    struct candidate ranked[CHOOSE_MOST];
};

/* Find the verdict on a redistribution whose volume is known, under a cap of `staging`
 * bytes. `strategy`: the one that is asked for, or NULL. ARG: unknown; MEMORY. */
redist_err verdict_find(const redist_view views[SIDES], const struct volume *volume,
                        const struct machine *machine, const char *strategy,
                        int64_t staging, struct verdict *verdict);

/* Print it to stdout; as JSON, the last members of an object. */
void verdict_print(const struct verdict *verdict);
void verdict_print_json(const struct verdict *verdict);

#endif
