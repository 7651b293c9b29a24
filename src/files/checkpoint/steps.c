/* SPDX-License-Identifier: MIT */
#include "files/checkpoint/steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "files/format/destination.h"
#include "files/format/temporary.h"
#include "files/zarr/folder.h"

static redist_err cannot_read(const char *folder)
{
    return error_set(REDIST_ERR_IO, "%s: %s", folder, strerror(errno));
}

/* Read the step of an entry `step-N<suffix>`, which the caller checks. -1: it is none. */
static int64_t step_of(const char *entry, const char **suffix)
{
    long long step = -1;
    int end = 0;
    if (sscanf(entry, "step-%18lld%n", &step, &end) != 1 || step < 0 || entry[5] == '-')
        return -1;
    *suffix = entry + end;
    return step;
}

static redist_err join(const char *folder, const char *entry, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, entry) < PATH_MAX) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: the name is too long", folder);
}

redist_err steps_name(const char *folder, int64_t step, char name[PATH_MAX])
{
    char entry[64];
    (void)snprintf(entry, sizeof entry, "step-%012" PRId64 ".zarr", step);
    return join(folder, entry, name);
}

/* Find how many steps a folder has, the first of them, and the last. */
static redist_err survey(const char *folder, int64_t *count, int64_t *first,
                         int64_t *last)
{
    struct dirent *entry;
    const char *suffix;
    *count = 0;
    *first = INT64_MAX;
    *last = -1;
    DIR *listing = opendir(folder);
    if (!listing) return cannot_read(folder);
    while ((entry = readdir(listing))) {
        int64_t step = step_of(entry->d_name, &suffix);
        if (step < 0 || strcmp(suffix, ".zarr") != 0) continue;
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
    return survey(folder, &count, &first, step);
}

/* Open and lock the file `lock` of an unfinished step. -1: another process holds it. */
static int lock_part(const char *part, int flags)
{
    char path[PATH_MAX];
    if (join(part, "lock", path)) return -1;
    int lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB)) {
        (void)close(lock);
        return -1;
    }
    return lock;
}

/* Remove the unfinished steps that nobody writes any more. */
static redist_err clean(const char *folder, int64_t step)
{
    struct dirent *entry;
    const char *suffix;
    char part[PATH_MAX];
    redist_err err = REDIST_OK;
    DIR *listing = opendir(folder);
    if (!listing) return cannot_read(folder);
    while (!err && (entry = readdir(listing))) {
        int64_t other = step_of(entry->d_name, &suffix);
        size_t length = strlen(entry->d_name);
        if (other < 0 || *suffix != '.' || length < 5 ||
            strcmp(entry->d_name + length - 5, ".part") != 0 ||
            join(folder, entry->d_name, part))
            continue;
        int lock = lock_part(part, O_CREAT);
        if (lock >= 0)
            steps_discard(part, lock);
        else if (other == step)
            err = error_set(REDIST_ERR_IO,
                            "%s: step %" PRId64 " is being written by another program",
                            folder, step);
    }
    (void)closedir(listing);
    return err;
}

static redist_err make_part(const char *folder, int64_t step, char part[PATH_MAX],
                            int *lock)
{
    char entry[64];
    uint64_t run;
    TRY(temporary_draw(&run));
    (void)snprintf(entry, sizeof entry, "step-%012" PRId64 ".%016" PRIx64 ".part", step,
                   run);
    TRY(join(folder, entry, part));
    if (mkdir(part, 0777)) return cannot_write(part, errno, 0);
    *lock = lock_part(part, O_CREAT | O_EXCL);
    if (*lock >= 0) return REDIST_OK;
    int error = errno;
    (void)rmdir(part);
    return cannot_write(part, error, 0);
}

redist_err steps_begin(const char *folder, int64_t step, char part[PATH_MAX], int *lock)
{
    if (mkdir(folder, 0777) && errno != EEXIST) return cannot_write(folder, errno, 0);
    int held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (held < 0) return cannot_read(folder);
    (void)flock(held, LOCK_EX); /* a part is locked before another program sees it */
    redist_err err = clean(folder, step);
    if (!err) err = make_part(folder, step, part, lock);
    (void)close(held);
    return err;
}

void steps_discard(const char *part, int lock)
{
    (void)folder_remove(part);
    (void)close(lock);
}

redist_err steps_keep(const char *folder, int64_t step, const char *part, int lock)
{
    char name[PATH_MAX], path[PATH_MAX];
    struct stat status;
    redist_err err = steps_name(folder, step, name);
    if (!err) err = folder_replace(part, name, lstat(name, &status) == 0);
    if (err) (void)folder_remove(part);
    if (!err && !join(name, "lock", path)) (void)unlink(path);
    (void)close(lock);
    return err;
}

redist_err steps_trim(const char *folder, int keep)
{
    int64_t count, first, last;
    char name[PATH_MAX];
    for (;;) {
        TRY(survey(folder, &count, &first, &last));
        if (keep == 0 || count <= keep) return REDIST_OK;
        TRY(steps_name(folder, first, name));
        int error = folder_remove(name);
        if (error)
            return error_set(REDIST_ERR_IO, "%s: cannot be removed: %s", name,
                             strerror(error));
    }
}
