/* SPDX-License-Identifier: MIT */
#include "base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the file that holds this code, as an absolute path; NULL: unknown. The dynamic
 * linker calls a program by its first argument, which its caller chooses. */
static const char *find_own(char *room, size_t size)
{
    static const char here = 0;
    Dl_info info;
    void *extra = NULL;
    if (!dladdr1(&here, &info, &extra, RTLD_DL_LINKMAP)) return NULL;
    const char *name = ((const struct link_map *)extra)->l_name;
    if (*name) return *name == '/' ? name : NULL;
    ssize_t length = readlink("/proc/self/exe", room, size - 1);
    if (length <= 0) return NULL;
    room[length] = 0;
    return room;
}

/* Open the module that the environment names; or the one beside the library, or on the
 * usual paths. */
static void *open_module(const char *file, const char *variable, int flags)
{
    char path[PATH_MAX], room[PATH_MAX];
    const char *given = secure_getenv(variable);
    if (given && *given) return dlopen(given, flags);
    const char *own = find_own(room, sizeof room);
    int folder = own ? (int)(strrchr(own, '/') + 1 - own) : 0;
    (void)snprintf(path, sizeof path, "%.*s%s", folder, own ? own : "", file);
    void *module = dlopen(path, flags);
    return module ? module : dlopen(file, flags);
}

void *module_load(const char *file, const char *variable, const char *symbol,
                  char *reason, size_t size)
{
    void *module = open_module(file, variable, RTLD_NOW | RTLD_LOCAL);
    void *found = module ? dlsym(module, symbol) : NULL;
    if (!found) (void)snprintf(reason, size, "%s", dlerror());
    return found;
}
