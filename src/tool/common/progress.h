/* SPDX-License-Identifier: MIT
 *
 * tool/common/progress.h - a progress bar on the terminal for work that takes longer than
 * a second.
 *
 *   writing  [###############...............]  50 %  of 1.25 GiB
 */
#ifndef REDIST_TOOL_COMMON_PROGRESS_H
#define REDIST_TOOL_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* AUTO: on the terminal, if there is one. Launchers redirect stderr to pipes, so the
 * controlling terminal counts, too. ALWAYS: on stderr, from the start; for launchers that
 * start a session of their own. */
enum progress_when { PROGRESS_NEVER, PROGRESS_AUTO, PROGRESS_ALWAYS };

struct progress {
    const char *what;    /* borrowed */
    int64_t bytes;       /* of the whole */
    double patience;     /* seconds before it is drawn */
    double began, drawn; /* when, in seconds of MPI_Wtime */
    FILE *out;           /* NULL: no output */
    bool shown;
};

/* Begin a bar. Local. */
struct progress progress_begin(const char *what, int64_t bytes, enum progress_when when);

/* Report that `done` of `total` steps are done. It is drawn a few times a second.
 * Local. */
void progress_step(struct progress *progress, int64_t done, int64_t total);

/* Clear the bar. Local. */
void progress_end(struct progress *progress);

#endif
