/* SPDX-License-Identifier: MIT
 *
 * tool/common/arguments.h - the arguments of a command: a table of its options, each with
 * the variable that receives its value, and a number of other words.
 */
#ifndef REDIST_TOOL_COMMON_ARGUMENTS_H
#define REDIST_TOOL_COMMON_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <redist/describe.h>

/* --name, or -letter if there is one, and one variable of these. It keeps its
 * value if the option is absent. */
struct argument {
    const char *name;
    char letter; /* 0: none */
    bool *flag;
    const char **text;
    int64_t *number, least, most;
    int64_t *bytes;
    double *seconds;
};

/* Read the options of a command, whose table ends with one without a name, and its `n`
 * other words; if n < 0, -n words or none, which are then NULL. --help, or -h, ends
 * reading and sets *help. ARG: an unknown option, a missing or wrong argument, or another
 * number of words. */
redist_err arguments_read(int argc, char **argv, const struct argument options[], int n,
                          const char *word[], bool *help);

/* Read the arguments of a subcommand of the tool. If `speak`, print `help` or the error.
 * Returns TOOL_OK: go on, TOOL_HELPED or TOOL_USAGE. */
int arguments_take(int argc, char **argv, bool speak, const char *help,
                   const struct argument options[], int n, const char *word[]);

#endif
