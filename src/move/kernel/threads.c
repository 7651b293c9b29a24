/* SPDX-License-Identifier: MIT */
#include "move/kernel/threads.h"

#ifdef REDIST_OPENMP
#include <omp.h>
#include <stdlib.h>

#include "base/intmath.h"

/* Bytes a thread: to start and to join it takes as long as to copy some KiB. */
enum { LEAST = 512 << 10 };

/* OMP_NUM_THREADS may be a list; its first number is for regions that are not nested. */
static int64_t asked(void)
{
    const char *text = secure_getenv("REDIST_THREADS");
    if (!text || !*text) text = secure_getenv("OMP_NUM_THREADS");
    return text ? strtol(text, NULL, 10) : 1;
}

int threads_for(int64_t bytes)
{
    if (bytes < 2 * LEAST || omp_in_parallel()) return 1;
    int64_t most = int_min(bytes / LEAST, omp_get_thread_limit());
    return (int)int_max(int_min(asked(), most), 1);
}

void threads_run(int n, void (*share)(void *context, int k, int n), void *context)
{
#pragma omp parallel for num_threads(n) schedule(static, 1)
    for (int k = 0; k < n; k++) share(context, k, n);
}

#else

int threads_for(int64_t bytes)
{
    (void)bytes;
    return 1;
}

void threads_run(int n, void (*share)(void *context, int k, int n), void *context)
{
    for (int k = 0; k < n; k++) share(context, k, n);
}

#endif
