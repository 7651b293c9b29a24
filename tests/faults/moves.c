/* SPDX-License-Identifier: MIT
 *
 * A program that makes plans of each exchange, runs them in both ways, checks every
 * element and destroys them, while one of its processes is killed, stopped or late.
 *
 *   moves STRATEGY|each REPEATS TIMEOUT_S [FAULT]
 *
 *   kill PHASE    the last process kills itself in create, execute, wait or destroy of a
 *                 repeat that the seed draws
 *   stop SECONDS  a child of the last process stops it for so long, and lets it go on for
 *                 as long, again and again
 *   late SECONDS  the same, but the process sleeps in a handler of a signal
 *   suspend SECONDS  the same with all processes at once, as a batch system stops a job
 *
 * A run that fails after a timeout is reported with the seconds that it took, and the
 * program ends with status 3: its plan cannot be destroyed.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "mpi/pair.h"
#include "seed.h"

enum phase { CREATE, EXECUTE, WAIT, DESTROY, PHASES };
static const char *const phase_names[PHASES] = {"create", "execute", "wait", "destroy"};

enum { GIVEN_UP = 3, EXECUTES = 3, MOST_DISTURBED = 64, HUGE_BYTES = 2 << 20 };
static const char in_place[] = "in place";

struct moves {
    struct pair pair;
    int rank;
    uint64_t seed;
    double timeout;
    int64_t *lent; /* the source where others can read it */
    /* the process that kills itself */
    bool doomed;
    enum phase phase;
    int countdown; /* phases of that kind before it is armed */
    double lasted; /* seconds, the last one of that kind */
};

/* ---- faults ------------------------------------------------------------------------ */

static struct timespec nap;

static void die(int signal)
{
    (void)signal;
    (void)kill(getpid(), SIGKILL);
}

static void sleep_on(int signal)
{
    (void)signal;
    (void)nanosleep(&nap, NULL);
}

static struct timespec spec_of(double seconds)
{
    long whole = (long)seconds;
    return (struct timespec){whole, (long)((seconds - (double)whole) * 1e9)};
}

/* Whom the child of the last process disturbs: that one first. */
static pid_t disturbed[MOST_DISTURBED], child;
static int ndisturbed;

static void send_all(int signal)
{
    for (int k = ndisturbed - 1; k >= 0; k--) (void)kill(disturbed[k], signal);
}

/* Send all one signal, and after the nap another one, until the parent ends. The child
 * holds no file of the parent: nobody waits for it to close them. */
static void disturb(int first, int second, uint64_t seed)
{
    pid_t parent = getppid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 1024; fd++) (void)close(fd);
    while (getppid() == parent) {
        struct timespec pause = spec_of(1e-6 * (1 + below(&seed, 200000)));
        (void)nanosleep(&pause, NULL);
        send_all(first);
        (void)nanosleep(&nap, NULL);
        if (second) send_all(second);
    }
    _exit(0);
}

/* Nobody is disturbed any more. */
static void end_fault(void)
{
    if (child <= 0) return;
    (void)kill(child, SIGKILL);
    send_all(SIGCONT);
}

static void begin_disturbing(const struct moves *moves, const char *fault, double seconds)
{
    bool all = strcmp(fault, "suspend") == 0, late = strcmp(fault, "late") == 0;
    pid_t own = getpid();
    CHECK(all || late || strcmp(fault, "stop") == 0, "no fault %s", fault);
    CHECK(world_size() <= MOST_DISTURBED, "too many processes");
    MPI_Allgather(&own, 1, MPI_INT, disturbed, 1, MPI_INT, MPI_COMM_WORLD);
    ndisturbed = all ? world_size() : 1;
    if (!all) disturbed[0] = own;
    if (moves->rank != world_size() - 1) return;
    nap = spec_of(seconds);
    struct sigaction action = {.sa_handler = sleep_on, .sa_flags = SA_RESTART};
    (void)sigaction(SIGUSR1, &action, NULL);
    child = fork();
    CHECK(child >= 0, "no child");
    if (child == 0) disturb(late ? SIGUSR1 : SIGSTOP, late ? 0 : SIGCONT, moves->seed);
}

static void begin_fault(struct moves *moves, const char *fault, const char *how,
                        int phases)
{
    if (strcmp(fault, "kill") != 0) {
        begin_disturbing(moves, fault, strtod(how, NULL));
        return;
    }
    moves->doomed = moves->rank == world_size() - 1;
    while (moves->phase < PHASES && strcmp(how, phase_names[moves->phase]) != 0)
        moves->phase++;
    CHECK(moves->phase < PHASES, "no phase %s", how);
    moves->countdown = 1 + below(&moves->seed, phases);
    (void)sigaction(SIGALRM, &(struct sigaction){.sa_handler = die}, NULL);
}

/* A phase begins: perhaps the process dies in it, or soon after. */
static double enter(struct moves *moves, enum phase phase)
{
    if (!moves->doomed || phase != moves->phase) return 0;
    if (--moves->countdown == 0) {
        int most = (int)(1e6 * moves->lasted) + 1;
        struct itimerval timer = {{0, 0}, {0, 1 + below(&moves->seed, most)}};
        (void)setitimer(ITIMER_REAL, &timer, NULL);
    }
    return MPI_Wtime();
}

