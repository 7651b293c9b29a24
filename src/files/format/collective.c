/* SPDX-License-Identifier: MIT */
#include "files/format/collective.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

redist_err collective_agree(MPI_Comm comm, redist_err err)
{
    int rank, size, failed;
    redist_err refused = error_take_refusal();
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (refused) err = error_prefix(refused, "rank %d", rank);
    failed = err ? rank : size;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MIN, comm);
    if (failed == size) return REDIST_OK;
    struct {
        int code;
        char sentence[ERROR_MESSAGE_SIZE];
    } first = {(int)err, ""};
    if (rank == failed) {
        strncpy(first.sentence, redist_error_message(), sizeof first.sentence - 1);
    }
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, failed, comm);
    return error_set((redist_err)first.code, "%s", first.sentence);
}

redist_err collective_share(MPI_Comm comm, redist_err err, char **block, int64_t *size)
{
    enum { PIECE = 1 << 30 };
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(collective_agree(comm, rank == 0 ? err : REDIST_OK));
    MPI_Bcast(size, 1, MPI_INT64_T, 0, comm);
    if (rank != 0) {
        *block = mem_alloc(NULL, *size, 1);
        if (!*block) err = REDIST_ERR_MEMORY;
    }
    err = collective_agree(comm, rank != 0 ? err : REDIST_OK);
    if (err) {
        mem_free(*block);
        *block = NULL;
        return err;
    }
    for (int64_t at = 0; at < *size; at += PIECE)
        MPI_Bcast(*block + at, (int)int_min(PIECE, *size - at), MPI_BYTE, 0, comm);
    return REDIST_OK;
}
