/* SPDX-License-Identifier: MIT
 *
 * 10,000 calls leave nothing behind: no communicator, no request, no window, no memory,
 * though plans come and go, one of them after it was run so often that it was made once
 * more, and contexts too, of more sets of processes than are kept. All that MPI
 * makes is counted on its way through this program's own MPI_Comm_dup and the like; those
 * of the BLACS count too.
 */
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "peers/matrices.h"

/* All begins again after SETS contexts. */
enum { CALLS = 10000, SHAPES = 25, CALLS_OF_CONTEXT = 4 * SHAPES, SETS = 25, KEPT = 8 };

/* A matrix, in blocks that are dealt out to all, that is copied often. */
enum { OFTEN = 80, SELDOM = 5, N = 1000, BLOCK = 10 };

static int64_t communicators, requests, windows, made_windows, reductions, sends;

/* ---- counting ---------------------------------------------------------------------- */

static int born(int code, const MPI_Comm *made)
{
    communicators += code == MPI_SUCCESS && *made != MPI_COMM_NULL;
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    return born(PMPI_Comm_dup(comm, made), made);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    return born(PMPI_Comm_create(comm, group, made), made);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    return born(PMPI_Comm_split(comm, color, key, made), made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    return born(PMPI_Comm_split_type(comm, type, key, info, made), made);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    communicators--;
    return PMPI_Comm_free(comm);
}

int MPI_Send_init(const void *data, int n, MPI_Datatype type, int to, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    requests++;
    return PMPI_Send_init(data, n, type, to, tag, comm, request);
}

int MPI_Recv_init(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    requests++;
    return PMPI_Recv_init(data, n, type, from, tag, comm, request);
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sends++;
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Request_free(MPI_Request *request)
{
    requests--;
    return PMPI_Request_free(request);
}

static int opened(int code)
{
    windows += code == MPI_SUCCESS;
    made_windows += code == MPI_SUCCESS;
    return code;
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window)
{
    return opened(PMPI_Win_allocate(bytes, unit, info, comm, base, window));
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                            void *base, MPI_Win *window)
{
    return opened(PMPI_Win_allocate_shared(bytes, unit, info, comm, base, window));
}

int MPI_Win_free(MPI_Win *window)
{
    windows--;
    return PMPI_Win_free(window);
}

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    reductions++;
    return PMPI_Allreduce(from, to, n, type, op, comm);
}

/* ---- a call that comes often ------------------------------------------------------- */

static int global_of(int local)
{
    return (local / BLOCK * world_size() + world_rank()) * BLOCK + local % BLOCK;
}

/* Copy from columns to rows. What is brought stays the same, whatever moves it. A plan
 * that is found takes no reduction, one that is made does: the first time, as does what
 * is kept for these processes, and once more when it has run often. One process needs no
 * plan. */
static void copy_often(void)
{
    int made = 0;
    const int one = 1, n = N;
    int map[64];
    for (int k = 0; k < world_size(); k++) map[k] = k;
    int by_columns = make_grid(MPI_COMM_WORLD, map, 1, world_size());
    int by_rows = make_grid(MPI_COMM_WORLD, map, world_size(), 1);
    const int held = count_local(N, BLOCK, BLOCK, 0, world_size(), world_rank());
    const int lld = held > 0 ? held : 1;
    int desc_a[9] = {1, by_columns, N, N, BLOCK, BLOCK, 0, 0, N};
    int desc_b[9] = {1, by_rows, N, N, BLOCK, BLOCK, 0, 0, lld};
    double *a = calloc((size_t)N * (size_t)lld, sizeof *a);
    double *b = calloc((size_t)N * (size_t)lld, sizeof *b);
    CHECK(a && b, "no memory");
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    for (int j = 0; j < held; j++)
        for (int i = 0; i < N; i++) a[i + j * N] = i * N + global_of(j);
    for (int run = 0; run < OFTEN; run++) {
        memset(b, 0xff, (size_t)(N * lld) * sizeof *b);
        int64_t before = reductions;
        copy(&n, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &by_columns);
        made += reductions > before;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < held; i++)
                CHECK(b[i + j * lld] == global_of(i) * N + j, "run %d: (%d, %d) is %g",
                      run, i, j, b[i + j * lld]);
        CHECK(run >= SELDOM || made == 1, "made anew in run %d", run);
    }
    CHECK(made == 1 + (world_size() > 1), "a plan was made in %d of %d runs", made,
          OFTEN);
    free(a), free(b);
    Cblacs_gridexit(by_rows);
    Cblacs_gridexit(by_columns);
}

