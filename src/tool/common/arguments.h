/* SPDX-License-Identifier: MIT
 *
 * tool/common/arguments.h - what a command takes: a table of its options, each with the
 * place where what is given goes, and so many other words.
 */
#ifndef REDIST_TOOL_COMMON_ARGUMENTS_H
#define REDIST_TOOL_COMMON_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <redist/describe.h>

/* --name, and its place: one of these. A place that no option fills stays as it is. */
struct argument {
    const char *name;
    bool *flag;
    const char **text;
    int64_t *number, least, most;
    int64_t *bytes;
    double *seconds;
};

/* Read the options of a command, whose table ends with one without a name, and its `n`
 * other words. At --help, or -h, no further is read, and *help is set.
 * ARG: an option is none of these, lacks its argument, has one that is no such number, or
 * there are not as many words. */
redist_err arguments_read(int argc, char **argv, const struct argument options[], int n,
                          const char *word[], bool *help);

/* The same for a subcommand of the tool, which prints, if `speak`, `help` or what is
 * wrong. Returns TOOL_OK: go on, TOOL_HELPED or TOOL_USAGE. */
int arguments_take(int argc, char **argv, bool speak, const char *help,
                   const struct argument options[], int n, const char *word[]);

#endif
