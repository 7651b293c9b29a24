/* SPDX-License-Identifier: MIT */
#include "files/format/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* ---- signals ----------------------------------------------------------------------- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { NSIGNALS = sizeof signals / sizeof *signals };
static bool handles; /* signals, as the process has asked for */

void temporary_handle_signals(void) { handles = true; }

/* Removed by a signal: the temporary file and its lock. And the previous handlers. */
static char guarded[2][PATH_MAX];
static struct sigaction previous[NSIGNALS];

/* While files appear and disappear a signal is only noted. Another thread may get it, so
 * that blocking it would not do. */
static volatile sig_atomic_t changing, noted;

static void remove_and_end(int signal)
{
    if (changing) {
        noted = signal;
        return;
    }
    for (int i = 0; i < 2; i++)
        if (guarded[i][0]) (void)unlink(guarded[i]);
    for (int i = 0; i < NSIGNALS; i++) {
        if (signals[i] == signal) (void)sigaction(signal, &previous[i], NULL);
    }
    (void)raise(signal); /* blocked until this handler returns */
}

/* Handle the signals from now on, and only note them. One that is ignored or handled does
 * not end the process, so it must not remove the file: UCX, under MPICH, handles HUP. */
static void begin_change(void)
{
    struct sigaction action = {.sa_handler = remove_and_end};
    if (!handles) return;
    changing = 1;
    for (int i = 0; i < NSIGNALS; i++) {
        (void)sigaction(signals[i], NULL, &previous[i]);
        if (previous[i].sa_handler == SIG_DFL) (void)sigaction(signals[i], &action, NULL);
    }
}

/* All names are as they should be: guard the file. */
static void guard(const struct temporary *file)
{
    if (!handles) return;
    (void)snprintf(guarded[0], sizeof guarded[0], "%s", file->path);
    (void)snprintf(guarded[1], sizeof guarded[1], "%s", file->lock ? file->lock : "");
    changing = 0;
    if (noted) remove_and_end(noted);
}

/* There is no file any more: a signal goes where it went before. */
static void unguard(void)
{
    if (!handles) return;
    for (int i = 0; i < NSIGNALS; i++) (void)sigaction(signals[i], &previous[i], NULL);
    changing = 0;
    if (noted) (void)raise(noted);
    noted = 0;
}

/* ---- the file ---------------------------------------------------------------------- */

/* Reserve the bytes now, since a disk that fills up during MPI's collective writes gives
 * poor messages. If the file system cannot, only the size is set: posix_fallocate would
 * write to each block, which takes seconds a GiB. */
static int reserve(int descriptor, int64_t bytes)
{
    int error = bytes > 0 && fallocate(descriptor, 0, 0, bytes) ? errno : 0;
    if (error && error != EOPNOTSUPP && error != ENOSYS && error != EINTR) return error;
    return ftruncate(descriptor, bytes) ? errno : 0;
}

static redist_err name_part(const char *path, uint64_t run, char **part)
{
    int64_t room = (int64_t)strlen(path) + 32;
    *part = mem_alloc(NULL, room, 1);
    if (!*part) return REDIST_ERR_MEMORY;
    (void)snprintf(*part, (size_t)room, "%s.%016" PRIx64 ".part", path, run);
    return REDIST_OK;
}

/* ---- the lock ---------------------------------------------------------------------- */

const char temporary_lock_suffix[] = ".redist.lock";
enum { RUN_DIGITS = 16 };

static redist_err name_lock(const char *path, char **lock)
{
    int64_t room = (int64_t)(strlen(path) + sizeof temporary_lock_suffix);
    *lock = mem_alloc(NULL, room, 1);
    if (!*lock) return REDIST_ERR_MEMORY;
    (void)snprintf(*lock, (size_t)room, "%s%s", path, temporary_lock_suffix);
    return REDIST_OK;
}

/* Open and lock a file, which `flags` may create. A file removed before it was locked is
 * no lock. Its name can be guessed, so it must not be another name of a file, which the
 * run's number would overwrite. Returns 0 or an errno; EWOULDBLOCK: it is held. */
static int lock_file(const char *path, int flags, int *descriptor)
{
    struct stat opened, named;
    for (;;) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
        if (fd < 0) return errno;
        int error = flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &opened) ? errno : 0;
        if (!error && stat(path, &named) == 0 && named.st_ino == opened.st_ino &&
            named.st_dev == opened.st_dev) {
            if (S_ISREG(opened.st_mode) && opened.st_nlink == 1) {
                *descriptor = fd;
                return 0;
            }
            error = EEXIST;
        }
        (void)close(fd);
        if (error) return error;
    }
}

