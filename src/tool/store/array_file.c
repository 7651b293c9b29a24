/* SPDX-License-Identifier: MIT */
#include "tool/store/array_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "files/format/temporary.h"
#include "files/format/window.h"
#include "tool/format/part.h"

/* ---- the header -------------------------------------------------------------------- */

redist_err array_file_open(MPI_Comm comm, const char *path, struct npy *npy)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    char *header = NULL;
    int64_t sizes[2] = {0, 0}; /* of the header, of the file */
    redist_err err = REDIST_OK;
    if (rank == 0) err = window_read_header(path, &header, &sizes[0], &sizes[1]);
    TRY(collective_share(comm, err, &header, &sizes[0]));
    MPI_Bcast(&sizes[1], 1, MPI_INT64_T, 0, comm);
    err = npy_parse(header, sizes[0], npy);
    mem_free(header);
    if (!err && (err = npy_check_size(npy, sizes[1]))) npy_free(npy);
    return collective_agree(comm, err ? error_prefix(err, "%s", path) : REDIST_OK);
}

/* ---- the rounds -------------------------------------------------------------------- */

/* The parameters of a round. */
struct transfer {
    MPI_File file;
    const char *path; /* of the file as it is opened, and its name in messages */
    const char *name;
    const struct npy *npy;
    const struct part *part;
    char *buffer;
    bool writing;
};

static redist_err check_amount(const MPI_Status *status, MPI_Datatype type,
                               const struct transfer *t)
{
    int count = 0;
    MPI_Get_count(status, type, &count);
    if (count == 1) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: %s", t->name,
                     t->writing ? "was written only in part"
                                : "ended early: it was truncated meanwhile");
}

/* Move chunk k, or nothing if the process has no such chunk; collective in any case. */
static redist_err move_chunk(const struct transfer *t, int64_t k)
{
    bool mine = k < t->part->nchunks;
    struct chunk chunk = {MPI_BYTE, MPI_BYTE, 0};
    redist_err err = mine ? part_chunk(t->part, k, &chunk) : REDIST_OK;
    if (err) {
        chunk = (struct chunk){MPI_BYTE, MPI_BYTE, 0};
        mine = false;
    }
    MPI_Status status;
    char *memory = mine ? t->buffer + chunk.offset : NULL;
    int code = MPI_File_set_view(t->file, t->npy->data_begin, MPI_BYTE, chunk.file,
                                 "native", MPI_INFO_NULL);
    int moved =
        t->writing
            ? MPI_File_write_at_all(t->file, 0, memory, mine, chunk.memory, &status)
            : MPI_File_read_at_all(t->file, 0, memory, mine, chunk.memory, &status);
    if (!err) err = collective_io(code, t->name);
    if (!err) err = collective_io(moved, t->name);
    if (!err && mine) err = check_amount(&status, chunk.memory, t);
    if (mine) chunk_free(&chunk);
    return err;
}

/* Move all chunks. A process that fails continues to take part, since the others do not
 * know before the next agreement. */
static redist_err move_all(MPI_Comm comm, const struct transfer *t,
                           struct progress *progress)
{
    enum { ROUNDS_PER_AGREEMENT = 16 };
    int64_t rounds = t->part->nchunks;
    MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, comm);
    for (int64_t k = 0; k < rounds;) {
        redist_err err = REDIST_OK;
        int64_t end = int_min(k + ROUNDS_PER_AGREEMENT, rounds);
        for (; k < end; k++) {
            redist_err failed = move_chunk(t, k);
            if (!err) err = failed;
            progress_step(progress, k + 1, rounds);
        }
        TRY(collective_agree(comm, err));
    }
    return REDIST_OK;
}

static redist_err open_and_move(MPI_Comm comm, int mode, struct transfer *t,
                                struct progress *progress)
{
    int code = MPI_File_open(comm, t->path, mode, MPI_INFO_NULL, &t->file);
    TRY(collective_agree(comm, collective_io(code, t->name)));
    redist_err err = move_all(comm, t, progress);
    code = MPI_File_close(&t->file);
    return err ? err : collective_agree(comm, collective_io(code, t->name));
}

redist_err array_file_read(MPI_Comm comm, const char *path, const struct npy *npy,
                           const redist_view *view, void *buffer,
                           struct progress *progress)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct part part;
    TRY(collective_agree(comm, part_make(view, rank, npy, &part)));
    struct transfer t = {MPI_FILE_NULL, path, path, npy, &part, buffer, false};
    return open_and_move(comm, MPI_MODE_RDONLY, &t, progress);
}

/* ---- writing ----------------------------------------------------------------------- */

static redist_err create_with_header(struct temporary *file, const char *path,
                                     uint64_t run, const struct npy *npy)
{
    char *header = NULL;
    int descriptor = -1;
    TRY(npy_print(npy, &header));
    redist_err err =
        temporary_create(file, path, run, npy->data_begin + npy->data_bytes, &descriptor);
    if (!err) {
        err = write_fully(descriptor, path, header, npy->data_begin, 0);
        if (close(descriptor) && !err)
            err = error_set(REDIST_ERR_IO, "%s: %s", path, strerror(errno));
        if (err) temporary_discard(file);
    }
    mem_free(header);
    return err;
}

/* Make the part that a process writes: nothing unless it is the first replica. */
static redist_err written_part(const redist_view *view, int rank, const struct npy *npy,
                               struct part *part)
{
    TRY(part_make(view, rank, npy, part));
    int coords[REDIST_MAX_DIMS];
    if (!redist_grid_coords(view->dist->grid, rank, coords) ||
        dist_replica(view->dist, coords) != 0)
        part->nchunks = 0;
    return REDIST_OK;
}

redist_err array_file_write(MPI_Comm comm, const char *path, const struct npy *npy,
                            const redist_view *view, const void *buffer, uint64_t run,
                            struct progress *progress)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct part part;
    struct temporary file = {0}; /* of rank 0 */
    char *at = NULL;             /* its path, on all processes */
    int64_t length = 0;
    TRY(collective_agree(comm, written_part(view, rank, npy, &part)));
    redist_err err = rank == 0 ? create_with_header(&file, path, run, npy) : REDIST_OK;
    bool created = rank == 0 && !err;
    if (created) {
        length = (int64_t)strlen(file.path) + 1;
        at = mem_copy(NULL, file.path, length, 1);
        if (!at) err = REDIST_ERR_MEMORY;
    }
    err = collective_share(comm, err, &at, &length);
    if (!err) {
        char *bytes = (char *)(uintptr_t)buffer; /* MPI only reads it */
        struct transfer t = {MPI_FILE_NULL, at, path, npy, &part, bytes, true};
        err = open_and_move(comm, MPI_MODE_RDWR, &t, progress);
    }
    if (created && err) temporary_discard(&file);
    if (created && !err) err = temporary_keep(&file);
    mem_free(at);
    return collective_agree(comm, err);
}
