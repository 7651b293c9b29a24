/* SPDX-License-Identifier: MIT
 *
 * bench_files - write and read a matrix of doubles that is spread in blocks, or cyclic(3)
 * in both dimensions, in each format, in turns: with a plan a slab, as redist_file_write
 * does, beside MPI-IO through MPI_Type_create_darray, and beside plain writes of as many
 * bytes, a piece for each process. Runs with several processes.
 *
 *   script/bench files [-n PROCESSES] [--preset mpich] [--side N] [--reps N] [--to DIR]
 *
 * The matrix is 4096 x 4096 by default, 128 MiB; files are in DIR, by default where the
 * bench runs, and are removed. Nothing waits for the disk, but a checkpoint. Times are of
 * the slowest process, medians; a format without its library or module is left out.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <redist/checkpoint.h>

#include "base/error.h"
#include "program.h"
#include "tool/bench/race.h"

enum spreading { BLOCKS, CYCLIC, SPREADS };
static const char *const spread_name[] = {"blocks", "cyclic(3)"};
static const char *const spread_text[] = {
    "[%1$lld,%1$lld] (block,block) onto %2$dx%3$d",
    "[%1$lld,%1$lld] (cyclic(3),cyclic(3)) onto %2$dx%3$d"};

enum { CHECKPOINT = -1, BY_MPI_IO = -2, PLAIN = -3 };
static const char *const suffixes[] = {"npy", "h5:/t", "zarr"};
enum { NSUFFIXES = sizeof suffixes / sizeof *suffixes, MOST = 16 };

struct arguments {
    int64_t side, repetitions;
    const char *folder;
};

/* The matrix of a spread, on this process. */
struct matrix {
    redist_dist *dist;
    redist_view view;
    int64_t span;
    double *elements;
    MPI_Datatype darray;
};

/* What a contender does: format is an index of `suffixes`, or one of the above. */
struct job {
    const struct arguments *arguments;
    const struct matrix *matrix;
    int format, number;
    bool reads;
};

static void name_file(const struct job *job, char name[512])
{
    (void)snprintf(name, 512, "%s/bench_files.%d.%s", job->arguments->folder, job->number,
                   job->format >= 0 ? suffixes[job->format] : "raw");
}

static redist_err use_file(const struct job *job)
{
    char name[512];
    redist_file *file = NULL;
    const struct matrix *m = job->matrix;
    int64_t side = job->arguments->side;
    redist_file_layout layout = {.size = sizeof layout, .ndims = 2, .type = "<f8"};
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    layout.shape[0] = layout.shape[1] = side;
    if (!job->reads) options.layout = &layout;
    name_file(job, name);
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
    char name[512];
    redist_checkpoint *c = NULL;
    const struct matrix *m = job->matrix;
    name_file(job, name);
    if (job->reads) {
        TRY(redist_checkpoint_open(MPI_COMM_WORLD, name, -1, &c));
        TRY(redist_checkpoint_read(c, "t", &m->view, MPI_DOUBLE, m->elements));
        return redist_checkpoint_close(&c);
    }
    TRY(redist_checkpoint_create(MPI_COMM_WORLD, name, 0, &c));
    TRY(redist_checkpoint_write(c, "t", &m->view, MPI_DOUBLE, m->elements));
    return redist_checkpoint_commit(&c, 0);
}

static redist_err use_mpi_io(const struct job *job)
{
    char name[512];
    MPI_File file;
    const struct matrix *m = job->matrix;
    int mode = job->reads ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_WRONLY;
    name_file(job, name);
    if (MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file))
        return error_set(REDIST_ERR_IO, "%s: cannot be opened by MPI-IO", name);
    MPI_File_set_view(file, 0, MPI_DOUBLE, m->darray, "native", MPI_INFO_NULL);
    int failed = job->reads ? MPI_File_read_all(file, m->elements, (int)m->span,
                                                MPI_DOUBLE, MPI_STATUS_IGNORE)
                            : MPI_File_write_all(file, m->elements, (int)m->span,
                                                 MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    return failed ? error_set(REDIST_ERR_IO, "%s: MPI-IO failed", name) : REDIST_OK;
}