/* ---- a call that has nothing to send ----------------------------------------------- */

/* Add a matrix to another that is dealt out alike, from other rows and with another gap.
 * Where these processes have called before, nobody sends or reduces anything. */
static void add_aligned(void)
{
    enum { ROUND = 3 * BLOCK };
    const int from = 1 + ROUND, to = 1, m = N - ROUND, n = N;
    const double alpha = 2, beta = 3;
    int map[64];
    for (int k = 0; k < world_size(); k++) map[k] = k;
    int context = make_grid(MPI_COMM_WORLD, map, 1, world_size());
    const int held = count_local(N, BLOCK, BLOCK, 0, world_size(), world_rank());
    const int desc_a[9] = {1, context, N, N, BLOCK, BLOCK, 0, 0, N};
    const int desc_c[9] = {1, context, N, N, BLOCK, BLOCK, 0, 0, N + 1};
    double *a = calloc((size_t)N * (size_t)(held + 1), sizeof *a);
    double *c = calloc((size_t)(N + 1) * (size_t)(held + 1), sizeof *c);
    CHECK(a && c, "no memory");
    for (int j = 0; j < held; j++)
        for (int i = 0; i < N; i++) a[i + j * N] = i + j, c[i + j * (N + 1)] = i * j;
    geadd *sum;
    find_routine(OURS, "p", 'd', "geadd_", &sum);
    int64_t before = reductions + sends + requests + windows + communicators;
    sum("N", &m, &n, &alpha, a, &from, &to, desc_a, &beta, c, &to, &to, desc_c);
    CHECK(reductions + sends + requests + windows + communicators == before,
          "what is dealt out alike was talked about");
    for (int j = 0; j < held; j++)
        for (int i = 0; i < N; i++) {
            double added = i < m ? 2.0 * (i + ROUND + j) + 2.0 * i * j : 0;
            double is = c[i + j * (N + 1)];
            CHECK(is == i * j + added, "(%d, %d) is %g", i, j, is);
        }
    free(a), free(c);
    Cblacs_gridexit(context);
}

/* ---- calls from one process -------------------------------------------------------- */

/* Copy `m` rows from one process to all, which have blocks of rows: where there are few,
 * most have none. Returns how often this process has reduced anything. */
static int64_t copy_from(int root, int m)
{
    const int one = 1, n = N;
    int map[64];
    for (int k = 0; k < world_size(); k++) map[k] = k;
    int all = make_grid(MPI_COMM_WORLD, map, world_size(), 1);
    int alone = make_grid(MPI_COMM_WORLD, &root, 1, 1);
    int held = count_local(N, BLOCK, BLOCK, 0, world_size(), world_rank());
    const int desc_a[9] = {1, alone, N, N, N, N, 0, 0, N};
    const int desc_b[9] = {1, all, N, N, BLOCK, BLOCK, 0, 0, held > 0 ? held : 1};
    double *a = calloc((size_t)N * N, sizeof *a);
    double *b = calloc((size_t)N * (size_t)(held + 1), sizeof *b);
    CHECK(a && b, "no memory");
    for (int k = 0; k < N * N; k++) a[k] = k + 1;
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    int64_t before = reductions;
    copy(&m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &all);
    int64_t made = reductions - before;
    for (int i = 0; i < held; i++)
        for (int j = 0; j < N; j++) {
            int row = global_of(i), is = (int)b[i + j * desc_b[8]];
            CHECK(is == (row < m ? row + j * N + 1 : 0), "row %d of %d from %d: %d", row,
                  m, root, is);
        }
    free(a), free(b);
    if (alone >= 0) Cblacs_gridexit(alone);
    Cblacs_gridexit(all);
    return made;
}

/* The first process tells the others what they don't know of its matrix, and nobody
 * reduces anything; where it does not know, all tell all, and it asks no more until it
 * knows again. */
static void copy_from_one(void)
{
    const int last = world_size() - 1;
    const int roots[] = {0, 0, 0, last, last, 0, 0, 0}; /* with another plan each time */
    const int expected[] = {0, 0, 0, 1, 1, 1, 0, 0};
    for (int k = 0; k < 8; k++) {
        int64_t made = copy_from(roots[k], 8 + 3 * k);
        CHECK(made == (last > 0 ? expected[k] : 0), "%" PRId64 " reductions in call %d",
              made, k);
    }
}

