/* SPDX-License-Identifier: MIT
 *
 * All schedules of two views that are drawn from the bytes, with extents near 2^63 over a
 * few processes. Each schedule sends every message once, and costs no less than the
 * bounds. Problems of many messages are left out.
 */
#include "fuzz.h"
#include "views.h"

#include "schedule/core/pattern.h"
#include "schedule/model/cost.h"
#include "schedule/registry/schedules.h"

enum { MOST_PROCS = 6, MOST_RUNS = 1000, MOST_MESSAGES = 100 };

static void check_schedule(const struct schedule_kind *kind,
                           const struct schedule_input *input)
{
    const char *why = NULL;
    void *state = NULL;
    struct cost cost;
    if (!kind->applicable(input, &why)) {
        CHECK(why && *why);
        return;
    }
    fuzz_clear();
    GOOD(kind->make(input, &state));
    if (input->grid) {
        GOOD(cost_count(kind, state, input, &cost));
        CHECK(cost.messages == input->grid->nedges);
        CHECK(kind->loose || (cost.ns >= cost.delta && cost.tc >= cost.w));
    }
    kind->free(state);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    struct bytes in = {data, data + size};
    redist_view views[2];
    struct pattern pattern;
    if (!views_draw(&in, MOST_PROCS, views)) return;
    fuzz_clear();
    redist_err err = pattern_make(&views[0], &views[1], &pattern);
    if (err) {
        fuzz_refused(err, NULL);
    } else if (views_runs(views) <= MOST_RUNS && views_messages(views) <= MOST_MESSAGES) {
        err = pattern_build_grid(&pattern, MOST_MESSAGES);
        if (err) fuzz_refused(err, NULL);
        for (size_t k = 0; !err && schedules[k]; k++)
            check_schedule(schedules[k], &pattern.input);
    }
    if (!err) CHECK(pattern_unit_elements(&pattern) >= 0);
    pattern_free(&pattern);
    views_free(views);
}
