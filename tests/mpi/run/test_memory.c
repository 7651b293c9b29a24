/* SPDX-License-Identifier: MIT
 *
 * One process runs out of memory: the k-th allocation fails there, in each operation that
 * allocates, on each process in turn. All processes return the same error with one
 * sentence, nothing is left allocated, and a plan that came about runs without
 * allocating. So too where what fails is the system's, shared pages, or MPI's: an object
 * of one process, or one that all make together.
 */
#include <sys/mman.h>

#include "base/mem.h"
#include "mpi/run/scene.h"
#include "mpi/trace.h"

/* ---- what can fail ----------------------------------------------------------------- */

enum scarcity { ALLOCATIONS, PAGES, OWN_OBJECTS, COMMON_OBJECTS, SCARCITIES };

/* Countdowns of calls that the library itself makes, on the thread that sets them. */
static _Thread_local int64_t countdown[SCARCITIES];

static bool fails(enum scarcity scarcity)
{
    return countdown[scarcity] > 0 && --countdown[scarcity] == 0;
}

/* The linker takes these for the library's calls of the C library. */
int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags)
{
    return fails(PAGES) ? -1 : __real_memfd_create(name, flags);
}

void *__real_mmap(void *address, size_t bytes, int rights, int flags, int file, off_t at);
void *__wrap_mmap(void *address, size_t bytes, int rights, int flags, int file, off_t at);
void *__wrap_mmap(void *address, size_t bytes, int rights, int flags, int file, off_t at)
{
    return fails(PAGES) ? MAP_FAILED
                        : __real_mmap(address, bytes, rights, flags, file, at);
}

/* As of trace_refuses. An info object is made when others are already in a common call,
 * which MPI does not let them leave. */
static bool object_fails(const int *kind)
{
    bool common = kind == &trace.communicators || kind == &trace.windows;
    return kind != &trace.infos && fails(common ? COMMON_OBJECTS : OWN_OBJECTS);
}

/* Let the k-th fail, on this process. */
static void set(enum scarcity scarcity, int64_t k)
{
    if (scarcity == ALLOCATIONS)
        mem_fail_at(k);
    else
        countdown[scarcity] = k;
}

static int64_t left(enum scarcity scarcity)
{
    return scarcity == ALLOCATIONS ? mem_fail_left() : countdown[scarcity];
}

/* ---- one failure ------------------------------------------------------------------- */

struct trial {
    const struct operation *operation;
    const char *strategy;
    enum scarcity scarcity;
    int victim; /* world rank */
    int64_t k;
};

/* Describe a trial: for one sentence. */
static const char *words(const struct trial *trial)
{
    static const char *const names[] = {"allocation", "mapping", "object",
                                        "common object"};
    static char text[256];
    (void)snprintf(text, sizeof text, "%s (%s): %s %" PRId64 " of rank %d",
                   trial->operation->name, trial->strategy ? trial->strategy : "auto",
                   names[trial->scarcity], trial->k, trial->victim);
    return text;
}

/* Whoever calls a function of one process alone learns of it alone. */
static void check_error(const struct trial *trial, redist_err err)
{
    char rank[32] = "rank ";
    const char *got = redist_error_message();
    if (trial->operation->local) {
        CHECK(err == (world_rank() == trial->victim ? REDIST_ERR_MEMORY : REDIST_OK) &&
                  (!err || strncmp(got, "out of memory: ", 15) == 0),
              "%s: %s", words(trial), redist_error_name(err));
        return;
    }
    if (trial->scarcity == ALLOCATIONS) {
        CHECK(err == REDIST_ERR_MEMORY, "%s: %s", words(trial), redist_error_name(err));
        if (trial->operation->where != GROUPS) /* which have an order of their own */
            (void)snprintf(rank, sizeof rank, "rank %d: ", trial->victim);
        const char *named = strstr(got, "rank ");
        CHECK(named && strncmp(named, rank, strlen(rank)) == 0 &&
                  !strstr(named + strlen(rank), "rank ") &&
                  strstr(named, ": out of memory: "),
              "%s: rank %d is not named", words(trial), trial->victim);
    }
    int codes[] = {(int)err, -(int)err};
    PMPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    CHECK(codes[0] == -codes[1], "%s: %s is not the error of all", words(trial),
          redist_error_name(err));
    if (err) check_everywhere(err, err, 0, "%s", "");
}

