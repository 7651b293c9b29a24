/* SPDX-License-Identifier: MIT
 *
 * tool/common/tool.h - the command `redist`: its subcommands, and functions that they
 * share.
 *
 * A subcommand gets its own name as argv[0], reads its arguments
 * (tool/common/arguments.h) and returns the exit status of the command.
 */
#ifndef REDIST_TOOL_COMMON_TOOL_H
#define REDIST_TOOL_COMMON_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <redist/describe.h>

#include "tool/common/arguments.h"

/* Exit statuses. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 };

/* Returned by a subcommand that only printed its help: TOOL_OK. */
enum { TOOL_HELPED = -1 };

/* The subcommands (tool/common/arguments.h), each of a file of its own name, and all of
 * them; NULL is behind the last. */
extern const struct command command_show, command_explain, command_schedule, command_run,
    command_copy, command_info, command_bench, command_balance, command_page,
    command_doctor, command_completion;
extern const struct command *const commands[];

/* Print "redist: <redist_error_message()>" on stderr and return TOOL_FAILED. */
int tool_fail_last(void);

/* Print "redist <subcommand>: <sentence>" and where to find help on stderr; return
 * TOOL_USAGE. */
int tool_misused(const char *subcommand, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Flush stdout, and report whether all was written. IO. */
redist_err tool_flush(void);

/* Read the text of a SPEC argument: the argument itself, or for `@FILE` the file's
 * contents, without trailing white space. The caller frees *text with mem_free. ARG,
 * MEMORY, IO. */
redist_err tool_read_spec(const char *argument, char **text);

/* Create the dist and the view of a SPEC argument. The caller owns the dist. */
redist_err tool_parse_spec(const char *argument, redist_dist **dist, redist_view *view);

/* Print the text form of a view. The caller frees *text with mem_free. */
redist_err tool_print_spec(const redist_view *view, char **text);

/* Parse a whole decimal number in [low, high] at `text`; `name` is the option, for
 * messages. ARG. */
redist_err tool_parse_number(const char *name, const char *text, int64_t low,
                             int64_t high, int64_t *number);

/* Parse a comma-separated list of `count` such numbers. ARG. */
redist_err tool_parse_numbers(const char *name, const char *text, int count, int64_t low,
                              int64_t high, int64_t numbers[]);

/* Parse a number of bytes >= 1: "65536", "64KiB", "8MiB", "1GiB" (B and i may be left
 * out). ARG. */
redist_err tool_parse_bytes(const char *name, const char *text, int64_t *bytes);

/* Parse a time >= 0 with its unit: "2us", "0.1ns", "0". ARG. */
redist_err tool_parse_seconds(const char *name, const char *text, double *seconds);

/* Find the bytes of an element, 1 .. 2^31 - 1, from the argument of --type: a dtype of
 * NumPy, such as f8 or <i4, or bN: N bytes. ARG. */
redist_err tool_parse_type(const char *text, int64_t *bytes);

/* Types that are offered where --type has any. */
#define TOOL_TYPES "f8 f4 f2 bf16 i8 i4 i2 i1 u8 u4 u2 u1 c16 c8"

/* Return the k-th name of a strategy that is offered, NULL behind the last. */
const char *tool_strategy(size_t k);

/* Print a text to `out` as a JSON string, with quotes. */
void tool_print_json_string(FILE *out, const char *text);

/* Format a number of bytes, with at most 3 digits and a unit: "1.25 MiB". Returns
 * `text`. */
enum { TOOL_BYTES_SIZE = 32 };
const char *tool_format_bytes(double bytes, char text[TOOL_BYTES_SIZE]);

/* Format a time, with 3 digits and a unit: "12.5 us". Returns `text`. */
enum { TOOL_SECONDS_SIZE = 32 };
const char *tool_format_seconds(double seconds, char text[TOOL_SECONDS_SIZE]);

#endif
