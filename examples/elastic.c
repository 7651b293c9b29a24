/* SPDX-License-Identifier: MIT
 *
 * Heat spreads over a plate while the job that computes it grows from 4 to 6 processes
 * and shrinks to 3; the plate follows.
 *
 *   stage 0: 2 x 2        stage 1: 3 x 2        stage 2: 3 x 1
 *
 *     0 0 0 1 1 1           0 0 0 1 1 1           0 0 0 0 0 0
 *     0 0 0 1 1 1           0 0 0 1 1 1           0 0 0 0 0 0
 *     0 0 0 1 1 1           4 4 4 5 5 5           1 1 1 1 1 1
 *     2 2 2 3 3 3           4 4 4 5 5 5           1 1 1 1 1 1
 *     2 2 2 3 3 3           2 2 2 3 3 3           2 2 2 2 2 2
 *     2 2 2 3 3 3           2 2 2 3 3 3           2 2 2 2 2 2
 *
 * Each process has a block of the N x N points, and in its halo the points next to it. A
 * step takes heat from the four neighbours of each point. Between two stages
 *
 *   merge      who is there stays. The 4 start 2 more (MPI_Comm_spawn) and become one
 *              group with them (MPI_Intercomm_merge); of the 6, 3 leave. What a process
 *              keeps stays in its memory, and redist_relabel sees to it that this is as
 *              much as can be: only points whose owner changes are sent.
 *   handover   all leave. The 4 start 6, hand everything over through the
 *              intercommunicator, and end; the 6 start 3, and so on.
 *   files      with --only K a job computes stage K alone, from the shards --from DIR;
 *              between the jobs `redist run` makes shards of N processes those of M.
 *
 *   mpirun -n 4 elastic [--handover] [-n N] [--steps S] [--shards DIR]
 *   mpirun -n P elastic --only K [--from DIR] [--shards DIR]
 *
 * Where an MPI cannot start processes, those that join later may be there from the start
 * and wait: --pool, with 6 processes, or 13 to hand over.
 *
 * The run checks itself, and aborts if it is wrong: the plate must be bit for bit what
 * one process computes alone, and no point may move that need not.
 */
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <redist/redist.h>

#include "shards.h"

static const int shape[][2] = {{2, 2}, {3, 2}, {3, 1}};
enum { STAGES = sizeof shape / sizeof *shape };
enum { NOBODY = -1 }; /* the rank of who has no part of a plate */

/* What the command line says; a process that is started later is told for which stage. */
static struct {
    int argc;
    char **argv;
    int n, steps, handover, pool, only, stage;
    const char *from, *shards;
} asked = {.n = 240, .steps = 20, .only = -1};

/* A plate in blocks; of this process's, u[rows + 2][columns + 2], the edge is the halo. */
struct plate {
    redist_dist *dist;
    redist_view view;
    int64_t rows, columns;
    double *u;
};

/* The processes that compute a stage, and what this one has of the plate. A newcomer has
 * nothing yet, and `comm` is of those who come with it. */
struct job {
    MPI_Comm comm;
    int stage, newcomer;
    struct plate plate;
};

