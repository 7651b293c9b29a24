/* SPDX-License-Identifier: MIT
 *
 * tests/long.h - how much a test does: `script/test --long` asks for all of it.
 */
#ifndef REDIST_TESTS_LONG_H
#define REDIST_TESTS_LONG_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool long_run(void) { return getenv("REDIST_TEST_LONG") != NULL; }

/* Of random cases that the sanitizers slow down tenfold, a fifth is run under them. */
#ifdef __SANITIZE_ADDRESS__
enum { CASES_SHARE = 5 };
#else
enum { CASES_SHARE = 1 };
#endif

static inline int usual_cases(int few, int many)
{
    return long_run() ? many : few / CASES_SHARE;
}

/* The number of random cases: what the command line says, or else many in a long run and
 * few otherwise. */
static inline int number_of_cases(int argc, char **argv, int few, int many)
{
    if (argc > 1) return atoi(argv[1]);
    return long_run() ? many : few;
}

#endif
