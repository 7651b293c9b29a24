/* SPDX-License-Identifier: MIT
 *
 * plan/entry/indexed.c - a plan between lists of indices.
 */
#include "base/error.h"
#include "plan/object/request.h"

redist_err redist_plan_create_indexed(MPI_Comm comm, MPI_Datatype type, int64_t extent,
                                      const redist_indices *source,
                                      const redist_indices *target,
                                      const redist_options *options, redist_plan **plan)
{
    const redist_item item = {type, NULL, NULL};
    const struct indexed indexed = {extent, {source, target}};
    const struct request request = {.comm = comm,
                                    .nitems = 1,
                                    .items = &item,
                                    .options = options,
                                    .partial = true,
                                    .indexed = &indexed};
    TRY(team_check_intra(comm));
    return plan_make(&request, plan);
}
