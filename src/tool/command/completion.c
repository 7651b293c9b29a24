/* SPDX-License-Identifier: MIT
 *
 * tool/command/completion.c - `redist completion`: a script that lets a shell complete
 * subcommands, options and their values. All of it comes from the tables of options.
 */
#include <string.h>

#include "tool/common/arguments.h"
#include "tool/common/tool.h"

static int tool_completion(int argc, char **argv);

static const struct argument option_table[] = {{.name = NULL}};

/* What the value of an option, or a word, may be. */
enum kind { NOTHING, ANYTHING, WORDS, FILES, FOLDERS, SPEC };

static enum kind kind_of(const char *value)
{
    static const struct {
        const char *value;
        enum kind kind;
    } kinds[] = {{"FILE", FILES}, {"FROM", FILES},  {"TO", FILES},    {"DIR", FOLDERS},
                 {"SPEC", SPEC},  {"SOURCE", SPEC}, {"TARGET", SPEC}, {"SHELL", WORDS}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(value, kinds[i].value, strlen(kinds[i].value)) == 0)
            return kinds[i].kind;
    return ANYTHING;
}

static enum kind kind_of_option(const struct argument *option)
{
    if (!option->value) return NOTHING;
    return option->words || option->candidate ? WORDS : kind_of(option->value);
}

static enum kind kind_of_words(const struct command *command)
{
    return command->nwords == 0 ? NOTHING
                                : kind_of(command->arguments + (command->nwords < 0));
}

/* Print a text with a backslash before each of these characters, without line breaks,
 * between single quotes in which ' is `quote`. */
static void print_escaped(const char *text, const char *characters, const char *quote)
{
    for (; *text; text++) {
        if (strchr(characters, *text)) (void)putchar('\\');
        if (*text == '\'')
            (void)fputs(quote, stdout);
        else
            (void)putchar(*text == '\n' ? ' ' : *text);
    }
}

/* Print all values that are offered, with spaces between. */
static void print_values(const struct argument *option, const char *escaped)
{
    if (option->words) (void)fputs(option->words, stdout);
    for (size_t k = 0; option->candidate && option->candidate(k); k++) {
        if (k > 0 || option->words) (void)putchar(' ');
        print_escaped(option->candidate(k), escaped, "");
    }
}

/* ---- bash -------------------------------------------------------------------------- */

static void print_bash_option(const struct command *command,
                              const struct argument *option)
{
    enum kind kind = kind_of_option(option);
    if (kind == NOTHING) return;
    (void)printf("    %s/--%s) ", command->name, option->name);
    if (kind == FILES) (void)printf("_redist_files -f; ");
    if (kind == FOLDERS) (void)printf("_redist_files -d; ");
    if (kind == WORDS) {
        (void)printf("_redist_words '");
        print_values(option, "");
        (void)printf("'; ");
    }
    (void)printf("return ;;\n");
}

static void print_bash_command(const struct command *command)
{
    enum kind kind = kind_of_words(command);
    (void)printf("    %s) options='--help", command->name);
    for (const struct argument *o = command->options; o->name; o++)
        (void)printf(" --%s", o->name);
    (void)printf("' words='%s' files=%s ;;\n", kind == WORDS ? command->words : "",
                 kind == FILES  ? "-f"
                 : kind == SPEC ? "@"
                                : "");
}

static void print_bash(void)
{
    (void)printf("# Completion of redist in bash, by `redist completion bash`.\n"
                 "_redist_words() {\n"
                 "    local word\n"
                 "    for word in $1; do\n"
                 "        [[ $word == \"$current\"* ]] || continue\n"
                 "        printf -v word %%q \"$word\"\n"
                 "        COMPREPLY+=(\"$word\")\n"
                 "    done\n"
                 "}\n"
                 "_redist_files() {\n"
                 "    compopt -o filenames 2>/dev/null\n"
                 "    mapfile -t COMPREPLY < <(compgen \"$@\" -- \"${current#@}\")\n"
                 "}\n"
                 "_redist() {\n"
                 "    local current=${COMP_WORDS[COMP_CWORD]}\n"
                 "    local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                 "    local subcommand='' options words files word\n"
                 "    if [[ $current == '=' ]]; then\n"
                 "        current=''\n"
                 "    elif [[ $before == '=' ]]; then\n"
                 "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                 "    fi\n"
                 "    COMPREPLY=()\n"
                 "    if ((COMP_CWORD > 1)); then subcommand=${COMP_WORDS[1]}; fi\n"
                 "    case $subcommand/$before in\n");
    for (size_t i = 0; commands[i]; i++)
        for (const struct argument *o = commands[i]->options; o->name; o++)
            print_bash_option(commands[i], o);
    (void)printf("    esac\n    case $subcommand in\n    '') options='--help --version' "
                 "files=''\n        words='");
    for (size_t i = 0; commands[i]; i++)
        (void)printf("%s%s", i > 0 ? " " : "", commands[i]->name);
    (void)printf("' ;;\n");
    for (size_t i = 0; commands[i]; i++) print_bash_command(commands[i]);
    (void)printf("    *) return ;;\n    esac\n"
                 "    if [[ $current == -* ]]; then\n"
                 "        _redist_words \"$options\"\n"
                 "    elif [[ $files == @ && $current == @* ]]; then\n"
                 "        _redist_files -P @ -f\n"
                 "    elif [[ $files == -f ]]; then\n"
                 "        _redist_files -f\n"
                 "    else\n"
                 "        _redist_words \"$words\"\n"
                 "    fi\n"
                 "}\n"
                 "complete -F _redist redist\n");
}

