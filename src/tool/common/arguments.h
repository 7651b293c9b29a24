/* SPDX-License-Identifier: MIT
 *
 * tool/common/arguments.h - the arguments of a command: a table of its options, each with
 * the variable that receives its value, and a number of other words.
 */
#ifndef REDIST_TOOL_COMMON_ARGUMENTS_H
#define REDIST_TOOL_COMMON_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <redist/describe.h>

/* --name, or -letter if there is one, and one variable of these. It keeps its value if
 * the option is absent. The table of a subcommand also says what --help and completion
 * know of it: */
struct argument {
    const char *name;
    const char *value; /* what follows the name; NULL: nothing */
    const char *help;  /* lines of text */
    const char *words; /* values that are offered, with spaces between; may be NULL */
    const char *(*candidate)(size_t k); /* and more of them, NULL behind the last */
    char letter;                        /* 0: none */
    bool *flag;
    const char **text;
    int64_t *number, least, most;
    int64_t *bytes;
    double *seconds;
};

/* A subcommand of the tool. */
struct command {
    const char *name;
    const char *arguments; /* what must follow the name, as in "SOURCE TARGET" */
    int nwords;            /* of these, the words that are no options; -n: n or none */
    const char *words;     /* that are offered for them; may be NULL */
    const char *summary;   /* a phrase */
    bool parallel;         /* it is run under mpirun */
    const struct argument *options;
    const char *notes; /* lines behind the options in the help */
    /* The exit status, or TOOL_HELPED. argv[0] is the command's name. It may be called
     * again: the variables of the options are set anew. */
    int (*run)(int argc, char **argv);
};

/* Read the options of a command, whose table ends with one without a name, and its `n`
 * other words; if n < 0, -n words or none, which are then NULL. --help, or -h, ends
 * reading and sets *help. ARG: an unknown option, a missing or wrong argument, or another
 * number of words. */
redist_err arguments_read(int argc, char **argv, const struct argument options[], int n,
                          const char *word[], bool *help);

/* Read the arguments of a subcommand of the tool. If `speak`, print its help or the
 * error. Returns TOOL_OK: go on, TOOL_HELPED or TOOL_USAGE. */
int arguments_take(int argc, char **argv, bool speak, const struct command *command,
                   const char *word[]);

#endif
