/* SPDX-License-Identifier: MIT */
#include "move/device/module.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/latch.h"
#include "base/module.h"
#include "move/device/device.h"

static const char cuda_driver[] = "libcuda.so.1",
                  cuda_module[] = "libredist_cuda" REDIST_SUFFIX ".so";

/* Why there is no module. */
static char reason[ERROR_MESSAGE_SIZE];

/* ---- without the module ------------------------------------------------------------ */

/* cuPointerGetAttribute, and its attribute MEMORY_TYPE. */
typedef int attribute_function(void *data, int attribute, uintptr_t address);
enum { MEMORY_TYPE = 2, TYPE_DEVICE = 2 };
static attribute_function *find_attribute;

static bool owns(const void *address)
{
    unsigned type = 0;
    int code = find_attribute(&type, MEMORY_TYPE, (uintptr_t)address);
    return code == 0 && type == TYPE_DEVICE;
}

static redist_err refuse(struct memory *memory, void *stream)
{
    (void)memory, (void)stream;
    return error_set(REDIST_ERR_DEVICE, "arrays are in CUDA memory, but %s", reason);
}

static const struct memory_kind refused = {.name = "CUDA", .owns = owns, .open = refuse};

const char *module_missing(void) { return *reason ? reason : NULL; }

/* ---- loading ----------------------------------------------------------------------- */

/* Return the kind of the module's memory; NULL: there is none, with the reason. */
static const struct memory_kind *load(void)
{
    const struct device_driver *(*driver)(void) = NULL;
    void *found = module_load(cuda_module, "REDIST_CUDA_MODULE", "redist_device_driver",
                              reason, sizeof reason);
    if (!found) return NULL;
    memcpy(&driver, &found, sizeof driver);
    const struct memory_kind *kind = device_kind(driver());
    if (!kind)
        (void)snprintf(reason, sizeof reason,
                       "%s has interface %d, this library has %d: they must be installed "
                       "together",
                       cuda_module, driver()->version, (int)DEVICE_DRIVER_VERSION);
    return kind;
}

/* The number of loads so far; of one object it is that of all. */
static int count_loaded(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

static int is_cuda_driver(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    const char *slash = strrchr(info->dlpi_name, '/');
    return slash && strcmp(slash + 1, cuda_driver) == 0;
}

static void find(void)
{
    static unsigned long long known;
    static bool over;
    unsigned long long loaded = 0;
    if (over || memory_has_kinds()) return;
    (void)dl_iterate_phdr(count_loaded, &loaded);
    if (loaded == known) return;
    known = loaded;
    if (!dl_iterate_phdr(is_cuda_driver, NULL)) return;
    void *cuda = dlopen(cuda_driver, RTLD_NOLOAD | RTLD_LAZY);
    void *function = cuda ? dlsym(cuda, "cuPointerGetAttribute") : NULL;
    if (!function) return;
    memcpy(&find_attribute, &function, sizeof find_attribute);
    const struct memory_kind *kind = load();
    memory_add(kind ? kind : &refused);
    over = true;
}

void module_find(void)
{
    static atomic_flag latch = ATOMIC_FLAG_INIT;
    latch_lock(&latch);
    find();
    latch_unlock(&latch);
}
