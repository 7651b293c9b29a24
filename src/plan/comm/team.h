/* SPDX-License-Identifier: MIT
 *
 * plan/comm/team.h - the processes of a plan: a communicator of its own, with the ranks
 * of source and target.
 *
 *   intracommunicator     rank k of either grid is rank k
 *   intercommunicator     merged: one group has ranks from 0 on, the other those after
 */
#ifndef REDIST_PLAN_COMM_TEAM_H
#define REDIST_PLAN_COMM_TEAM_H

#include <redist/redist.h>
#include <stdbool.h>

#include "intersect/runs.h"

struct team {
    MPI_Comm comm; /* MPI_COMM_NULL: none yet */
    bool lent;     /* comm belongs to another, who frees it */
    int rank, nranks;
    int base[SIDES],
        size[SIDES]; /* rank in comm of the side's rank 0, and how many ranks the side may
                        have */
};

/* Check that `comm` is an intracommunicator. Local. ARG, MPI. */
redist_err team_check_intra(MPI_Comm comm);

/* Make the team of `comm`; if it is an intercommunicator, `side` is the side of the
 * caller's group.
 * Collective. One reduction over an intercommunicator. After an error, which is the same
 * on all processes, the team must be freed, too. ARG, MPI. */
redist_err team_make(MPI_Comm comm, redist_side side, struct team *team);

/* Make the team of `comm` itself: an intracommunicator that returns errors, used by
 * nobody else during the plan's runs. It must outlive the team.
 * Local. MPI. */
redist_err team_borrow(MPI_Comm comm, struct team *team);

/* Collective. MPI. */
redist_err team_free(struct team *team);

#endif
