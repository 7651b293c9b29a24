/* SPDX-License-Identifier: MIT */
#include "tool/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* ---- signals ----------------------------------------------------------------------- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { NSIGNALS = sizeof signals / sizeof *signals };

/* What a signal removes, and what handled it before. */
static char guarded[PATH_MAX];
static struct sigaction previous[NSIGNALS];

static void remove_and_go_on(int signal)
{
    (void)unlink(guarded);
    for (int i = 0; i < NSIGNALS; i++) {
        if (signals[i] == signal) (void)sigaction(signal, &previous[i], NULL);
    }
    (void)raise(signal); /* blocked until this handler returns */
}

static void guard(const char *path)
{
    (void)snprintf(guarded, sizeof guarded, "%s", path);
    struct sigaction action = {.sa_handler = remove_and_go_on};
    for (int i = 0; i < NSIGNALS; i++) (void)sigaction(signals[i], &action, &previous[i]);
}

static void unguard(void)
{
    for (int i = 0; i < NSIGNALS; i++) (void)sigaction(signals[i], &previous[i], NULL);
}

/* ---- the file ---------------------------------------------------------------------- */

static redist_err cannot_write(const char *name, int error, int64_t bytes)
{
    if (error == ENOSPC || error == EDQUOT)
        return error_set(REDIST_ERR_IO,
                         "%s: cannot be written: disk full, %" PRId64 " bytes are needed",
                         name, bytes);
    return error_set(REDIST_ERR_IO, "%s: cannot be written: %s", name, strerror(error));
}

/* Reserve the bytes now, since a disk that fills up during MPI's collective writes gives
 * poor messages. Where the file system can't, the size alone is set. */
static int reserve(int descriptor, int64_t bytes)
{
    int error = posix_fallocate(descriptor, 0, bytes);
    if (error != EINVAL && error != EOPNOTSUPP) return error;
    return ftruncate(descriptor, bytes) ? errno : 0;
}

redist_err temporary_name(const char *name, uint64_t run, struct temporary *file)
{
    int64_t room = (int64_t)strlen(name) + 32;
    *file = (struct temporary){name, mem_alloc(NULL, room, 1)};
    if (!file->path) return REDIST_ERR_MEMORY;
    (void)snprintf(file->path, (size_t)room, "%s.%016" PRIx64 ".part", name, run);
    return REDIST_OK;
}

redist_err temporary_create(struct temporary *file, int64_t bytes, int *descriptor)
{
    if (access(file->name, F_OK) == 0 && access(file->name, W_OK) != 0)
        return cannot_write(file->name, errno, bytes);
    int fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return cannot_write(file->name, errno, bytes);
    guard(file->path);
    int error = reserve(fd, bytes);
    if (error) {
        (void)close(fd);
        temporary_discard(file);
        return cannot_write(file->name, error, bytes);
    }
    *descriptor = fd;
    return REDIST_OK;
}

redist_err temporary_keep(struct temporary *file)
{
    int error = rename(file->path, file->name) ? errno : 0;
    if (error) {
        temporary_discard(file);
        return cannot_write(file->name, error, 0);
    }
    unguard();
    return REDIST_OK;
}

void temporary_discard(struct temporary *file)
{
    (void)unlink(file->path);
    unguard();
}

void temporary_free(struct temporary *file)
{
    mem_free(file->path);
    file->path = NULL;
}

redist_err write_fully(int descriptor, const char *name, const void *bytes, int64_t size,
                       int64_t offset)
{
    const char *at = bytes;
    for (int64_t left = size; left > 0;) {
        ssize_t done = pwrite(descriptor, at, (size_t)int_min(left, 1 << 30), offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return cannot_write(name, done < 0 ? errno : EIO, left);
        at += done;
        offset += done;
        left -= done;
    }
    return REDIST_OK;
}