/* Each process reads or writes as many bytes, one piece of the file. */
static redist_err use_plainly(const struct job *job)
{
    char name[512];
    const struct matrix *m = job->matrix;
    int64_t before = 0, bytes = m->span * (int64_t)sizeof(double);
    name_file(job, name);
    MPI_Exscan(&bytes, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int file = open(name, job->reads ? O_RDONLY : O_WRONLY | O_CREAT, 0600);
    char *at = (char *)m->elements;
    for (int64_t done = 0; file >= 0 && done < bytes;) {
        ssize_t n = job->reads
                        ? pread(file, at + done, (size_t)(bytes - done), before + done)
                        : pwrite(file, at + done, (size_t)(bytes - done), before + done);
        if (n <= 0) break;
        done += n;
    }
    if (file < 0 || close(file)) return error_set(REDIST_ERR_IO, "%s: failed", name);
    return REDIST_OK;
}

static redist_err use(void *context)
{
    const struct job *job = context;
    char name[512];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    name_file(job, name);
    if (!job->reads && rank == 0) (void)unlink(name); /* all make a new file */
    MPI_Barrier(MPI_COMM_WORLD);
    switch (job->format) {
        case PLAIN: return use_plainly(job);
        case BY_MPI_IO: return use_mpi_io(job);
        case CHECKPOINT: return use_checkpoint(job);
        default: return use_file(job);
    }
}

static redist_err make_matrix(const struct arguments *arguments, enum spreading spread,
                              struct matrix *m)
{
    int rank, nprocs, shape[2] = {0, 0}, side = (int)arguments->side;
    int sides[] = {side, side}, ways[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
    int blocks[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    char text[128];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Dims_create(nprocs, 2, shape);
    (void)snprintf(text, sizeof text, spread_text[spread], (long long)side, shape[0],
                   shape[1]);
    TRY(redist_view_parse(text, &m->dist, &m->view));
    TRY(redist_view_span(&m->view, rank, &m->span));
    m->elements = calloc((size_t)m->span + 1, sizeof(double));
    if (!m->elements) return error_set(REDIST_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < m->span; k++) m->elements[k] = (double)k;
    for (int i = 0; i < 2 && spread == CYCLIC; i++) {
        ways[i] = MPI_DISTRIBUTE_CYCLIC;
        blocks[i] = 3;
    }
    MPI_Type_create_darray(nprocs, rank, 2, sides, ways, blocks, shape, MPI_ORDER_C,
                           MPI_DOUBLE, &m->darray);
    MPI_Type_commit(&m->darray);
    return REDIST_OK;
}

static void free_matrix(struct matrix *m)
{
    redist_dist_destroy(&m->dist);
    free(m->elements);
    MPI_Type_free(&m->darray);
}

static const char *title(const struct job *job)
{
    return job->format == PLAIN        ? "plain pieces"
           : job->format == BY_MPI_IO  ? "MPI-IO, darray"
           : job->format == CHECKPOINT ? "checkpoint"
                                       : suffixes[job->format];
}

/* Race all contenders over one spread; print their times, also over plain and blocks. */
static redist_err race(const struct arguments *arguments, const struct matrix *m,
                       enum spreading spread, bool reads, double block_seconds[MOST])
{
    struct job jobs[MOST];
    struct racer racers[MOST];
    int n = 0, rank;
    for (int format = PLAIN; format < NSUFFIXES; format++) {
        jobs[n] = (struct job){arguments, m, format, n, false};
        if (use(&jobs[n]) == REDIST_OK) { /* also the file that is read */
            jobs[n].reads = reads;
            racers[n] = (struct racer){.run = use, .context = &jobs[n]};
            n++;
        }
    }
    TRY(race_run(MPI_COMM_WORLD, (int)arguments->repetitions, n, racers));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < n; k++) {
        double seconds = racers[k].seconds.median;
        if (spread == BLOCKS) block_seconds[k] = seconds;
        if (rank == 0)
            printf("  %-9s %-15s %9.1f ms   %5.2f of plain   %5.2f of blocks\n",
                   spread_name[spread], title(&jobs[k]), 1e3 * seconds,
                   seconds / racers[0].seconds.median, seconds / block_seconds[k]);
    }
    return REDIST_OK;
}

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    double block_seconds[MOST];
    char command[600];
    int rank;
    MPI_Comm_rank(comm, &rank);
    program_print_turns(comm, arguments->repetitions);
    for (int reads = 0; reads < 2; reads++) {
        if (rank == 0) printf("%s\n", reads ? "read" : "write");
        for (int spread = 0; spread < SPREADS; spread++) {
            struct matrix m = {0};
            TRY(make_matrix(arguments, (enum spreading)spread, &m));
            redist_err err =
                race(arguments, &m, (enum spreading)spread, reads != 0, block_seconds);
            free_matrix(&m);
            if (err) return err;
        }
    }
    (void)snprintf(command, sizeof command, "rm -rf '%s'/bench_files.[0-9]*",
                   arguments->folder);
    MPI_Barrier(comm);
    if (rank == 0 && system(command) != 0)
        return error_set(REDIST_ERR_IO, "the files cannot be removed");
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {4096, 7, "."};
    const struct argument options[] = {
        {"side", .number = &arguments.side, .least = 1, .most = 40000},
        {"reps", .number = &arguments.repetitions, .least = 1, .most = 1000},
        {"to", .text = &arguments.folder},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
