/* SPDX-License-Identifier: MIT
 *
 * schedule/registry/schedules.h - all schedules there are, and their names.
 */
#ifndef REDIST_SCHEDULE_REGISTRY_SCHEDULES_H
#define REDIST_SCHEDULE_REGISTRY_SCHEDULES_H

#include "schedule/core/schedule.h"

/* All schedules, in the order in which they are shown, ended by NULL. */
extern const struct schedule_kind *const schedules[];

/* Find a schedule by its name, and behind the name of one that is drawn its seed, as in
 * "random(7)", or 0. ARG: the message lists what there is, or says what is wrong with
 * the number. */
redist_err schedule_find(const char *text, const struct schedule_kind **kind, int *seed);

/* Write what schedule_find reads. Returns `text`. */
enum { SCHEDULE_NAME_SIZE = 40 };
const char *schedule_print(const struct schedule_kind *kind, int seed,
                           char text[SCHEDULE_NAME_SIZE]);

#endif
