/* SPDX-License-Identifier: MIT
 *
 * tool/bench/strategies.h - the names of strategies that a user wants compared.
 */
#ifndef REDIST_TOOL_BENCH_STRATEGIES_H
#define REDIST_TOOL_BENCH_STRATEGIES_H

#include <redist/describe.h>

struct strategies {
    int n;
    const char **name; /* [n] */
    char *text;        /* their memory, unless all were requested */
};

/* List all strategies, if `text` is "all", or those of `text`, separated by commas. Free
 * with strategies_free, after a failure too.
 * Local. ARG: unknown; the message lists all names. MEMORY. */
redist_err strategies_list(const char *text, struct strategies *list);
void strategies_free(struct strategies *list);

#endif
