/* SPDX-License-Identifier: MIT */
#include "files/format/window.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/npy.h"

enum { LEAST_AHEAD = 16 << 10 };

static redist_err cannot_read(const char *path)
{
    return error_set(REDIST_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
}

static redist_err check_regular(const char *path, const struct stat *status)
{
    if (S_ISREG(status->st_mode)) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: cannot be read: not a regular file", path);
}

/* Opening a FIFO can block and opening a device can change it, so the path is examined
 * first; it may be replaced before it is opened, so the open file is examined, too. */
redist_err window_open(const char *path, struct window *window)
{
    struct stat status;
    *window = (struct window){.path = path, .descriptor = -1, .ahead = LEAST_AHEAD};
    if (stat(path, &status)) return cannot_read(path);
    TRY(check_regular(path, &status));
    window->descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (window->descriptor < 0) return cannot_read(path);
    redist_err err = fstat(window->descriptor, &status) ? cannot_read(path)
                                                        : check_regular(path, &status);
    if (err)
        window_close(window);
    else
        window->file_bytes = status.st_size;
    return err;
}

void window_close(struct window *window)
{
    if (window->descriptor >= 0) (void)close(window->descriptor);
    mem_free(window->buffer);
    *window = (struct window){.descriptor = -1};
}

redist_err read_fully(int descriptor, const char *name, void *bytes, int64_t size,
                      int64_t offset)
{
    char *to = bytes;
    for (int64_t done = 0; done < size;) {
        ssize_t got = pread(descriptor, to + done, (size_t)int_min(size - done, 1 << 30),
                            offset + done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_read(name);
        if (got == 0)
            return error_set(REDIST_ERR_IO, "%s: truncated: ends at byte %" PRId64, name,
                             offset + done);
        done += got;
    }
    return REDIST_OK;
}

redist_err window_get(struct window *w, int64_t offset, int64_t size, const char **bytes)
{
    if (size == 0) { /* a file may have no bytes, and the window no buffer */
        *bytes = "";
        return REDIST_OK;
    }
    if (offset < w->begin || offset + size > w->end) {
        if (offset + size > w->file_bytes)
            return error_set(REDIST_ERR_IO, "%s: truncated: ends at byte %" PRId64,
                             w->path, w->file_bytes);
        bool close_by = offset >= w->begin && offset - w->end <= LEAST_AHEAD;
        w->ahead = close_by ? int_min(2 * w->ahead, WINDOW_BYTES) : LEAST_AHEAD;
        int64_t read = int_min(int_max(size, w->ahead), w->file_bytes - offset);
        char *buffer = mem_reserve(NULL, w->buffer, read, &w->room, 1);
        if (!buffer) return REDIST_ERR_MEMORY;
        w->buffer = buffer;
        w->begin = w->end = 0; /* empty, if it fails */
        TRY(read_fully(w->descriptor, w->path, w->buffer, read, offset));
        w->begin = offset;
        w->end = offset + read;
    }
    *bytes = w->buffer + (offset - w->begin);
    return REDIST_OK;
}

redist_err window_read_header(const char *path, char **header, int64_t *size,
                              int64_t *file_bytes)
{
    struct window w;
    TRY(window_open(path, &w));
    const char *bytes = NULL;
    int64_t prefix = int_min(NPY_PREFIX_BYTES, w.file_bytes);
    redist_err err = window_get(&w, 0, prefix, &bytes);
    if (!err && (err = npy_header_bytes(bytes, prefix, size)))
        err = error_prefix(err, "%s", path);
    if (!err) err = window_get(&w, 0, *size, &bytes);
    if (!err && !(*header = mem_copy(NULL, bytes, *size, 1))) err = REDIST_ERR_MEMORY;
    if (!err) *file_bytes = w.file_bytes;
    window_close(&w);
    return err;
}

redist_err window_read_all(const char *path, int64_t most, char **text, int64_t *size)
{
    struct window w;
    TRY(window_open(path, &w));
    const char *bytes = NULL;
    *size = w.file_bytes;
    redist_err err = REDIST_OK;
    if (*size > most)
        err = error_set(REDIST_ERR_IO,
                        "%s: has %" PRId64 " bytes, must have at most %" PRId64, path,
                        *size, most);
    if (!err) err = window_get(&w, 0, *size, &bytes);
    *text = err ? NULL : mem_alloc(NULL, *size + 1, 1);
    if (!err && !*text) err = REDIST_ERR_MEMORY;
    if (!err && *size > 0) memcpy(*text, bytes, (size_t)*size);
    window_close(&w);
    return err;
}
