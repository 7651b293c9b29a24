/* SPDX-License-Identifier: MIT */
#include "tool/bench/strategies.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "plan/choice/strategy.h"

redist_err strategies_list(const char *text, struct strategies *list)
{
    bool all = strcmp(text, "all") == 0;
    int n = !all;
    for (const char *c = text; *c && !all; c++) n += *c == ',';
    while (all && known_strategies[n]) n++;
    *list = (struct strategies){.n = n};
    list->name = mem_alloc(NULL, n, sizeof *list->name);
    list->text = mem_alloc(NULL, (int64_t)strlen(text) + 1, 1);
    if (!list->name || !list->text) return REDIST_ERR_MEMORY;
    char *next = strcpy(list->text, text);
    for (int k = 0; k < n; k++) {
        struct strategy strategy;
        list->name[k] = all ? known_strategies[k] : strsep(&next, ",");
        TRY(strategy_parse(list->name[k], &strategy));
    }
    return REDIST_OK;
}

void strategies_free(struct strategies *list)
{
    mem_free(list->name);
    mem_free(list->text);
}
