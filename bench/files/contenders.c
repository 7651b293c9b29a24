/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <redist/checkpoint.h>

#include "base/error.h"
#include "files/files.h"
#include "files/format/collective.h"

redist_err run_command(const char *command)
{
    int rank, done = 0;
    MPI_Request all;
    redist_err err = REDIST_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && system(command) != 0)
        err = error_set(REDIST_ERR_IO, "failed: %s", command);
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    while (!MPI_Test(&all, &done, MPI_STATUS_IGNORE) && !done) (void)usleep(200);
    return collective_agree(MPI_COMM_WORLD, err);
}

redist_err prepare_job(void *context)
{
    const struct job *job = context;
    char command[NAME_BYTES + 32];
    (void)snprintf(command, sizeof command, "rm -rf '%s' && sync", job->name);
    return run_command(job->reads ? "sync" : command);
}

/* ---- this library ------------------------------------------------------------------ */

static redist_err use_file(const struct job *job)
{
    char name[NAME_BYTES + 8];
    redist_file *file = NULL;
    const struct matrix *m = job->matrix;
    redist_file_layout layout = {.size = sizeof layout, .ndims = 2, .type = "<f8"};
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    bool inner = job->contender == &by_redist[1];
    layout.shape[0] = layout.shape[1] = m->side;
    if (!job->reads) options.layout = &layout;
    options.staging_bytes = (size_t)job->arguments->memory << 20;
    (void)snprintf(name, sizeof name, "%s%s", job->name, inner ? ":/t" : "");
    TRY(redist_file_open(MPI_COMM_WORLD, name,
                         job->reads ? REDIST_FILE_READ : REDIST_FILE_CREATE, &options,
                         &file));
    redist_err err = job->reads
                         ? redist_file_read(file, &m->view, MPI_DOUBLE, m->elements)
                         : redist_file_write(file, &m->view, MPI_DOUBLE, m->elements);
    redist_err closed = redist_file_close(&file);
    return err ? err : closed;
}

static redist_err use_checkpoint(const struct job *job)
{
    redist_checkpoint *c = NULL;
    const struct matrix *m = job->matrix;
    if (job->reads) {
        TRY(redist_checkpoint_open(MPI_COMM_WORLD, job->name, -1, &c));
        redist_err err =
            redist_checkpoint_read(c, "t", &m->view, MPI_DOUBLE, m->elements);
        redist_err closed = redist_checkpoint_close(&c);
        return err ? err : closed;
    }
    TRY(redist_checkpoint_create(MPI_COMM_WORLD, job->name, 0, &c));
    redist_err err = redist_checkpoint_write(c, "t", &m->view, MPI_DOUBLE, m->elements);
    redist_err done = err ? redist_checkpoint_close(&c) : redist_checkpoint_commit(&c, 0);
    return err ? err : done;
}

/* ---- MPI-IO ------------------------------------------------------------------------ */

static void make_darray(const struct matrix *m, MPI_Datatype *type)
{
    int rank, nprocs, sides[2], ways[2], blocks[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    for (int i = 0; i < 2; i++) {
        sides[i] = (int)m->side;
        ways[i] = MPI_DISTRIBUTE_CYCLIC;
        blocks[i] = (int)m->block[i];
    }
    MPI_Type_create_darray(nprocs, rank, 2, sides, ways, blocks, m->grid, MPI_ORDER_C,
                           MPI_DOUBLE, type);
    MPI_Type_commit(type);
}

static redist_err use_mpi_io(const struct job *job)
{
    MPI_File file;
    MPI_Datatype darray;
    const struct matrix *m = job->matrix;
    int mode = job->reads ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_WRONLY;
    if (MPI_File_open(MPI_COMM_WORLD, job->name, mode, MPI_INFO_NULL, &file))
        return error_set(REDIST_ERR_IO, "%s: cannot be opened by MPI-IO", job->name);
    make_darray(m, &darray);
    MPI_File_set_view(file, 0, MPI_DOUBLE, darray, "native", MPI_INFO_NULL);
    int failed = job->reads ? MPI_File_read_all(file, m->elements, (int)m->span,
                                                MPI_DOUBLE, MPI_STATUS_IGNORE)
                            : MPI_File_write_all(file, m->elements, (int)m->span,
                                                 MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&darray);
    return failed ? error_set(REDIST_ERR_IO, "%s: MPI-IO failed", job->name) : REDIST_OK;
}

/* ---- bytes alone ------------------------------------------------------------------- */

static redist_err use_piece(const struct job *job, bool synced)
{
    const struct matrix *m = job->matrix;
    int64_t before = 0, bytes = m->span * (int64_t)sizeof(double), done = 0;
    MPI_Exscan(&bytes, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int file = open(job->name, job->reads ? O_RDONLY : O_WRONLY | O_CREAT, 0600);
    char *at = (char *)m->elements;
    while (file >= 0 && done < bytes) {
        size_t left = (size_t)(bytes - done);
        ssize_t n = job->reads ? pread(file, at + done, left, before + done)
                               : pwrite(file, at + done, left, before + done);
        if (n <= 0) break;
        done += n;
    }
    bool failed = file < 0 || done < bytes || (synced && fsync(file));
    if (file >= 0 && close(file)) failed = true;
    return failed ? error_set(REDIST_ERR_IO, "%s: failed", job->name) : REDIST_OK;
}

static redist_err use_plain(const struct job *job) { return use_piece(job, false); }

static redist_err use_synced(const struct job *job) { return use_piece(job, true); }

static redist_err use_dd(const struct job *job)
{
    char command[NAME_BYTES + 128];
    int64_t bytes = job->matrix->side * job->matrix->side * (int64_t)sizeof(double);
    (void)snprintf(command, sizeof command,
                   "dd if=/dev/zero of='%s' bs=1M count=%lldB conv=fsync status=none",
                   job->name, (long long)bytes);
    return run_command(command);
}

const struct contender plain_pieces = {"plain pieces", "raw", use_plain};
const struct contender plain_synced = {"plain, fsync", "raw", use_synced};
const struct contender by_dd = {"dd conv=fsync", "raw", use_dd};
const struct contender by_mpi_io = {"MPI-IO, darray", "raw", use_mpi_io};
const struct contender checkpoint = {"checkpoint", "steps", use_checkpoint};
const struct contender by_redist[BY_REDIST] = {
    {"redist .npy", "npy", use_file},
    {"redist .h5", "h5", use_file},
    {"redist .zarr", "zarr", use_file},
};
