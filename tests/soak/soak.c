/* SPDX-License-Identifier: MIT
 *
 * Random plans of all that the interface can say, against an oracle from the definitions.
 *
 *   soak [--seed S] [--first K] [--cases N] [--seconds T] [--progress FILE] [--show]
 *   soak --draws D,D,.. [--show]
 *
 * Case k of a seed is the same in every run with as many processes. Before each case its
 * number is written to FILE, so that one that ends the program is known; --show prints
 * its words and its draws instead of running it; and --draws repeats it, or one that was
 * made smaller (script/soak). With REDIST_TEST_DEVICE=none there is no device: the
 * library then sends straight from the caller's arrays where it can.
 */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "soak/run.h"

enum { MOST_DRAWS = 1 << 20, MANY = 64 };

struct options {
    uint64_t seed;
    int64_t first, cases;
    double seconds; /* 0: no limit */
    int progress;   /* a file, or -1 */
    int shows;
};

static struct soak_case one;
static struct random_tape tape;

static void parse_draws(const char *text)
{
    tape.given = true;
    for (char *end; *text; text = *end ? end + 1 : end)
        tape.draw[tape.n++] = strtoull(text, &end, 10);
}

static void usage(const char *what)
{
    if (world_rank() == 0) (void)fprintf(stderr, "soak: bad argument %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Fewer where processes share few cores. */
static int64_t cases_here(void)
{
    int n = world_size();
    return usual_cases(n > 7 ? 60 : n > 4 ? 300 : 1000, 20000);
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.seed = test_seed(), .cases = cases_here(), .progress = -1};
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--show") == 0) {
            options.shows = 1;
            continue;
        }
        k++;
        if (strcmp(argv[k - 1], "--seed") == 0)
            options.seed = strtoull(value, NULL, 0);
        else if (strcmp(argv[k - 1], "--first") == 0)
            options.first = strtoll(value, NULL, 0);
        else if (strcmp(argv[k - 1], "--cases") == 0)
            options.cases = strtoll(value, NULL, 0);
        else if (strcmp(argv[k - 1], "--seconds") == 0)
            options.seconds = strtod(value, NULL);
        else if (strcmp(argv[k - 1], "--draws") == 0)
            parse_draws(value);
        else if (strcmp(argv[k - 1], "--progress") == 0 && world_rank() == 0)
            options.progress = open(value, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        else if (strcmp(argv[k - 1], "--progress") != 0)
            usage(argv[k - 1]);
    }
    if (tape.given) options.cases = 1;
    return options;
}

static void draw_numbered(const struct options *options, int64_t k)
{
    uint64_t state = options->seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)k + 1;
    random_next(&state);
    tape.next = 0;
    if (!tape.given) tape.n = 0;
    draw_case(&one, &state);
}

static void show(void)
{
    if (world_rank() != 0) return;
    print_case(stdout, &one);
    printf("draws ");
    size_t n = tape.given ? tape.next : tape.n;
    for (size_t d = 0; d < n; d++) printf("%s%" PRIu64, d ? "," : "", tape.draw[d]);
    printf("\n");
}

static void write_progress(int file, int64_t k)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%20" PRId64 "\n", k);
    if (file >= 0) CHECK(pwrite(file, text, (size_t)length, 0) == length, "--progress");
}

/* Seconds of the machine that this runs on: a simulation has its own clock_gettime, as a
 * macro. */
static double now(void)
{
    struct timespec time;
    (clock_gettime)(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Whether time is up, for all processes. */
static int is_late(const struct options *options, double begin)
{
    int late = options->seconds > 0 && now() - begin > options->seconds;
    MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return late;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    tape.room = MOST_DRAWS;
    tape.draw = malloc(MOST_DRAWS * sizeof *tape.draw);
    struct options options = parse(argc, argv);
    random_tape = &tape;
    double begin = now();
    int64_t k = options.first;
    teams_make();
    for (; k < options.first + options.cases; k++) {
        if (k % MANY == 0 && is_late(&options, begin)) break;
        write_progress(options.progress, k);
        draw_numbered(&options, k);
        if (options.shows)
            show();
        else
            run_case(&one, (uint64_t)k);
        free_case(&one);
    }
    teams_free();
    if (world_rank() == 0 && !options.shows) features_print();
    free(tape.draw);
    return passed("%" PRId64 " cases from %" PRId64, k - options.first, options.first);
}
