/* SPDX-License-Identifier: MIT */
#include "tool/picture/picture.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "files/format/temporary.h"

static redist_err finish(FILE *out, const char *name, redist_err err)
{
    bool failed = ferror(out);
    errno = 0;
    failed = (out == stdout ? fflush(out) : fclose(out)) != 0 || failed;
    if (!err && failed) err = cannot_write(name, errno ? errno : EIO, 0);
    return err;
}

static redist_err write_file(const char *path, picture_draw *draw, void *what)
{
    struct temporary file;
    int descriptor = -1;
    TRY(temporary_create(&file, path, 0, &descriptor));
    FILE *out = fdopen(descriptor, "w");
    redist_err err = REDIST_OK;
    if (out) {
        err = finish(out, path, draw(out, what));
    } else {
        err = cannot_write(path, errno, 0);
        (void)close(descriptor);
    }
    if (!err) return temporary_keep(&file);
    temporary_discard(&file);
    return err;
}

redist_err picture_write(const char *path, picture_draw *draw, void *what)
{
    if (strcmp(path, "-") == 0)
        return finish(stdout, "standard output", draw(stdout, what));
    return write_file(path, draw, what);
}
