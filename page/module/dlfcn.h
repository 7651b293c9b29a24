/* SPDX-License-Identifier: MIT
 *
 * page/module/dlfcn.h - in a page there are no shared libraries: each attempt to load one
 * fails. link.h of the system is this file, too.
 */
#ifndef REDIST_PAGE_MODULE_DLFCN_H
#define REDIST_PAGE_MODULE_DLFCN_H

#include <stddef.h>

enum { RTLD_LAZY = 1, RTLD_NOW = 2, RTLD_LOCAL = 0, RTLD_DL_LINKMAP = 2 };

typedef struct {
    const char *dli_fname;
} Dl_info;

struct link_map {
    char *l_name;
};

static inline void *dlopen(const char *file, int flags)
{
    (void)file, (void)flags;
    return NULL;
}

static inline void *dlsym(void *module, const char *name)
{
    (void)module, (void)name;
    return NULL;
}

static inline const char *dlerror(void) { return "a page loads no shared libraries"; }

static inline int dladdr1(const void *address, Dl_info *info, void **extra, int flags)
{
    (void)address, (void)info, (void)extra, (void)flags;
    return 0;
}

#endif
