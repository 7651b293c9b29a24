/* SPDX-License-Identifier: MIT */
#include "files/format/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"

redist_err cannot_write(const char *name, int error, int64_t bytes)
{
    if (bytes > 0 && (error == ENOSPC || error == EDQUOT))
        return error_set(REDIST_ERR_IO,
                         "%s: cannot be written: disk full, %" PRId64 " bytes are needed",
                         name, bytes);
    return error_set(REDIST_ERR_IO, "%s: cannot be written: %s", name, strerror(error));
}

redist_err path_join(char path[PATH_MAX], const char *a, const char *b, const char *c)
{
    if ((size_t)snprintf(path, PATH_MAX, "%s%s%s", a, b, c) < PATH_MAX) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%.80s..: %s", a, strerror(ENAMETOOLONG));
}

/* Tell whether a link of /proc refers to an open file. Replacing that file by name would
 * lose what others write to it, as in `redist .. --svg /dev/stdout >> log`. */
static bool is_in_proc(const char *link)
{
    struct statfs system;
    int descriptor = open(link, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool proc = fstatfs(descriptor, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
    (void)close(descriptor);
    return proc;
}

/* Replace the link `path` by its target. Returns 0 or an errno. */
static int follow(char path[PATH_MAX])
{
    char leads_to[PATH_MAX];
    ssize_t length = readlink(path, leads_to, sizeof leads_to);
    if (length < 0) return errno;
    char *slash = strrchr(path, '/');
    size_t folder = leads_to[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - path);
    if (folder + (size_t)length >= PATH_MAX) return ENAMETOOLONG;
    memcpy(path + folder, leads_to, (size_t)length);
    path[folder + (size_t)length] = 0;
    return 0;
}

/* Follow `name` through all links. */
static redist_err follow_all(const char *name, char path[PATH_MAX])
{
    enum { MOST_LINKS = 40 }; /* as the kernel */
    struct stat status;
    int error = *name == 0 ? ENOENT : strlen(name) >= PATH_MAX ? ENAMETOOLONG : 0;
    if (!error) memcpy(path, name, strlen(name) + 1);
    for (int links = 0; !error && !lstat(path, &status) && S_ISLNK(status.st_mode);) {
        if (is_in_proc(path))
            return error_set(REDIST_ERR_IO,
                             "%s: cannot be written: a descriptor of an open file, must "
                             "be a file's name",
                             name);
        error = links++ < MOST_LINKS ? follow(path) : ELOOP;
    }
    return error ? cannot_write(name, error, 0) : REDIST_OK;
}

static redist_err check_kind(const char *name, mode_t mode)
{
    if (S_ISREG(mode)) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: cannot be written: %s, must be a regular file",
                     name,
                     S_ISDIR(mode)    ? "a folder"
                     : S_ISFIFO(mode) ? "a FIFO"
                     : S_ISCHR(mode)  ? "a character device"
                     : S_ISBLK(mode)  ? "a block device"
                                      : "a socket");
}

redist_err destination_find(const char *name, struct destination *destination)
{
    char path[PATH_MAX];
    struct stat status = {0};
    *destination = (struct destination){.path = NULL};
    bool exists = stat(name, &status) == 0;
    if (!exists && errno != ENOENT) return cannot_write(name, errno, 0);
    if (exists) TRY(check_kind(name, status.st_mode));
    TRY(follow_all(name, path));
    if (exists && access(path, W_OK)) return cannot_write(name, errno, 0);
    *destination = (struct destination){
        .path = mem_copy(NULL, path, (int64_t)strlen(path) + 1, 1),
        .exists = exists,
        .mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO),
        .owner = status.st_uid,
        .group = status.st_gid,
    };
    return destination->path ? REDIST_OK : REDIST_ERR_MEMORY;
}

void destination_free(struct destination *destination)
{
    mem_free(destination->path);
    destination->path = NULL;
}

void destination_copy_owner(const struct destination *destination, int descriptor)
{
    if (!destination->exists) return;
    mode_t mode = destination->mode;
    if (fchown(descriptor, destination->owner, destination->group) &&
        fchown(descriptor, (uid_t)-1, destination->group))
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    (void)fchmod(descriptor, mode);
}
