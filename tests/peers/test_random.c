/* SPDX-License-Identifier: MIT
 *
 * Random calls of every routine of the drop-in, compared with ScaLAPACK's own and with
 * what the routines' definitions say: all of the local arrays, gaps between columns and
 * bytes before and behind included. Grids of any shape over any processes, in contexts of
 * some or all of these; sections; processes outside of one or both grids, whose
 * descriptors hold nothing of use; both sections in one array.
 *
 * A batch of calls shares its grids. Half of the calls are former ones, with other
 * numbers and leading dimensions: their plans are found, or were dropped and are made
 * again. Some are called so often that they get better plans. The drop-in's own report,
 * and its counts, come last.
 *
 *   test_random [cases]                     REDIST_TEST_LONG=1: more of them;
 *                                           REDIST_TEST_SEED=<seed> repeats them
 *   test_random <batch> <count>             the first calls of a batch
 *   test_random <batch> <call> [<call>..]   calls as shrink.py prints them
 *
 * A call that fails is told as "repeat: <batch> <count>".
 */
#include <signal.h>
#include <unistd.h>

#include "peers/drawn_calls.h"
#include "seed.h"

enum { CASES = 300, LONG = 20000, STUCK_S = 100, STUCK_ALONE_S = 4 };
enum { MOST_CALLS = 150, FEWEST_CALLS = 10 };

static void say_where(int signal)
{
    ssize_t written = write(STDERR_FILENO, where, strlen(where));
    (void)written;
    _exit(128 + signal);
}

/* ---- batches ----------------------------------------------------------------------- */

/* Change one number of how a matrix is dealt out, or of the section's place in it: a plan
 * is found only if that made no difference. */
static void change_one(uint64_t *seed, struct matrix_layout *layout)
{
    int d = (int)random_in(seed, 0, 1);
    int *const numbers[] = {&layout->start[d], &layout->block[d], &layout->head[d],
                            &layout->source[d]};
    *numbers[random_in(seed, 0, 3)] += (int)random_in(seed, 1, 4);
}

/* Draw a call, or take a former one with other numbers in its matrices, and perhaps one
 * of its own. `seed` draws it, `calls`[count] receives it. */
static void draw_next(uint64_t *seed, const struct grids *grids, struct call calls[],
                      int count)
{
    struct call *call = &calls[count];
    bool former = count > 0 && random_in(seed, 0, 1);
    *call = former ? calls[random_in(seed, 0, count - 1)] : draw_call(seed, grids);
    if (former && random_in(seed, 0, 3) == 0)
        change_one(seed, &call->side[random_in(seed, 0, 1)]);
    call->number = (int)random_in(seed, 0, 1 << 30);
    call->runs = (int)random_in(seed, 1, 2);
    if (random_in(seed, 0, 199) == 0 && (int64_t)call->m * call->n < 10000)
        call->runs = (int)random_in(seed, 60, 300);
}

static void begin(int batch, int count, unsigned seconds)
{
    (void)snprintf(where, sizeof where, "repeat: %d %d\n", batch, count);
    (void)alarm(seconds);
}

static void print_call(const struct call *call)
{
    int numbers[NUMBERS_OF_CALL];
    memcpy(numbers, call, sizeof numbers);
    for (int k = 0; k < NUMBERS_OF_CALL; k++) printf(k ? ",%d" : "call %d", numbers[k]);
    printf("\n");
    fflush(stdout);
}

/* Do the first calls of a batch. Returns how many. */
static int run_batch(int batch, int most, bool prints)
{
    static struct call calls[MOST_CALLS];
    uint64_t seed = hash_int(HASH_START, batch) | 1;
    struct grids grids = make_grids(&seed);
    int count = (int)random_in(&seed, FEWEST_CALLS, MOST_CALLS), done = 0;
    for (; done < count && done < most; done++) {
        begin(batch, done + 1, STUCK_S);
        draw_next(&seed, &grids, calls, done);
        if (prints && world_rank() == 0) print_call(&calls[done]);
        run_call(&calls[done], &grids, true);
    }
    free_grids(&grids);
    return done;
}

/* Do calls that are written down, over a batch's grids. */
static void run_written(int batch, int n, char *const texts[])
{
    uint64_t seed = hash_int(HASH_START, batch) | 1;
    struct grids grids = make_grids(&seed);
    for (int k = 0; k < n; k++) {
        int numbers[NUMBERS_OF_CALL] = {0};
        struct call call;
        char *at = texts[k];
        for (int i = 0; i < NUMBERS_OF_CALL && *at; i++) {
            numbers[i] = (int)strtol(at, &at, 10);
            at += *at == ',';
        }
        memcpy(&call, numbers, sizeof call);
        begin(batch, k + 1, STUCK_ALONE_S);
        run_call(&call, &grids, true);
    }
    free_grids(&grids);
}

/* ---- the report -------------------------------------------------------------------- */

/* Print what the drop-in says of the first process, and check that every way was gone. */
static void report(const char *file, int cases)
{
    char line[2000] = "", *at = NULL;
    int made = 0, found = 0, dropped = 0, needless = 0;
    FILE *lines = fopen(file, "r");
    while (lines && !at && fgets(line, sizeof line, lines))
        at = strncmp(line, "rank 0:", 7) == 0 ? strstr(line, "; plans") : NULL;
    if (lines) fclose(lines);
    CHECK(at, "%s has no line of rank 0", file);
    printf("%s", line);
    CHECK(sscanf(at, "; plans made %d, found %d, dropped %d, needless %d", &made, &found,
                 &dropped, &needless) == 4,
          "%s", at);
    if (cases >= CASES)
        CHECK(needless > 0 && made > 0 && found > 0 && dropped > 0, "%s", at);
}

int main(int argc, char **argv)
{
    int cases = 0, rank = 0;
    bool drawn = argc < 3, all = argc == 3 && !strchr(argv[2], ',');
    char file[64];
    MPI_Init(&argc, &argv);
    signal(SIGALRM, say_where);
    signal(SIGSEGV, say_where);
    rank = world_rank();
    if (drawn) {
        uint64_t seed = test_seed();
        int most = number_of_cases(argc, argv, CASES, LONG);
        int job = (int)getpid();
        MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
        (void)snprintf(file, sizeof file, "peers.random.%d", job);
        CHECK(setenv("REDIST_SCALAPACK_REPORT", file, 1) == 0, "no memory");
        while (cases < most)
            cases += run_batch((int)(random_next(&seed) >> 33), most - cases, false);
    } else if (all) {
        cases = run_batch(atoi(argv[1]), atoi(argv[2]), true);
    } else {
        run_written(atoi(argv[1]), argc - 2, argv + 2);
    }
    (void)alarm(STUCK_S);
    MPI_Finalize();
    if (drawn && rank == 0) report(file, cases);
    if (drawn && rank == 0) (void)unlink(file);
    if (rank == 0) printf("PASS: %d calls drawn\n", cases);
    return 0;
}
