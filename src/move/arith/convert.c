/* SPDX-License-Identifier: MIT */
#include "move/arith/convert.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "base/intmath.h"

enum { BATCH = 256 /* numbers that stay in the fastest cache, between two steps */ };

static enum plain plain_of(const struct format *format)
{
    int log = format->bytes == 1   ? 0
              : format->bytes == 2 ? 1
              : format->bytes == 4 ? 2
                                   : 3;
    if (format->kind == FORMAT_FLOAT) return format->bytes == 8 ? PLAIN_F8 : PLAIN_F4;
    if (format->kind == FORMAT_BRAIN) return PLAIN_F4;
    return (enum plain)((format->kind == FORMAT_SIGNED ? PLAIN_I1 : PLAIN_U1) + log);
}

static bool is_half(const struct format *format)
{
    return format->kind == FORMAT_FLOAT && format->bytes == 2;
}

static bool is_short(const struct format *format)
{
    return is_half(format) || format->kind == FORMAT_BRAIN;
}

static void add(struct convert *convert, convert_kernel *run, int64_t times)
{
    assert(convert->nsteps < CONVERT_STEPS);
    convert->step[convert->nsteps++] = (struct convert_step){run, times};
}

/* The steps from a short float, or a plain number, to another. */
static void add_values(struct convert *convert, int64_t parts)
{
    const struct format *source = &convert->format[0], *target = &convert->format[1];
    const enum plain from = plain_of(source), to = plain_of(target);
    const bool same = source->kind == target->kind && source->bytes == target->bytes;
    if (same) return;
    if (is_short(source))
        add(convert, is_half(source) ? convert_from_half() : convert_from_brain(), parts);
    if (is_short(target) && from != PLAIN_F4)
        add(convert, convert_to_odd(from), parts);
    else if (from != to)
        add(convert, convert_plain(from, to), parts);
    if (is_short(target))
        add(convert, is_half(target) ? convert_to_half() : convert_to_brain(), parts);
}

bool convert_make(const struct format *source, const struct format *target, bool checked,
                  struct convert *convert)
{
    const int64_t read = source->complex ? 2 : 1, written = target->complex ? 2 : 1;
    const bool narrows = read > written, widens = read < written;
    *convert = (struct convert){.format = {*source, *target},
                                .size = {format_size(source), format_size(target)}};
    convert->checked = checked && !format_holds_all(target, source);
    if (format_code(source) == format_code(target)) return false;
    if (source->swapped) add(convert, convert_swap(source->bytes), read);
    if (narrows) add(convert, convert_real_part(source->bytes), 1);
    add_values(convert, int_min(read, written));
    if (widens) add(convert, convert_complex(target->bytes), 1);
    if (target->swapped) add(convert, convert_swap(target->bytes), written);
    return true;
}

void convert_numbers(const struct convert *convert, char *to, const char *from, int64_t n)
{
    alignas(64) char batch[2][BATCH * FORMAT_SIZE];
    const int last = convert->nsteps - 1;
    if (last == 0) {
        convert->step[0].run(to, from, n * convert->step[0].times);
        return;
    }
    for (int64_t at = 0, count; at < n; at += count) {
        const char *read = from + at * convert->size[REDIST_SOURCE];
        count = int_min(n - at, BATCH);
        for (int k = 0; k <= last; k++) {
            const struct convert_step *step = &convert->step[k];
            char *write =
                k == last ? to + at * convert->size[REDIST_TARGET] : batch[k % 2];
            step->run(write, read, count * step->times);
            read = write;
        }
    }
}

int64_t convert_find_lost(const struct convert *convert, const char *from, int64_t at,
                          int64_t n)
{
    const struct format *source = &convert->format[REDIST_SOURCE];
    const struct format *target = &convert->format[REDIST_TARGET];
    while (at < n &&
           format_holds(target, source, from + at * convert->size[REDIST_SOURCE]))
        at++;
    return at;
}
