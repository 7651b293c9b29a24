/* SPDX-License-Identifier: MIT
 *
 * 10,000 calls leave nothing behind: no communicator, no request, no memory, though plans
 * come and go, and contexts too. All that MPI makes is counted on its way through this
 * program's own MPI_Comm_dup and the like; those of the BLACS count too.
 */
#include <malloc.h>

#include "peers/blacs.h"

enum { CALLS = 10000, SHAPES = 40, CALLS_OF_CONTEXT = 100 };

static int64_t communicators, requests;

/* ---- counting ---------------------------------------------------------------------- */

static int born(int code, MPI_Comm comm)
{
    communicators += code == MPI_SUCCESS && comm != MPI_COMM_NULL;
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    return born(PMPI_Comm_dup(comm, made), *made);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    return born(PMPI_Comm_create(comm, group, made), *made);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    return born(PMPI_Comm_split(comm, color, key, made), *made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    return born(PMPI_Comm_split_type(comm, type, key, info, made), *made);
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

int MPI_Request_free(MPI_Request *request)
{
    requests--;
    return PMPI_Request_free(request);
}

/* ---- calls ------------------------------------------------------------------------- */

struct contexts {
    int all, a, b;
};

static struct contexts make_contexts(void)
{
    int map[64], size = world_size();
    for (int k = 0; k < size; k++) map[k] = size - 1 - k;
    return (struct contexts){make_grid(MPI_COMM_WORLD, map, 1, size),
                             make_grid(MPI_COMM_WORLD, map, size, 1),
                             make_grid(MPI_COMM_WORLD, map, 1, (size + 1) / 2)};
}

static void free_contexts(struct contexts *contexts)
{
    if (contexts->b >= 0) Cblacs_gridexit(contexts->b);
    Cblacs_gridexit(contexts->a);
    Cblacs_gridexit(contexts->all);
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
    if (k % 4 == 0)
        copy(&m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &contexts->all);
    if (k % 4 == 1)
        part("U", "N", &m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b,
             &contexts->all);
    if (k % 4 == 2)
        sum("T", &m, &n, &alpha, a, &one, &one, desc_a, &beta, b, &one, &one, desc_a);
    if (k % 4 == 3) copy_old(&m, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, NULL);
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
    int64_t communicators_then = 0, requests_then = 0, heap_then = 0;
    struct contexts contexts = make_contexts();
    for (int k = 0; k < CALLS; k++) {
        if (k % CALLS_OF_CONTEXT == 0) {
            free_contexts(&contexts);
            contexts = make_contexts();
        }
        if (k == CALLS / 4) { /* by now there is all that is kept, the MPI's own too */
            communicators_then = communicators;
            requests_then = requests;
            heap_then = heap_bytes();
        }
        call_all(&contexts, k, a, b);
    }
    free_contexts(&contexts);
    contexts = make_contexts(); /* as then: before a call in them */
    int64_t growth = heap_bytes() - heap_then;
    CHECK(communicators <= communicators_then, "%" PRId64 " communicators, then %" PRId64,
          communicators, communicators_then);
    CHECK(requests <= requests_then, "%" PRId64 " requests, then %" PRId64, requests,
          requests_then);
    CHECK(growth < 300000, "the heap has grown by %" PRId64 " bytes", growth);
    if (world_rank() == 0)
        printf("PASS: %d calls, the heap has grown by %" PRId64 " bytes\n", CALLS,
               growth);
    free_contexts(&contexts);
    free(a), free(b);
    MPI_Finalize();
    return 0;
}
