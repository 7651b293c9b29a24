/* SPDX-License-Identifier: MIT
 *
 * Where a process uses CUDA, the library loads the module REDIST_CUDA_MODULE when it
 * makes a plan. Without the module, or with one of another version, arrays in CUDA memory
 * are refused with the reason, on all processes, and others are moved. A program's first
 * argument is not where it lies: no module is loaded from there.
 *
 *     test_module missing|version|works|named FAKE_CUDA
 */
#include <dlfcn.h>
#include <unistd.h>

#include "mpi/pair.h"
#include "oracle.h"

static const char *const texts[2] = {"[600] (cyclic(3)) onto %1$d",
                                     "[600] (cyclic(5)) onto %1$d"};

static void *find(void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;
    CHECK(found, "%s: %s", name, dlerror());
    return found;
}

static void move_host_arrays(const struct pair *pair, redist_plan *plan)
{
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, world_rank());
    int64_t *target = pair_buffer(pair, REDIST_TARGET, world_rank());
    CHECK_OK(redist_execute(plan, source, target));
    pair_check(pair, world_rank(), target);
    free(source);
    free(target);
}

/* The first process has its target in CUDA memory. */
static void be_refused(const struct pair *pair, redist_plan *plan, void *cuda,
                       const char *reason)
{
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, world_rank());
    int64_t *target = pair_buffer(pair, REDIST_TARGET, world_rank());
    void *device = find(cuda, "fake_cuda_memory");
    redist_err err = redist_execute(plan, source, world_rank() == 0 ? device : target);
    CHECK(err == REDIST_ERR_DEVICE, "%s", redist_error_name(err));
    CHECK(strstr(redist_error_message(), "rank 0: arrays are in CUDA memory, but ") &&
              strstr(redist_error_message(), reason),
          "%s", redist_error_message());
    free(source);
    free(target);
}

/* Arrays in the memory of the module's device. */
static void be_moved(const struct pair *pair, redist_plan *plan)
{
    void *module = dlopen(getenv("REDIST_CUDA_MODULE"), RTLD_NOW | RTLD_NOLOAD);
    void *found = find(module, "late_device_alloc"), *(*alloc)(size_t);
    memcpy(&alloc, &found, sizeof alloc);
    char *(*bytes)(const void *);
    found = find(module, "late_device_bytes");
    memcpy(&bytes, &found, sizeof bytes);
    int64_t *array[SIDES];
    for (int s = 0; s < SIDES; s++) {
        int64_t *values = pair_buffer(pair, (redist_side)s, world_rank());
        size_t n = (size_t)pair_span(pair, (redist_side)s, world_rank()) * sizeof *values;
        array[s] = alloc(n);
        memcpy(bytes(array[s]), values, n);
        free(values);
    }
    CHECK_OK(redist_execute(plan, array[REDIST_SOURCE], array[REDIST_TARGET]));
    pair_check(pair, world_rank(), (int64_t *)(void *)bytes(array[REDIST_TARGET]));
}

/* A module lies beside the file by which this program was called. */
static void be_called_otherwise(const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%.*s/libredist_cuda.so",
                   (int)(strrchr(name, '/') - name), name);
    CHECK(access(path, R_OK) == 0, "%s", path);
    CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD), "%s was loaded", path);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK(argc == 3, "two arguments are expected");
    void *cuda = dlopen(argv[2], RTLD_NOW);
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    move_host_arrays(&pair, plan);
    if (strcmp(argv[1], "missing") == 0)
        be_refused(&pair, plan, cuda, "cannot open shared object file");
    else if (strcmp(argv[1], "version") == 0)
        be_refused(&pair, plan, cuda, "they must be installed together");
    else if (strcmp(argv[1], "named") == 0)
        be_called_otherwise(argv[0]);
    else
        be_moved(&pair, plan);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
    return passed("the module of a device");
}
