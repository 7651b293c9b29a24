/* SPDX-License-Identifier: MIT
 *
 * tests/schedule_given.h - a schedule that a test writes out, message by message.
 */
#ifndef REDIST_TESTS_SCHEDULE_GIVEN_H
#define REDIST_TESTS_SCHEDULE_GIVEN_H

#include "schedule/core/schedule.h"

/* A message with the sender's step and the receiver's, which should agree. */
struct entry {
    int p, q;
    int64_t weight, sent, received;
};

struct given {
    size_t n;
    const struct entry *entry;
};

static inline redist_err given_own(const void *state, redist_side side, int64_t c,
                                   struct own_list *list)
{
    const struct given *given = state;
    bool source = side == REDIST_SOURCE;
    for (size_t k = 0; k < given->n; k++) {
        const struct entry *e = &given->entry[k];
        if ((source ? e->p : e->q) != c) continue;
        int64_t step = source ? e->sent : e->received;
        if (step < -9) continue; /* this end forgets it */
        struct own_message message = {source ? e->q : e->p, e->weight, step};
        redist_err err = own_list_append(list, message);
        if (err) return err;
    }
    own_list_sort(list);
    return REDIST_OK;
}

static const struct schedule_kind in_steps = {.name = "given", .own = given_own};
static const struct schedule_kind in_loose_steps = {
    .name = "given", .own = given_own, .loose = true};
static const struct schedule_kind in_time = {
    .name = "given", .own = given_own, .timed = true};

#endif
