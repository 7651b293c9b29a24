/* SPDX-License-Identifier: MIT
 *
 * tool/bench/bench.h - the results of `redist bench`, for printing and drawing.
 */
#ifndef REDIST_TOOL_BENCH_BENCH_H
#define REDIST_TOOL_BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "tool/bench/race.h"

/* One strategy. */
struct bench_entry {
    const char *strategy;
    bool available; /* it could be planned; if not, the reason: */
    char why[ERROR_MESSAGE_SIZE];
    bool verified; /* every element was compared with its global index */
    struct spread seconds;
    double plan_seconds;                                /* of the slowest process */
    int64_t messages;                                   /* of all processes */
    int64_t staging_promised, staging_peak, plan_bytes; /* of the process with the most */
};

struct bench_report {
    const char *source, *target; /* texts of the views */
    const char *type;
    int processes;
    int64_t rounds;
    int64_t element_bytes, elements; /* of the section */
    int64_t bytes_moved, bytes_kept;
    int64_t staging_cap;
    const char *choice; /* the library's own choice */
    bool verified, copied;
    struct spread copy_seconds; /* of a memcpy of the section by all the processes */
    int n;
    struct bench_entry *entry; /* [n] the fastest first, then those not available */
};

/* Tell whether an entry is the library's choice: auto or, if that is not among them, the
 * strategy of that name. */
bool bench_is_choice(const struct bench_report *report, const struct bench_entry *entry);

/* Return the median of auto over the least median of the others; 0 if either is
 * missing. */
double bench_auto_ratio(const struct bench_report *report);

/* Return the bytes of the section, in 10^9 a second. */
double bench_rate(const struct bench_report *report, double seconds);

/* Print it to stdout, as text and as JSON. Local. */
void bench_print(const struct bench_report *report);
void bench_print_json(const struct bench_report *report);

/* Draw a bar for each strategy, as SVG. Local. */
void bench_draw(FILE *out, const struct bench_report *report);

#endif
