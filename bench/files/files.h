/* SPDX-License-Identifier: MIT
 *
 * files/files.h - who writes, reads and copies files in bench_files.
 */
#ifndef REDIST_BENCH_FILES_H
#define REDIST_BENCH_FILES_H

#include <mpi.h>
#include <redist/redist.h>
#include <stdbool.h>

struct arguments {
    int64_t side, repetitions;
    int64_t memory; /* MiB */
    const char *folder, *job;
};

/* A matrix of doubles over a grid of processes, in blocks along both dimensions, each
 * one's in turns. */
struct matrix {
    int64_t side, block[2];
    int grid[2], at[2]; /* this process's place */
    redist_dist *dist;
    redist_view view;
    int64_t span;
    double *elements;
};

enum { NAME_BYTES = 512 };

/* A file, and what is done with it. */
struct job {
    const struct arguments *arguments;
    const struct matrix *matrix;
    const struct contender *contender;
    char name[NAME_BYTES]; /* without what is within the file */
    bool reads;
};

struct contender {
    const char *title, *ending;
    redist_err (*use)(const struct job *job); /* NULL: not in this build */
};

/* A process each one piece; MPI-IO by MPI_Type_create_darray; HDF5, all processes
 * together, by a hyperslab of all blocks. */
extern const struct contender plain_pieces, by_mpi_io, by_hdf5;

/* By dd, as many bytes; one piece a process, each with fsync; a checkpoint. */
extern const struct contender by_dd, plain_synced, checkpoint;

/* By redist_file_write and redist_file_read. */
extern const struct contender by_redist[];
enum { BY_REDIST = 3 };

/* Run a command on rank 0 while the others sleep. IO: it failed. */
redist_err run_command(const char *command);

/* Remove the job's file, and wait until nothing is left to be written to the disk. */
redist_err prepare_job(void *context);

#endif
