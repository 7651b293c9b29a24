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
 *   files      with --only K a job computes stage K alone, from the last checkpoint in
 *              DIR, which a job of any number of processes has written.
 *
 *   mpirun -n 4 elastic [--handover] [-n N] [--steps S] [--state DIR]
 *   mpirun -n P elastic --only K [--state DIR]
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
#include <redist/checkpoint.h>

#include "plate.h"

static const int shape[][2] = {{2, 2}, {3, 2}, {3, 1}};
enum { STAGES = sizeof shape / sizeof *shape };
enum { CANNOT_START = 3 }; /* the exit status where MPI_Comm_spawn fails */

/* What the command line says; a process that is started later is told for which stage. */
static struct {
    int argc;
    char **argv;
    int n, steps, handover, pool, only, stage;
    const char *state;
} asked = {.n = 240, .steps = 20, .only = -1};

/* The processes that compute a stage, and what this one has of the plate. A newcomer has
 * nothing yet, and `comm` is of those who come with it. */
struct job {
    MPI_Comm comm;
    int stage, newcomer;
    struct plate plate;
};

static int processes(int stage) { return shape[stage][0] * shape[stage][1]; }

/* Find who has what in a stage: who stays keeps as much as can be. */
static redist_dist *distribution(int stage)
{
    redist_dist *dist = blocks(asked.n, shape[stage][0], shape[stage][1]), *better;
    if (stage == 0 || asked.handover || asked.only >= 0) return dist;
    redist_dist *before = distribution(stage - 1);
    redist_view source = with_halo(before), target = with_halo(dist);
    check(redist_relabel(&source, &target, NULL, 0, &better, NULL));
    redist_dist_destroy(&before);
    redist_dist_destroy(&dist);
    return better;
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
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int failed = MPI_Comm_spawn(asked.argv[0], arguments, joining(stage), MPI_INFO_NULL,
                                0, comm, &inter, MPI_ERRCODES_IGNORE);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    free(arguments);
    if (!failed) return inter;
    if (rank_in(comm) == 0)
        (void)fputs("elastic: this MPI cannot start processes: see --pool\n", stderr);
    MPI_Finalize();
    exit(CANNOT_START);
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
    MPI_Comm_free(&all); /* Open MPI 4 hangs if it is to disconnect a merged one */
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
    struct plate whole = make_plate(blocks(asked.n, 1, 1), first);
    (void)move(job->comm, REDIST_SOURCE, &job->plate, &whole);
    if (rank == 0) {
        struct plate alone = make_plate(blocks(asked.n, 1, 1), 0);
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
    "usage: mpirun -n 4 elastic [--handover] [-n N] [--steps S] [--state DIR]\n"
    "       mpirun -n 6 elastic --pool ..               (13 with --handover)\n"
    "       mpirun -n P elastic --only K --state DIR ..  (K = 0, 1, 2: P = 4, 6, 3)\n"
    "N at least 5, S at least 1\n";

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"handover", no_argument, &asked.handover, 1},
        {"pool", no_argument, &asked.pool, 1},
        {"only", required_argument, NULL, 'o'},
        {"state", required_argument, NULL, 'd'},
        {"steps", required_argument, NULL, 's'},
        {"stage", required_argument, NULL, 'k'}, /* our own: see start */
        {0}};
    asked.argc = argc;
    asked.argv = argv;
    opterr = rank_in(MPI_COMM_WORLD) == 0;
    for (int c; (c = getopt_long(argc, argv, "n:", known, NULL)) != -1;) {
        if (c == 'n') asked.n = atoi(optarg);
        if (c == 's') asked.steps = atoi(optarg);
        if (c == 'o') asked.only = atoi(optarg);
        if (c == 'k') asked.stage = atoi(optarg);
        if (c == 'd') asked.state = optarg;
        if (c == '?') asked.n = 0;
    }
    int size = 0, needed = processes(0);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int wrong = asked.n < 5 || asked.steps < 1 || asked.only >= STAGES ||
                asked.stage >= STAGES || (asked.only > 0 && !asked.state) ||
                optind < argc;
    if (!wrong && asked.only >= 0) needed = processes(asked.only);
    if (!wrong && asked.pool) needed = first_joining(STAGES);
    if (!wrong && asked.stage > 0) needed = joining(asked.stage);
    if (!wrong && size == needed) return;
    if (rank_in(MPI_COMM_WORLD) == 0) (void)fputs(usage, stderr);
    MPI_Finalize();
    exit(2);
}

/* Read the plate as it was after the stage before, whoever had which part of it. */
static void restart(const struct job *job)
{
    redist_checkpoint *state;
    const struct plate *plate = &job->plate;
    int64_t step = (int64_t)asked.steps * job->stage;
    check(redist_checkpoint_open(job->comm, asked.state, step, &state));
    check(redist_checkpoint_read(state, "plate", &plate->view, MPI_DOUBLE, plate->u));
    check(redist_checkpoint_close(&state));
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
    if (job.stage > 0)
        restart(&job);
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
    if (!asked.state) return;
    redist_checkpoint *state;
    int64_t step = (int64_t)asked.steps * (job->stage + 1);
    const struct plate *plate = &job->plate;
    check(redist_checkpoint_create(job->comm, asked.state, step, &state));
    check(redist_checkpoint_write(state, "plate", &plate->view, MPI_DOUBLE, plate->u));
    check(redist_checkpoint_commit(&state, 2));
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