/* A target that a failed call has left: as it was, or as a run makes it. */
static void check_target(const struct scene *scene)
{
    int64_t span = pair_span(&scene->pair, REDIST_TARGET, scene->rank[1]);
    bool any = false;
    for (int64_t e = 0; e < span; e++) any = any || scene->target[0][e] != -1;
    if (any) pair_check(&scene->pair, scene->rank[1], scene->target[0]);
}

/* What a plan says of its strategy. */
static void describe(const redist_plan *plan, size_t size, char text[])
{
    redist_report report = {.strategy = "", .origin = ""};
    if (plan) CHECK_OK(redist_plan_report(plan, &report));
    (void)snprintf(text, size, "%s, %s", report.strategy, report.origin);
}

/* Run a plan that came about; or that a failure has left as it was. */
static void check_plan(struct scene *scene, const struct trial *trial, redist_err err,
                       const char *before)
{
    char now[128];
    if (!scene->plan) return;
    describe(scene->plan, sizeof now, now);
    CHECK(!err || strcmp(now, before) == 0, "%s: the strategy is %s", words(trial), now);
    if (err) check_target(scene);
    mem_fail_at(1);
    scene_run(scene);
    CHECK_OK(redist_plan_destroy(&scene->plan));
    CHECK(mem_fail_left() == 1, "%s: a run allocates", words(trial));
    mem_fail_at(0);
}

/* Let one fail; return whether there were so many. */
static bool try(const struct trial *trial)
{
    bool everywhere = trial->scarcity == COMMON_OBJECTS;
    int64_t blocks = mem_live_blocks();
    int alive = trace_alive(), files = open_files();
    struct scene scene = scene_begin(trial->operation, trial->strategy);
    char before[128];
    describe(scene.plan, sizeof before, before);
    if (everywhere || world_rank() == trial->victim) set(trial->scarcity, trial->k);
    redist_err err = trial->operation->call(&scene);
    int64_t rest = left(trial->scarcity);
    set(trial->scarcity, 0);
    PMPI_Bcast(&rest, 1, MPI_INT64_T, trial->victim, MPI_COMM_WORLD);
    if (rest == 0)
        check_error(trial, err);
    else
        CHECK(!err, "%s: %s", words(trial), redist_error_name(err));
    CHECK(!err || (!scene.memory && !scene.made && !scene.dist &&
                   (!scene.plan || trial->operation->tuned)),
          "%s: something was handed out", words(trial));
    check_plan(&scene, trial, err, before);
    scene_end(&scene);
    CHECK(mem_live_blocks() == blocks, "%s leaks %" PRId64 " blocks", words(trial),
          mem_live_blocks() - blocks);
    CHECK(trace_alive() == alive, "%s leaks %d objects", words(trial),
          trace_alive() - alive);
    CHECK(open_files() == files, "%s leaks %d files", words(trial), open_files() - files);
    return rest == 0;
}

/* ---- all of them ------------------------------------------------------------------- */

/* Find how many of each this process needs. */
static void count(const struct operation *operation, const char *strategy,
                  int64_t counts[SCARCITIES])
{
    struct scene scene = scene_begin(operation, strategy);
    for (int s = 0; s < SCARCITIES; s++) set((enum scarcity)s, INT64_MAX);
    CHECK_OK(operation->call(&scene));
    for (int s = 0; s < SCARCITIES; s++) {
        counts[s] = INT64_MAX - left((enum scarcity)s);
        set((enum scarcity)s, 0);
    }
    scene_end(&scene);
}

/* Of one process all fail in turn in a long run, else the first, the last and some
 * between, others each time. Return how many have. */
static int64_t sweep(struct trial *trial, int64_t n)
{
    enum { POINTS = 4 };
    static int64_t turn;
    int64_t refused = 0;
    if (long_run()) {
        for (trial->k = 1; try(trial); trial->k++) refused++;
        return refused;
    }
    for (int64_t point = 0; point < (n < POINTS ? n : POINTS); point++) {
        int64_t even = 1 + (n - 1) * point / (POINTS - 1);
        bool inner = point > 0 && point < POINTS - 1;
        trial->k = n <= POINTS ? point + 1 : inner ? 1 + (even + turn++) % n : even;
        refused += try(trial);
    }
    return refused;
}

