/* SPDX-License-Identifier: MIT
 *
 * One process runs out of memory in a call of which some processes are outside of a grid:
 * all are told on the context's communicator, whichever allocation it is, nobody waits,
 * and the next call works. A REDIST_STRATEGY that nobody understands is complained of
 * once. The drop-in is linked here, so that its allocations can be refused.
 */
#include <stdlib.h>
#include <unistd.h>

#include "mpi/scarce.h"
#include "peers/blacs.h"

gemr2d pdgemr2d_;
void blacs_get_(const int *context, const int *what, int *value);

enum { N = 12, COMMUNICATOR = 10 /* blacs_get's "what" */, MOST = 400 };

static int raised;

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    raised++;
}

static void listen(int context, MPI_Errhandler handler)
{
    int what = COMMUNICATOR, comm = 0;
    blacs_get_(&context, &what, &comm);
    MPI_Comm_set_errhandler(MPI_Comm_f2c(comm), handler);
}

/* Contexts that nobody has called in: of all, and of all but the last. */
struct contexts {
    int all, fewer;
};

static struct contexts make_contexts(MPI_Errhandler handler)
{
    int map[64], size = world_size();
    for (int k = 0; k < size; k++) map[k] = size - 1 - k;
    struct contexts contexts;
    contexts.all = make_grid(MPI_COMM_WORLD, map, 1, size);
    for (int k = 0; k < size; k++) map[k] = (k + 1) % size;
    contexts.fewer = make_grid(MPI_COMM_WORLD, map, size - 1, 1);
    listen(contexts.all, handler);
    return contexts;
}

static void free_contexts(const struct contexts *contexts)
{
    if (contexts->fewer >= 0) Cblacs_gridexit(contexts->fewer);
    Cblacs_gridexit(contexts->all);
}

/* Copy rows 1 .. m from all to fewer; whether what came is right. */
static bool copy(const struct contexts *contexts, int m)
{
    static double a[N * N], b[N * N];
    const int one = 1, n = N, procs = world_size() - 1;
    int desc_a[9] = {1, contexts->all, N, N, 2, 2, 0, 0, N};
    int desc_b[9] = {1, contexts->fewer, N, N, 2, 2, 0, 0, N};
    int row = 0, column = 0, rows = 0, columns = 0;
    Cblacs_gridinfo(contexts->all, &rows, &columns, &row, &column);
    for (int k = 0; k < N * N; k++) b[k] = -1;
    for (int j = 0, local = 0; j < N; j++)
        for (int i = 0; j / 2 % columns == column && i < N; i++)
            a[i + local * N] = i * N + j, local += i == N - 1;
    raised = 0;
    pdgemr2d_(&m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &contexts->all);
    if (contexts->fewer < 0) return true;
    Cblacs_gridinfo(contexts->fewer, &rows, &columns, &row, &column);
    bool right = true;
    for (int i = 0, local = 0; i < m; i++) {
        if (i / 2 % procs != row) continue;
        for (int j = 0; j < N; j++) right = right && b[local + j * N] == i * N + j;
        local++;
    }
    return right;
}

static void refuse(int victim, MPI_Errhandler handler)
{
    bool refused = true;
    int64_t k = 0;
    while (refused && k++ < MOST) {
        struct contexts contexts = make_contexts(handler);
        scarce_begin(victim, k);
        bool right = copy(&contexts, 1 + victim);
        refused = scarce_end(victim);
        int any = raised, all = raised;
        PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(refused ? world_rank() != victim || raised == 1 : right && any == 0,
              "allocation %" PRId64 " of rank %d: %d errors", k, victim, all);
        if (raised)
            CHECK(copy(&contexts, N) && !raised, "the call after an error");
        else
            CHECK(copy(&contexts, N), "the call after it");
        free_contexts(&contexts);
    }
    CHECK(!refused && k > 10, "%" PRId64 " allocations of rank %d were refused", k - 1,
          victim);
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
    struct contexts contexts = make_contexts(handler);
    bool right = copy(&contexts, N);
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
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(note, &handler);
    if (world_size() > 1) {
        misunderstand(handler);
        for (int victim = 0; victim < world_size(); victim++) refuse(victim, handler);
    }
    MPI_Errhandler_free(&handler);
    if (world_rank() == 0) puts("PASS: all learn of one that has no memory");
    MPI_Finalize();
    return 0;
}
