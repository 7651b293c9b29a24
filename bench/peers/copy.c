/* SPDX-License-Identifier: MIT
 *
 * peers/copy.c - the limit: each process copies its share of the array's bytes, with libc
 * or past the caches.
 */
#include <stdlib.h>
#include <string.h>

#if defined __SSE2__
#include <emmintrin.h>
#endif

#include "base/error.h"
#include "peer.h"

/* bench_peers makes each buffer large enough for a share. */
static redist_err make(MPI_Comm comm, const struct item *item, const char *strategy,
                       void **state)
{
    (void)strategy;
    int nranks;
    MPI_Comm_size(comm, &nranks);
    int64_t *share = malloc(sizeof *share);
    if (!share) return error_set(REDIST_ERR_MEMORY, "out of memory");
    *share = (item->extent[0] * item->extent[1] + nranks - 1) / nranks;
    *state = share;
    return REDIST_OK;
}

static redist_err run_memcpy(void *state, const double *source, double *target)
{
    memcpy(target, source, (size_t) * (int64_t *)state * sizeof *target);
    return REDIST_OK;
}

const struct peer peer_memcpy = {"memcpy", true, make, run_memcpy, free};

#if defined __SSE2__
/* mem_alloc aligns to 64 bytes. */
static redist_err run_stream(void *state, const double *source, double *target)
{
    int64_t n = *(int64_t *)state, i = 0;
    for (; i + 2 <= n; i += 2) _mm_stream_pd(target + i, _mm_load_pd(source + i));
    for (; i < n; i++) target[i] = source[i];
    _mm_sfence();
    return REDIST_OK;
}

const struct peer peer_stream = {"non-temporal copy", true, make, run_stream, free};
#endif
