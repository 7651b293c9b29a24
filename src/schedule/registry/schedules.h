/* SPDX-License-Identifier: MIT
 *
 * schedule/registry/schedules.h - all schedules, and their names.
 */
#ifndef REDIST_SCHEDULE_REGISTRY_SCHEDULES_H
#define REDIST_SCHEDULE_REGISTRY_SCHEDULES_H

#include "schedule/core/schedule.h"

/* All schedules, in the order in which they are listed, ended by NULL. */
extern const struct schedule_kind *const schedules[];

/* Find a schedule by its name. A drawn schedule may have a seed after it, as in
 * "random(7)"; default 0. ARG: the message lists all names, or tells what is wrong with
 * the number. */
redist_err schedule_find(const char *text, const struct schedule_kind **kind, int *seed);

/* Print the text that schedule_find parses. Returns `text`. */
enum { SCHEDULE_NAME_SIZE = 40 };
const char *schedule_print(const struct schedule_kind *kind, int seed,
                           char text[SCHEDULE_NAME_SIZE]);

#endif
