/* SPDX-License-Identifier: MIT */
#include "tool/common/arguments.h"

#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "tool/common/tool.h"

/* The most options, and getopt_long's value for --help; for the k-th of a table it is k +
 * 1. */
enum { MOST = 16, HELP = MOST + 1 };

static redist_err take(const struct argument *option, const char *given)
{
    char name[64];
    (void)snprintf(name, sizeof name, "--%s", option->name);
    if (option->bytes) return tool_parse_bytes(name, given, option->bytes);
    if (option->seconds) return tool_parse_seconds(name, given, option->seconds);
    if (option->number)
        return tool_parse_number(name, given, option->least, option->most,
                                 option->number);
    if (option->flag) *option->flag = true;
    if (option->text) *option->text = given;
    return REDIST_OK;
}

/* Report `--name`, or `--name=argument`, unknown to getopt_long. */
static redist_err unknown(const char *word, const struct option known[])
{
    char hint[NEAREST_HINT_SIZE] = "", dashed[NEAREST_HINT_SIZE];
    size_t length = strcspn(word, "=");
    if (strncmp(word, "--", 2) == 0) {
        struct nearest nearest = {.word = word + 2, .length = length - 2};
        for (int k = 0; known[k].name; k++) nearest_offer(&nearest, known[k].name);
        (void)snprintf(dashed, sizeof dashed, "--%s", nearest.name ? nearest.name : "");
        if (nearest.name) nearest.name = dashed;
        (void)nearest_hint(&nearest, hint);
    }
    return error_arg("there is no option %.*s%s", (int)length, word, hint);
}

/* Report an option that getopt_long refused, as ':' or '?'. */
static redist_err refuse(char **argv, const struct option known[], int refusal)
{
    const char *word = argv[optind - 1];
    bool is_short = optopt > HELP;
    char letter[3] = {'-', (char)optopt, 0};
    const char *name = is_short ? letter : word;
    if (refusal == ':') return error_arg("option %s needs an argument", name);
    /* getopt_long sets optopt for a known long option that was given an argument */
    if (!is_short && optopt != 0) return error_arg("option %s takes no argument", name);
    return unknown(name, known);
}

/* Append the letter of an option to the list that getopt_long reads. */
static void add_letter(const struct argument *option, char *letters)
{
    if (!option->letter) return;
    letters += strlen(letters);
    *letters++ = option->letter;
    *letters++ = option->flag ? 0 : ':';
    *letters = 0;
}

static int find_letter(const struct argument options[], int letter)
{
    int k = 0;
    while (options[k].letter != letter) k++;
    return k;
}

redist_err arguments_read(int argc, char **argv, const struct argument options[], int n,
                          const char *word[], bool *help)
{
    static const char *const numbers[] = {"", "one", "two"};
    struct option known[MOST + 2] = {{"help", no_argument, NULL, HELP}};
    char letters[2 * MOST + 3] = ":h";
    for (int k = 0; k < MOST && options[k].name; k++) {
        known[k + 1] = (struct option){options[k].name,
                                       options[k].flag ? no_argument : required_argument,
                                       NULL, k + 1};
        add_letter(&options[k], letters);
    }
    *help = false;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, letters, known, NULL)) != -1;) {
        if (c == HELP || c == 'h') return *help = true, REDIST_OK;
        if (c == ':' || c == '?') return refuse(argv, known, c);
        TRY(take(&options[c > HELP ? find_letter(options, c) : c - 1], optarg));
    }
    const char *or_none = n < 0 ? " or none" : "";
    if (n < 0) {
        n = -n;
        for (int k = 0; k < n; k++) word[k] = NULL;
        if (optind == argc) return REDIST_OK;
    }
    if (n == 0 && optind < argc)
        return error_arg("%s: there are only options", argv[optind]);
    if (argc - optind != n)
        return error_arg("%d argument%s beside the options, must be %s%s; a text with "
                         "brackets needs quotes",
                         argc - optind, argc - optind == 1 ? "" : "s", numbers[n],
                         or_none);
    for (int k = 0; k < n; k++) word[k] = argv[optind + k];
    return REDIST_OK;
}

/* Return the columns of `--name VALUE`. */
static int option_width(const struct argument *option)
{
    size_t value = option->value ? 1 + strlen(option->value) : 0;
    return (int)(2 + strlen(option->name) + value);
}

static void print_option(const struct argument *option, int width)
{
    (void)printf("  --%s%s%s%*s", option->name, option->value ? " " : "",
                 option->value ? option->value : "", width - option_width(option), "");
    for (const char *line = option->help; *line; line += strspn(line, "\n")) {
        int length = (int)strcspn(line, "\n");
        (void)printf("%*s %.*s\n", line == option->help ? 0 : width + 2, "", length,
                     line);
        line += length;
    }
}

static void print_help(const struct command *command)
{
    int width = 0;
    const struct argument *options = command->options;
    for (int k = 0; options[k].name; k++) {
        int own = option_width(&options[k]);
        width = own > width ? own : width;
    }
    (void)printf("%sredist %s %s%s[OPTION..] - %s\n\n",
                 command->parallel ? "mpirun -n N " : "", command->name,
                 command->arguments, *command->arguments ? " " : "", command->summary);
    for (int k = 0; options[k].name; k++) print_option(&options[k], width);
    (void)printf("\n%s", command->notes);
}

int arguments_take(int argc, char **argv, bool speak, const struct command *command,
                   const char *word[])
{
    bool helped = false;
    redist_err err =
        arguments_read(argc, argv, command->options, command->nwords, word, &helped);
    if (err && speak) (void)tool_misused(argv[0], "%s", redist_error_message());
    if (helped && speak) print_help(command);
    return err ? TOOL_USAGE : helped ? TOOL_HELPED : TOOL_OK;
}
