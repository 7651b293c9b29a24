/* SPDX-License-Identifier: MIT
 *
 * Many plans are made, run and destroyed, of all kinds in turn: afterwards the process
 * holds what it held when each had been there once. MPI's objects, files and blocks to
 * the last one; of memory that the system shows no more than MPI and the C library vary
 * by.
 */
#include <unistd.h>

#include "base/mem.h"
#include "mpi/run/scene.h"
#include "mpi/trace.h"

enum { FEW = 400, MANY = 100000, LINES = 10 };
enum { MAPPINGS = 8, KIB = 1 << 10 }; /* by which the system's numbers may vary */

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 }; /* freed memory is kept for a while */
#else
enum { SANITIZED = 0 };
#endif

#define ROWS                                                                             \
    {                                                                                    \
        "[40,6] (cyclic(3),*) onto %1$d", "[40,6] (block,*) onto %1$d column-major"      \
    }
#define LISTS                                                                            \
    {                                                                                    \
        "[40] (cyclic(3)) onto %1$d", "[40] (block) onto %1$d"                           \
    }

static const struct operation mix[] = {
    {"nonblocking", create, ROWS, .strategy = "nonblocking"},
    {"shared", create, ROWS, .strategy = "shared"},
    {"alltoallv", create, ROWS, .strategy = "alltoallv"},
    {"onesided", create, ROWS, .strategy = "onesided"},
    {"neighbor", create, ROWS, .strategy = "neighbor"},
    {"alltoallw", create, ROWS, .strategy = "alltoallw"},
    {"multiphase", create, ROWS, .strategy = "multiphase"},
    {"naive", create, ROWS, .strategy = "naive"},
    {"chosen", create, .texts = ROWS},
    {"batch", create, ROWS, .strategy = "shared", .arrays = MOST_ARRAYS},
    {"scaled", create, ROWS, .scaled = true},
    {"reduced",
     create,
     {"[40,6] (*,*) onto %1$d", "[40,6] (block,*) onto %1$d"},
     .reduction = REDIST_REDUCTION_MAX},
    {"in place", create, ROWS, .in_place = true},
    {"indexed", create_indexed, .texts = LISTS},
    {"balance", balance, .listed = BALANCE_LISTED},
    {"balance of many", balance, .strategy = "nonblocking"},
    {"between groups",
     create,
     {"[40] (cyclic(3)) onto %2$d", "[40] (block) onto 1"},
     .where = GROUPS,
     .least = 2},
    {"shared memory", alloc, .bytes = 1000},
    {"shared memory in large pages", alloc, .bytes = 4 << 20},
};
enum { KINDS = sizeof mix / sizeof *mix };

/* What the process holds. */
struct held {
    int64_t blocks, objects, files; /* must not grow at all */
    int64_t mappings, shared;       /* lines of /proc/self/maps, those of shared files */
    int64_t kib;                    /* resident */
};

static struct held look(void)
{
    struct held now = {
        mem_live_blocks(), trace_alive() + trace.flying, open_files(), 0, 0, 0};
    char line[1024];
    long long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file)) {
        now.mappings++;
        now.shared += strstr(line, "/dev/shm/") || strstr(line, "/memfd:");
    }
    if (file) (void)fclose(file);
    file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lld %lld", &pages, &resident) == 2)
        now.kib = resident * (sysconf(_SC_PAGESIZE) / 1024);
    if (file) (void)fclose(file);
    return now;
}

static void print(int64_t plans, const struct held *now)
{
    int64_t most[] = {now->kib,   now->mappings, now->shared,
                      now->files, now->objects,  now->blocks};
    PMPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (world_rank() > 0) return;
    printf("%10" PRId64, plans);
    for (int k = 0; k < 6; k++) printf("%10" PRId64, most[k]);
    printf("\n");
    fflush(stdout);
}

/* Compare with what was there after the first tenth. */
static void compare(const struct held *first, const struct held *now)
{
    CHECK(now->blocks == first->blocks, "%" PRId64 " blocks are left",
          now->blocks - first->blocks);
    CHECK(now->objects == first->objects, "%" PRId64 " objects are left",
          now->objects - first->objects);
    CHECK(now->files == first->files, "%" PRId64 " files are left",
          now->files - first->files);
    CHECK(now->shared == first->shared, "%" PRId64 " shared files are left",
          now->shared - first->shared);
    CHECK(SANITIZED || now->mappings <= first->mappings + MAPPINGS,
          "%" PRId64 " mappings more", now->mappings - first->mappings);
    CHECK(SANITIZED || now->kib <= first->kib + KIB, "%" PRId64 " KiB more",
          now->kib - first->kib);
}

/* Make, run and destroy. */
static void use(struct scene *scene)
{
    CHECK_OK(scene->operation->call(scene));
    if (scene->plan) scene_run(scene);
    CHECK_OK(redist_plan_destroy(&scene->plan));
    CHECK_OK(redist_free(scene->memory));
    scene->memory = NULL;
}

int main(int argc, char **argv)
{
    static struct scene scenes[KINDS];
    int n = 0;
    MPI_Init(&argc, &argv);
    unsetenv("REDIST_STRATEGY");
    int plans = number_of_cases(argc, argv, FEW, MANY);
    (void)mem_live_blocks(); /* counts from now on */
    for (int k = 0; k < KINDS; k++) {
        if (world_size() < mix[k].least) continue;
        if (mix[k].where == GROUPS && LACKS_INTERCOMMS) continue;
        scenes[n++] =
            scene_begin(&mix[k], mix[k].strategy ? here(mix[k].strategy) : NULL);
    }
    if (world_rank() == 0)
        printf("%10s%10s%10s%10s%10s%10s%10s\n", "plans", "KiB", "mappings", "shared",
               "files", "objects", "blocks");
    CHECK(plans / LINES >= n, "%d plans are too few", plans);
    struct held first = {0};
    for (int64_t done = 1; done <= plans; done++) {
        use(&scenes[done % n]);
        if (done % (plans / LINES) != 0) continue;
        struct held now = look();
        print(done, &now);
        if (first.kib == 0) first = now;
        compare(&first, &now);
    }
    for (int k = 0; k < n; k++) scene_end(&scenes[k]);
    return passed("%d plans of %d kinds leave nothing", plans, n);
}
