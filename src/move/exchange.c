/* SPDX-License-Identifier: MIT */
#include "move/exchange.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const struct exchange *const exchanges[] = {&exchange_nonblocking,
                                                   &exchange_alltoallv};
enum { NEXCHANGES = sizeof exchanges / sizeof *exchanges };

redist_err exchange_find(const char *name, const struct exchange **exchange)
{
    if (!name) name = exchanges[0]->name;
    char known[ERROR_MESSAGE_SIZE / 2] = "";
    for (size_t k = 0, used = 0; k < NEXCHANGES; k++) {
        if (strcmp(name, exchanges[k]->name) == 0) {
            *exchange = exchanges[k];
            return REDIST_OK;
        }
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                                 exchanges[k]->name);
    }
    return error_set(REDIST_ERR_ARG, "unknown strategy \"%s\", there are: %s", name,
                     known);
}

redist_err exchange_check(int code, const char *call)
{
    if (code == MPI_SUCCESS) return REDIST_OK;
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, words, &length) != MPI_SUCCESS)
        (void)snprintf(words, sizeof words, "error code %d", code);
    return error_set(REDIST_ERR_MPI, "%s: %s", call, words);
}
