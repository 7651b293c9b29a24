/* SPDX-License-Identifier: MIT
 *
 * peers/redist.c - this library, by the strategy that is asked for.
 */
#include "base/error.h"
#include "peer.h"

static redist_err make(MPI_Comm comm, const struct item *item, const char *strategy,
                       void **state)
{
    redist_dist *dist[2] = {NULL, NULL};
    redist_view view[2];
    redist_err err = REDIST_OK;
    for (int s = 0; s < 2 && !err; s++) {
        char text[ITEM_TEXT_SIZE];
        err = redist_view_parse(item_text(item, s, text), &dist[s], &view[s]);
    }
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    redist_plan *plan = NULL;
    if (!err)
        err = redist_plan_create(comm, MPI_DOUBLE, &view[0], &view[1], &options, &plan);
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
    *state = plan;
    return err;
}

static redist_err run(void *state, const double *source, double *target)
{
    return redist_execute(state, source, target);
}

static void destroy(void *state)
{
    redist_plan *plan = state;
    (void)redist_plan_destroy(&plan);
}

const struct peer peer_redist = {"redist", false, make, run, destroy};
