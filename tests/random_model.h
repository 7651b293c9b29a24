/* SPDX-License-Identifier: MIT
 *
 * tests/random_model.h - a machine drawn at random.
 */
#ifndef REDIST_TESTS_RANDOM_MODEL_H
#define REDIST_TESTS_RANDOM_MODEL_H

#include "oracle.h"
#include "schedule/model/model.h"
#include "unit/unit.h"

/* Multiples of 1/8, so that sums are exact. */
static inline struct model random_model(uint64_t *seed)
{
    return (struct model){.alpha = (double)random_in(seed, 0, 64) / 8,
                          .beta = (double)random_in(seed, 0, 16) / 8,
                          .gamma = (double)random_in(seed, 0, 2) / 8,
                          .unit = (double)random_in(seed, 1, 4)};
}

#endif
