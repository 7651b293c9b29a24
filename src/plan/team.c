/* SPDX-License-Identifier: MIT */
#include "plan/team.h"

#include "base/error.h"
#include "base/intmath.h"
#include "move/exchange.h"

/* MPI orders the merged groups as it likes; each side's lowest and highest rank tell
 * where it lies, and whether the two groups have said different sides. */
static redist_err find_sides(redist_side side, int local, int remote, struct team *team)
{
    int64_t least[2 * SIDES] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    least[2 * side] = team->rank;
    least[2 * side + 1] = -team->rank;
    TRY(exchange_check(
        MPI_Allreduce(MPI_IN_PLACE, least, 2 * SIDES, MPI_INT64_T, MPI_MIN, team->comm),
        "MPI_Allreduce"));
    team->size[side] = local;
    team->size[!side] = remote;
    bool apart = true;
    for (int s = 0; s < SIDES; s++) {
        apart = apart && least[2 * s] != INT64_MAX &&
                -least[2 * s + 1] - least[2 * s] + 1 == team->size[s];
        team->base[s] = (int)least[2 * s];
    }
    if (!apart)
        return error_set(REDIST_ERR_ARG,
                         "options: side must be REDIST_SOURCE in the one group of the "
                         "intercommunicator and REDIST_TARGET in the other");
    return REDIST_OK;
}

redist_err team_make(MPI_Comm comm, redist_side side, struct team *team)
{
    *team = (struct team){.comm = MPI_COMM_NULL};
    if (comm == MPI_COMM_NULL) return error_set(REDIST_ERR_ARG, "comm is MPI_COMM_NULL");
    int inter = 0, local = 0, remote = 0;
    TRY(exchange_check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter"));
    if (inter)
        TRY(exchange_check(MPI_Intercomm_merge(comm, 0, &team->comm),
                           "MPI_Intercomm_merge"));
    else
        TRY(exchange_check(MPI_Comm_dup(comm, &team->comm), "MPI_Comm_dup"));
    TRY(exchange_check(MPI_Comm_set_errhandler(team->comm, MPI_ERRORS_RETURN),
                       "MPI_Comm_set_errhandler"));
    TRY(exchange_check(MPI_Comm_rank(team->comm, &team->rank), "MPI_Comm_rank"));
    TRY(exchange_check(MPI_Comm_size(team->comm, &team->nranks), "MPI_Comm_size"));
    team->size[0] = team->size[1] = team->nranks;
    if (!inter) return REDIST_OK;
    TRY(exchange_check(MPI_Comm_size(comm, &local), "MPI_Comm_size"));
    TRY(exchange_check(MPI_Comm_remote_size(comm, &remote), "MPI_Comm_remote_size"));
    return find_sides(side, local, remote, team);
}

redist_err team_free(struct team *team)
{
    if (team->comm == MPI_COMM_NULL) return REDIST_OK;
    return exchange_check(MPI_Comm_free(&team->comm), "MPI_Comm_free");
}
