/* SPDX-License-Identifier: MIT */
#include "plan/comm/options.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "move/arith/reduce.h"
#include "schedule/problem/topology.h"

redist_err options_check_side(redist_side side)
{
    if (side == REDIST_SOURCE || side == REDIST_TARGET) return REDIST_OK;
    return error_arg("options: side is %d, must be REDIST_SOURCE or REDIST_TARGET",
                     (int)side);
}

MPI_Datatype options_source_type(const redist_options *given)
{
    const bool has = given && given->size > offsetof(redist_options, source_type);
    return has ? given->source_type : MPI_DATATYPE_NULL;
}

static redist_err check_op(redist_op op)
{
    switch (op) {
        case REDIST_OP_NONE:
        case REDIST_OP_TRANSPOSE:
        case REDIST_OP_CONJUGATE:
        case REDIST_OP_CONJUGATE_TRANSPOSE: return REDIST_OK;
    }
    return error_arg("options: op is %d, must be one of redist_op", (int)op);
}

static redist_err check_reduction(const redist_options *options)
{
    redist_reduction reduction = options->reduction;
    if ((int)reduction < REDIST_REDUCTION_NONE || reduction > REDIST_REDUCTION_MAXLOC)
        return error_arg("options: reduction is %d, must be one of redist_reduction",
                         (int)reduction);
    if (reduction == REDIST_REDUCTION_NONE) return REDIST_OK;
    if (options->in_place)
        return error_arg("options: reduction is %s, must be NONE with in_place",
                         reduce_name[reduction]);
    bool sums = reduction == REDIST_REDUCTION_SUM;
    if (sums || (!options->scaled && !options_conjugate(options))) return REDIST_OK;
    return error_arg("options: reduction is %s, must be SUM with scaled or a "
                     "conjugating op",
                     reduce_name[reduction]);
}

redist_err options_take(const redist_options *given, size_t element,
                        redist_options *options)
{
    *options = (redist_options)REDIST_OPTIONS_INIT;
    if (given) {
        bool is_whole = given->size % sizeof(size_t) == 0;
        if (!is_whole || given->size == 0 || given->size > sizeof *options)
            return error_arg(
                "options: size is %zu, must be that of REDIST_OPTIONS_INIT, %zu",
                given->size, sizeof *options);
        memcpy(options, given, given->size);
        options->size = sizeof *options;
    }
    if (options->staging_bytes == 0) {
        options->staging_bytes = OPTIONS_STAGING_BYTES;
        if (options->staging_bytes < 2 * element) options->staging_bytes = 2 * element;
    }
    if (options->staging_bytes > INT64_MAX) options->staging_bytes = INT64_MAX;
    if (options->staging_bytes < 2 * element)
        return error_arg(
            "options: staging_bytes is %zu, must hold two elements of %zu bytes",
            options->staging_bytes, element);
    TRY(check_op(options->op));
    TRY(check_reduction(options));
    if (options->in_place && options->strategy)
        return error_arg("options: strategy is \"%.40s\", must be NULL with in_place",
                         options->strategy);
    if (!(options->timeout_s >= 0))
        return error_arg("options: timeout_s is %g, must be >= 0", options->timeout_s);
    return options_check_side(options->side);
}

int64_t options_hash(const redist_options *options)
{
    uint64_t hash = hash_int(HASH_START, (int64_t)options->staging_bytes);
    for (const char *c = options->strategy; c && *c; c++) hash = hash_int(hash, *c);
    return (int64_t)hash_int(hash, topology_hash(options->topology));
}
