/* SPDX-License-Identifier: MIT */
#include "schedule/registry/schedules.h"

#include <stdio.h>
#include <string.h>

#include "base/bracket.h"
#include "base/error.h"
#include "base/nearest.h"
#include "schedule/core/kinds.h"

const struct schedule_kind *const schedules[] = {
    &schedule_naive,
    &schedule_shifted,
    &schedule_random,
    &schedule_caterpillar,
    &schedule_caterpillar_full,
    &schedule_walker_otto,
    &schedule_walker_otto_b,
    &schedule_stepwise,
    &schedule_greedy,
    &schedule_guo_pan_1,
    &schedule_guo_pan_2,
    &schedule_guo_pan_2_diagonal,
    &schedule_contention_free,
    &schedule_optimal,
    &schedule_timeline,
    &schedule_product,
    &schedule_combination,
    &schedule_product_timeline,
    &schedule_dense,
    &schedule_links,
    &schedule_preemptive,
    &schedule_staircase,
    &schedule_staircase_steps,
    NULL,
};

static redist_err unknown(const char *text)
{
    char known[ERROR_MESSAGE_SIZE - 128] = "", hint[NEAREST_HINT_SIZE];
    struct nearest nearest = nearest_to(text);
    for (size_t k = 0, used = 0; schedules[k] && used < sizeof known; k++) {
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s%s", k ? ", " : "",
                             schedules[k]->name, schedules[k]->drawn ? "(k)" : "");
        nearest_offer(&nearest, schedules[k]->name);
    }
    return error_arg("unknown schedule \"%.40s\"%s, there are: %s", text,
                     nearest_hint(&nearest, hint), known);
}

redist_err schedule_find(const char *text, const struct schedule_kind **kind, int *seed)
{
    for (size_t k = 0; schedules[k]; k++) {
        const struct schedule_kind *known = schedules[k];
        if (!bracket_names(text, known->name)) continue;
        *kind = known;
        *seed = 0;
        return bracket_read("schedule", text, known->name, known->drawn, seed);
    }
    return unknown(text);
}

const char *schedule_print(const struct schedule_kind *kind, int seed,
                           char text[SCHEDULE_NAME_SIZE])
{
    if (seed)
        (void)snprintf(text, SCHEDULE_NAME_SIZE, "%s(%d)", kind->name, seed);
    else
        (void)snprintf(text, SCHEDULE_NAME_SIZE, "%s", kind->name);
    return text;
}
