/* SPDX-License-Identifier: MIT
 *
 * One process runs out of memory in a call, of which some processes are outside of a grid
 * or none: it is told on the context's communicator, whichever allocation it is, nobody
 * waits, and the next call works. So where all processes make the plan each for itself,
 * in the first call of its kind; where messages go in pieces; and where they agree
 * first, as the ranks of a grid follow no rule; in routines that compute, too. A
 * REDIST_STRATEGY that nobody understands is complained of once. The drop-in is linked
 * here, so that its allocations can be refused.
 */
#include <stdlib.h>
#include <unistd.h>

#include "mpi/scarce.h"
#include "peers/blacs.h"

gemr2d pdgemr2d_;
trmr2d pdtrmr2d_;
tran pdtran_;
geadd pdgeadd_;
tradd pdtradd_;

enum routine { GEMR2D, TRMR2D, TRAN, GEADD, TRADD };

enum { MOST = 400, LONGEST = 600 };
enum { OTHERS = 40 }; /* more than plans are kept */

/* What grid the target has beside the source's, of all processes, and what extent. The
 * PBLAS have but one grid. */
static const struct kind {
    const char *name;
    bool all, regular;
    int n;
    enum routine routine;
} kinds[] = {{"outside of a grid, short messages in pieces", false, true, 136, GEMR2D},
             {"outside of an irregular grid", false, false, 48, GEMR2D},
             {"all in both grids", true, true, 48, GEMR2D},
             {"all in both grids, irregular", true, false, 48, GEMR2D},
             {"all in both grids, short messages in pieces", true, true, 200, GEMR2D},
             {"all in both grids, long messages in pieces", true, true, LONGEST, GEMR2D},
             {"pdtrmr2d", false, true, 48, TRMR2D},
             {"pdtran", true, true, 48, TRAN},
             {"pdgeadd", true, true, 48, GEADD},
             {"pdtradd", true, true, 48, TRADD}};

static int raised;

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    raised++;
}

/* Contexts that nobody has called in: of all, and of those who have the target. */
struct contexts {
    int all, other, procs, n;
    enum routine routine;
};

static struct contexts make_contexts(const struct kind *kind, MPI_Errhandler handler)
{
    int map[64], size = world_size();
    struct contexts contexts = {
        .procs = size - !kind->all, .n = kind->n, .routine = kind->routine};
    for (int k = 0; k < size; k++) map[k] = size - 1 - k;
    contexts.all = make_grid(MPI_COMM_WORLD, map, 1, size);
    for (int k = 0; k < size; k++) map[k] = (k + !kind->all) % size;
    if (!kind->regular) map[0] ^= map[1], map[1] ^= map[0], map[0] ^= map[1];
    contexts.other = make_grid(MPI_COMM_WORLD, map, contexts.procs, 1);
    set_handler(contexts.all, handler);
    return contexts;
}

static void free_contexts(const struct contexts *contexts)
{
    if (contexts->other >= 0) Cblacs_gridexit(contexts->other);
    Cblacs_gridexit(contexts->all);
}

/* What comes to a place that held -1, from a matrix of i n + j. */
static double expect(enum routine routine, int n, int i, int j)
{
    if ((routine == TRMR2D || routine == TRADD) && i > j) return -1;
    return routine == TRAN ? j * n + i : i * n + j;
}

/* Overwrite rows 1 .. m of a matrix of other blocks in the same grid; whether what came
 * is right. */
static bool compute(const struct contexts *contexts, int m, const double *a,
                    const int desc_a[9], double *b)
{
    const int one = 1, n = contexts->n;
    const double alpha = 1, beta = 0;
    int desc_b[9] = {1, contexts->all, n, n, 3, 3, 0, 0, n};
    int row = 0, column = 0, rows = 0, columns = 0;
    if (contexts->routine == TRAN)
        pdtran_(&m, &n, &alpha, a, &one, &one, desc_a, &beta, b, &one, &one, desc_b);
    else if (contexts->routine == GEADD)
        pdgeadd_("N", &m, &n, &alpha, a, &one, &one, desc_a, &beta, b, &one, &one,
                 desc_b);
    else
        pdtradd_("U", "N", &m, &n, &alpha, a, &one, &one, desc_a, &beta, b, &one, &one,
                 desc_b);
    Cblacs_gridinfo(contexts->all, &rows, &columns, &row, &column);
    bool right = true;
    for (int j = 0, local = 0; j < n; j++) {
        if (j / 3 % columns != column) continue;
        for (int i = 0; i < m; i++)
            right = right && b[i + local * n] == expect(contexts->routine, n, i, j);
        local++;
    }
    return right;
}

