/* SPDX-License-Identifier: MIT
 *
 * plan/comm/options.h - the caller's options, of whatever version, in full.
 */
#ifndef REDIST_PLAN_COMM_OPTIONS_H
#define REDIST_PLAN_COMM_OPTIONS_H

#include <redist/redist.h>
#include <stdbool.h>

/* Staging memory of a process where the caller names no cap, in bytes. */
enum { OPTIONS_STAGING_BYTES = 8 << 20 };

/* Take over the caller's options (may be NULL) and fill in what is missing; `element`
 * is the size of an element in bytes.
 * O(1). ARG. */
redist_err options_take(const redist_options *given, size_t element,
                        redist_options *options);

/* Check a side by itself: an intercommunicator needs it before all else. ARG. */
redist_err options_check_side(redist_side side);

/* What options.op consists of. */
static inline bool options_transpose(const redist_options *options)
{
    return options->op == REDIST_OP_TRANSPOSE ||
           options->op == REDIST_OP_CONJUGATE_TRANSPOSE;
}
static inline bool options_conjugate(const redist_options *options)
{
    return options->op == REDIST_OP_CONJUGATE ||
           options->op == REDIST_OP_CONJUGATE_TRANSPOSE;
}

/* A hash of those options that all processes must share, the operation apart. */
int64_t options_hash(const redist_options *options);

#endif