/* One process is many calls ahead of another, and a third takes messages from whoever
 * sends: each call brings it its own, of what the two have. */
static void run_ahead(void)
{
    enum { RUNS = 6, ROWS = 3, COLUMNS = 2 };
    const int one = 1, m = ROWS, n = COLUMNS, from = 2 * ROWS + 1;
    const int map[] = {0, 1, 2};
    if (world_size() < 4) return;
    CHECK(setenv("REDIST_STRATEGY", "synchronous", 1) == 0, "no memory");
    int all = make_grid(MPI_COMM_WORLD, map, 3, 1);
    int two = make_grid(MPI_COMM_WORLD, map, 1, COLUMNS);
    const int desc_a[9] = {1, two, ROWS, COLUMNS, ROWS, 1, 0, 0, ROWS};
    const int desc_b[9] = {1, all, 3 * ROWS, COLUMNS, ROWS, COLUMNS, 0, 0, ROWS};
    double a[ROWS], b[ROWS * COLUMNS];
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    for (int run = 0; run < RUNS && all >= 0; run++) {
        if (world_rank() == 1) usleep(20000);
        for (int i = 0; i < ROWS; i++) a[i] = 100 * run + 10 * world_rank() + i;
        copy(&m, &n, a, &one, &one, desc_a, b, &from, &one, desc_b, &all);
        for (int k = 0; k < ROWS * COLUMNS && world_rank() == 2; k++) {
            int sender = k / ROWS;
            CHECK(b[k] == 100 * run + 10 * sender + k % ROWS, "run %d: b[%d] is %g", run,
                  k, b[k]);
        }
    }
    CHECK(unsetenv("REDIST_STRATEGY") == 0, "REDIST_STRATEGY is still there");
    if (two >= 0) Cblacs_gridexit(two);
    if (all >= 0) Cblacs_gridexit(all);
}

/* Copies none of which is like another, by plans that share memory: that of one which is
 * no longer kept is the next one's, as are the processes that share it. */
static void shrink(void)
{
    enum { MOST = 120, KEPT_PLANS = 32 };
    const int one = 1, map[] = {1, 3}; /* no others call by themselves */
    double a[MOST * MOST], b[MOST * MOST];
    gemr2d *copy;
    if (world_size() < 4) return;
    CHECK(setenv("REDIST_STRATEGY", "shared", 1) == 0, "no memory");
    int all = make_grid(MPI_COMM_WORLD, map, 1, 2);
    int rows = make_grid(MPI_COMM_WORLD, map, 2, 1);
    const int desc_a[9] = {1, all, MOST, MOST, 3, 3, 0, 0, MOST};
    const int desc_b[9] = {1, rows, MOST, MOST, 4, 4, 0, 0, MOST};
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    int64_t windows_then = made_windows, communicators_then = communicators;
    for (int k = 0, n = MOST; n > MOST / 2 && all >= 0; k++, n--) {
        int rank = world_rank() / 2, held = count_local(n, 4, 4, 0, 2, rank);
        for (int j = 0; j < count_local(n, 3, 3, 0, 2, rank); j++) {
            int column = (j / 3 * 2 + rank) * 3 + j % 3;
            for (int i = 0; i < n; i++) a[i + j * MOST] = i * MOST + column + k;
        }
        copy(&n, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &all);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < held; i++) {
                int row = (i / 4 * 2 + rank) * 4 + i % 4;
                CHECK(b[i + j * MOST] == row * MOST + j + k, "copy %d: (%d, %d) is %g", k,
                      row, j, b[i + j * MOST]);
            }
        if (k != KEPT_PLANS) continue;
        CHECK(made_windows > windows_then + k, "%" PRId64 " windows of %d plans",
              made_windows - windows_then, k + 1);
        windows_then = made_windows, communicators_then = communicators;
    }
    CHECK(made_windows == windows_then && communicators == communicators_then,
          "%" PRId64 " windows were made anew, %" PRId64 " communicators",
          made_windows - windows_then, communicators - communicators_then);
    CHECK(unsetenv("REDIST_STRATEGY") == 0, "REDIST_STRATEGY is still there");
    if (rows >= 0) Cblacs_gridexit(rows);
    if (all >= 0) Cblacs_gridexit(all);
}

/* ---- calls ------------------------------------------------------------------------- */

