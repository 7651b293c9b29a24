/* SPDX-License-Identifier: MIT */
#include "tool/strategies.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "move/exchange.h"

redist_err strategies_list(const char *text, struct strategies *list)
{
    static const struct exchange *const known[] = {&exchange_nonblocking,
                                                   &exchange_alltoallv};
    enum { KNOWN = sizeof known / sizeof *known };
    bool all = strcmp(text, "all") == 0;
    int n = all ? KNOWN : 1;
    for (const char *c = text; *c && !all; c++) n += *c == ',';
    *list = (struct strategies){.n = n};
    list->name = mem_alloc(NULL, n, sizeof *list->name);
    list->text = mem_alloc(NULL, (int64_t)strlen(text) + 1, 1);
    if (!list->name || !list->text) return REDIST_ERR_MEMORY;
    char *next = strcpy(list->text, text);
    for (int k = 0; k < n; k++) {
        const struct exchange *found = NULL;
        list->name[k] = all ? known[k]->name : strsep(&next, ",");
        TRY(exchange_find(list->name[k], &found));
    }
    return REDIST_OK;
}

void strategies_free(struct strategies *list)
{
    mem_free(list->name);
    mem_free(list->text);
}
