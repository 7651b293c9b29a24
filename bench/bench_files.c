/* SPDX-License-Identifier: MIT
 *
 * bench_files - write, read and copy a matrix of doubles, in turns with others.
 *
 *   script/bench files [-n PROCESSES] [--preset mpich] [--job JOB] [--side N] [--reps N]
 *                      [--memory MiB] [--to DIR]
 *
 *   --job spread      in each format, in blocks and cyclic(3) in both dimensions, beside
 *                     MPI-IO with MPI_Type_create_darray, HDF5 with a hyperslab of all
 *                     blocks, and plain writes of as many bytes, a piece a process
 *                     (4092 x 4092, 128 MiB); --memory is the cap of a process
 *   --job checkpoint  beside dd (11580 x 11580, 1 GiB): all wait for the disk
 *   --job rechunk     Zarr to other chunks, beside cp -r and dask, where that is
 *                     installed (23160 x 23160, 4 GiB); --memory is that of all processes
 *
 * A run takes some minutes: of --job spread, MPI-IO and HDF5 take most. Files are in DIR,
 * by default that of the build, and are removed. Nothing is left for the disk to be
 * written when a turn begins. Times are of the slowest process, medians.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <redist/files.h>

#include "base/error.h"
#include "files/files.h"
#include "program.h"
#include "tool/bench/race.h"

enum { MOST = 8, GRAIN = 12 /* of a side: for 2 to 16 processes, in threes */ };
static const int64_t MIB = 1 << 20;

