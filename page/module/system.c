/* SPDX-License-Identifier: MIT
 *
 * page/module/system.c - functions of a system and of a terminal, which a page does not
 * have.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "tool/common/terminal.h"
#include "tool/picture/picture.h"

int madvise(void *address, size_t size, int advice);

char *secure_getenv(const char *name)
{
    (void)name;
    return NULL;
}

int madvise(void *address, size_t size, int advice)
{
    (void)address, (void)size, (void)advice;
    return 0;
}

void terminal_print_wrapped(int indent, const char *text)
{
    (void)indent;
    (void)printf("%s\n", text);
}

redist_err picture_write(const char *path, picture_draw *draw, void *what)
{
    (void)draw, (void)what;
    return error_set(REDIST_ERR_IO, "%s: a page writes no files", path);
}
