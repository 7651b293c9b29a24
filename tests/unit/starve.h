/* SPDX-License-Identifier: MIT
 *
 * tests/unit/starve.h - what becomes of something that runs out of memory: it is done
 * once for each of its allocations, which fails.
 */
#ifndef REDIST_TESTS_STARVE_H
#define REDIST_TESTS_STARVE_H

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "schedule/core/kinds.h"
#include "unit/unit.h"

/* Something that allocates; what it makes is freed again. */
typedef redist_err action(const void *given);

/* Let the k-th allocation fail, for each k that there is; return how many there are. */
static inline int64_t each_allocation_fails_once(action *act, const void *given)
{
    int64_t before = mem_live_blocks();
    for (int64_t k = 1;; k++) {
        mem_fail_at(k);
        redist_err err = act(given);
        int64_t left = mem_fail_left();
        mem_fail_at(0);
        if (mem_live_blocks() != before)
            fail_msg("failing allocation %ld leaks %ld blocks", (long)k,
                     (long)(mem_live_blocks() - before));
        if (left > 0) {
            assert_int_equal(err, REDIST_OK);
            return k - 1;
        }
        if (err != REDIST_ERR_MEMORY)
            fail_msg("failing allocation %ld gives %s", (long)k, redist_error_name(err));
        assert_non_null(strstr(redist_error_message(), "out of memory: "));
    }
}

/* A schedule to be made. */
struct to_schedule {
    const struct schedule_kind *kind;
    const struct schedule_input *input;
};

/* Make it, and read what the first target receives. */
static inline redist_err make_and_read(const void *given)
{
    const struct to_schedule *x = given;
    void *state = NULL;
    struct own_list list = {0};
    redist_err err = x->kind->make(x->input, &state);
    if (!err) err = x->kind->own(state, REDIST_TARGET, 0, &list);
    own_list_free(&list);
    x->kind->free(state);
    return err;
}

static inline int64_t schedule_starve(const struct schedule_kind *kind,
                                      const struct schedule_input *input)
{
    const struct to_schedule x = {kind, input};
    return each_allocation_fails_once(make_and_read, &x);
}

#endif
