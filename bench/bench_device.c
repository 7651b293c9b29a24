/* SPDX-License-Identifier: MIT
 *
 * bench_device - arrays in the memory of CUDA devices, beside a copy of as many bytes
 * from device memory to device memory. Rates count the bytes read, and median ratios to
 * the copy come from turns that alternate. Process k takes device k, modulo their
 * number.
 *
 *   script/bench device [-n processes] [--mib M] [--reps N]
 *
 *   pack, unpack   all messages of a process to a dense buffer in device memory, and from
 *                  one, without communication: of process 0 of 2, in a run of one process
 *   pull           the target of process 0 of 2 from the arrays of both, likewise
 *   run            redist_execute between arrays in device memory, by all processes
 *   host           the same between arrays in host memory
 *
 * Last, runs of 64 KiB, in microseconds. Each target is compared with what the host makes
 * of it.
 */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <redist/redist.h>

#include "base/error.h"
#include "base/intmath.h"
#include "files/format/collective.h"
#include "move/device/module.h"
#include "move/message/array.h"
#include "program.h"

enum { MOST_REPS = 100, MESSAGES = 16, SMALL = 64 << 10 /* bytes of a process */ };

/* %1$ld: elements of all processes, or of a side of a square; %2$d: processes. */
static const struct item {
    const char *what, *source, *target;
    int element; /* bytes */
    bool square;
} items[] = {
    {"3 -> 5", "[%1$ld] (cyclic(3)) onto %2$d", "[%1$ld] (cyclic(5)) onto %2$d", 8, 0},
    {"1 -> 64", "[%1$ld] (cyclic) onto %2$d", "[%1$ld] (cyclic(64)) onto %2$d", 8, 0},
    {"64 -> 100", "[%1$ld] (cyclic(64)) onto %2$d", "[%1$ld] (cyclic(100)) onto %2$d", 8,
     0},
    {"32 -> 100", "[%1$ld] (cyclic(32)) onto %2$d", "[%1$ld] (cyclic(100)) onto %2$d", 8,
     0},
    {"7 -> 11", "[%1$ld] (cyclic(7)) onto %2$d", "[%1$ld] (cyclic(11)) onto %2$d", 8, 0},
    {"1000 -> 1024", "[%1$ld] (cyclic(1000)) onto %2$d",
     "[%1$ld] (cyclic(1024)) onto %2$d", 8, 0},
    {"2-D 3 -> 5", "[%1$ld,%1$ld] (cyclic(3),cyclic(3)) onto 1x%2$d",
     "[%1$ld,%1$ld] (cyclic(5),cyclic(5)) onto %2$dx1", 8, 1},
    {"rows -> columns", "[%1$ld,%1$ld] (block,*) onto %2$d",
     "[%1$ld,%1$ld] (*,block) onto %2$d", 8, 1},
    {"transposed", "[%1$ld,%1$ld] (block,*) onto %2$d",
     "[%1$ld,%1$ld] (block,*) onto %2$d order column-major", 8, 1},
    {"64 -> 100, 4 bytes", "[%1$ld] (cyclic(64)) onto %2$d",
     "[%1$ld] (cyclic(100)) onto %2$d", 4, 0},
    {"64 -> 100, 1 byte", "[%1$ld] (cyclic(64)) onto %2$d",
     "[%1$ld] (cyclic(100)) onto %2$d", 1, 0},
};
enum { NITEMS = sizeof items / sizeof *items };

struct arguments {
    int64_t mib, reps;
};

/* ---- device memory ----------------------------------------------------------------- */

static redist_err check_cuda(cudaError_t code)
{
    return code == cudaSuccess
               ? REDIST_OK
               : error_set(REDIST_ERR_DEVICE, "%s", cudaGetErrorString(code));
}

/* An array on the device, filled with whole numbers, and the same on the host. */
struct twin {
    char *device, *host;
    size_t bytes;
};

