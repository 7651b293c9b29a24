/* SPDX-License-Identifier: MIT */
#include "files/format/temporary_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "files/format/destination.h"
#include "files/format/temporary.h"

/* ---- names ------------------------------------------------------------------------- */

/* Split a path into the folder and the name in it. */
static redist_err split(const char *path, char around[PATH_MAX], const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    TRY(path_join(around, slash ? path : ".", "", ""));
    if (slash) around[slash == path ? 1 : slash - path] = 0;
    return REDIST_OK;
}

/* Find the length of the name in NAME.<run>.part or, if `old`, NAME.<run>.part.old; 0: it
 * is none of these. */
static size_t length_of(const char *entry, bool *old)
{
    static const char model[] = ".0123456789abcdef.part", ending[] = ".old";
    size_t length = strlen(entry), tail = sizeof ending - 1, part = sizeof model - 1;
    *old = length > tail && strcmp(entry + length - tail, ending) == 0;
    if (*old) length -= tail;
    if (length <= part) return 0;
    const char *at = entry + length - part;
    if (*at != '.' || memcmp(at + 17, model + 17, part - 17) != 0) return 0;
    return strspn(at + 1, "0123456789abcdef") == 16 ? length - part : 0;
}

/* ---- locks ------------------------------------------------------------------------- */

int folder_lock(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = -1;
    if (descriptor < 0) return -1;
    do failed = flock(descriptor, LOCK_EX);
    while (failed && errno == EINTR);
    if (!failed) return descriptor;
    (void)close(descriptor);
    return -1;
}

/* Open and lock the lock file of a folder. Returns 0 or an errno; EWOULDBLOCK: it is
 * held. */
static int take_lock(const char *part, int flags, int *lock)
{
    char path[PATH_MAX];
    if (path_join(path, part, "/.zlock", "")) return ENAMETOOLONG;
    *lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
    if (*lock < 0) return errno;
    int error = flock(*lock, LOCK_EX | LOCK_NB) ? errno : 0;
    if (error) (void)close(*lock);
    if (error) *lock = -1;
    return error;
}

static void remove_lock(const char *part)
{
    char path[PATH_MAX];
    if (!path_join(path, part, "/.zlock", "")) (void)unlink(path);
}

/* ---- remove ------------------------------------------------------------------------ */

static int remove_entry(const char *path, const struct stat *status, int kind,
                        struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

int folder_remove(const char *path)
{
    enum { MOST_OPEN = 16 };
    return nftw(path, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) ? errno
                                                                                 : 0;
}

/* A kill came while a folder was replaced: what was replaced gets its name back, or goes
 * if another one has it. */
static void put_back(const char *old, const char *name)
{
    if (rename(old, name) && (errno == ENOTEMPTY || errno == EEXIST))
        (void)folder_remove(old);
}

/* Remove what is left of `name` in the folder `around`, and of the family. Unless that is
 * `locked`, a folder without a lock file may be one that is just made. */
static redist_err clean(const char *around, bool locked, const char *name,
                        const char *family)
{
    struct dirent *entry;
    char path[PATH_MAX], final[PATH_MAX];
    redist_err err = REDIST_OK;
    DIR *listing = opendir(around);
    while (listing && !err && (entry = readdir(listing))) {
        bool old, own;
        int lock;
        size_t length = length_of(entry->d_name, &old);
        own = length == strlen(name) && memcmp(entry->d_name, name, length) == 0;
        if (!own &&
            !(length && family && strncmp(entry->d_name, family, strlen(family)) == 0))
            continue;
        if (path_join(path, around, "/", entry->d_name)) continue;
        memcpy(final, path, sizeof final);
        final[strlen(around) + 1 + length] = 0;
        if (old) {
            if (locked) put_back(path, final);
            continue;
        }
        int error = take_lock(path, locked ? O_CREAT : 0, &lock);
        if (error == EWOULDBLOCK && own)
            err =
                error_set(REDIST_ERR_IO,
                          "%s: cannot be written: another program is writing it", final);
        if (error) continue;
        (void)folder_remove(path);
        (void)close(lock);
    }
    if (listing) (void)closedir(listing);
    return err;
}

/* ---- create, keep, discard --------------------------------------------------------- */

static redist_err make(struct temporary_folder *folder)
{
    char end[32];
    uint64_t run;
    TRY(temporary_draw(&run));
    (void)snprintf(end, sizeof end, ".%016" PRIx64 ".part", run);
    TRY(path_join(folder->path, folder->name, end, ""));
    int error = mkdir(folder->path, 0777) ? errno : 0;
    if (error) {
        folder->path[0] = 0;
        return cannot_write(folder->name, error, 0);
    }
    error = take_lock(folder->path, O_CREAT | O_EXCL, &folder->lock);
    if (error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS) {
        remove_lock(folder->path);
        error = 0;
    }
    return error ? cannot_write(folder->name, error, 0) : REDIST_OK;
}

redist_err temporary_folder_create(struct temporary_folder *folder, const char *name,
                                   const char *family)
{
    char around[PATH_MAX];
    const char *in;
    *folder = (struct temporary_folder){.lock = -1};
    TRY(path_join(folder->name, name, "", ""));
    TRY(split(name, around, &in));
    int held = folder_lock(around);
    redist_err err = clean(around, held >= 0, in, family);
    if (!err) err = make(folder);
    if (err) temporary_folder_discard(folder);
    if (held >= 0) (void)close(held);
    return err;
}

static redist_err replace(const char *part, const char *name)
{
    char old[PATH_MAX];
    TRY(path_join(old, part, ".old", ""));
    bool exchanged = renameat2(AT_FDCWD, part, AT_FDCWD, name, RENAME_EXCHANGE) == 0;
    if (!exchanged) {
        if (rename(name, old)) return cannot_write(name, errno, 0);
        int error = rename(part, name) ? errno : 0;
        if (error) (void)rename(old, name);
        if (error) return cannot_write(name, error, 0);
    }
    int error = folder_remove(exchanged ? part : old);
    if (!error) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: what was replaced cannot be removed: %s",
                     exchanged ? part : old, strerror(error));
}

redist_err temporary_folder_keep(struct temporary_folder *folder, bool replaces)
{
    char around[PATH_MAX];
    const char *in;
    redist_err err = split(folder->name, around, &in);
    int held = err ? -1 : folder_lock(around);
    remove_lock(folder->path);
    if (!err && replaces)
        err = replace(folder->path, folder->name);
    else if (!err && rename(folder->path, folder->name))
        err = cannot_write(folder->name, errno, 0);
    if (!err) folder->path[0] = 0;
    temporary_folder_discard(folder);
    if (held >= 0) (void)close(held);
    return err;
}

void temporary_folder_discard(struct temporary_folder *folder)
{
    if (folder->path[0]) (void)folder_remove(folder->path);
    if (folder->lock >= 0) (void)close(folder->lock);
    *folder = (struct temporary_folder){.lock = -1};
}