/* Let one process after the other run out of what the operation needs. */
static void try_all(const struct operation *operation, const char *strategy,
                    int64_t refused[SCARCITIES])
{
    struct trial trial = {operation, strategy, ALLOCATIONS, 0, 0};
    for (trial.victim = 0; trial.victim < world_size(); trial.victim++) {
        int64_t counts[SCARCITIES];
        count(operation, strategy, counts);
        PMPI_Bcast(counts, SCARCITIES, MPI_INT64_T, trial.victim, MPI_COMM_WORLD);
        for (int s = 0; s < SCARCITIES; s++) {
            trial.scarcity = (enum scarcity)s;
            if (s == COMMON_OBJECTS && trial.victim > 0) continue;
            if (s == OWN_OBJECTS && operation->tuned) continue; /* a run's requests */
            if (counts[s] > 0) refused[s] += sweep(&trial, counts[s]);
        }
    }
}

#define EACH "each" /* strategy that there is */

#define ROWS                                                                             \
    {                                                                                    \
        "[40,6] (cyclic(3),*) onto %1$d", "[40,6] (block,*) onto %1$d"                   \
    }
#define CYCLIC                                                                           \
    {                                                                                    \
        "[60] (cyclic(3)) onto %1$d", "[60] (cyclic(2)) onto %1$d"                       \
    }