static redist_err twin_make(int64_t bytes, struct twin *twin)
{
    twin->bytes = (size_t)int_max(bytes, 1);
    size_t words = (twin->bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    uint64_t *word = malloc(words * sizeof *word);
    twin->host = (char *)word;
    if (!word) return error_set(REDIST_ERR_MEMORY, "no memory on the host");
    for (uint64_t k = 0; k < words; k++) word[k] = k * 0x9e3779b97f4a7c15u;
    TRY(check_cuda(cudaMalloc((void **)&twin->device, twin->bytes)));
    return check_cuda(
        cudaMemcpy(twin->device, twin->host, twin->bytes, cudaMemcpyHostToDevice));
}

static void twin_free(struct twin *twin)
{
    free(twin->host);
    (void)cudaFree(twin->device);
    *twin = (struct twin){0};
}

/* Check that both hold the same. */
static redist_err twin_check(const struct twin *twin, const char *what)
{
    char *is = malloc(twin->bytes);
    if (!is) return error_set(REDIST_ERR_MEMORY, "no memory on the host");
    redist_err err =
        check_cuda(cudaMemcpy(is, twin->device, twin->bytes, cudaMemcpyDeviceToHost));
    if (!err && memcmp(is, twin->host, twin->bytes) != 0)
        err = error_set(REDIST_ERR_STATE, "%s: the device's array is wrong", what);
    free(is);
    return err;
}

/* ---- turns ------------------------------------------------------------------------- */

/* Copy from device memory to device memory; return seconds. */
static double time_copy(const struct twin *from, const struct twin *to, int64_t bytes)
{
    double begin = MPI_Wtime();
    (void)cudaMemcpyAsync(to->device, from->device, (size_t)bytes,
                          cudaMemcpyDeviceToDevice, 0);
    (void)cudaStreamSynchronize(0);
    return MPI_Wtime() - begin;
}

/* ---- pack and unpack --------------------------------------------------------------- */

/* The messages of process 0 of two on one side, with a dense buffer for all of them. */
struct packing {
    struct array array;
    int64_t n, bytes;
    struct walk walk[MESSAGES];
    struct axis axes[MESSAGES][REDIST_MAX_DIMS];
    struct twin own, dense;
};

static redist_err packing_make(const redist_view views[SIDES], int element,
                               redist_side side, struct packing *packing)
{
    const struct sizes sizes = {element, element, 0};
    TRY(array_make(NULL, views, sizes, 0, &packing->array));
    const struct overlap *overlap = &packing->array.overlap[side];
    packing->n = int_min(overlap->nmessages, MESSAGES);
    packing->bytes = 0;
    for (int64_t k = 0; k < packing->n; k++) {
        array_walk(&packing->array, side, &overlap->message[k],
                   side == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER, packing->axes[k],
                   &packing->walk[k]);
        packing->bytes += packing->walk[k].total * element;
    }
    TRY(twin_make(packing->array.sides[side].layout.span * element, &packing->own));
    return twin_make(packing->bytes, &packing->dense);
}

static void packing_free(struct packing *packing)
{
    array_free(&packing->array);
    twin_free(&packing->own);
    twin_free(&packing->dense);
}

/* Pack, or unpack, all messages in one memory. */
static redist_err pack_all(struct packing *packing, redist_side side,
                           struct memory *memory, char *own, char *dense)
{
    for (int64_t k = 0; k < packing->n; k++) {
        struct walk *walk = &packing->walk[k];
        walk->memory = memory;
        walk_seek(walk, 0);
        if (side == REDIST_SOURCE)
            walk_move(walk, WAY_GATHER, own, dense, walk->total);
        else
            walk_move(walk, WAY_SCATTER, dense, own, walk->total);
        dense += walk->total * walk->grain;
    }
    return memory_fence(memory);
}

/* Return the median of the copy's time over that of packing. */
static redist_err time_packing(const struct item *item, const redist_view views[SIDES],
                               redist_side side, int64_t reps, double *ratio)
{
    static struct packing packing; /* long */
    struct memory memory;
    double ratios[MOST_REPS];
    TRY(packing_make(views, item->element, side, &packing));
    TRY(memory_open(&memory, memory_of(packing.own.device), NULL));
    redist_err err = REDIST_OK;
    for (int64_t k = -1; k < reps && !err; k++) { /* the first warms up */
        double copy = time_copy(&packing.own, &packing.dense, packing.bytes);
        double begin = MPI_Wtime();
        err = pack_all(&packing, side, &memory, packing.own.device, packing.dense.device);
        if (k >= 0) ratios[k] = copy / (MPI_Wtime() - begin);
    }
    memory_close(&memory);
    const struct twin *written = side == REDIST_SOURCE ? &packing.dense : &packing.own;
    if (!err) /* the copies have written to `dense`, which only unpacking reads */
        err = check_cuda(cudaMemcpy(packing.dense.host, packing.dense.device,
                                    packing.dense.bytes, cudaMemcpyDeviceToHost));
    if (!err)
        err =
            pack_all(&packing, side, &memory_host, packing.own.host, packing.dense.host);
    if (!err) err = twin_check(written, item->what);
    packing_free(&packing);
    *ratio = program_median(ratios, reps);
    return err;
}

/* ---- pull -------------------------------------------------------------------------- */

enum { TWO = 2 };

/* The target of process 0 of two, and the sources of both. */
struct pulling {
    struct array array[TWO];
    int64_t n, bytes;
    struct walk walk[MESSAGES];
    struct axis axes[MESSAGES][REDIST_MAX_DIMS];
    int from[MESSAGES];
    struct twin source[TWO], target;
};

static redist_err pulling_make(const redist_view views[SIDES], int element,
                               struct pulling *pulling)
{
    const struct sizes sizes = {element, element, 0};
    struct array *array = pulling->array;
    for (int p = 0; p < TWO; p++) {
        TRY(array_make(NULL, views, sizes, p, &array[p]));
        TRY(twin_make(array[p].sides[REDIST_SOURCE].layout.span * element,
                      &pulling->source[p]));
    }
    TRY(twin_make(array->sides[REDIST_TARGET].layout.span * element, &pulling->target));
    const struct overlap *overlap = &array->overlap[REDIST_TARGET];
    pulling->n = int_min(overlap->nmessages, MESSAGES);
    pulling->bytes = 0;
    for (int64_t k = 0; k < pulling->n; k++) {
        const struct message *message = &overlap->message[k];
        pulling->from[k] = message->rank;
        struct memory_side sides[SIDES] = {array[message->rank].sides[REDIST_SOURCE],
                                           array->sides[REDIST_TARGET]};
        walk_make(overlap, message, sides, sizes, WAY_COPY, false, pulling->axes[k],
                  &pulling->walk[k]);
        pulling->bytes += pulling->walk[k].total * element;
    }
    return REDIST_OK;
}

static void pulling_free(struct pulling *pulling)
{
    for (int p = 0; p < TWO; p++) {
        array_free(&pulling->array[p]);
        twin_free(&pulling->source[p]);
    }
    twin_free(&pulling->target);
}

static redist_err pull_all(struct pulling *pulling, struct memory *memory, bool on_device)
{
    for (int64_t k = 0; k < pulling->n; k++) {
        struct walk *walk = &pulling->walk[k];
        const struct twin *source = &pulling->source[pulling->from[k]];
        walk->memory = memory;
        walk_seek(walk, 0);
        walk_move(walk, WAY_COPY, on_device ? source->device : source->host,
                  on_device ? pulling->target.device : pulling->target.host, walk->total);
    }
    return memory_fence(memory);
}

/* Return the median of the copy's time over that of reading from both arrays. */
static redist_err time_pulling(const struct item *item, const redist_view views[SIDES],
                               int64_t reps, double *ratio)
{
    static struct pulling pulling; /* large */
    struct memory memory;
    double ratios[MOST_REPS];
    TRY(pulling_make(views, item->element, &pulling));
    TRY(memory_open(&memory, memory_of(pulling.target.device), NULL));
    redist_err err = REDIST_OK;
    for (int64_t k = -1; k < reps && !err; k++) { /* the first warms up */
        int64_t bytes = int_min(pulling.bytes, (int64_t)pulling.source->bytes);
        double copy = time_copy(pulling.source, &pulling.target, bytes);
        double begin = MPI_Wtime();
        err = pull_all(&pulling, &memory, true);
        double time = (MPI_Wtime() - begin) * (double)bytes / (double)pulling.bytes;
        if (k >= 0) ratios[k] = copy / time;
    }
    memory_close(&memory);
    if (!err) err = pull_all(&pulling, &memory_host, false);
    if (!err) err = twin_check(&pulling.target, item->what);
    pulling_free(&pulling);
    *ratio = program_median(ratios, reps);
    return err;
}

/* ---- whole runs -------------------------------------------------------------------- */

/* One plan, with its arrays. */
struct whole {
    redist_plan *plan;
    struct twin source, target;
};

static redist_err whole_make(MPI_Comm comm, const redist_view views[SIDES], int element,
                             struct whole *whole)
{
    int rank = 0;
    int64_t span[SIDES] = {0, 0};
    MPI_Datatype type = element == 8 ? MPI_INT64_T : element == 4 ? MPI_INT : MPI_BYTE;
    MPI_Comm_rank(comm, &rank);
    for (int s = 0; s < SIDES; s++) TRY(redist_view_span(&views[s], rank, &span[s]));
    redist_err err = twin_make(span[0] * element, &whole->source);
    if (!err) err = twin_make(span[1] * element, &whole->target);
    TRY(collective_agree(comm, err));
    return redist_plan_create(comm, type, &views[0], &views[1], NULL, &whole->plan);
}

static redist_err whole_free(struct whole *whole)
{
    twin_free(&whole->source);
    twin_free(&whole->target);
    return redist_plan_destroy(&whole->plan);
}

/* Return the seconds of the slowest process. */
static redist_err time_run(MPI_Comm comm, struct whole *whole, bool on_device,
                           double *seconds)
{
    MPI_Barrier(comm);
    double begin = MPI_Wtime();
    TRY(redist_execute(whole->plan, on_device ? whole->source.device : whole->source.host,
                       on_device ? whole->target.device : whole->target.host));
    *seconds = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return REDIST_OK;
}

/* Find the median seconds of a run on the device and on the host, the bytes of this
 * process, and the ratio of a copy's time to the former. */
static redist_err time_whole(MPI_Comm comm, const struct item *item,
                             const redist_view views[SIDES], int64_t reps,
                             double seconds[2], int64_t *bytes, double *ratio)
{
    struct whole whole = {.plan = NULL};
    double times[2][MOST_REPS], ratios[MOST_REPS], warm = 0;
    TRY(whole_make(comm, views, item->element, &whole));
    for (int where = 0; where < 2; where++) TRY(time_run(comm, &whole, where, &warm));
    *bytes = int_min((int64_t)whole.source.bytes, (int64_t)whole.target.bytes);
    for (int64_t k = 0; k < reps; k++) {
        double copy = time_copy(&whole.source, &whole.target, *bytes);
        MPI_Allreduce(MPI_IN_PLACE, &copy, 1, MPI_DOUBLE, MPI_MAX, comm);
        TRY(time_run(comm, &whole, true, &times[0][k]));
        TRY(time_run(comm, &whole, false, &times[1][k]));
        ratios[k] = copy / times[0][k];
    }
    TRY(collective_agree(comm, twin_check(&whole.target, item->what)));
    for (int where = 0; where < 2; where++)
        seconds[where] = program_median(times[where], reps);
    *ratio = program_median(ratios, reps);
    return whole_free(&whole);
}

/* ---- the table --------------------------------------------------------------------- */

struct parsed {
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
};

/* An item for arrays of `bytes` a process. The side of a square is a power of two, so it
 * may have some times as many. */
static redist_err parse(const struct item *item, int nprocs, int64_t bytes,
                        struct parsed *parsed)
{
    char text[256];
    int64_t n = bytes / item->element * nprocs, side = 1;
    while (side * side < n) side *= 2;
    for (int s = 0; s < SIDES; s++) {
        (void)snprintf(text, sizeof text, s ? item->target : item->source,
                       (long)(item->square ? side : n), nprocs);
        parsed->dist[s] = NULL;
        TRY(redist_view_parse(text, &parsed->dist[s], &parsed->view[s]));
    }
    return REDIST_OK;
}

static void parsed_free(struct parsed *parsed)
{
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&parsed->dist[s]);
}