static bool leads(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* ---- the matrix -------------------------------------------------------------------- */

static redist_err make_matrix(const struct arguments *arguments, int64_t block,
                              struct matrix *m)
{
    int rank, nprocs;
    char text[128];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    *m = (struct matrix){.side = arguments->side};
    MPI_Dims_create(nprocs, 2, m->grid);
    m->at[0] = rank / m->grid[1];
    m->at[1] = rank % m->grid[1];
    for (int i = 0; i < 2; i++) {
        m->block[i] = block ? block : m->side / m->grid[i];
        if (m->side < m->grid[i] || m->side % (m->block[i] * m->grid[i]) != 0)
            return error_set(REDIST_ERR_ARG,
                             "side is %lld, must be a multiple of 3 and of %d",
                             (long long)m->side, m->grid[i]);
    }
    (void)snprintf(text, sizeof text,
                   "[%lld,%lld] (cyclic(%lld),cyclic(%lld)) onto %dx%d",
                   (long long)m->side, (long long)m->side, (long long)m->block[0],
                   (long long)m->block[1], m->grid[0], m->grid[1]);
    TRY(redist_view_parse(text, &m->dist, &m->view));
    TRY(redist_view_span(&m->view, rank, &m->span));
    m->elements = malloc((size_t)m->span * sizeof(double));
    if (!m->elements) return error_set(REDIST_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < m->span; k++) m->elements[k] = (double)k;
    return REDIST_OK;
}

static void free_matrix(struct matrix *m)
{
    redist_dist_destroy(&m->dist);
    free(m->elements);
}

/* ---- a race ------------------------------------------------------------------------ */

static redist_err use(void *context)
{
    const struct job *job = context;
    return job->contender->use(job);
}

/* Do a job once, which also makes the file that is read. */
static redist_err try_job(const struct job *job)
{
    struct job once = *job;
    once.reads = false;
    TRY(prepare_job(&once));
    return use(&once);
}

/* Race those of n jobs that this build and machine can do; seconds[n] are medians, 0 for
 * the others. */
static redist_err race(const struct arguments *arguments, int n, struct job jobs[],
                       double seconds[])
{
    struct racer racers[MOST];
    int entered = 0, of[MOST];
    for (int k = 0; k < n; k++) {
        struct job *job = &jobs[k];
        job->arguments = arguments;
        (void)snprintf(job->name, sizeof job->name, "%s/bench_files.%d.%s",
                       arguments->folder, k, job->contender->ending);
        seconds[k] = 0;
        if (!job->contender->use) continue;
        if (try_job(job)) {
            if (leads())
                printf("%s is left out: %s\n", job->contender->title,
                       redist_error_message());
            continue;
        }
        of[entered] = k;
        racers[entered++] =
            (struct racer){.run = use, .prepare = prepare_job, .context = job};
    }
    TRY(race_run(MPI_COMM_WORLD, (int)arguments->repetitions, entered, racers));
    for (int e = 0; e < entered; e++) seconds[of[e]] = racers[e].seconds.median;
    for (int k = 0; k < n; k++) {
        jobs[k].reads = false;
        TRY(prepare_job(&jobs[k]));
    }
    return REDIST_OK;
}

/* ---- spread and checkpoint --------------------------------------------------------- */

static const char *const spread_names[] = {"blocks", "cyclic(3)"};

/* Race over one spread of the matrix. */
static redist_err race_spread(const struct arguments *arguments, int s, bool reads, int n,
                              const struct contender *const who[], double seconds[])
{
    struct matrix m = {0};
    struct job jobs[MOST];
    redist_err err = make_matrix(arguments, s ? 3 : 0, &m);
    for (int k = 0; k < n; k++)
        jobs[k] = (struct job){.matrix = &m, .contender = who[k], .reads = reads};
    if (!err) err = race(arguments, n, jobs, seconds);
    free_matrix(&m);
    return err;
}

static redist_err spread(const struct arguments *arguments)
{
    static const struct contender *const who[] = {
        &plain_pieces, &by_mpi_io, &by_hdf5, &by_redist[0], &by_redist[1], &by_redist[2]};
    enum { N = sizeof who / sizeof *who };
    for (int reads = 0; reads < 2; reads++) {
        double seconds[2][MOST];
        for (int s = 0; s < 2; s++) {
            TRY(race_spread(arguments, s, reads != 0, N, who, seconds[s]));
            for (int k = 0; k < N && leads(); k++)
                if (seconds[s][k] > 0)
                    printf(
                        "%-5s  %-9s  %-15s %9.1f ms   %6.2f of plain   %5.2f of blocks\n",
                        reads ? "read" : "write", spread_names[s], who[k]->title,
                        1e3 * seconds[s][k], seconds[s][k] / seconds[s][0],
                        seconds[s][k] / seconds[0][k]);
        }
    }
    return REDIST_OK;
}

static redist_err checkpoints(const struct arguments *arguments)
{
    static const struct contender *const who[] = {&by_dd, &plain_synced, &checkpoint};
    enum { N = sizeof who / sizeof *who };
    const double mib =
        (double)(arguments->side * arguments->side) * sizeof(double) / (double)MIB;
    for (int s = 0; s < 2; s++) {
        double seconds[MOST];
        TRY(race_spread(arguments, s, false, N, who, seconds));
        for (int k = 0; k < N && leads(); k++)
            printf("%-9s  %-15s %9.1f ms   %7.0f MiB/s   %5.2f of dd's rate\n",
                   spread_names[s], who[k]->title, 1e3 * seconds[k], mib / seconds[k],
                   seconds[0] / seconds[k]);
    }
    return REDIST_OK;
}

/* ---- other chunks ------------------------------------------------------------------ */

/* Chunks of the files that are copied: from, and to. */
static int64_t chunks[2][2];

static void name_source(const struct arguments *arguments, char name[NAME_BYTES])
{
    (void)snprintf(name, NAME_BYTES, "%s/bench_files.from.zarr", arguments->folder);
}

static redist_err open_zarr(const struct arguments *arguments, const char *name,
                            int which, bool create, redist_file **file)
{
    int nprocs;
    redist_file_layout layout = {.size = sizeof layout, .ndims = 2, .type = "<f8"};
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    options.staging_bytes = (size_t)(arguments->memory * MIB / 2 / nprocs);
    layout.version = which == 0 ? 2 : 0; /* which dask reads */
    for (int i = 0; i < 2; i++) {
        layout.shape[i] = arguments->side;
        layout.chunk[i] = chunks[which][i];
    }
    if (create) options.layout = &layout;
    return redist_file_open(MPI_COMM_WORLD, name,
                            create ? REDIST_FILE_CREATE : REDIST_FILE_READ, &options,
                            file);
}

static redist_err copy_by_cp(const struct job *job)
{
    char command[2 * NAME_BYTES + 32], from[NAME_BYTES];
    name_source(job->arguments, from);
    (void)snprintf(command, sizeof command, "cp -r '%s' '%s'", from, job->name);
    return run_command(command);
}

static redist_err copy_by_redist(const struct job *job)
{
    char name[NAME_BYTES];
    redist_file *from = NULL, *to = NULL;
    name_source(job->arguments, name);
    redist_err err = open_zarr(job->arguments, name, 0, false, &from);
    if (!err) err = open_zarr(job->arguments, job->name, 1, true, &to);
    if (!err) err = redist_file_copy(from, to);
    redist_err closed = redist_file_close(&to);
    (void)redist_file_close(&from);
    return err ? err : closed;
}

static redist_err copy_by_dask(const struct job *job)
{
    char command[2 * NAME_BYTES + 256], from[NAME_BYTES];
    int nprocs;
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    name_source(job->arguments, from);
    (void)snprintf(command, sizeof command,
                   "python3 -c \"import dask, dask.array as a; "
                   "dask.config.set(scheduler='threads', num_workers=%d); "
                   "a.from_zarr('%s').rechunk((%lld, %lld)).to_zarr('%s')\" 2>/dev/null",
                   nprocs, from, (long long)chunks[1][0], (long long)chunks[1][1],
                   job->name);
    return run_command(command);
}

static redist_err remove_source(const struct arguments *arguments)
{
    char name[NAME_BYTES], command[NAME_BYTES + 16];
    name_source(arguments, name);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", name);
    return run_command(command);
}

static redist_err make_source(const struct arguments *arguments)
{
    char name[NAME_BYTES];
    struct matrix m = {0};
    redist_file *file = NULL;
    name_source(arguments, name);
    redist_err err = remove_source(arguments);
    if (!err) err = make_matrix(arguments, 0, &m);
    if (!err) err = open_zarr(arguments, name, 0, true, &file);
    if (!err) err = redist_file_write(file, &m.view, MPI_DOUBLE, m.elements);
    redist_err closed = redist_file_close(&file);
    free_matrix(&m);
    return err ? err : closed;
}

static redist_err rechunk(const struct arguments *arguments)
{
    static const struct contender who[] = {{"cp -r", "zarr", copy_by_cp},
                                           {"redist", "zarr", copy_by_redist},
                                           {"dask", "zarr", copy_by_dask}};
    enum { N = sizeof who / sizeof *who };
    const int64_t side = arguments->side;
    const int64_t cases[][2][2] = {
        {{512, 512}, {1024, 256}}, {{64, side}, {512, 512}}, {{64, side}, {side, 64}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double seconds[MOST];
        struct job jobs[N];
        memcpy(chunks, cases[c], sizeof chunks);
        TRY(make_source(arguments));
        for (int k = 0; k < N; k++) jobs[k] = (struct job){.contender = &who[k]};
        TRY(race(arguments, N, jobs, seconds));
        for (int k = 0; k < N && leads(); k++)
            if (seconds[k] > 0)
                printf("%5lld x %-5lld -> %5lld x %-5lld  %-7s %8.2f s   %5.2f of cp's "
                       "rate\n",
                       (long long)chunks[0][0], (long long)chunks[0][1],
                       (long long)chunks[1][0], (long long)chunks[1][1], who[k].title,
                       seconds[k], seconds[0] / seconds[k]);
    }
    return remove_source(arguments);
}

/* ---- options ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    redist_err (*run)(const struct arguments *arguments);
    int64_t side, memory; /* unless told */
} all_jobs[] = {{"spread", spread, 341 * GRAIN, 64},
                {"checkpoint", checkpoints, 965 * GRAIN, 64},
                {"rechunk", rechunk, 1930 * GRAIN, 256}};

static redist_err bench(MPI_Comm comm, void *context)
{
    struct arguments *arguments = context;
    for (size_t k = 0; k < sizeof all_jobs / sizeof *all_jobs; k++) {
        if (strcmp(all_jobs[k].name, arguments->job) != 0) continue;
        if (!arguments->side) arguments->side = all_jobs[k].side;
        if (!arguments->memory) arguments->memory = all_jobs[k].memory;
        program_print_turns(comm, arguments->repetitions);
        return all_jobs[k].run(arguments);
    }
    return error_set(REDIST_ERR_ARG, "--job %s: must be spread, checkpoint or rechunk",
                     arguments->job);
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.repetitions = 5, .folder = ".", .job = "spread"};
    const struct argument options[] = {
        {"side", .number = &arguments.side, .least = 1, .most = 100000},
        {"reps", .number = &arguments.repetitions, .least = 1, .most = 1000},
        {"memory", .number = &arguments.memory, .least = 1, .most = 1 << 20},
        {"to", .text = &arguments.folder},
        {"job", .text = &arguments.job},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