static const struct operation operations[] = {
    {"plan", create,
     .texts = {"[40,6] (cyclic(3),*) onto %1$d",
               "[40,6] (block,*) onto %1$d column-major"},
     .strategy = EACH},
    {"plan from replicas", create,
     .texts = {"[40,6] (*,*) onto %1$d", "[40,6] (cyclic(1) from 0,*) onto %1$d"},
     .strategy = EACH},
    {"plan of irregular blocks", create,
     .texts = {"[40] (indirect(5*0,30*0,5*0)) onto %1$d", "[40] (block) onto %1$d"},
     .strategy = EACH},
    {"plan of a section", create,
     .texts = {"[41] (cyclic(4)) onto %1$d section [1:39:2]", "[20] (block) onto %1$d"},
     .strategy = EACH},
    {"plan to replicas", create,
     .texts = {"[40] (block) onto %1$d", "[40] (*) onto %1$d"}, .strategy = EACH},
    {"plan on nodes of two", create, .texts = ROWS, .strategy = "shared", .node = 2},
    {"plan in phases", create,
     .texts = {"[12,10] (cyclic(1),block) onto 2x2",
               "[12,10] (block,cyclic(2)) onto 2x2 column-major"},
     .strategy = "multiphase", .least = 4},
    {"plan with a schedule", create, .texts = CYCLIC, .strategy = "optimal/sendrecv"},
    {"plan with start times", create, .texts = CYCLIC, .strategy = "timeline"},
    {"plan, chosen", create, .texts = CYCLIC},
    {"plan, measured", create, .texts = CYCLIC, .where = FRESH},
    {"plan over a network", create, .texts = CYCLIC, .links = "mesh(%d)"},
    {"batch", create,
     .texts = {"[40,6] (block,*) onto %1$d", "[40,6] (cyclic,*) onto %1$d"},
     .strategy = EACH, .arrays = MOST_ARRAYS},
    {"between groups", create,
     .texts = {"[40,6] (cyclic(3),*) onto %2$d", "[40,6] (block,*) onto 1"},
     .strategy = EACH, .where = GROUPS, .least = 2},
    {"between groups, chosen", create,
     .texts = {"[40] (cyclic(3)) onto %2$d", "[40] (block) onto 1"}, .where = GROUPS,
     .least = 2},
    {"scaled", create, .texts = ROWS, .strategy = "nonblocking", .scaled = true},
    {"scaled, shared", create, .texts = ROWS, .strategy = "shared", .scaled = true},
    {"reduced", create,
     .texts = {"[40,6] (*,*) onto %1$d", "[40,6] (cyclic(3),*) onto %1$d"},
     .strategy = "nonblocking", .reduction = REDIST_REDUCTION_MAX},
    {"reduced, shared", create,
     .texts = {"[40,6] (*,*) onto %1$d", "[40,6] (cyclic(3),*) onto %1$d"},
     .strategy = "shared", .reduction = REDIST_REDUCTION_MAX},
    {"in place", create, .texts = ROWS, .in_place = true},
    {"indexed", create_indexed,
     .texts = {"[40] (cyclic(3)) onto %1$d", "[40] (block) onto %1$d"},
     .strategy = "nonblocking"},
    {"indexed, shared", create_indexed,
     .texts = {"[40] (cyclic(3)) onto %1$d", "[40] (*) onto %1$d"}, .strategy = "shared"},
    {"indexed in runs", create_indexed,
     .texts = {"[200] (cyclic(20)) onto %1$d", "[200] (*) onto %1$d"}},
    {"indexed, chosen", create_indexed,
     .texts = {"[200] (cyclic(3)) onto %1$d", "[200] (block) onto %1$d"}},
    {"balance", balance, .listed = BALANCE_LISTED},
    {"balance, surplus", balance, .strategy = "nonblocking", .listed = BALANCE_LISTED,
     .method = REDIST_BALANCE_B},
    {"balance of many", balance, .strategy = "nonblocking", .method = REDIST_BALANCE_B},
    {"balance of sizes", balance, .strategy = "nonblocking", .listed = -1},
    {"tuning", tune, .texts = CYCLIC, .tuned = true},
    {"tuning, measured", tune, .texts = ROWS, .strategy = "aggregated", .tuned = true,
     .where = FRESH},
    {"tuning from phases", tune, .texts = ROWS, .strategy = "multiphase", .tuned = true},
    {"tuning from datatypes", tune, .texts = ROWS, .strategy = "naive", .tuned = true},
    {"tuning from an order", tune, .texts = CYCLIC, .strategy = "shifted/sendrecv",
     .tuned = true},
    {"tuning, shared", tune, .texts = CYCLIC, .strategy = "shared", .tuned = true},
    {"shared memory", alloc, .bytes = 1000},
    {"shared memory in large pages", alloc, .bytes = 4 << 20},
    {"shared memory of a view", alloc_view,
     .texts = {"[40] (block) onto %1$d", "[40] (block) onto %1$d"}},
    {.name = "topology of nodes", .call = topology_of_nodes},
    {"topology of text", topology_of_text, .links = "tree(4:1,16)", .local = true},
    {"distribution of MPI", darray, .local = true},
    {"relabelled", relabel, .texts = ROWS, .local = true},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Of an operation, with one strategy or with all; of these in a short run the first
 * operation has all, others every fourth. */
static void try_operation(int number, int64_t refused[SCARCITIES])
{
    enum { SHARE = 4 };
    const struct operation *operation = &operations[number];
    if (world_size() < operation->least) return;
    if (operation->where == GROUPS && LACKS_INTERCOMMS) return;
    if (!operation->strategy || strcmp(operation->strategy, EACH) != 0) {
        try_all(operation, operation->strategy ? here(operation->strategy) : NULL,
                refused);
        return;
    }
    for (int k = 0; k < STRATEGIES; k++) {
        const char *strategy = here(all_strategies[k]);
        if (!long_run() && number > 0 && (k + number) % SHARE != 0) continue;
        if (operation->arrays > 1 && !moves_batches(strategy)) continue;
        try_all(operation, strategy, refused);
    }
}

int main(int argc, char **argv)
{
    int64_t all = 0;
    MPI_Init(&argc, &argv);
    unsetenv("REDIST_STRATEGY");
    trace_refuses = object_fails;
    if (world_rank() == 0)
        printf("%-32s%12s%12s%12s%16s\n", "failures of", "allocations", "mappings",
               "objects", "common objects");
    for (int number = 0; number < OPERATIONS; number++) {
        int64_t refused[SCARCITIES] = {0};
        try_operation(number, refused);
        if (world_rank() == 0)
            printf("%-32s%12" PRId64 "%12" PRId64 "%12" PRId64 "%16" PRId64 "\n",
                   operations[number].name, refused[ALLOCATIONS], refused[PAGES],
                   refused[OWN_OBJECTS], refused[COMMON_OBJECTS]);
        for (int s = 0; s < SCARCITIES; s++) all += refused[s];
    }
    CHECK(all > 0, "nothing was refused");
    return passed("%" PRId64 " were refused in %d operations", all, OPERATIONS);
}
