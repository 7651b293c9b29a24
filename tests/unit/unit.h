/* SPDX-License-Identifier: MIT
 *
 * tests/unit/unit.h - cmocka, what it wants to be included before it, and a call that
 * must succeed.
 */
#ifndef REDIST_TESTS_UNIT_H
#define REDIST_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <redist/describe.h>

/* cmocka gives each test a state, which none here needs. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define ok(call)                                                                         \
    do {                                                                                 \
        if (call) fail_msg("%s: %s", #call, redist_error_message());                     \
    } while (0)

/* Leave a long test to the builds without sanitizers: with them it takes minutes. */
#ifdef __SANITIZE_ADDRESS__
#define LONG_UNDER_SANITIZERS() skip()
#else
#define LONG_UNDER_SANITIZERS() ((void)0)
#endif

#endif
