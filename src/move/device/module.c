/* SPDX-License-Identifier: MIT */
#include "move/device/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/latch.h"
#include "move/device/device.h"

static const char cuda_driver[] = "libcuda.so.1", cuda_module[] = "libredist_cuda.so";

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

/* ---- loading ----------------------------------------------------------------------- */

/* Return the file that holds this code, as an absolute path; NULL: unknown. The dynamic
 * linker calls a program by its first argument, which its caller chooses. */
static const char *find_own(char *room, size_t size)
{
    Dl_info info;
    void *extra = NULL;
    if (!dladdr1(cuda_module, &info, &extra, RTLD_DL_LINKMAP)) return NULL;
    const char *name = ((const struct link_map *)extra)->l_name;
    if (*name) return *name == '/' ? name : NULL;
    ssize_t length = readlink("/proc/self/exe", room, size - 1);
    if (length <= 0) return NULL;
    room[length] = 0;
    return room;
}

/* Open the module that the environment names; or the one beside the library, or on the
 * usual paths. */
static void *open_module(void)
{
    char path[PATH_MAX], room[PATH_MAX];
    const char *given = secure_getenv("REDIST_CUDA_MODULE");
    if (given && *given) return dlopen(given, RTLD_NOW | RTLD_LOCAL);
    const char *own = find_own(room, sizeof room);
    int folder = own ? (int)(strrchr(own, '/') + 1 - own) : 0;
    (void)snprintf(path, sizeof path, "%.*s%s", folder, own ? own : "", cuda_module);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return module ? module : dlopen(cuda_module, RTLD_NOW | RTLD_LOCAL);
}

/* Return the kind of the module's memory; NULL: there is none, with the reason. */
static const struct memory_kind *load(void)
{
    const struct device_driver *(*driver)(void) = NULL;
    void *module = open_module();
    void *found = module ? dlsym(module, "redist_device_driver") : NULL;
    if (!found) {
        (void)snprintf(reason, sizeof reason, "%s", dlerror());
        return NULL;
    }
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