/* Copy rows 1 .. m from all to the others; whether what came is right. */
static bool copy(const struct contexts *contexts, int m)
{
    static double a[LONGEST * LONGEST], b[LONGEST * LONGEST];
    const int one = 1, n = contexts->n;
    int desc_a[9] = {1, contexts->all, n, n, 2, 2, 0, 0, n};
    int desc_b[9] = {1, contexts->other, n, n, 2, 2, 0, 0, n};
    int row = 0, column = 0, rows = 0, columns = 0;
    Cblacs_gridinfo(contexts->all, &rows, &columns, &row, &column);
    for (int k = 0; k < n * n; k++) b[k] = -1;
    for (int j = 0, local = 0; j < n; j++)
        for (int i = 0; j / 2 % columns == column && i < n; i++)
            a[i + local * n] = i * n + j, local += i == n - 1;
    raised = 0;
    if (contexts->routine > TRMR2D) return compute(contexts, m, a, desc_a, b);
    if (contexts->routine == GEMR2D)
        pdgemr2d_(&m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &contexts->all);
    else
        pdtrmr2d_("U", "N", &m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b,
                  &contexts->all);
    if (contexts->other < 0) return true;
    Cblacs_gridinfo(contexts->other, &rows, &columns, &row, &column);
    bool right = true;
    for (int i = 0, local = 0; i < m; i++) {
        if (i / 2 % contexts->procs != row) continue;
        for (int j = 0; j < n; j++)
            right = right && b[local + j * n] == expect(contexts->routine, n, i, j);
        local++;
    }
    return right;
}

/* Let each allocation of one process fail, in the first call or in a repetition; return
 * how many there were. */
static int64_t refuse(const struct kind *kind, int victim, bool again,
                      MPI_Errhandler handler)
{
    bool refused = true;
    int64_t k = 0;
    while (refused && k++ < MOST) {
        struct contexts contexts = make_contexts(kind, handler);
        int m = kind->n - 1 - (int)(k % OTHERS); /* of which there is no plan */
        CHECK(!again || copy(&contexts, m), "%s: the call before it", kind->name);
        scarce_begin(victim, k);
        bool right = copy(&contexts, m);
        refused = scarce_end(victim);
        int any = raised, all = raised;
        PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(refused ? world_rank() != victim || raised <= 1 : right && any == 0,
              "%s: allocation %" PRId64 " of rank %d: %d errors", kind->name, k, victim,
              all);
        CHECK(any || right, "%s: allocation %" PRId64 " of rank %d: nobody was told",
              kind->name, k, victim);
        CHECK(copy(&contexts, kind->n) && !raised, "%s: the call after it", kind->name);
        free_contexts(&contexts);
    }
    CHECK(!refused && (again || k > 3),
          "%s: %" PRId64 " allocations of rank %d were refused", kind->name, k - 1,
          victim);
    return k - 1;
}

/* What the processes say on standard error while they make a group. */
static void misunderstand(MPI_Errhandler handler)
{
    char text[1000] = "";
    FILE *said = tmpfile();
    int error = dup(STDERR_FILENO), complaints = 0;
    CHECK(said && error >= 0, "no file");
    setenv("REDIST_STRATEGY", "nonsense", 1);
    (void)fflush(stderr);
    (void)dup2(fileno(said), STDERR_FILENO);
    struct contexts contexts = make_contexts(&kinds[0], handler);
    bool right = copy(&contexts, kinds[0].n);
    free_contexts(&contexts);
    (void)fflush(stderr);
    (void)dup2(error, STDERR_FILENO);
    rewind(said);
    while (fgets(text, sizeof text, said)) complaints += strstr(text, "nonsense") != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &complaints, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(right && complaints == 1, "%d complaints", complaints);
    (void)fclose(said), (void)close(error);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int64_t all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(note, &handler);
    if (world_size() > 1) {
        misunderstand(handler);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            int64_t refused[2] = {0};
            for (int victim = 0; victim < world_size(); victim++)
                for (int again = 0; again < 2; again++)
                    refused[again] += refuse(&kinds[k], victim, again, handler);
            all += refused[0] + refused[1];
            if (world_rank() == 0)
                printf("%-48s%8" PRId64 " refused,%8" PRId64 " in a repetition\n",
                       kinds[k].name, refused[0], refused[1]);
        }
    }
    MPI_Errhandler_free(&handler);
    if (world_rank() == 0) printf("PASS: all learn of %" PRId64 " refusals\n", all);
    MPI_Finalize();
    return 0;
}
