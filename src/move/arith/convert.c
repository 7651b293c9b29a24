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

static void add(struct chain *chain, convert_kernel *run, int64_t times)
{
    assert(chain->nsteps < CONVERT_STEPS);
    chain->step[chain->nsteps++] = (struct convert_step){run, times};
}

/* The steps from a short float, or a plain number, to another. */
static void add_values(const struct format *source, const struct format *target,
                       int64_t parts, struct chain *chain)
{
    const enum plain from = plain_of(source), to = plain_of(target);
    const bool same = source->kind == target->kind && source->bytes == target->bytes;
    if (same) return;
    if (is_short(source))
        add(chain, is_half(source) ? convert_from_half() : convert_from_brain(), parts);
    if (is_short(target) && from != PLAIN_F4)
        add(chain, convert_to_odd(from), parts);
    else if (from != to)
        add(chain, convert_plain(from, to), parts);
    if (is_short(target))
        add(chain, is_half(target) ? convert_to_half() : convert_to_brain(), parts);
}

static void add_all(const struct format *source, const struct format *target,
                    struct chain *chain)
{
    const int64_t read = source->complex ? 2 : 1, written = target->complex ? 2 : 1;
    const bool narrows = read > written, widens = read < written;
    if (source->swapped) add(chain, convert_swap(source->bytes), read);
    if (narrows) add(chain, convert_real_part(source->bytes), 1);
    add_values(source, target, int_min(read, written), chain);
    if (widens) add(chain, convert_complex(target->bytes), 1);
    if (target->swapped) add(chain, convert_swap(target->bytes), written);
}

bool convert_make(const struct format *source, const struct format *target, bool checked,
                  struct convert *convert)
{
    *convert = (struct convert){.format = {*source, *target},
                                .size = {format_size(source), format_size(target)}};
    convert->checked = checked && !format_holds_all(target, source);
    if (format_code(source) == format_code(target)) return false;
    add_all(source, target, &convert->chain);
    if (convert->checked && (target->complex || !source->complex)) {
        const struct format eight = {.kind = FORMAT_FLOAT, .bytes = 8};
        struct format part = *source;
        part.complex = false;
        add_all(&part, &eight, &convert->to_doubles);
        format_bounds(target, source, &convert->below, &convert->above);
        convert->within = convert_find_within();
    }
    return true;
}

/* Run a chain over at most BATCH numbers. */
static void run_chain(const struct chain *chain, char *to, const char *from, int64_t n)
{
    alignas(64) char batch[2][BATCH * FORMAT_SIZE];
    const char *read = from;
    for (int k = 0; k < chain->nsteps; k++) {
        char *write = k == chain->nsteps - 1 ? to : batch[k % 2];
        chain->step[k].run(write, read, n * chain->step[k].times);
        read = write;
    }
}

void convert_numbers(const struct convert *convert, char *to, const char *from, int64_t n)
{
    const int64_t *size = convert->size, most = convert->chain.nsteps == 1 ? n : BATCH;
    for (int64_t at = 0; at < n; at += most)
        run_chain(&convert->chain, to + at * size[REDIST_TARGET],
                  from + at * size[REDIST_SOURCE], int_min(n - at, most));
}

/* Tell whether none of at most BATCH numbers is lost, or that one may be. */
static bool are_within(const struct convert *convert, const char *from, int64_t n)
{
    alignas(64) char doubles[BATCH * FORMAT_SIZE];
    const struct format *source = &convert->format[REDIST_SOURCE];
    const int64_t parts = source->complex ? 2 * n : n;
    const bool whole = source->kind >= FORMAT_FLOAT &&
                       convert->format[REDIST_TARGET].kind < FORMAT_FLOAT;
    if (!convert->within) return false;
    run_chain(&convert->to_doubles, doubles, from, parts);
    return convert->within(convert->to_doubles.nsteps ? doubles : from, parts,
                           convert->below, convert->above, whole);
}

int64_t convert_find_lost(const struct convert *convert, const char *from, int64_t at,
                          int64_t n)
{
    const struct format *source = &convert->format[REDIST_SOURCE];
    const struct format *target = &convert->format[REDIST_TARGET];
    for (int64_t end; at < n; at = end) {
        const int64_t size = convert->size[REDIST_SOURCE];
        end = int_min(at + BATCH, n);
        if (are_within(convert, from + at * size, end - at)) continue;
        for (; at < end; at++)
            if (!format_holds(target, source, from + at * size)) return at;
    }
    return n;
}
