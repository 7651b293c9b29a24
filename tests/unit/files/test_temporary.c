/* SPDX-License-Identifier: MIT
 *
 * A file with another name until it is complete, where the file system reserves no bytes:
 * it gets its size, and nothing is written into it.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"

#include "files/format/temporary.h"

enum { BYTES = 16 << 20, SKIPPED = 77 };

/* Create a file on a file system that this process alone sees. Returns an exit status. */
static int create_here(const char *work)
{
    char name[128];
    struct temporary file;
    struct stat status;
    int descriptor = -1;
    if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", work, "ramfs", 0, NULL))
        return SKIPPED;
    (void)snprintf(name, sizeof name, "%s/a", work);
    if (temporary_create(&file, name, BYTES, &descriptor)) return 1;
    if (fstat(descriptor, &status) || status.st_size != BYTES) return 2;
    if (status.st_blocks != 0) return 3;
    close(descriptor);
    temporary_discard(&file);
    return 0;
}

static void what_cannot_be_reserved_is_not_written(void **unused)
{
    char work[] = "temporary.XXXXXX";
    int status = 0;
    (void)unused;
    assert_non_null(mkdtemp(work));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(create_here(work));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(rmdir(work), 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_reserved_is_not_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
