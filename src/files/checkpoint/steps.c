/* SPDX-License-Identifier: MIT */
#include "files/checkpoint/steps.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "files/format/destination.h"

static redist_err cannot_read(const char *folder)
{
    return error_set(REDIST_ERR_IO, "%s: %s", folder, strerror(errno));
}

enum { ENTRY_SIZE = 64 };

static void print_entry(int64_t step, char entry[ENTRY_SIZE])
{
    (void)snprintf(entry, ENTRY_SIZE, "step-%012" PRId64 ".zarr", step);
}

/* Read the step of an entry. -1: its name is not exactly that of a step. */
static int64_t step_of(const char *entry)
{
    long long step = -1;
    char expected[ENTRY_SIZE];
    if (sscanf(entry, "step-%19lld", &step) != 1 || step < 0) return -1;
    print_entry(step, expected);
    return strcmp(entry, expected) == 0 ? step : -1;
}

redist_err steps_name(const char *folder, int64_t step, char name[PATH_MAX])
{
    char entry[ENTRY_SIZE];
    print_entry(step, entry);
    return path_join(name, folder, "/", entry);
}

/* Find how many steps a folder has but for `except`, the first of them, and the last. */
static redist_err survey(const char *folder, int64_t except, int64_t *count,
                         int64_t *first, int64_t *last)
{
    struct dirent *entry;
    *count = 0;
    *first = INT64_MAX;
    *last = -1;
    DIR *listing = opendir(folder);
    if (!listing) return cannot_read(folder);
    while ((entry = readdir(listing))) {
        int64_t step = step_of(entry->d_name);
        if (step < 0 || step == except) continue;
        *count += 1;
        if (step < *first) *first = step;
        if (step > *last) *last = step;
    }
    (void)closedir(listing);
    return REDIST_OK;
}

redist_err steps_last(const char *folder, int64_t *step)
{
    int64_t count, first;
    return survey(folder, -1, &count, &first, step);
}

redist_err steps_begin(const char *folder, int64_t step, struct temporary_folder *part)
{
    char name[PATH_MAX];
    TRY(steps_name(folder, step, name));
    if (mkdir(folder, 0777) && errno != EEXIST) return cannot_write(folder, errno, 0);
    return temporary_folder_create(part, name, "step-");
}

redist_err steps_trim(const char *folder, int64_t step, int keep)
{
    int64_t count, first, last;
    char name[PATH_MAX];
    for (;;) {
        TRY(survey(folder, -1, &count, &first, &last));
        if (first == step) TRY(survey(folder, step, &count, &first, &last));
        if (keep == 0 || count <= keep) return REDIST_OK;
        TRY(steps_name(folder, first, name));
        int error = folder_remove(name);
        if (error)
            return error_set(REDIST_ERR_IO, "%s: cannot be removed: %s", name,
                             strerror(error));
    }
}
