/* SPDX-License-Identifier: MIT */
#include "plan/comm/team.h"

#include "base/error.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"
#include "plan/comm/options.h"

redist_err team_check_intra(MPI_Comm comm)
{
    int inter = 0;
    if (comm == MPI_COMM_NULL) return error_arg("comm is MPI_COMM_NULL");
    TRY(mpi_call(MPI_Comm_test_inter(comm, &inter)));
    if (inter)
        return error_arg("comm is an intercommunicator, must be an intracommunicator");
    return REDIST_OK;
}

/* MPI orders the merged groups as it likes. The sides given by their processes must be
 * the same within each group, and different in the two. */
static redist_err find_sides(MPI_Comm inter, redist_side side, struct team *team)
{
    static const char *const name = "side";
    int local = 0, remote = 0, local_rank = 0;
    TRY(mpi_call(MPI_Comm_size(inter, &local)));
    TRY(mpi_call(MPI_Comm_remote_size(inter, &remote)));
    TRY(mpi_call(MPI_Comm_rank(inter, &local_rank)));
    int base = team->rank - local_rank; /* of the own group: 0, or after the other */
    redist_err err = options_check_side(side);
    int64_t first_side = base == 0 ? (int64_t)side : !side; /* of the group at 0 */
    err = agree_equal(team->comm, err, 1, &first_side, &name);
    if (err == REDIST_ERR_MISMATCH)
        return error_arg("options: side must be REDIST_SOURCE in the one group of the "
                         "intercommunicator and REDIST_TARGET in the other");
    TRY(err);
    team->base[side] = base;
    team->size[side] = local;
    team->base[!side] = base == 0 ? local : 0;
    team->size[!side] = remote;
    return REDIST_OK;
}

redist_err team_make(MPI_Comm comm, redist_side side, struct team *team)
{
    *team = (struct team){.comm = MPI_COMM_NULL};
    if (comm == MPI_COMM_NULL) return error_arg("comm is MPI_COMM_NULL");
    int inter = 0;
    TRY(mpi_call(MPI_Comm_test_inter(comm, &inter)));
    if (inter)
        TRY(mpi_call(MPI_Intercomm_merge(comm, 0, &team->comm)));
    else
        TRY(mpi_call(MPI_Comm_dup(comm, &team->comm)));
    TRY(mpi_call(MPI_Comm_set_errhandler(team->comm, MPI_ERRORS_RETURN)));
    TRY(mpi_call(MPI_Comm_rank(team->comm, &team->rank)));
    TRY(mpi_call(MPI_Comm_size(team->comm, &team->nranks)));
    team->size[0] = team->size[1] = team->nranks;
    return inter ? find_sides(comm, side, team) : REDIST_OK;
}

redist_err team_borrow(MPI_Comm comm, struct team *team)
{
    *team = (struct team){.comm = comm, .lent = true};
    TRY(mpi_call(MPI_Comm_rank(comm, &team->rank)));
    TRY(mpi_call(MPI_Comm_size(comm, &team->nranks)));
    team->size[0] = team->size[1] = team->nranks;
    return REDIST_OK;
}

redist_err team_free(struct team *team)
{
    if (team->comm == MPI_COMM_NULL || team->lent) return REDIST_OK;
    return mpi_call(MPI_Comm_free(&team->comm));
}
