/* SPDX-License-Identifier: MIT */
#include "tool/doctor/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct finding *finding_add(struct findings *findings, const char *name,
                            const char *format, ...)
{
    if (findings->n < MOST_FINDINGS) findings->n++;
    struct finding *finding = &findings->list[findings->n - 1];
    memset(finding, 0, sizeof *finding);
    (void)snprintf(finding->name, sizeof finding->name, "%s", name);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(finding->value, sizeof finding->value, format, args);
    va_end(args);
    return finding;
}

void finding_advise(struct finding *finding, enum finding_state state, const char *format,
                    ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(finding->advice, sizeof finding->advice, format, args);
    va_end(args);
    finding->state = state;
}

const char *finding_state_name(enum finding_state state)
{
    return state == FINDING_OK ? "ok" : state == FINDING_NOTE ? "note" : "problem";
}
