/* SPDX-License-Identifier: MIT
 *
 * plan/comm/options.h - the caller's options, of any version of the library, completed.
 */
#ifndef REDIST_PLAN_COMM_OPTIONS_H
#define REDIST_PLAN_COMM_OPTIONS_H

#include <redist/redist.h>
#include <stdbool.h>

/* Bytes of staging memory of a process, unless the caller sets a cap. */
enum { OPTIONS_STAGING_BYTES = 8 << 20 };

/* Copy the caller's options (may be NULL) and fill in defaults; `element` is the size of
 * an element in bytes.
 * O(1). ARG. */
redist_err options_take(const redist_options *given, size_t element,
                        redist_options *options);

/* The type of the source's numbers that the caller gives; MPI_DATATYPE_NULL: none. */
MPI_Datatype options_source_type(const redist_options *given);

/* Check the side alone: an intercommunicator needs it before all else. ARG. */
redist_err options_check_side(redist_side side);

/* The components of options.op. */
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

/* A hash of the options that all processes must share, except the operation. */
int64_t options_hash(const redist_options *options);

#endif
