/* SPDX-License-Identifier: MIT */
#include "describe/notation/series.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

static redist_err too_many(void)
{
    return error_arg("the list has more than %" PRId64 " integers", INT64_MAX);
}

static redist_err append(struct series *series, struct progression part)
{
    if (!int_add(series->count, part.count, &series->count)) return too_many();
    return mem_append(NULL, &series->parts, &series->nparts, &series->room, &part,
                      sizeof part);
}

/* Read the rest of a range at `place`, after its first colon. */
static redist_err scan_range(struct scan *scan, const char *place, const char *what,
                             int64_t high, struct progression *part)
{
    int64_t last = 0, step = 1;
    TRY(scan_integer(scan, what, 0, high, &last));
    if (scan_char(scan, ':'))
        TRY(scan_integer(scan, "step", -INT64_MAX, INT64_MAX, &step));
    int64_t distance = last - part->first; /* both are >= 0: no overflow */
    if (step == 0 || (distance != 0 && (distance < 0) != (step < 0))) {
        redist_err err = error_arg("the range %" PRId64 ":%" PRId64 ":%" PRId64
                                   " never reaches its end",
                                   part->first, last, step);
        return scan_blame(scan, place, err);
    }
    part->step = step;
    if (!int_add(distance / step, 1, &part->count))
        return scan_blame(scan, place, too_many());
    return REDIST_OK;
}

redist_err series_scan(struct series *series, struct scan *scan, const char *what,
                       int64_t high)
{
    do {
        const char *place = scan_place(scan);
        struct progression part = {.count = 1};
        bool repeated = scan_integer_before(scan, '*');
        if (repeated) {
            TRY(scan_integer(scan, "count", 1, INT64_MAX, &part.count));
            TRY(scan_expect(scan, '*'));
        }
        TRY(scan_integer(scan, what, 0, high, &part.first));
        if (!repeated && scan_char(scan, ':'))
            TRY(scan_range(scan, place, what, high, &part));
        TRY(scan_blame(scan, place, append(series, part)));
    } while (scan_char(scan, ','));
    return REDIST_OK;
}

redist_err series_write(const struct series *series, size_t size, void *integers)
{
    char *next = mem_alloc(NULL, series->count, size);
    if (!next) return REDIST_ERR_MEMORY;
    memcpy(integers, &next, sizeof next);
    for (int64_t k = 0; k < series->nparts; k++) {
        struct progression part = series->parts[k];
        for (int64_t i = 0; i < part.count; i++, next += size) {
            int64_t value = part.first + i * part.step;
            if (size == sizeof value)
                memcpy(next, &value, size);
            else
                memcpy(next, &(int){(int)value}, sizeof(int));
        }
    }
    return REDIST_OK;
}

void series_free(struct series *series)
{
    mem_free(series->parts);
    *series = (struct series){0};
}
