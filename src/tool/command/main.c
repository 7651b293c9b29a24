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

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"show", tool_show},   {"explain", tool_explain}, {"schedule", tool_schedule},
    {"run", tool_run},     {"copy", tool_copy},       {"info", tool_info},
    {"bench", tool_bench}, {"balance", tool_balance}, {"page", tool_page}};

static const char help[] =
    "redist - move a distributed array from one distribution to another\n"
    "\n"
    "  redist show SPEC                draw who owns what\n"
    "  redist explain SOURCE TARGET    say what a redistribution costs\n"
    "  redist schedule SOURCE TARGET   say who sends to whom, when\n"
    "  redist run SOURCE TARGET        redistribute, under mpirun\n"
    "  redist copy FROM TO             copy an array from file to file, under mpirun\n"
    "  redist info FILE                say what an array in a file is\n"
    "  redist bench SOURCE TARGET      compare the strategies, under mpirun\n"
    "  redist balance --counts LIST    give each process its share\n"
    "  redist page [SOURCE TARGET]     write the explorer, a page for a browser\n"
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

static int misused(const char *what, const char *word, const char *hint)
{
    (void)fprintf(stderr, "redist: %s%s%s\nredist --help says what there is.\n", what,
                  word, hint);
    return TOOL_USAGE;
}

/* Report a word that is neither a subcommand nor an option. */
static int unknown(const char *word)
{
    struct nearest nearest = nearest_to(word);
    char hint[NEAREST_HINT_SIZE];
    bool option = word[0] == '-';
    if (option) nearest_offer(&nearest, "--help"), nearest_offer(&nearest, "--version");
    for (size_t i = 0; !option && i < sizeof subcommands / sizeof *subcommands; i++)
        nearest_offer(&nearest, subcommands[i].name);
    return misused(option ? "there is no option " : "there is no subcommand ", word,
                   nearest_hint(&nearest, hint));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return misused("a subcommand is missing: show, explain, schedule, run, "
                       "copy, info, bench, balance or page",
                       "", "");
    const char *word = argv[1];
    temporary_handle_signals();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file over the limit is an error */
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return fputs(help, stdout) < 0 ? TOOL_FAILED : TOOL_OK;
    if (strcmp(word, "--version") == 0)
        return puts("redist " REDIST_VERSION) < 0 ? TOOL_FAILED : TOOL_OK;
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++) {
        if (strcmp(word, subcommands[i].name) != 0) continue;
        int status = subcommands[i].run(argc - 1, argv + 1);
        return status == TOOL_HELPED ? TOOL_OK : status;
    }
    return unknown(word);
}