/* End the run if the library has failed. */
static void check(redist_err err)
{
    if (!err) return;
    fprintf(stderr, "%s\n", redist_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int rank_in(MPI_Comm comm)
{
    int rank = NOBODY;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

static int processes(int stage) { return shape[stage][0] * shape[stage][1]; }

/* ---- plates ------------------------------------------------------------------------ */

static redist_view with_halo(const redist_dist *dist)
{
    redist_view view;
    check(redist_view_init(dist, &view));
    for (int i = 0; i < 2; i++) view.halo_low[i] = view.halo_high[i] = 1;
    return view;
}

static redist_dist *blocks(int rows, int columns)
{
    char text[64];
    redist_dist *dist;
    (void)snprintf(text, sizeof text, "[%d,%d] (block,block) onto %dx%d", asked.n,
                   asked.n, rows, columns);
    check(redist_dist_parse(text, &dist));
    return dist;
}

/* Find who has what in a stage: who stays keeps as much as can be. */
static redist_dist *distribution(int stage)
{
    redist_dist *dist = blocks(shape[stage][0], shape[stage][1]), *better;
    if (stage == 0 || asked.handover || asked.only >= 0) return dist;
    redist_dist *before = distribution(stage - 1);
    redist_view source = with_halo(before), target = with_halo(dist);
    check(redist_relabel(&source, &target, NULL, 0, &better, NULL));
    redist_dist_destroy(&before);
    redist_dist_destroy(&dist);
    return better;
}

static double *allocate(const struct plate *plate)
{
    double *u = calloc((size_t)((plate->rows + 2) * (plate->columns + 2)), sizeof *u);
    if (!u) MPI_Abort(MPI_COMM_WORLD, 1);
    return u;
}

/* Make the part of `rank`, which is cold. The plate takes the dist over. */
static struct plate make_plate(redist_dist *dist, int rank)
{
    struct plate plate = {.dist = dist, .view = with_halo(dist)};
    int64_t local[2] = {0};
    if (rank == NOBODY) return plate;
    check(redist_dist_local_extents(dist, rank, local));
    plate.rows = local[0];
    plate.columns = local[1];
    plate.u = allocate(&plate);
    return plate;
}

static void free_plate(struct plate *plate)
{
    redist_dist_destroy(&plate->dist);
    free(plate->u);
}

static double *point(const struct plate *plate, int64_t i, int64_t j)
{
    return plate->u + (i + 1) * (plate->columns + 2) + j + 1;
}

/* Heat the middle of a plate, more towards one corner. */
static void heat(struct plate *plate, int rank)
{
    int64_t n = asked.n, at[2];
    for (int64_t i = 0; i < plate->rows; i++) {
        for (int64_t j = 0; j < plate->columns; j++) {
            check(redist_dist_index(plate->dist, rank, (int64_t[2]){i, j}, at));
            int inside = 1;
            for (int axis = 0; axis < 2; axis++)
                inside = inside && at[axis] >= n / 4 && at[axis] < n - n / 4;
            if (inside) *point(plate, i, j) = 1 + (double)(at[0] + 2 * at[1]) / (double)n;
        }
    }
}

static struct shard shard_of(const struct plate *plate)
{
    return (struct shard){point(plate, 0, 0), plate->rows, plate->columns,
                          plate->columns + 2};
}

/* ---- the computation --------------------------------------------------------------- */

/* Find who has the blocks below and above along each axis: at the edge of the plate
 * nobody. */
static void find_neighbors(const struct plate *plate, int rank, int neighbor[2][2])
{
    const redist_grid *grid = redist_dist_grid(plate->dist);
    int coords[2];
    (void)redist_grid_coords(grid, rank, coords);
    for (int axis = 0; axis < 2; axis++) {
        for (int above = 0; above < 2; above++) {
            int next[2] = {coords[0], coords[1]};
            next[axis] += above ? 1 : -1;
            int there = redist_grid_rank(grid, next);
            neighbor[axis][above] = there < 0 ? MPI_PROC_NULL : there;
        }
    }
}

/* Bring the neighbours' points into the halo. */
static void update_halo(MPI_Comm comm, const struct plate *plate, int neighbor[2][2])
{
    const int64_t extent[2] = {plate->rows, plate->columns};
    MPI_Datatype line[2]; /* a row, a column */
    MPI_Type_contiguous((int)extent[1], MPI_DOUBLE, &line[0]);
    MPI_Type_vector((int)extent[0], 1, (int)extent[1] + 2, MPI_DOUBLE, &line[1]);
    for (int axis = 0; axis < 2; axis++) {
        MPI_Type_commit(&line[axis]);
        for (int above = 0; above < 2; above++) {
            int64_t out[2] = {0}, in[2] = {0};
            out[axis] = above ? extent[axis] - 1 : 0;
            in[axis] = above ? -1 : extent[axis];
            MPI_Sendrecv(point(plate, out[0], out[1]), 1, line[axis],
                         neighbor[axis][above], 0, point(plate, in[0], in[1]), 1,
                         line[axis], neighbor[axis][!above], 0, comm, MPI_STATUS_IGNORE);
        }
        MPI_Type_free(&line[axis]);
    }
}

/* Compute a step from u to `next`. */
static void step(const struct plate *plate, double *next)
{
    int64_t lead = plate->columns + 2;
    for (int64_t i = 1; i <= plate->rows; i++) {
        const double *u = plate->u + i * lead;
        double *v = next + i * lead;
        for (int64_t j = 1; j <= plate->columns; j++)
            v[j] =
                u[j] + 0.2 * (u[j - lead] + u[j + lead] + u[j - 1] + u[j + 1] - 4 * u[j]);
    }
}

static void compute(MPI_Comm comm, struct plate *plate, int steps)
{
    int neighbor[2][2];
    find_neighbors(plate, rank_in(comm), neighbor);
    double *spare = allocate(plate);
    for (int k = 0; k < steps; k++) {
        update_halo(comm, plate, neighbor);
        step(plate, spare);
        double *u = plate->u;
        plate->u = spare;
        spare = u;
    }
    free(spare);
}

/* ---- from stage to stage ----------------------------------------------------------- */

/* How many processes join for a stage; and the pool's rank of the first of them. */
static int joining(int stage)
{
    int needed = processes(stage), there = stage > 0 ? processes(stage - 1) : 0;
    if (asked.handover) return needed;
    return needed > there ? needed - there : 0;
}

static int first_joining(int stage)
{
    return stage == 0 ? 0 : first_joining(stage - 1) + joining(stage - 1);
}

/* Start the processes that join for a stage: this program, as it was called. */
static MPI_Comm start(MPI_Comm comm, int stage)
{
    MPI_Comm inter;
    char told[32];
    char **arguments = calloc((size_t)asked.argc + 1, sizeof *arguments);
    if (!arguments) MPI_Abort(MPI_COMM_WORLD, 1);
    (void)snprintf(told, sizeof told, "--stage=%d", stage);
    for (int k = 1; k < asked.argc; k++) arguments[k - 1] = asked.argv[k];
    arguments[asked.argc - 1] = told;
    MPI_Comm_spawn(asked.argv[0], arguments, joining(stage), MPI_INFO_NULL, 0, comm,
                   &inter, MPI_ERRCODES_IGNORE);
    free(arguments);
    return inter;
}

/* Bring those who are there and those who join for the next stage together. */
static MPI_Comm meet(const struct job *job)
{
    MPI_Comm inter;
    int next = job->stage + 1;
    int first_there = asked.handover ? first_joining(job->stage) : 0;
    if (asked.pool)
        MPI_Intercomm_create(job->comm, 0, MPI_COMM_WORLD,
                             job->newcomer ? first_there : first_joining(next), next,
                             &inter);
    else if (job->newcomer)
        MPI_Comm_get_parent(&inter);
    else
        inter = start(job->comm, next);
    return inter;
}

/* Move a plate; return how many points came to this process from others. Collective over
 * comm; the side is looked at where that is an intercommunicator. */
static int64_t move(MPI_Comm comm, redist_side side, const struct plate *from,
                    const struct plate *to)
{
    redist_plan *plan;
    redist_report report;
    redist_options options = REDIST_OPTIONS_INIT;
    options.side = side;
    check(redist_plan_create(comm, MPI_DOUBLE, &from->view, &to->view, &options, &plan));
    check(redist_execute(plan, from->u, to->u));
    check(redist_plan_report(plan, &report));
    check(redist_plan_destroy(&plan));
    return report.elements_received;
}

/* Those who join take everything over. */
static int64_t hand_over(struct job *job, struct plate *next)
{
    redist_side side = job->newcomer ? REDIST_TARGET : REDIST_SOURCE;
    MPI_Comm inter = meet(job);
    *next = make_plate(distribution(job->stage + 1),
                       job->newcomer ? rank_in(job->comm) : NOBODY);
    int64_t came = move(inter, side, &job->plate, next);
    MPI_Comm_disconnect(&inter);
    if (!job->newcomer) MPI_Comm_free(&job->comm);
    return came;
}

/* Those who join and those who are there become one; of all these, the first go on. */
static int64_t merge(struct job *job, struct plate *next)
{
    MPI_Comm all = job->comm;
    if (joining(job->stage + 1) > 0) {
        MPI_Comm inter = meet(job);
        MPI_Intercomm_merge(inter, job->newcomer, &all);
        MPI_Comm_disconnect(&inter);
        MPI_Comm_free(&job->comm);
    }
    int rank = rank_in(all), stays = rank < processes(job->stage + 1);
    *next = make_plate(distribution(job->stage + 1), stays ? rank : NOBODY);
    int64_t came = move(all, REDIST_SOURCE, &job->plate, next);
    MPI_Comm_split(all, stays ? 0 : MPI_UNDEFINED, rank, &job->comm);
    MPI_Comm_free(&all);
    return came;
}

static int64_t owners_that_change(const redist_dist *before, const redist_dist *after)
{
    int64_t index[2], changes = 0;
    int owner[2];
    for (index[0] = 0; index[0] < asked.n; index[0]++) {
        for (index[1] = 0; index[1] < asked.n; index[1]++) {
            check(redist_dist_owner(before, index, &owner[0], NULL));
            check(redist_dist_owner(after, index, &owner[1], NULL));
            changes += owner[0] != owner[1];
        }
    }
    return changes;
}

/* Say how many points moved; it must be those whose owner changed, and no others. */
static void report_move(const struct job *job, const struct plate *next, int64_t came)
{
    int64_t moved = 0, all = (int64_t)asked.n * asked.n, least = all;
    MPI_Reduce(&came, &moved, 1, MPI_INT64_T, MPI_SUM, 0, job->comm);
    if (rank_in(job->comm) != 0) return;
    if (!asked.handover) least = owners_that_change(job->plate.dist, next->dist);
    printf("  %d -> %d processes: %lld of %lld points have another owner, %lld moved%s\n",
           processes(job->stage), processes(job->stage + 1), (long long)least,
           (long long)all, (long long)moved, moved == least ? "" : ": WRONG");
    (void)fflush(stdout);
    if (moved != least) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Go on to the next stage. Return whether this process takes part in it. */
static int resize(struct job *job)
{
    struct plate next;
    int64_t came = asked.handover ? hand_over(job, &next) : merge(job, &next);
    int stays = job->comm != MPI_COMM_NULL;
    if (stays) report_move(job, &next, came);
    free_plate(&job->plate);
    *job = (struct job){.comm = job->comm, .stage = job->stage + 1, .plate = next};
    return stays;
}

/* ---- the program ------------------------------------------------------------------- */

/* Bring the plate to process 0 and compare it with what one process computes alone. */
static void check_result(const struct job *job)
{
    int rank = rank_in(job->comm), first = rank == 0 ? 0 : NOBODY;
    struct plate whole = make_plate(blocks(1, 1), first);
    (void)move(job->comm, REDIST_SOURCE, &job->plate, &whole);
    if (rank == 0) {
        struct plate alone = make_plate(blocks(1, 1), 0);
        heat(&alone, 0);
        compute(MPI_COMM_SELF, &alone, (job->stage + 1) * asked.steps);
        int right = 1;
        for (int64_t i = 0; i < asked.n; i++)
            right = right && memcmp(point(&whole, i, 0), point(&alone, i, 0),
                                    (size_t)asked.n * sizeof(double)) == 0;
        printf("  bit for bit that of one process alone: %s\n",
               right ? "right" : "WRONG");
        (void)fflush(stdout);
        if (!right) MPI_Abort(MPI_COMM_WORLD, 1);
        free_plate(&alone);
    }
    free_plate(&whole);
}

static const char usage[] =
    "usage: mpirun -n 4 elastic [--handover] [-n N] [--steps S] [--shards DIR]\n"
    "       mpirun -n 6 elastic --pool ..               (13 with --handover)\n"
    "       mpirun -n P elastic --only K [--from DIR] ..  (K = 0, 1, 2: P = 4, 6, 3)\n"
    "N at least 5, S at least 1; --from with --only 1 or 2\n";

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"handover", no_argument, &asked.handover, 1},
        {"pool", no_argument, &asked.pool, 1},
        {"only", required_argument, NULL, 'o'},
        {"from", required_argument, NULL, 'f'},
        {"shards", required_argument, NULL, 'd'},
        {"steps", required_argument, NULL, 's'},
        {"stage", required_argument, NULL, 'k'}, /* our own: see start */
        {0}};
    asked.argc = argc;
    asked.argv = argv;
    for (int c; (c = getopt_long(argc, argv, "n:", known, NULL)) != -1;) {
        if (c == 'n') asked.n = atoi(optarg);
        if (c == 's') asked.steps = atoi(optarg);
        if (c == 'o') asked.only = atoi(optarg);
        if (c == 'k') asked.stage = atoi(optarg);
        if (c == 'f') asked.from = optarg;
        if (c == 'd') asked.shards = optarg;
        if (c == '?') asked.n = 0;
    }
    int size = 0, needed = processes(0);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int wrong = asked.n < 5 || asked.steps < 1 || asked.only >= STAGES ||
                asked.stage >= STAGES || (asked.from != NULL) != (asked.only > 0) ||
                optind < argc;
    if (!wrong && asked.only >= 0) needed = processes(asked.only);
    if (!wrong && asked.pool) needed = first_joining(STAGES);
    if (!wrong && asked.stage > 0) needed = joining(asked.stage);
    if (!wrong && size == needed) return;
    if (rank_in(MPI_COMM_WORLD) == 0) (void)fputs(usage, stderr);
    MPI_Finalize();
    exit(2);
}

static struct job begin(void)
{
    struct job job = {.stage = asked.only >= 0 ? asked.only : asked.stage};
    int rank = rank_in(MPI_COMM_WORLD);
    while (asked.pool && rank >= first_joining(job.stage + 1)) job.stage++;
    MPI_Comm_split(MPI_COMM_WORLD, job.stage, rank, &job.comm);
    job.newcomer = asked.only < 0 && job.stage > 0;
    if (job.newcomer) job.stage--;
    job.plate = make_plate(distribution(job.stage), job.newcomer ? NOBODY : rank);
    if (job.newcomer) return job;
    struct shard shard = shard_of(&job.plate);
    if (asked.from)
        shard_read(asked.from, rank, &shard);
    else
        heat(&job.plate, rank);
    if (rank == 0) {
        printf("elastic: %d x %d points, %d steps a stage\n", asked.n, asked.n,
               asked.steps);
        (void)fflush(stdout);
    }
    return job;
}

static void end(const struct job *job)
{
    check_result(job);
    if (!asked.shards) return;
    struct shard shard = shard_of(&job->plate);
    shards_write(job->comm, asked.shards, job->plate.dist, &shard,
                 (uint64_t)((job->stage + 1) * asked.steps));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    read_options(argc, argv);
    struct job job = begin();
    int stays = !job.newcomer || resize(&job);
    while (stays) {
        compute(job.comm, &job.plate, asked.steps);
        if (asked.only >= 0 || job.stage == STAGES - 1) break;
        stays = resize(&job);
    }
    if (stays) end(&job);
    if (stays) MPI_Comm_free(&job.comm);
    free_plate(&job.plate);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
