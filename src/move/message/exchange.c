/* SPDX-License-Identifier: MIT */
#include "move/message/exchange.h"

#include "base/error.h"
#include "move/mpi/post.h"

redist_err move_post(const struct move *move, redist_side side, char *data, int64_t bytes,
                     int rank, MPI_Request *request)
{
    const struct post post = {.kind = side == REDIST_SOURCE ? POST_SEND : POST_RECEIVE,
                              .data = data,
                              .bytes = (int)bytes,
                              .rank = rank,
                              .tag = move->tag,
                              .comm = move->comm};
    return post_begin(&post, false, request);
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
    return error_set(REDIST_ERR_ARG, "%s moves bytes, the plan is to %s them", name,
                     move->converts ? "convert" : "do arithmetic with");
}

redist_err exchange_of_views(const struct move *move, const char *name)
{
    for (int k = 0; k < move->narrays; k++)
        if (move->array[k].listed)
            return error_set(REDIST_ERR_ARG,
                             "%s moves between views, the plan is of index lists", name);
    return REDIST_OK;
}
