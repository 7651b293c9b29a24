/* SPDX-License-Identifier: MIT */
#include "tool/common/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"

int terminal_columns(void)
{
    const char *text = getenv("COLUMNS");
    int columns = text ? atoi(text) : 0;
    struct winsize size;
    if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return columns <= 0 ? 0 : columns < 40 ? 40 : columns > 400 ? 400 : columns;
}

redist_err terminal_find(const char *when, struct terminal *terminal)
{
    bool is_auto = !when || strcmp(when, "auto") == 0;
    bool always = !is_auto && strcmp(when, "always") == 0;
    if (!is_auto && !always && strcmp(when, "never") != 0)
        return error_arg("--color is \"%s\", must be auto, always or never", when);
    const char *depth = getenv("COLORTERM");
    bool rich = depth && (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0);
    bool colored = always || (is_auto && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
    int columns = terminal_columns();
    *terminal = (struct terminal){stdout, columns ? columns : 80,
                                  !colored ? DRAW_PLAIN
                                  : rich   ? DRAW_TRUE_COLOR
                                           : DRAW_256_COLORS};
    return REDIST_OK;
}

void terminal_print_wrapped(int indent, const char *text)
{
    int columns = terminal_columns(), at = indent;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (columns && at > indent && at + word > columns) {
            (void)printf("\n%*s", indent, "");
            at = indent;
        }
        int gap = text[word] == ' ';
        (void)printf("%.*s", word, text);
        at += word + gap;
        text += word + gap;
        if (gap && !(columns && at + (int)strcspn(text, " ") > columns))
            (void)printf(" ");
    }
    (void)printf("\n");
}
