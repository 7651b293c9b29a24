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

redist_err exchange_check(const struct move *move, int needs, const char *name)
{
    if (needs & NEEDS_ONE_ARRAY && move->narrays != 1)
        return error_arg("%s moves one array a plan, the plan is of %d", name,
                         move->narrays);
    if (needs & NEEDS_BYTES && move->combines)
        return error_arg("%s moves bytes, the plan is to %s them", name,
                         move->converts ? "convert" : "do arithmetic with");
    for (int k = 0; needs & NEEDS_VIEWS && k < move->narrays; k++)
        if (move->array[k].listed)
            return error_arg("%s moves between views, the plan is of index lists", name);
    return REDIST_OK;
}

redist_err exchange_check_room(const struct move *move, int64_t least, int64_t most,
                               const char *name, const char *messages)
{
    if (least > move->staging)
        return error_arg("staging_bytes is %" PRId64 ", %s needs %" PRId64
                         " to hold an element of each %s",
                         move_in_cap(move, move->staging), name, move_in_cap(move, least),
                         messages);
    if (least > most)
        return error_arg("%s needs %" PRId64 " bytes to hold an element of each %s, "
                         "more than MPI's counts allow, %" PRId64,
                         name, least, messages, most);
    return REDIST_OK;
}
