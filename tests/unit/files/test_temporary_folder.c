/* SPDX-License-Identifier: MIT
 *
 * A folder with another name until it is complete: what killed programs leave goes, what
 * living ones write stays, and what is replaced is never lost.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/unit.h"

#include "base/error.h"
#include "files/format/temporary_folder.h"

static char work[64];

static const char *in_work(const char *name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", work, name);
    return path[turn];
}

static bool is_there(const char *name)
{
    struct stat status;
    return lstat(in_work(name), &status) == 0;
}

static void make(const char *name) { assert_int_equal(mkdir(in_work(name), 0700), 0); }

static void make_file(const char *name)
{
    int file = open(in_work(name), O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    close(file);
}

static void create(const char *name, const char *family, struct temporary_folder *folder)
{
    ok(temporary_folder_create(folder, in_work(name), family));
}

static int set_up(void **unused)
{
    (void)unused;
    snprintf(work, sizeof work, "folders.XXXXXX");
    return mkdtemp(work) ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    return folder_remove(work);
}

static void what_a_killed_program_left_is_removed(void **unused)
{
    (void)unused;
    struct temporary_folder folder;
    static const char *const gone[] = {"a.0123456789abcdef.part",
                                       "a.0123456789abcdee.part"};
    static const char *const stay[] = {
        "ab.0123456789abcdef.part", "a.0123456789abcdeg.part",
        "a.0123456789abcdef.party", "a.0123456789abcdef0.part",
        "a0123456789abcdef.part",   ".0123456789abcdef.part",
        "a.0123456789abcde.part",   "a.part",
        "b.a.0123456789abcdef.part"};
    for (size_t k = 0; k < 2; k++) make(gone[k]);
    make_file("a.0123456789abcdef.part/.zlock");
    make_file("a.0123456789abcdef.part/chunk");
    for (size_t k = 0; k < sizeof stay / sizeof *stay; k++) make(stay[k]);
    make_file("a.0123456789abcdea.part"); /* no folder */
    create("a", NULL, &folder);
    for (size_t k = 0; k < 2; k++) assert_false(is_there(gone[k]));
    for (size_t k = 0; k < sizeof stay / sizeof *stay; k++)
        assert_true(is_there(stay[k]));
    assert_true(is_there("a.0123456789abcdea.part"));
    ok(temporary_folder_keep(&folder, false));
    assert_true(is_there("a"));
    assert_false(is_there("a/.zlock"));
    create("c", "a", &folder); /* a family goes as a whole */
    assert_false(is_there("ab.0123456789abcdef.part"));
    assert_true(is_there("b.a.0123456789abcdef.part"));
    temporary_folder_discard(&folder);
    temporary_folder_discard(&folder);
    assert_false(is_there("c"));
}

static void what_a_living_program_writes_stays(void **unused)
{
    (void)unused;
    struct temporary_folder folder, other;
    struct stat status;
    create("a", NULL, &folder);
    assert_int_equal(temporary_folder_create(&other, in_work("a"), NULL), REDIST_ERR_IO);
    assert_non_null(strstr(redist_error_message(), "another program is writing it"));
    assert_int_equal(other.path[0], 0);
    create("b", "a", &other); /* another of the family is no obstacle */
    assert_int_equal(lstat(folder.path, &status), 0);
    ok(temporary_folder_keep(&other, false));
    ok(temporary_folder_keep(&folder, false));
    assert_true(is_there("a"));
}

static void what_has_the_name_is_replaced_only_if_it_may_be(void **unused)
{
    (void)unused;
    struct temporary_folder folder;
    make("a");
    make_file("a/old");
    create("a", NULL, &folder);
    assert_int_equal(temporary_folder_keep(&folder, false), REDIST_ERR_IO);
    assert_true(is_there("a/old"));
    create("a", NULL, &folder);
    ok(temporary_folder_keep(&folder, true));
    assert_true(is_there("a"));
    assert_false(is_there("a/old"));
    assert_int_equal(rmdir(in_work("a")), 0);
    assert_int_equal(rmdir(work), 0); /* nothing else is left */
    assert_int_equal(mkdir(work, 0700), 0);
}

static void what_was_moved_away_comes_back(void **unused)
{
    (void)unused;
    struct temporary_folder folder;
    make("a.0123456789abcdef.part");
    make("a.0123456789abcdef.part.old");
    make_file("a.0123456789abcdef.part.old/first");
    create("a", NULL, &folder);
    temporary_folder_discard(&folder);
    assert_true(is_there("a/first"));
    make("a.0123456789abcdef.part.old"); /* a kill while it was removed */
    make_file("a.0123456789abcdef.part.old/second");
    create("a", NULL, &folder);
    temporary_folder_discard(&folder);
    assert_true(is_there("a/first"));
    assert_false(is_there("a.0123456789abcdef.part.old"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_a_killed_program_left_is_removed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_a_living_program_writes_stays, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_has_the_name_is_replaced_only_if_it_may_be,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_moved_away_comes_back, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
