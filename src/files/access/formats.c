/* SPDX-License-Identifier: MIT */
#include "files/access/formats.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/store/stores.h"

static const struct file_format *const formats[] = {&store_npy, &store_raw, &store_hdf5,
                                                    &store_zarr};
enum { NFORMATS = sizeof formats / sizeof *formats };

/* Match NAME<suffix>, or NAME<suffix>:INNER, or the same of a folder, NAME<suffix>/. */
static bool matches(const struct file_format *format, const char *suffix,
                    const char *name, struct file_name *found)
{
    size_t length = strlen(suffix);
    for (const char *at = name; (at = strstr(at, suffix)); at++) {
        const char *end = at + length;
        const char *next = format->has_inner ? end + strspn(end, "/") : end;
        bool inside = format->has_inner && *next == ':';
        if (at == name || (*next && !inside)) continue;
        *found = (struct file_name){format, (int)(end - name), inside ? next + 1 : next};
        return true;
    }
    return false;
}

static redist_err list_formats(const char *name)
{
    char list[256] = "";
    size_t at = 0;
    for (int i = 0; i < NFORMATS; i++)
        for (const char *const *s = formats[i]->suffixes; *s && at < sizeof list; s++)
            at +=
                (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", *s);
    return error_arg("%s: a file's name must end in one of %s", name, list);
}

/* The path ends at the last colon after which a path within the file begins: a folder's
 * name may end in a colon. */
static redist_err find_wanted(const char *name, const char *wanted,
                              struct file_name *found)
{
    for (int i = 0; i < NFORMATS; i++) {
        if (strcmp(formats[i]->name, wanted) != 0) continue;
        const char *colon = NULL, *end = name + strlen(name);
        for (const char *at = name; formats[i]->has_inner && (at = strstr(at, ":/"));
             at++)
            end = colon = at;
        *found = (struct file_name){formats[i], (int)(end - name), colon ? end + 1 : end};
        return REDIST_OK;
    }
    return error_arg("%s: there is no format '%s'", name, wanted);
}

redist_err formats_find(const char *name, const char *wanted, struct file_name *found)
{
    if (wanted) return find_wanted(name, wanted, found);
    for (int i = 0; i < NFORMATS; i++)
        for (const char *const *suffix = formats[i]->suffixes; *suffix; suffix++)
            if (matches(formats[i], *suffix, name, found)) return REDIST_OK;
    return list_formats(name);
}

redist_err formats_visit(const char *name, file_visitor *visitor, void *context)
{
    struct file_name found;
    if (formats_find(name, NULL, &found) || !found.format->visit) return REDIST_OK;
    char *path = mem_copy(NULL, name, found.length + 1, 1);
    if (!path) return REDIST_ERR_MEMORY;
    path[found.length] = 0;
    redist_err err = found.format->visit(path, found.inner, visitor, context);
    mem_free(path);
    return err;
}
