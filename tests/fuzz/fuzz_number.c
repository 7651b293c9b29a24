/* SPDX-License-Identifier: MIT
 *
 * The arguments of the tool's options: a first byte chooses a kind, and the rest is the
 * text. What is printed with a unit is read as nearly the same. A FILE has its layout
 * behind the name; no file is opened.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"

#include "describe/notation/notation.h"
#include "describe/notation/series.h"
#include "base/mem.h"
#include "tool/common/tool.h"
#include "tool/store/file_arguments.h"
#include "tool/store/partial.h"

static redist_err try_numbers(const char *text)
{
    int64_t numbers[3] = {0}, low = -5, high = INT64_MAX;
    redist_err err = tool_parse_numbers("--at", text, 3, low, high, numbers);
    for (int k = 0; !err && k < 3; k++) CHECK(numbers[k] >= low && numbers[k] <= high);
    return err;
}

static redist_err try_bytes(const char *text)
{
    int64_t bytes = 0;
    redist_err err = tool_parse_bytes("--staging", text, &bytes);
    if (!err) CHECK(bytes >= 1);
    return err;
}

static redist_err try_seconds(const char *text)
{
    double seconds = -1, again = -1;
    char printed[TOOL_SECONDS_SIZE];
    redist_err err = tool_parse_seconds("--alpha", text, &seconds);
    if (err) return err;
    CHECK(seconds >= 0 && seconds <= 1e9);
    (void)tool_format_seconds(seconds, printed);
    if (strchr(printed, ' ')) memmove(strchr(printed, ' '), strchr(printed, ' ') + 1, 3);
    GOOD(tool_parse_seconds("--alpha", printed, &again));
    CHECK(fabs(seconds - again) <= 0.005 * seconds || seconds < 1e-300);
    return REDIST_OK;
}

static redist_err try_type(const char *text)
{
    int64_t bytes = 0;
    redist_err err = tool_parse_type(text, &bytes);
    if (!err) CHECK(bytes >= 1 && bytes <= INT32_MAX);
    return err;
}

static redist_err try_reduction(const char *text)
{
    redist_reduction reduction = REDIST_REDUCTION_NONE, again = REDIST_REDUCTION_NONE;
    redist_err err = partial_parse(text, &reduction);
    if (err) return err;
    CHECK(reduction != REDIST_REDUCTION_NONE);
    GOOD(partial_parse(partial_name(reduction), &again));
    CHECK(again == reduction);
    return REDIST_OK;
}

/* A list, written out, is as long as it says, and within the limits. */
static redist_err try_list(const char *text)
{
    enum { HIGH = 1 << 20 };
    struct series series = {0};
    struct scan scan = scan_of(text);
    int64_t *numbers = NULL;
    redist_err err = series_scan(&series, &scan, "number", HIGH);
    if (!err) CHECK(series.count >= series.nparts && series.nparts >= 1);
    if (!err) err = series_write(&series, sizeof *numbers, &numbers);
    for (int64_t k = 0; !err && k < series.count; k++)
        CHECK(numbers[k] >= 0 && numbers[k] <= HIGH);
    mem_free(numbers);
    series_free(&series);
    return err;
}

/* A section lies in its array. */
static redist_err try_section(const char *text)
{
    static const int64_t extents[3] = {0, 7, INT64_MAX};
    int64_t start[3], count[3], stride[3];
    redist_err err = notation_section(text, 3, extents, start, count, stride);
    for (int i = 0; !err && i < 3; i++) {
        CHECK(start[i] >= 0 && start[i] <= extents[i] && count[i] >= 0 && stride[i] >= 1);
        if (count[i] > 0)
            CHECK(start[i] < extents[i] &&
                  (count[i] - 1) <= (extents[i] - 1 - start[i]) / stride[i]);
    }
    return err;
}

static redist_err try_file(const char *text)
{
    struct file_argument argument = {0};
    redist_err err = file_argument_parse(text, &argument);
    const redist_file_layout *layout = &argument.layout;
    if (!err) CHECK(argument.name && strstr(text, argument.name) == text);
    if (!err && layout->size) {
        int64_t bytes = 0;
        GOOD(tool_parse_type(layout->type, &bytes));
        CHECK(layout->ndims >= 1 && layout->ndims <= REDIST_MAX_DIMS);
        CHECK(layout->offset >= 0 && (argument.has_offset || layout->offset == 0));
    }
    file_argument_free(&argument);
    return err;
}

void fuzz_one(const uint8_t *data, size_t size)
{
    static redist_err (*const tries[])(const char *text) = {
        try_numbers,   try_bytes, try_seconds, try_type,
        try_reduction, try_list,  try_section, try_file};
    struct bytes in = {data, data + size};
    int which = take_byte(&in) % (int)(sizeof tries / sizeof *tries);
    char *text = fuzz_text(in.next, (size_t)(in.end - in.next));
    fuzz_clear();
    redist_err err = tries[which](text);
    if (err) fuzz_refused(err, NULL);
    free(text);
}
