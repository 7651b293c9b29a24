/* SPDX-License-Identifier: MIT */
#include "move/registry/exchanges.h"

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
    return error_arg("unknown strategy \"%.40s\"%s, there are: auto, %s; or a schedule, "
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