/* ---- zsh --------------------------------------------------------------------------- */

static void print_zsh_option(const struct argument *option)
{
    enum kind kind = kind_of_option(option);
    (void)printf(" \\\n            '--%s%s[", option->name, kind == NOTHING ? "" : "=");
    print_escaped(option->help, "[]\\", "'\\''");
    (void)printf("]");
    if (kind != NOTHING) (void)printf(":%s:", option->value);
    if (kind == FILES) (void)printf("_files");
    if (kind == FOLDERS) (void)printf("_files -/");
    if (kind == WORDS) {
        (void)printf("(");
        print_values(option, "()");
        (void)printf(")");
    }
    (void)printf("'");
}

static void print_zsh_words(const struct command *command)
{
    enum kind kind = kind_of_words(command);
    if (kind == FILES) (void)printf(" \\\n            '*:file:_files'");
    if (kind == WORDS) (void)printf(" \\\n            '1: :(%s)'", command->words);
    if (kind == SPEC)
        (void)printf(" \\\n            '*:distribution:"
                     "{ compset -P @ && _files || _message distribution }'");
}

static void print_zsh(void)
{
    (void)printf("#compdef redist\n"
                 "# Completion of redist in zsh, by `redist completion zsh`.\n"
                 "_redist() {\n"
                 "    local state line\n"
                 "    local -a subcommands=(");
    for (size_t i = 0; commands[i]; i++) {
        (void)printf("\n        '%s:", commands[i]->name);
        print_escaped(commands[i]->summary, ":\\", "'\\''");
        (void)printf("'");
    }
    (void)printf(")\n"
                 "    _arguments -C '--help[what there is]' '--version[the version]' \\\n"
                 "        '1: :->subcommand' '*:: :->rest'\n"
                 "    case $state in\n"
                 "    subcommand) _describe subcommand subcommands ;;\n"
                 "    rest)\n"
                 "        case $line[1] in\n");
    for (size_t i = 0; commands[i]; i++) {
        (void)printf("        %s) _arguments '--help[the options]'", commands[i]->name);
        for (const struct argument *o = commands[i]->options; o->name; o++)
            print_zsh_option(o);
        print_zsh_words(commands[i]);
        (void)printf(" ;;\n");
    }
    (void)printf("        esac ;;\n"
                 "    esac\n"
                 "}\n"
                 "if [[ $zsh_eval_context == *file* ]]; then\n"
                 "    compdef _redist redist # read by source\n"
                 "else\n"
                 "    _redist \"$@\" # a function of fpath\n"
                 "fi\n");
}

/* ---- fish -------------------------------------------------------------------------- */

static void print_fish_option(const struct command *command,
                              const struct argument *option)
{
    enum kind kind = kind_of_option(option);
    (void)printf("complete -c redist -n '__fish_seen_subcommand_from %s' -l %s",
                 command->name, option->name);
    if (kind == ANYTHING) (void)printf(" -x");
    if (kind == FILES) (void)printf(" -r -F");
    if (kind == FOLDERS) (void)printf(" -x -a '(__fish_complete_directories)'");
    if (kind == WORDS) {
        (void)printf(" -x -a '");
        print_values(option, "()");
        (void)printf("'");
    }
    (void)printf(" -d '");
    print_escaped(option->help, "\\", "\\'");
    (void)printf("'\n");
}

static void print_fish_words(const struct command *command)
{
    enum kind kind = kind_of_words(command);
    if (kind != WORDS && kind != FILES) return;
    (void)printf("complete -c redist -n '__fish_seen_subcommand_from %s' ",
                 command->name);
    if (kind == WORDS)
        (void)printf("-a '%s'\n", command->words);
    else
        (void)printf("-F\n");
}

static void print_fish(void)
{
    (void)printf("# Completion of redist in fish, by `redist completion fish`.\n"
                 "complete -c redist -f\n"
                 "complete -c redist -n __fish_use_subcommand -l version "
                 "-d 'the version'\n"
                 "complete -c redist -l help -d 'the options'\n");
    for (size_t i = 0; commands[i]; i++) {
        (void)printf("complete -c redist -n __fish_use_subcommand -a %s -d '",
                     commands[i]->name);
        print_escaped(commands[i]->summary, "\\", "\\'");
        (void)printf("'\n");
        for (const struct argument *o = commands[i]->options; o->name; o++)
            print_fish_option(commands[i], o);
        print_fish_words(commands[i]);
    }
}

static int tool_completion(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    const char *shell = NULL;
    int status = arguments_take(argc, argv, true, &command_completion, &shell);
    if (status) return status;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shell, shells[i].name) != 0) continue;
        shells[i].print();
        return tool_flush() ? tool_fail_last() : TOOL_OK;
    }
    return tool_misused(argv[0], "the shell is \"%s\", must be bash, zsh or fish", shell);
}

const struct command command_completion = {
    .name = "completion",
    .arguments = "SHELL",
    .nwords = 1,
    .words = "bash zsh fish",
    .summary = "print a script for the completion of a shell",
    .options = option_table,
    .notes = "SHELL is bash, zsh or fish. For a shell that is running:\n"
             "\n"
             "  source <(redist completion bash)      bash, zsh\n"
             "  redist completion fish | source       fish\n",
    .run = tool_completion};
