/* SPDX-License-Identifier: MIT */
#include "tool/common/tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/dtype.h"
#include "files/format/window.h"
#include "plan/choice/strategy.h"

int tool_fail_last(void)
{
    (void)fprintf(stderr, "redist: %s\n", redist_error_message());
    return TOOL_FAILED;
}

int tool_misused(const char *subcommand, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fprintf(stderr, "redist %s: ", subcommand);
    (void)vfprintf(stderr, format, args);
    (void)fprintf(stderr, "\nredist %s --help says what there is.\n", subcommand);
    va_end(args);
    return TOOL_USAGE;
}

redist_err tool_flush(void)
{
    if (!fflush(stdout) && !ferror(stdout)) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "standard output cannot be written");
}

/* ---- specs ------------------------------------------------------------------------- */

redist_err tool_read_spec(const char *argument, char **text)
{
    if (argument[0] != '@') {
        *text = mem_copy(NULL, argument, (int64_t)strlen(argument) + 1, 1);
        return *text ? REDIST_OK : REDIST_ERR_MEMORY;
    }
    int64_t length = 0;
    TRY(window_read_all(argument + 1, INT64_MAX, text, &length));
    while (length > 0 && isspace((unsigned char)(*text)[length - 1])) length--;
    (*text)[length] = 0;
    return REDIST_OK;
}

redist_err tool_parse_spec(const char *argument, redist_dist **dist, redist_view *view)
{
    char *text = NULL;
    TRY(tool_read_spec(argument, &text));
    redist_err err = redist_view_parse(text, dist, view);
    mem_free(text);
    return err;
}

redist_err tool_print_spec(const redist_view *view, char **text)
{
    size_t length = 0;
    TRY(redist_view_print(view, NULL, 0, &length));
    char *buffer = mem_alloc(NULL, (int64_t)length + 1, 1);
    if (!buffer) return REDIST_ERR_MEMORY;
    redist_err err = redist_view_print(view, buffer, length + 1, NULL);
    if (err)
        mem_free(buffer);
    else
        *text = buffer;
    return err;
}

/* ---- arguments of options ---------------------------------------------------------- */

/* Point at the character of an option's argument where something else was expected. */
static redist_err expected_at(const char *name, const char *text, const char *at,
                              const char *what)
{
    int column = (int)(at - text) + 1;
    if (*at)
        return error_arg("%s %s: column %d: expected %s, found \"%.20s\"", name, text,
                         column, what, at);
    return error_arg("%s %s: column %d: expected %s, found the end", name, text, column,
                     what);
}

redist_err tool_parse_numbers(const char *name, const char *text, int count, int64_t low,
                              int64_t high, int64_t numbers[])
{
    const char *at = text;
    for (int i = 0; i < count; i++) {
        bool last = i + 1 == count;
        char *end = NULL;
        errno = 0;
        long long number = strtoll(at, &end, 10);
        if (end == at || isspace((unsigned char)*at))
            return expected_at(name, text, at, "a whole number");
        if (errno || number < low || number > high)
            return error_arg("%s: %.*s, must be %" PRId64 " .. %" PRId64, name,
                             (int)(end - at), at, low, high);
        if (*end != (last ? 0 : ','))
            return expected_at(name, text, end,
                               last ? "the end" : "a comma and another number");
        numbers[i] = number;
        at = end + 1;
    }
    return REDIST_OK;
}

redist_err tool_parse_number(const char *name, const char *text, int64_t low,
                             int64_t high, int64_t *number)
{
    return tool_parse_numbers(name, text, 1, low, high, number);
}

redist_err tool_parse_bytes(const char *name, const char *text, int64_t *bytes)
{
    static const struct {
        const char *unit;
        int shift;
    } units[] = {{"", 0},    {"B", 0},    {"K", 10}, {"KB", 10}, {"KiB", 10}, {"M", 20},
                 {"MB", 20}, {"MiB", 20}, {"G", 30}, {"GB", 30}, {"GiB", 30}};
    char *end = NULL;
    errno = 0;
    long long number = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    if (number == 0)
        return expected_at(name, text, text,
                           "a number of bytes such as 65536 or 8MiB, at least 1");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(end, units[i].unit) != 0) continue;
        if (!errno && int_mul(number, (int64_t)1 << units[i].shift, bytes))
            return REDIST_OK;
        return error_arg("%s %s: must be below 8 EiB", name, text);
    }
    return expected_at(name, text, end, "a unit (KiB, MiB or GiB) or the end");
}

redist_err tool_parse_seconds(const char *name, const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}};
    char *end = NULL;
    bool begins = isdigit((unsigned char)*text) || *text == '.';
    double number = begins ? strtod(text, &end) : -1;
    if (number < 0 || number > 1e9)
        return expected_at(name, text, text, "a time such as 2us or 0.1ns");
    if (number == 0 && *end == 0) return *seconds = 0, REDIST_OK;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            return *seconds = number * units[i].seconds, REDIST_OK;
    return expected_at(name, text, end, "a unit (s, ms, us, ns or ps)");
}

redist_err tool_parse_type(const char *text, int64_t *bytes)
{
    bool counts = text[0] == 'b' && isdigit((unsigned char)text[1]);
    if (counts)
        return tool_parse_number("the number in --type", text + 1, 1, INT32_MAX, bytes);
    if (dtype_bytes(text, bytes) == REDIST_OK) return REDIST_OK;
    return error_arg("--type is \"%s\", must be a dtype of NumPy such as f8, or bN for "
                     "elements of N bytes",
                     text);
}

/* ---- output ------------------------------------------------------------------------ */

void tool_print_json_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            (void)fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            (void)fprintf(out, "\\u%04x", *c);
        else
            (void)fputc(*c, out);
    }
    (void)fputc('"', out);
}

const char *tool_format_bytes(double bytes, char text[TOOL_BYTES_SIZE])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t i = 0;
    while (bytes >= 999.5 && i + 1 < sizeof units / sizeof *units) bytes /= 1024, i++;
    int decimals = i == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    (void)snprintf(text, TOOL_BYTES_SIZE, "%.*f %s", decimals, bytes, units[i]);
    return text;
}

const char *tool_format_seconds(double seconds, char text[TOOL_SECONDS_SIZE])
{
    static const char *const units[] = {"ps", "ns", "us", "ms", "s"};
    double number = seconds * 1e12;
    size_t i = seconds > 0 ? 0 : 4;
    while (number >= 999.5 && i + 1 < sizeof units / sizeof *units) number /= 1000, i++;
    (void)snprintf(text, TOOL_SECONDS_SIZE, "%.3g %s", number, units[i]);
    return text;
}

const char *tool_strategy(size_t k) { return known_strategies[k]; }