static void leave(struct moves *moves, enum phase phase, double since)
{
    if (!moves->doomed || phase != moves->phase) return;
    moves->lasted = MPI_Wtime() - since;
    if (moves->lasted > 0.5) moves->lasted = 0.5;
}

/* ---- runs -------------------------------------------------------------------------- */

/* An error that a timeout allows ends the program; any other one is a fault of ours. */
static void check_run(const struct moves *moves, redist_err err, double began)
{
    if (!err) return;
    CHECK(moves->timeout > 0 && err == REDIST_ERR_MPI, "%s", redist_error_name(err));
    printf("rank %d: gave up after %.2f s: %s\n", moves->rank, MPI_Wtime() - began,
           redist_error_message());
    (void)fflush(stdout);
    _exit(GIVEN_UP);
}

/* Fill the buffers of a run: they may be one. */
static void fill(const struct moves *moves, int64_t *source, int64_t *target)
{
    int64_t span = pair_span(&moves->pair, REDIST_TARGET, moves->rank);
    for (int64_t e = 0; e < span; e++) target[e] = -1;
    span = pair_span(&moves->pair, REDIST_SOURCE, moves->rank);
    int64_t *number = pair_numbers(&moves->pair.view[REDIST_SOURCE], moves->rank);
    for (int64_t e = 0; e < span; e++) source[e] = number[e];
    free(number);
}

static void run_all(struct moves *moves, redist_plan *plan, int64_t *source,
                    int64_t *target)
{
    for (int k = 0; k < EXECUTES; k++) {
        fill(moves, source, target);
        double began = MPI_Wtime(), since = enter(moves, EXECUTE);
        check_run(moves, redist_execute(plan, source, target), began);
        leave(moves, EXECUTE, since);
        pair_check(&moves->pair, moves->rank, target);
    }
    for (int k = 0, done = 0; k < EXECUTES; k++, done = 0) {
        fill(moves, source, target);
        double began = MPI_Wtime(), since = enter(moves, WAIT);
        check_run(moves, redist_start(plan, source, target), began);
        if (k > 0) check_run(moves, redist_test(plan, &done), began);
        if (!done) check_run(moves, redist_wait(plan), began);
        leave(moves, WAIT, since);
        pair_check(&moves->pair, moves->rank, target);
    }
}

/* Make a plan, run it and destroy it. */
static void live(struct moves *moves, const char *strategy, bool lends)
{
    const struct pair *pair = &moves->pair;
    redist_options options = REDIST_OPTIONS_INIT;
    options.in_place = strcmp(strategy, in_place) == 0;
    options.strategy = options.in_place ? NULL : strategy;
    options.timeout_s = moves->timeout;
    redist_plan *plan = NULL;
    double since = enter(moves, CREATE);
    CHECK_OK(pair_create(pair, MPI_INT64_T, &options, &plan));
    leave(moves, CREATE, since);
    int64_t spans[2] = {pair_span(pair, REDIST_SOURCE, moves->rank),
                        pair_span(pair, REDIST_TARGET, moves->rank)};
    int64_t room = spans[0] + spans[1] + 1;
    int64_t *own = malloc((size_t)room * sizeof *own);
    CHECK(own, "no memory");
    if (options.in_place)
        run_all(moves, plan, own, own);
    else
        run_all(moves, plan, lends ? moves->lent : own, own + spans[0]);
    free(own);
    since = enter(moves, DESTROY);
    CHECK_OK(redist_plan_destroy(&plan));
    leave(moves, DESTROY, since);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK(argc == 4 || argc == 6, "moves STRATEGY|each REPEATS TIMEOUT_S [FAULT HOW]");
    bool each = strcmp(argv[1], "each") == 0;
    int repeats = atoi(argv[2]), taken = 0;
    struct moves moves = {.rank = world_rank(),
                          .seed = test_seed(),
                          .timeout = strtod(argv[3], NULL),
                          .lasted = 1e-3};
    static const char *const texts[2] = {"[96,401] (block,*) onto %1$d",
                                         "[96,401] (*,cyclic(3)) onto %1$d"};
    moves.pair = pair_of_world(texts);
    int64_t span = pair_span(&moves.pair, REDIST_SOURCE, moves.rank);
    void *lent = NULL;
    size_t bytes = (size_t)span * sizeof(int64_t) + HUGE_BYTES;
    CHECK_OK(redist_alloc(MPI_COMM_WORLD, bytes, &lent));
    moves.lent = lent;
    int once = each ? STRATEGIES + 1 : 1;
    if (argc == 6) begin_fault(&moves, argv[4], argv[5], repeats * once);
    for (int k = 0; k < repeats; k++) {
        for (int s = 0; s <= STRATEGIES; s++) {
            const char *strategy = s < STRATEGIES ? all_strategies[s] : in_place;
            if (!each && strcmp(strategy, argv[1]) != 0) continue;
            live(&moves, strategy, k % 2 == 1);
            taken++;
        }
    }
    end_fault();
    CHECK_OK(redist_free(lent));
    pair_free(&moves.pair);
    return passed("%d plans", taken);
}
