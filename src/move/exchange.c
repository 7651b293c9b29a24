/* SPDX-License-Identifier: MIT */
#include "move/exchange.h"

#include <stdio.h>
#include <string.h>

#include "base/bracket.h"
#include "base/error.h"
#include "base/nearest.h"

/* clang-format off */
const struct exchange *const exchanges[] = {
    &exchange_nonblocking,
    &exchange_window,
    &exchange_sendrecv,
    &exchange_synchronous,
    &exchange_ready,
    &exchange_alltoallv,
    &exchange_neighbor,
    &exchange_shared,
    &exchange_alltoallw,
    &exchange_onesided,
    &exchange_multiphase,
    &exchange_lcm_phases,
    &exchange_aggregated,
    &exchange_multicast,
    &exchange_replicate,
    &exchange_naive,
    NULL,
};
/* clang-format on */

static redist_err unknown(const char *text)
{
    char known[ERROR_MESSAGE_SIZE / 2] = "", hint[NEAREST_HINT_SIZE];
    struct nearest nearest = nearest_to(text);
    nearest_offer(&nearest, "auto");
    for (size_t k = 0, used = 0; exchanges[k] && used < sizeof known; k++) {
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s%s", k ? ", " : "",
                             exchanges[k]->name, exchanges[k]->parameter ? "(k)" : "");
        nearest_offer(&nearest, exchanges[k]->name);
    }
    return error_set(REDIST_ERR_ARG,
                     "unknown strategy \"%s\"%s, there are: auto, %s; or a schedule, "
                     "alone or as in \"optimal/sendrecv\"",
                     text, nearest_hint(&nearest, hint), known);
}

redist_err exchange_find(const char *text, const struct exchange **exchange,
                         int *parameter)
{
    for (size_t k = 0; exchanges[k]; k++) {
        const struct exchange *known = exchanges[k];
        if (!bracket_names(text, known->name)) continue;
        *exchange = known;
        *parameter = known->parameter;
        return bracket_read("strategy", text, known->name, known->parameter, parameter);
    }
    return unknown(text);
}

const char *exchange_print(const struct exchange *exchange, int parameter,
                           char text[EXCHANGE_NAME_SIZE])
{
    if (exchange->parameter && parameter != EXCHANGE_CHOOSES)
        (void)snprintf(text, EXCHANGE_NAME_SIZE, "%s(%d)", exchange->name, parameter);
    else
        (void)snprintf(text, EXCHANGE_NAME_SIZE, "%s", exchange->name);
    return text;
}

redist_err exchange_all_well(MPI_Comm comm, redist_err err, bool *well)
{
    int all = !err;
    *well = false;
    TRY(exchange_check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm),
                       "MPI_Allreduce"));
    *well = all;
    return err;
}

redist_err exchange_of_one_array(const struct move *move, const char *name)
{
    if (move->narrays == 1) return REDIST_OK;
    return error_set(REDIST_ERR_ARG, "%s moves one array a plan, the plan is of %d", name,
                     move->narrays);
}

redist_err exchange_of_bytes(const struct move *move, const char *name)
{
    if (!move->combines) return REDIST_OK;
    return error_set(REDIST_ERR_ARG,
                     "%s moves bytes, the plan is to do arithmetic with them", name);
}

redist_err exchange_of_views(const struct move *move, const char *name)
{
    for (int k = 0; k < move->narrays; k++)
        if (move->array[k].listed)
            return error_set(REDIST_ERR_ARG,
                             "%s moves between views, the plan is of index lists", name);
    return REDIST_OK;
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

redist_err exchange_complete(MPI_Request *request, bool wait, int *done)
{
    *done = 1;
    int code = wait ? MPI_Wait(request, MPI_STATUS_IGNORE)
                    : MPI_Test(request, done, MPI_STATUS_IGNORE);
    return exchange_check(code, wait ? "MPI_Wait" : "MPI_Test");
}