/* Remove the temporary file of the run named in a lock file; only ours name one. */
static void remove_left(const char *path, int descriptor)
{
    char digits[RUN_DIGITS + 1] = "", *end = NULL, *part = NULL;
    if (pread(descriptor, digits, RUN_DIGITS, 0) != RUN_DIGITS) return;
    uint64_t run = strtoull(digits, &end, 16);
    if (end != digits + RUN_DIGITS || name_part(path, run, &part)) return;
    (void)unlink(part);
    mem_free(part);
}

/* Lock file->destination for run `run`, and remove what a killed run left of it. */
static redist_err take_lock(struct temporary *file, uint64_t run)
{
    char digits[RUN_DIGITS + 1];
    TRY(name_lock(file->destination.path, &file->lock));
    int error = lock_file(file->lock, O_CREAT, &file->descriptor);
    if (error == EWOULDBLOCK)
        return error_set(REDIST_ERR_IO,
                         "%s: cannot be written: another run is writing it", file->name);
    if (error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS) {
        (void)unlink(file->lock);
        mem_free(file->lock);
        file->lock = NULL;
        return REDIST_OK;
    }
    if (error) return cannot_write(file->name, error, 0);
    remove_left(file->destination.path, file->descriptor);
    (void)snprintf(digits, sizeof digits, "%016" PRIx64, run);
    return write_fully(file->descriptor, file->name, digits, RUN_DIGITS, 0);
}

void temporary_clean(const char *name)
{
    char *lock = NULL;
    int descriptor = -1;
    if (name_lock(name, &lock)) return;
    if (lock_file(lock, 0, &descriptor) == 0) {
        remove_left(name, descriptor);
        (void)unlink(lock);
        (void)close(descriptor);
    }
    mem_free(lock);
}

/* ---- create, keep, discard --------------------------------------------------------- */

/* Unlock, and forget the file. */
static void release(struct temporary *file)
{
    if (file->own >= 0) (void)close(file->own);
    if (file->lock && file->descriptor >= 0) {
        (void)unlink(file->lock);
        (void)close(file->descriptor);
    }
    mem_free(file->lock);
    mem_free(file->path);
    destination_free(&file->destination);
    *file = (struct temporary){0};
}

static redist_err create(struct temporary *file, uint64_t run, int64_t bytes,
                         int *descriptor)
{
    TRY(destination_find(file->name, &file->destination));
    TRY(take_lock(file, run));
    TRY(name_part(file->destination.path, run, &file->path));
    /* What replaces a file gets its mode in the end, and until then is private. */
    mode_t mode = file->destination.exists ? S_IRUSR | S_IWUSR : 0666;
    int fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return cannot_write(file->name, errno, bytes);
    guard(file);
    file->own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int error = file->own < 0 ? errno : reserve(fd, bytes);
    if (!error) {
        *descriptor = fd;
        return REDIST_OK;
    }
    changing = handles;
    (void)close(fd);
    (void)unlink(file->path);
    return cannot_write(file->name, error, bytes);
}

redist_err temporary_draw(uint64_t *run)
{
    if (getrandom(run, sizeof *run, 0) == sizeof *run) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "no random number for the name of a file: %s",
                     strerror(errno));
}

redist_err temporary_create(struct temporary *file, const char *name, int64_t bytes,
                            int *descriptor)
{
    uint64_t run;
    *file = (struct temporary){.name = name, .descriptor = -1, .own = -1};
    TRY(temporary_draw(&run));
    begin_change();
    redist_err err = create(file, run, bytes, descriptor);
    if (err) release(file);
    if (err) unguard();
    return err;
}

redist_err temporary_keep(struct temporary *file)
{
    const char *name = file->name;
    destination_copy_owner(&file->destination, file->own);
    changing = handles;
    int error = rename(file->path, file->destination.path) ? errno : 0;
    if (error) {
        temporary_discard(file);
        return cannot_write(name, error, 0);
    }
    release(file);
    unguard();
    return REDIST_OK;
}

void temporary_discard(struct temporary *file)
{
    if (!file->path) return;
    changing = handles;
    (void)unlink(file->path);
    release(file);
    unguard();
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

redist_err temporary_write(const char *name, const void *bytes, int64_t size)
{
    struct temporary file;
    int descriptor;
    TRY(temporary_create(&file, name, size, &descriptor));
    redist_err err = write_fully(descriptor, name, bytes, size, 0);
    if (close(descriptor) && !err) err = cannot_write(name, errno, 0);
    if (!err) return temporary_keep(&file);
    temporary_discard(&file);
    return err;
}
