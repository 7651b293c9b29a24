/* SPDX-License-Identifier: MIT
 *
 * tool/common/summary.h - the final output of `redist run`, as text or as JSON.
 */
#ifndef REDIST_TOOL_COMMON_SUMMARY_H
#define REDIST_TOOL_COMMON_SUMMARY_H

#include <mpi.h>
#include <stdbool.h>

#include <redist/redist.h>

/* Wall-clock seconds of each stage, of the slowest process; 0: no such stage. */
struct stage_seconds {
    double plan, read, move, verify, write;
};

struct summary {
    int processes;
    const char *source, *target; /* texts of the views, borrowed */
    const char *dtype;
    const char *strategy, *origin; /* as in redist_report */
    const char *input, *output;    /* paths; NULL: synthetic, nothing written */
    const char *reduction;         /* of partial results of `replicas` replicas; NULL:
                                      none */
    int64_t replicas;
    int64_t element_bytes;
    int64_t elements; /* of the section */
    int64_t bytes_moved, bytes_kept, messages;
    int64_t staging_cap;                                /* of each process */
    int64_t staging_promised, staging_peak, plan_bytes; /* of the process with the most */
    bool verified;
    struct stage_seconds seconds;
};

/* Sum the processes' reports and take the maximum of their seconds; other members are
 * unchanged.
 * Collective over comm. */
void summary_collect(MPI_Comm comm, const redist_report *report,
                     const struct stage_seconds *seconds, struct summary *summary);

/* Print it to stdout. Local. */
void summary_print(const struct summary *summary);
void summary_print_json(const struct summary *summary);

#endif
