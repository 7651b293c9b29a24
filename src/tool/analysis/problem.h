/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/problem.h - the input of `redist schedule`, and one schedule of it.
 */
#ifndef REDIST_TOOL_ANALYSIS_PROBLEM_H
#define REDIST_TOOL_ANALYSIS_PROBLEM_H

#include "schedule/registry/schedules.h"
#include "describe/view.h"
#include "schedule/model/cost.h"
#include "schedule/core/pattern.h"
#include "tool/common/specs.h"

struct problem {
    struct specs specs;
    struct pattern pattern;
};

/* Read the two SPEC arguments, and find the pattern. The caller frees with problem_free,
 * after a failure too. ARG, MEMORY, IO. */
redist_err problem_read(const char *const specs[2], struct problem *problem);
void problem_free(struct problem *problem);

/* Count the processes of a side; the rank of its c-th; the number of a rank on it, or
 * -1. */
int64_t problem_processes(const struct problem *problem, redist_side side);
int problem_rank(const struct problem *problem, redist_side side, int64_t c);
int64_t problem_find(const struct problem *problem, redist_side side, int rank);

/* Describe the problem and its units, as a line for users. Returns `text`. */
enum { PROBLEM_CAPTION_SIZE = 512 };
const char *problem_caption(const struct problem *problem,
                            char text[PROBLEM_CAPTION_SIZE]);

/* A schedule of a problem. */
struct outcome {
    const struct problem *problem;
    const struct schedule_kind *kind;
    char name[SCHEDULE_NAME_SIZE];
    const char *why;  /* the reason why it is not applicable; NULL: applicable, and
                         made */
    void *state;      /* of the schedule */
    struct cost cost; /* not counted without the grid; Delta and W are always known */
};

/* Make a schedule, if it is applicable, and count its cost, if there is a grid. The
 * caller frees with outcome_free. MEMORY. STATE: a bug of the schedule. */
redist_err outcome_make(const struct problem *problem, const struct schedule_kind *kind,
                        struct outcome *outcome);
void outcome_free(struct outcome *outcome);

/* Set *list, in the place of what it held, to the own messages of process c of a side.
 * MEMORY. */
redist_err outcome_own(const struct outcome *outcome, redist_side side, int64_t c,
                       struct own_list *list);

/* Describe this schedule, or return NULL. */
const char *outcome_note(const struct outcome *outcome);

#endif
