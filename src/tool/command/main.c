/* SPDX-License-Identifier: MIT
 *
 * tool/command/main.c - the command `redist`: find the subcommand and call it.
 *
 * The build defines REDIST_VERSION, a string.
 */
#include <signal.h>
#include <string.h>

#include "base/nearest.h"
#include "files/format/temporary.h"
#include "tool/common/tool.h"

static const char notes[] =
    "\n"
    "  redist SUBCOMMAND --help        the options of one of them\n"
    "  redist --version\n"
    "\n"
    "A SPEC is the text of a distribution, or @FILE: the text is in the file. Some:\n"
    "\n"
    "  [4096,4096] (cyclic(64),cyclic(64)) onto 2x2\n"
    "  [1000] (gen_block(10,20,970)) onto 3\n"
    "  [300,300] (block,*) onto 20 ranks 4:23\n"
    "  [300,300] (block,block) onto 2x2 section [0:99,5:9] order column-major\n";

/* End a command that has printed its help. */
static int flush(void) { return tool_flush() ? tool_fail_last() : TOOL_OK; }

static int print_help(void)
{
    (void)puts("redist - move a distributed array from one distribution to another\n");
    for (size_t i = 0; commands[i]; i++) {
        const struct command *command = commands[i];
        int width = printf("  redist %s %s", command->name, command->arguments);
        (void)printf("%*s%s%s\n", width < 34 ? 34 - width : 1, "", command->summary,
                     command->parallel ? ", under mpirun" : "");
    }
    (void)fputs(notes, stdout);
    return flush();
}

static int misused(const char *what, const char *word, const char *hint)
{
    (void)fprintf(stderr, "redist: %s%s%s\nredist --help says what there is.\n", what,
                  word, hint);
    return TOOL_USAGE;
}

/* Report that there is no subcommand, and list all. */
static int missing(void)
{
    char names[256] = "";
    size_t length = 0;
    for (size_t i = 0; commands[i]; i++) {
        const char *before = i == 0 ? "" : commands[i + 1] ? ", " : " or ";
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", before,
                                   commands[i]->name);
    }
    return misused("a subcommand is missing: ", names, "");
}

/* Report a word that is neither a subcommand nor an option. */
static int unknown(const char *word)
{
    struct nearest nearest = nearest_to(word);
    char hint[NEAREST_HINT_SIZE];
    bool option = word[0] == '-';
    if (option) nearest_offer(&nearest, "--help"), nearest_offer(&nearest, "--version");
    for (size_t i = 0; !option && commands[i]; i++)
        nearest_offer(&nearest, commands[i]->name);
    return misused(option ? "there is no option " : "there is no subcommand ", word,
                   nearest_hint(&nearest, hint));
}

int main(int argc, char **argv)
{
    if (argc < 2) return missing();
    const char *word = argv[1];
    temporary_handle_signals();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file over the limit is an error */
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return print_help();
    if (strcmp(word, "--version") == 0) {
        (void)puts("redist " REDIST_VERSION);
        return flush();
    }
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(word, commands[i]->name) != 0) continue;
        int status = commands[i]->run(argc - 1, argv + 1);
        return status == TOOL_HELPED ? flush() : status;
    }
    return unknown(word);
}
