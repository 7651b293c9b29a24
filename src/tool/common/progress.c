/* SPDX-License-Identifier: MIT */
#include "tool/common/progress.h"

#include <mpi.h>
#include <unistd.h>

#include "tool/common/tool.h"

/* Seconds between two drawings, and the characters of the bar. */
static const double interval = 0.1;
enum { WIDTH = 30 };

static FILE *find_terminal(void)
{
    return isatty(STDERR_FILENO) ? stderr : fopen("/dev/tty", "we");
}

struct progress progress_begin(const char *what, int64_t bytes, enum progress_when when)
{
    struct progress progress = {.what = what, .bytes = bytes, .began = MPI_Wtime()};
    if (when == PROGRESS_AUTO) {
        progress.patience = 1.0;
        progress.out = find_terminal();
    } else if (when == PROGRESS_ALWAYS) {
        progress.out = stderr;
    }
    return progress;
}

void progress_step(struct progress *progress, int64_t done, int64_t total)
{
    if (!progress->out || total == 0) return;
    double now = MPI_Wtime(), part = (double)done / (double)total;
    bool early = now - progress->began < progress->patience;
    if (early || (progress->shown && now - progress->drawn < interval)) return;
    char bar[WIDTH + 1], amount[TOOL_BYTES_SIZE];
    for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(part * WIDTH) ? '#' : '.';
    bar[WIDTH] = 0;
    (void)fprintf(progress->out, "\r%s  [%s] %3d %%  of %s\033[K", progress->what, bar,
                  (int)(part * 100), tool_format_bytes((double)progress->bytes, amount));
    (void)fflush(progress->out);
    progress->drawn = now;
    progress->shown = true;
}

void progress_end(struct progress *progress)
{
    if (progress->shown) (void)fputs("\r\033[K", progress->out);
    if (progress->out && progress->out != stderr) (void)fclose(progress->out);
    progress->out = NULL;
}
