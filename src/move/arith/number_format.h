/* SPDX-License-Identifier: MIT
 *
 * move/arith/number_format.h - how numbers are stored, and what single ones are.
 */
#ifndef REDIST_MOVE_ARITH_NUMBER_FORMAT_H
#define REDIST_MOVE_ARITH_NUMBER_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum format_kind {
    FORMAT_NONE,
    FORMAT_SIGNED,
    FORMAT_UNSIGNED,
    FORMAT_FLOAT, /* IEEE's */
    FORMAT_BRAIN, /* the upper half of a FLOAT of 4 bytes */
};

struct format {
    enum format_kind kind;
    int bytes;    /* of a number, or of each of its parts: 1, 2, 4 or 8 */
    bool complex; /* it has two parts: real, imaginary */
    bool swapped; /* in the other byte order than this machine's */
};

/* The bytes of the longest number; of its longest text; of the longest name. */
enum { FORMAT_SIZE = 16, FORMAT_TEXT = 64, FORMAT_NAME = 8 };

static inline int64_t format_size(const struct format *format)
{
    return format->bytes * (format->complex ? 2 : 1);
}

/* Read a name in NumPy's notation, such as <f8. Returns false if it is none. */
bool format_parse(const char *name, struct format *format);
void format_print(const struct format *format, char name[FORMAT_NAME]);

/* A number > 0 for each format, and back; 0 for FORMAT_NONE. */
int format_code(const struct format *format);
struct format format_of_code(int code);

/* Tell whether `target` holds all numbers of `source`: floats hold what they round, but
 * not the finite numbers that they would make infinite; integers, and floats of integers,
 * hold what they store exactly. */
bool format_holds_all(const struct format *target, const struct format *source);

/* Find two numbers between which it holds all of `source`, or all that are whole if it is
 * an integer, even if they are rounded to doubles. */
void format_bounds(const struct format *target, const struct format *source,
                   double *below, double *above);

/* Tell whether it holds this one. */
bool format_holds(const struct format *target, const struct format *source,
                  const char *number);

/* Print a number. */
void format_print_number(const struct format *format, const char *number,
                         char text[FORMAT_TEXT]);

#endif
