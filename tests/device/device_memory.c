/* SPDX-License-Identifier: MIT */
#include "device/device_memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/late_device.h"
#include "move/device/device.h"
#include "move/device/module.h"

/* ---- the late device --------------------------------------------------------------- */

static int live; /* allocations */

static void *late_alloc(size_t bytes)
{
    void *device = late_device_alloc(bytes);
    live += device != NULL;
    return device;
}

static void late_free(void *device)
{
    if (device && --live == 0) late_device_reset();
}

static void late_put(void *device, const void *from, size_t bytes)
{
    memcpy(late_device_bytes(device), from, bytes);
}

static void late_get(void *to, const void *device, size_t bytes)
{
    memcpy(to, late_device_bytes(device), bytes);
}

static const struct device_memory late = {"late", late_alloc, late_free, late_put,
                                          late_get};

/* ---- CUDA -------------------------------------------------------------------------- */

enum { TO_DEVICE = 1, TO_HOST = 2 };
static int (*cuda_malloc)(void **device, size_t bytes);
static int (*cuda_free)(void *device);
static int (*cuda_copy)(void *to, const void *from, size_t bytes, int kind);

static void fail(const char *what)
{
    (void)fprintf(stderr, "REDIST_TEST_DEVICE=cuda: %s\n", what);
    exit(1);
}

static void *cuda_alloc(size_t bytes)
{
    void *device = NULL;
    return cuda_malloc(&device, bytes) == 0 ? device : NULL;
}

static void cuda_release(void *device) { (void)cuda_free(device); }

static void cuda_put(void *device, const void *from, size_t bytes)
{
    if (cuda_copy(device, from, bytes, TO_DEVICE) != 0) fail("cudaMemcpy to the device");
}

static void cuda_get(void *to, const void *device, size_t bytes)
{
    if (cuda_copy(to, device, bytes, TO_HOST) != 0) fail("cudaMemcpy from the device");
}

static const struct device_memory cuda = {"cuda", cuda_alloc, cuda_release, cuda_put,
                                          cuda_get};

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found) fail(name);
    memcpy(function, &found, sizeof found);
}

static void add_cuda(void)
{
    static const char *const names[] = {"libcudart.so", "libcudart.so.13",
                                        "libcudart.so.12"};
    void *runtime = NULL;
    for (int k = 0; k < 3 && !runtime; k++) runtime = dlopen(names[k], RTLD_NOW);
    if (!runtime) fail("no libcudart.so");
    find(runtime, "cudaMalloc", &cuda_malloc);
    find(runtime, "cudaFree", &cuda_free);
    find(runtime, "cudaMemcpy", &cuda_copy);
    if (cuda_free(NULL) != 0) fail("there is no device");
    module_find();
    void *device = cuda_alloc(1);
    if (!device || strcmp(memory_of(device)->name, "CUDA") != 0) fail("no module");
    cuda_release(device);
}

const struct device_memory *device_memory_add(const char *name)
{
    if (strcmp(name, "none") == 0) return NULL;
    if (strcmp(name, "cuda") == 0) {
        add_cuda();
        return &cuda;
    }
    if (strcmp(name, "coherent") == 0) late_device_reach_all();
    memory_add(device_kind(&late_device));
    return &late;
}

const struct device_memory *device_memory_of_test(const struct memory_kind **kind)
{
    const char *name = getenv("REDIST_TEST_DEVICE");
    const struct device_memory *device = device_memory_add(name ? name : late.name);
    void *some = device->alloc(1);
    *kind = memory_of(some);
    device->free(some);
    return device;
}
