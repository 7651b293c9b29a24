/* SPDX-License-Identifier: MIT */
#include "plan/object/log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

enum { LINE = ERROR_MESSAGE_SIZE + 128 };

enum { NOT_OPENED = -2 };

/* Return the file, which the first call opens; -1: there is none. Of threads that call at
 * the same time, one keeps its file open and the others close theirs. */
static int log_file(void)
{
    static _Atomic int file = NOT_OPENED;
    int known = file;
    if (known != NOT_OPENED) return known;
    const char *path = secure_getenv("REDIST_LOG");
    int own =
        path && *path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (atomic_compare_exchange_strong(&file, &known, own)) return own;
    if (own >= 0) (void)close(own);
    return known;
}

/* Write a line about a plan, or, if `run` is not 0, about a run of it. */
static void __attribute__((format(printf, 3, 4)))
log_line(const redist_plan *plan, int64_t run, const char *format, ...)
{
    char line[LINE], about[32] = "";
    va_list arguments;
    if (run > 0) (void)snprintf(about, sizeof about, " run %" PRId64, run);
    int n = snprintf(line, LINE, "rank %d plan %" PRId64 "%s: ", plan->team.rank,
                     plan->log.number, about);
    va_start(arguments, format);
    n += vsnprintf(line + n, (size_t)(LINE - 1 - n), format, arguments);
    va_end(arguments);
    if (n > LINE - 2) n = LINE - 2; /* cut */
    line[n++] = '\n';
    ssize_t written = write(log_file(), line, (size_t)n);
    (void)written;
}

void log_plan(redist_plan *plan)
{
    static _Atomic int64_t plans;
    if (log_file() < 0) return;
    int64_t kept = 0;
    for (int k = 0; k < plan->narrays; k++)
        kept += plan->array[k].kept.total * plan->array[k].kept.grain;
    plan->log.number = ++plans;
    log_line(plan, 0,
             "strategy %s (%s), at most %" PRId64 " B of staging, keeps %" PRId64 " B",
             plan->strategy.text, plan->origin, plan->promise, kept);
}

static void log_transfers(const redist_plan *plan, const struct transfers *transfers,
                          const char *does, const char *to)
{
    for (int64_t k = 0; k < transfers->n; k++) {
        const struct transfer *transfer = &transfers->transfer[k];
        log_line(plan, plan->log.run, "%s %" PRId64 " B %s %d in step %" PRId64 "%s",
                 does, transfer->bytes, to, transfer->rank, transfer->step,
                 transfer->direct ? ", not packed" : "");
    }
}

void log_begin(redist_plan *plan, redist_err unusable)
{
    if (log_file() < 0) return;
    plan->log.run++;
    if (unusable)
        log_line(plan, plan->log.run, "begins without its buffers: %s",
                 redist_error_message());
    else
        log_line(plan, plan->log.run, "begins");
    log_transfers(plan, &plan->move.send, "sends", "to");
    log_transfers(plan, &plan->move.receive, "receives", "from");
}

void log_end(const redist_plan *plan, redist_err err)
{
    if (log_file() < 0) return;
    if (err)
        log_line(plan, plan->log.run, "fails: %s", redist_error_message());
    else
        log_line(plan, plan->log.run, "is done");
}
