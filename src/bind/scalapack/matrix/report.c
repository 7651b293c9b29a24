/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/matrix/report.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bind/scalapack/matrix/problem.h"

static const char *const family_name[FAMILIES] = {
    [FAMILY_GEMR2D] = "GEMR2D", [FAMILY_TRMR2D] = "TRMR2D", [FAMILY_GEADD] = "GEADD",
    [FAMILY_TRADD] = "TRADD",   [FAMILY_TRAN] = "TRAN",     [FAMILY_TRANU] = "TRANU",
    [FAMILY_TRANC] = "TRANC",
};

static int64_t calls[FAMILIES][TYPES], plans[PLAN_EVENTS];

void report_call(enum family family, int type) { calls[family][type]++; }

void report_plan(enum plan_event event) { plans[event]++; }

const char *routine_name(enum family family, int type, char name[ROUTINE_NAME_SIZE])
{
    (void)snprintf(name, ROUTINE_NAME_SIZE, "P%c%s", toupper(types[type].letter),
                   family_name[family]);
    return name;
}

/* A line that grows. */
struct line {
    char text[1024];
    size_t length;
};

static char *end_of(struct line *line) { return line->text + line->length; }

static size_t room_of(const struct line *line)
{
    return sizeof line->text - line->length;
}

/* Account for characters printed at its end, or that would have been with more room. */
static void add(struct line *line, int printed)
{
    size_t room = room_of(line);
    if (printed > 0) line->length += (size_t)printed < room ? (size_t)printed : room - 1;
}

static void add_calls(struct line *line)
{
    const char *before = "";
    for (int f = 0; f < FAMILIES; f++)
        for (int t = 0; t < TYPES; t++) {
            char name[ROUTINE_NAME_SIZE];
            if (calls[f][t] == 0) continue;
            (void)routine_name((enum family)f, t, name);
            for (char *c = name; *c; c++) *c = (char)tolower(*c);
            add(line, snprintf(end_of(line), room_of(line), "%s%s %" PRId64, before, name,
                               calls[f][t]));
            before = ", ";
        }
}

void report_complaint(const char *what)
{
    static bool complained;
    struct line line = {.length = 0};
    if (complained) return;
    complained = true;
    add(&line, snprintf(end_of(&line), room_of(&line),
                        "redist: %s; the library chooses\n", what));
    ssize_t written = write(STDERR_FILENO, line.text, line.length);
    (void)written;
}

void report_write(void)
{
    const char *path = secure_getenv("REDIST_SCALAPACK_REPORT");
    struct line line = {.length = 0};
    int rank = 0;
    if (!path || !*path) return;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    add(&line, snprintf(end_of(&line), room_of(&line), "rank %d: ", rank));
    add_calls(&line);
    add(&line, snprintf(end_of(&line), room_of(&line),
                        "; plans made %" PRId64 ", found %" PRId64 ", dropped %" PRId64
                        ", needless %" PRId64 "\n",
                        plans[PLAN_MADE], plans[PLAN_FOUND], plans[PLAN_DROPPED],
                        plans[PLAN_NEEDLESS]));
    /* in one write, as all processes append to it */
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return;
    ssize_t written = write(file, line.text, line.length);
    (void)written, (void)close(file);
}
