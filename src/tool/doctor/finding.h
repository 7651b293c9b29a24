/* SPDX-License-Identifier: MIT
 *
 * tool/doctor/finding.h - what was found: lines with a name, a value and, where something
 * costs speed or fails, advice.
 */
#ifndef REDIST_TOOL_DOCTOR_FINDING_H
#define REDIST_TOOL_DOCTOR_FINDING_H

#include <stdbool.h>

enum finding_state { FINDING_OK, FINDING_NOTE, FINDING_PROBLEM };

/* Without pointers, as nodes send them. */
struct finding {
    char name[24], value[200], advice[240];
    enum finding_state state;
    bool varies; /* nodes are expected to have other values */
};

enum { MOST_FINDINGS = 32 };
struct findings {
    int n;
    struct finding list[MOST_FINDINGS];
};

/* Append what is well. Returns the finding. */
struct finding *finding_add(struct findings *findings, const char *name,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Give a finding a state and advice. */
void finding_advise(struct finding *finding, enum finding_state state, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

/* The name of a state: ok, note, problem. */
const char *finding_state_name(enum finding_state state);

#endif
