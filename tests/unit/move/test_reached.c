/* SPDX-License-Identifier: MIT
 *
 * Allocations of other processes that stay open (move/device/reached.h).
 */
#include <string.h>

#include "unit/unit.h"

#include "move/device/reached.h"

static int opened, left;
static bool fails;
static char memory[200];

static int reach(const struct memory_place *place, void **begin)
{
    opened++;
    *begin = memory + place->handle[0];
    return fails;
}

static void leave(void *begin)
{
    assert_true((char *)begin >= memory && (char *)begin < memory + sizeof memory);
    left++;
}

static const struct device_driver driver = {.reach = reach, .leave = leave};
static const int one, other; /* owners */

static struct memory_place place_of(int handle, uint64_t id)
{
    return (struct memory_place){.handle = {(char)handle}, .id = id, .offset = 3};
}

static int64_t run;

static const char *find(const void *owner, int handle, uint64_t id)
{
    const struct memory_place place = place_of(handle, id);
    return reached_find(&driver, owner, run, &place);
}

static int begin(void **state)
{
    opened = left = 0;
    fails = false;
    return 0;
}

static void an_allocation_is_opened_once(void **state)
{
    for (int k = 0; k < 3; k++) {
        assert_ptr_equal(find(&one, 1, 5), memory + 1 + 3);
        assert_ptr_equal(find(&one, 2, 6), memory + 2 + 3);
    }
    assert_int_equal(opened, 2);
    reached_leave(&driver, &one);
    assert_int_equal(left, 2);
    assert_non_null(find(&one, 1, 5));
    assert_int_equal(opened, 3);
    reached_leave(&driver, &one);
    assert_int_equal(left, 3);
}

/* The handle is then that of another allocation. */
static void an_allocation_that_was_freed_is_closed(void **state)
{
    assert_non_null(find(&one, 1, 5));
    assert_non_null(find(&one, 1, 7));
    assert_int_equal(opened, 2);
    assert_int_equal(left, 1);
    reached_leave(&driver, &one);
    assert_int_equal(left, 2);
}

static void owners_have_their_own(void **state)
{
    assert_non_null(find(&one, 1, 5));
    assert_non_null(find(&other, 1, 5));
    assert_int_equal(opened, 2);
    reached_leave(&driver, &one);
    assert_int_equal(left, 1);
    assert_non_null(find(&other, 1, 5));
    assert_int_equal(opened, 2);
    reached_leave(&driver, &other);
    assert_int_equal(left, 2);
}

static void those_used_longest_ago_are_closed(void **state)
{
    for (int k = 0; k < 100; k++) {
        run = k;
        assert_non_null(find(&one, k, 5));
        assert_non_null(find(&one, 0, 5)); /* always in use */
    }
    assert_int_equal(opened, 100);
    assert_int_equal(left, 100 - 64);
    reached_leave(&driver, &one);
    assert_int_equal(left, 100);
}

/* Its moves read them later. */
static void those_of_one_run_stay_open(void **state)
{
    run = 1;
    for (int k = 0; k < 100; k++) assert_non_null(find(&one, k, 5));
    assert_int_equal(left, 0);
    run = 2;
    for (int k = 0; k < 100; k++) assert_non_null(find(&one, 100 - k, 6));
    assert_int_equal(opened, 200);
    assert_int_equal(left, 100);
    reached_leave(&driver, &one);
    assert_int_equal(left, 200);
}

static void what_cannot_be_reached_is_not_tried_again(void **state)
{
    fails = true;
    for (int k = 0; k < 3; k++) assert_null(find(&one, 1, 5));
    assert_int_equal(opened, 1);
    reached_leave(&driver, &one);
    assert_int_equal(left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_allocation_is_opened_once, begin),
        cmocka_unit_test_setup(an_allocation_that_was_freed_is_closed, begin),
        cmocka_unit_test_setup(owners_have_their_own, begin),
        cmocka_unit_test_setup(those_used_longest_ago_are_closed, begin),
        cmocka_unit_test_setup(those_of_one_run_stay_open, begin),
        cmocka_unit_test_setup(what_cannot_be_reached_is_not_tried_again, begin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
