/* SPDX-License-Identifier: MIT
 *
 * plan/comm/team.h - the processes of a plan: a communicator of its own, in which the
 * source's ranks and the target's are told apart.
 *
 *   intracommunicator     rank k of either grid is rank k
 *   intercommunicator     merged: the one group's ranks count from 0, the other's go on
 */
#ifndef REDIST_PLAN_COMM_TEAM_H
#define REDIST_PLAN_COMM_TEAM_H

#include <redist/redist.h>
#include <stdbool.h>

#include "intersect/runs.h"

struct team {
    MPI_Comm comm; /* MPI_COMM_NULL: none yet */
    bool lent;     /* comm is another's, who frees it */
    int rank, nranks;
    int base[SIDES],
        size[SIDES]; /* the side's rank 0 in comm, and how many ranks it may have */
};

/* Check that `comm` is an intracommunicator. Local. ARG, MPI. */
redist_err team_check_intra(MPI_Comm comm);

/* Make the team of `comm`; `side` is what the caller's group holds if it is an
 * intercommunicator.
 * Collective. One reduction over an intercommunicator. On an error, which is the same on
 * all processes, the team must be freed too. ARG, MPI. */
redist_err team_make(MPI_Comm comm, redist_side side, struct team *team);

/* Make the team of `comm` itself, an intracommunicator that returns errors and in which
 * nobody else is heard while the plan runs; it must outlive the team.
 * Local. MPI. */
redist_err team_borrow(MPI_Comm comm, struct team *team);

/* Collective. MPI. */
redist_err team_free(struct team *team);

#endif