static redist_err bench_item(MPI_Comm comm, const struct item *item, int64_t bytes,
                             int64_t reps)
{
    struct parsed two, all;
    double pack[SIDES] = {0, 0}, pull = 0, seconds[2], ratio = 0;
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    TRY(parse(item, TWO, bytes, &two));
    for (int s = 0; s < SIDES && size == 1; s++)
        TRY(time_packing(item, two.view, (redist_side)s, reps, &pack[s]));
    if (size == 1) TRY(time_pulling(item, two.view, reps, &pull));
    parsed_free(&two);
    TRY(parse(item, size, bytes, &all));
    TRY(time_whole(comm, item, all.view, reps, seconds, &bytes, &ratio));
    parsed_free(&all);
    if (rank > 0) return REDIST_OK;
    printf("%-20s", item->what);
    if (size == 1)
        printf(" %6.2f %7.2f %6.2f", pack[0], pack[1], pull);
    else
        printf(" %6s %7s %6s", "-", "-", "-");
    printf(" %9.2f %8.2f %9.2f %9.1f\n", (double)bytes / seconds[0] / 1e9, ratio,
           1e3 * seconds[0], 1e3 * seconds[1]);
    return REDIST_OK;
}

static redist_err bench_small(MPI_Comm comm, int64_t reps)
{
    struct parsed parsed;
    double seconds[2], ratio = 0;
    int64_t bytes = 0;
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    TRY(parse(&items[2], size, SMALL, &parsed));
    TRY(time_whole(comm, &items[2], parsed.view, reps, seconds, &bytes, &ratio));
    parsed_free(&parsed);
    if (rank == 0)
        printf("\n%d KiB a process, %s: %.1f us on the device, %.1f us on the host\n",
               SMALL >> 10, items[2].what, 1e6 * seconds[0], 1e6 * seconds[1]);
    return REDIST_OK;
}

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    int rank = 0, devices = 0;
    struct cudaDeviceProp device;
    MPI_Comm_rank(comm, &rank);
    TRY(check_cuda(cudaGetDeviceCount(&devices)));
    TRY(check_cuda(cudaSetDevice(rank % devices)));
    TRY(check_cuda(cudaGetDeviceProperties(&device, rank % devices)));
    module_find();
    program_print_turns(comm, arguments->reps);
    if (rank == 0)
        printf("%s, %ld MiB a process; pack, unpack, pull, run: time of a copy over "
               "theirs\n\n%-20s %6s %7s %6s %9s %8s %9s %9s\n",
               device.name, (long)arguments->mib, "", "pack", "unpack", "pull",
               "run GB/s", "run", "run ms", "host ms");
    for (int k = 0; k < NITEMS; k++)
        TRY(bench_item(comm, &items[k], arguments->mib << 20, arguments->reps));
    return bench_small(comm, MOST_REPS);
}

int main(int argc, char **argv)
{
    struct arguments arguments = {256, 9};
    const struct argument options[] = {
        {"mib", .number = &arguments.mib, .least = 1, .most = 4096},
        {"reps", .number = &arguments.reps, .least = 1, .most = MOST_REPS},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
