/* SPDX-License-Identifier: MIT
 *
 * The device of one process fails in a call of pdgemr2d, in the launch in which it packs,
 * copies or unpacks: the process raises an error on the context's communicator, nobody
 * waits, and the next call moves the matrix. So without a plan, with one for a single
 * use, and with one that is kept. The drop-in is linked here, with a device of its own.
 */
#include "device/late_device.h"
#include "move/device/device.h"
#include "peers/blacs.h"

gemr2d pdgemr2d_;

enum { SMALL = 40, LARGE = 300, LAUNCHES = 4, CALLS = 3 };

static int raised;

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    raised++;
}

/* Cyclic columns of all processes to cyclic rows, both in device memory, as pdgemr2d has
 * them: n x n over 1 x size, to size x 1. */
struct matrices {
    int n, all, rows, columns; /* contexts; local columns of the source, rows after */
    double *source, *target;
};

static double value_of(const struct matrices *m, int row, int column)
{
    return row * m->n + column + 1;
}

/* The local extent of n, dealt out one by one. */
static int share_of(int n)
{
    return (n - world_rank() + world_size() - 1) / world_size();
}

static struct matrices make_matrices(int n, const int contexts[2])
{
    struct matrices m = {.n = n, .all = contexts[0], .rows = contexts[1]};
    late_device_reset();
    m.columns = share_of(n);
    size_t bytes = (size_t)(m.columns * n) * sizeof *m.source;
    m.source = late_device_alloc(bytes);
    m.target = late_device_alloc(bytes);
    CHECK(m.source && m.target, "no device memory");
    double *value = (double *)(void *)late_device_bytes(m.source);
    for (int c = 0; c < m.columns; c++)
        for (int r = 0; r < n; r++)
            value[c * n + r] = value_of(&m, r, c * world_size() + world_rank());
    memset(late_device_bytes(m.target), 0, bytes);
    return m;
}

static void call(const struct matrices *m)
{
    const int one = 1, lld = m->columns > 0 ? m->columns : 1;
    const int desc_a[9] = {1, m->all, m->n, m->n, 1, 1, 0, 0, m->n};
    const int desc_b[9] = {1, m->rows, m->n, m->n, 1, 1, 0, 0, lld};
    pdgemr2d_(&m->n, &m->n, m->source, &one, &one, desc_a, m->target, &one, &one, desc_b,
              &m->all);
}

static void check_target(const struct matrices *m)
{
    const double *value = (const double *)(void *)late_device_bytes(m->target);
    for (int c = 0; c < m->n; c++)
        for (int r = 0; r < m->columns; r++)
            CHECK(value[c * m->columns + r] ==
                      value_of(m, r * world_size() + world_rank(), c),
                  "%d x %d: row %d, column %d", m->n, m->n, r, c);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int map[64], contexts[2], size = world_size(), failures = 0;
    MPI_Errhandler handler;
    for (int k = 0; k < size; k++) map[k] = k;
    memory_add(device_kind(&late_device));
    MPI_Comm_create_errhandler(note, &handler);
    contexts[0] = make_grid(MPI_COMM_WORLD, map, 1, size);
    contexts[1] = make_grid(MPI_COMM_WORLD, map, size, 1);
    set_handler(contexts[0], handler);
    for (int large = 0; large < 2; large++)
        for (int n = 1; n <= LAUNCHES; n++)
            for (int k = 0; k < CALLS; k++) {
                struct matrices m = make_matrices(large ? LARGE : SMALL, contexts);
                raised = 0;
                if (world_rank() == size / 2) late_device_fail(n);
                call(&m);
                late_device_fail(0);
                CHECK(raised == 0 || world_rank() == size / 2, "raised %d", raised);
                failures += raised;
                call(&m);
                check_target(&m);
            }
    CHECK(world_rank() != size / 2 || failures > LAUNCHES, "%d failures", failures);
    Cblacs_gridexit(contexts[1]);
    Cblacs_gridexit(contexts[0]);
    MPI_Errhandler_free(&handler);
    memory_add(NULL);
    return passed("a failing device in the drop-in");
}
