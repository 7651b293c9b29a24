/* SPDX-License-Identifier: MIT */
#include "move/walk/walk_convert.h"

#include <stdalign.h>
#include <string.h>

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/kernel/threads.h"

enum { BATCH = LENGTH(32 << 10, 1 << 10) /* bytes of a batch */ };

struct job {
    struct walk *walk[SIDES]; /* that of the source may be NULL */
    const struct convert *convert;
    const char *from; /* the source's array, or dense numbers */
    char *to;
    int64_t n;
    struct walk_lost *lost;
};

/* Find where a walk's next grains lie if all of its message are contiguous. */
static bool find_straight(const struct walk *walk, redist_side side, int64_t *at)
{
    if (!walk_is_contiguous(walk, side, at)) return false;
    *at += walk->done * walk->grain;
    return true;
}

/* Keep the first number that is lost. */
static void note_lost(const struct job *job, const char *from, int64_t n)
{
    const int64_t size = job->convert->size[REDIST_SOURCE];
    const struct walk *target = job->walk[REDIST_TARGET];
    const int64_t numbers = n * (target->grain / job->convert->size[REDIST_TARGET]);
    const int64_t k = convert_find_lost(job->convert, from, numbers);
    if (k == numbers || job->lost->grain >= 0) return;
    job->lost->grain = target->done + k * n / numbers;
    memcpy(job->lost->number, from + k * size, (size_t)size);
}

static void run(const struct job *job)
{
    alignas(64) char read[BATCH], written[BATCH];
    struct walk *source = job->walk[REDIST_SOURCE], *target = job->walk[REDIST_TARGET];
    const int64_t *size = job->convert->size;
    const int64_t numbers = target->grain / size[REDIST_TARGET]; /* of a grain */
    const int64_t most = BATCH / (int_max(size[0], size[1]) * numbers);
    int64_t from_at = 0, to_at = 0;
    const bool reads = source && !find_straight(source, REDIST_SOURCE, &from_at);
    const bool streams = target->stream;
    const bool writes = streams || !find_straight(target, REDIST_TARGET, &to_at);
    const char *from = job->from + from_at;
    char *to = job->to + to_at;
    for (int64_t n, at = 0; at < job->n; at += n) {
        n = int_min(job->n - at, most);
        if (reads) walk_move(source, WAY_GATHER, job->from, read, n);
        const char *next = reads ? read : from;
        if (job->convert->checked) note_lost(job, next, n);
        convert_numbers(job->convert, writes ? written : to, next, n * numbers);
        if (writes)
            walk_move(target, WAY_SCATTER, written, job->to, n);
        else
            target->done += n;
        from += n * numbers * size[REDIST_SOURCE];
        to += n * target->grain;
    }
    if (source && !reads) source->done += job->n;
}

static int64_t share_begin(const struct job *job, int k, int n)
{
    return (int64_t)((int128)job->n * k / n);
}

static void run_share(void *context, int k, int n)
{
    const struct job *whole = context;
    struct job job = *whole;
    struct axis axis[SIDES][REDIST_MAX_DIMS];
    struct walk walk[SIDES];
    const int64_t begin = share_begin(whole, k, n);
    const struct walk *target = whole->walk[REDIST_TARGET];
    job.n = share_begin(whole, k + 1, n) - begin;
    for (int s = 0; s < SIDES; s++) {
        if (!whole->walk[s]) continue;
        walk[s] = walk_apart(whole->walk[s], axis[s]);
        walk[s].done += begin;
        job.walk[s] = &walk[s];
    }
    if (!job.walk[REDIST_SOURCE])
        job.from += begin * (target->grain / whole->convert->size[REDIST_TARGET]) *
                    whole->convert->size[REDIST_SOURCE];
    run(&job);
}

void walk_convert(struct walk *source, struct walk *target, const struct convert *convert,
                  const void *from, void *to, int64_t n, struct walk_lost *lost)
{
    struct job job = {{source, target}, convert, from, to, n, lost};
    lost->grain = -1;
    int threads = convert->checked ? 1 : threads_for(n * target->grain);
    if (threads == 1) {
        run(&job);
        return;
    }
    threads_run(threads, run_share, &job);
    if (source) source->done += n;
    target->done += n;
}
