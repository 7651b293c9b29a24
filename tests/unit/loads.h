/* SPDX-License-Identifier: MIT
 *
 * What there is to move, in a few numbers, for tests of the choice of an exchange.
 */
#ifndef REDIST_TESTS_LOADS_H
#define REDIST_TESTS_LOADS_H

#include "unit/unit.h"

#include "plan/choice/choose.h"

enum { KIB = 1 << 10, MIB = 1 << 20, CAP = 8 * MIB };

/* Every process sends `bytes` to each of `messages` others, element by element, none of
 * them on its own node, and gets as much. */
static inline struct load load_of(int nranks, int64_t messages, int64_t bytes)
{
    struct load load = {.nranks = nranks, .unreached = nranks - 1 - messages};
    for (int s = 0; s < SIDES; s++)
        load.all[s] = load.far[s] = (struct flow){.messages = messages,
                                                  .bytes = messages * bytes,
                                                  .packed = messages * bytes,
                                                  .largest = bytes,
                                                  .blocks = messages * bytes / 8};
    load.plain = true;
    return load;
}

/* The same on nodes of all processes. */
static inline struct load load_within(int nranks, int64_t messages, int64_t bytes)
{
    struct load load = load_of(nranks, messages, bytes);
    for (int s = 0; s < SIDES; s++) {
        load.near[s] = load.far[s];
        load.far[s] = (struct flow){0};
    }
    return load;
}

/* Of which nothing is known. */
static const struct choice any_choice = {.strain = 1};

static inline struct candidate choose(const struct load *load, const struct rates *rates,
                                      int64_t cap)
{
    struct candidate candidates[CHOOSE_MOST];
    assert_true(choose_rank(load, rates, cap, 8, &any_choice, candidates) > 0);
    return candidates[0];
}

#endif