struct contexts {
    int all, a, b;
};

/* Of all processes or of some, another set each time. */
static struct contexts make_contexts(int number)
{
    int map[64], size = 0;
    int all = (1 << world_size()) - 1;
    int turn = number % SETS, set = turn % 3 == 0 ? all : 1 + 7 * turn % all;
    for (int k = world_size() - 1; k >= 0; k--)
        if (set >> k & 1) map[size++] = k;
    return (struct contexts){make_grid(MPI_COMM_WORLD, map, 1, size),
                             make_grid(MPI_COMM_WORLD, map, size, 1),
                             make_grid(MPI_COMM_WORLD, map, 1, (size + 1) / 2)};
}

static void free_contexts(struct contexts *contexts)
{
    if (contexts->b >= 0) Cblacs_gridexit(contexts->b);
    if (contexts->a >= 0) Cblacs_gridexit(contexts->a);
    if (contexts->all >= 0) Cblacs_gridexit(contexts->all);
}

static void call_all(const struct contexts *contexts, int k, double *a, double *b)
{
    const int n = 10 + k % SHAPES, one = 1, m = k % 2 ? n : 8;
    int desc_a[9] = {1, contexts->a, n, n, 3, 3, 0, 0, 64};
    int desc_b[9] = {1, contexts->b, n, n, 5, 2, 0, 0, 64};
    const double alpha = 2, beta = 1;
    static gemr2d *copy, *copy_old;
    static trmr2d *part;
    static geadd *sum;
    if (!copy) {
        find_routine(OURS, "p", 'd', "gemr2d_", &copy);
        find_routine(OURS, "p", 'd', "gemr2do_", &copy_old);
        find_routine(OURS, "p", 'd', "trmr2d_", &part);
        find_routine(OURS, "p", 'd', "geadd_", &sum);
    }
    if (k % 4 == 3) copy_old(&m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, NULL);
    if (contexts->all < 0) return;
    if (k % 4 == 0)
        copy(&m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &contexts->all);
    if (k % 4 == 1)
        part("U", "N", &m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b,
             &contexts->all);
    if (k % 4 == 2)
        sum("T", &m, &n, &alpha, a, &one, &one, desc_a, &beta, b, &one, &one, desc_a);
}

static int64_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double *a = calloc(64 * 64, sizeof *a), *b = calloc(64 * 64, sizeof *b);
    CHECK(a && b, "no memory");
    copy_often();
    copy_from_one();
    add_aligned();
    CHECK(setenv("REDIST_THREADS", "2", 1) == 0, "no memory"); /* half of it each */
    add_aligned();
    CHECK(unsetenv("REDIST_THREADS") == 0, "REDIST_THREADS is still there");
    int64_t communicators_then = 0, requests_then = 0, heap_then = 0;
    struct contexts contexts = {-1, -1, -1};
    for (int k = 0; k < CALLS; k++) {
        if (k % CALLS_OF_CONTEXT == 0) {
            if (k > 0) free_contexts(&contexts);
            contexts = make_contexts(k / CALLS_OF_CONTEXT);
        }
        call_all(&contexts, k, a, b);
        if (k == SETS * CALLS_OF_CONTEXT - 1) { /* by now there is all that is kept */
            communicators_then = communicators;
            requests_then = requests;
            heap_then = heap_bytes();
        }
    }
    int64_t growth = heap_bytes() - heap_then;
    CHECK(communicators <= communicators_then, "%" PRId64 " communicators, then %" PRId64,
          communicators, communicators_then);
    CHECK(requests <= requests_then, "%" PRId64 " requests, then %" PRId64, requests,
          requests_then);
    CHECK(windows <= KEPT, "%" PRId64 " windows of plans that are not kept", windows);
    free_contexts(&contexts);
    CHECK(communicators <= 2 * KEPT, "%" PRId64 " communicators without a context",
          communicators);
    CHECK(growth < 300000, "the heap has grown by %" PRId64 " bytes", growth);
    run_ahead();
    shrink();
    if (world_rank() == 0)
        printf("PASS: %d calls, the heap has grown by %" PRId64 " bytes\n", CALLS,
               growth);
    for (int k = 0; k < SETS; k++) { /* MPI_Finalize finds contexts that nobody freed */
        contexts = make_contexts(k);
        call_all(&contexts, 0, a, b);
    }
    free(a), free(b);
    MPI_Finalize();
    return 0;
}
