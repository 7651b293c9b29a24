/* SPDX-License-Identifier: MIT
 *
 * Processes give to a stream, and take from it, in the order of ranks. A scan tells each
 * process its own two ranges of the stream. It then finds the processes whose ranges meet
 * these, by reading their memory: ranges ascend with the ranks, so it gallops, first to
 * ranks 1, 2, 4, .. away, and then bisects between the last two. If little is out of
 * balance partners are near, and no process is read by all.
 *
 *   gives   |0-----|1-|2------|3---|       process 2 gives to 1 and 2, and takes from
 *   takes   |0---|1-----|2---|3----|       1 and 2
 */
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/mpi/check.h"
#include "plan/balance/balance.h"
#include "plan/comm/agree.h"

/* A range of the stream. */
struct span {
    int64_t begin, end;
};

/* What a process knows of all. */
struct scanned {
    int64_t kept, moved; /* elements of all processes: kept ones are numbered first */
    struct span keep;
    struct span stream[SIDES]; /* what it gives, and what it takes */
};

/* ---- scans ------------------------------------------------------------------------- */

/* Sum numbers over the processes before this one, and over all. */
static redist_err scan(MPI_Comm comm, int n, const int64_t numbers[], int64_t before[],
                       int64_t all[])
{
    memset(before, 0, (size_t)n * sizeof *before);
    TRY(mpi_call(MPI_Exscan(numbers, before, n, MPI_INT64_T, MPI_SUM, comm)));
    return mpi_call(MPI_Allreduce(numbers, all, n, MPI_INT64_T, MPI_SUM, comm));
}

/* Check that the sums of counts and weights fit 64 bits: the sums of their halves do. */
static redist_err check_sums(MPI_Comm comm, const struct balance *balance)
{
    const int64_t half = INT64_C(1) << 31;
    const int64_t own[4] = {balance->count / half, balance->count % half,
                            balance->weight / half, balance->weight % half};
    int64_t all[4];
    TRY(mpi_call(MPI_Allreduce(own, all, 4, MPI_INT64_T, MPI_SUM, comm)));
    for (int k = 0; k < 2; k++)
        if ((int128)all[2 * k] * half + all[2 * k + 1] > INT64_MAX)
            return error_arg("%s sum to more than 2^63 - 1", k ? "weights" : "counts");
    if (all[2] == 0 && all[3] == 0) return error_arg("weights sum to 0, must be > 0");
    return REDIST_OK;
}

/* Find the share that minimizes B's surplus, as redist_balance_shares does. */
static redist_err share_surplus(MPI_Comm comm, const struct balance *balance, int64_t n,
                                int64_t all_weight, int64_t *share)
{
    bool more;
    *share = balance_floor(n, balance->weight, all_weight, &more);
    bool surplus = balance->count > *share;
    const int64_t own[3] = {*share, more && surplus, more && !surplus};
    int64_t before[3], all[3];
    TRY(scan(comm, 3, own, before, all));
    int64_t turn = surplus ? before[1] : all[1] + before[2];
    if (more && turn < n - all[0]) ++*share;
    return REDIST_OK;
}

/* Find the share of A_CEILING, as redist_balance_shares does. */
static redist_err share_ceiling(MPI_Comm comm, const struct balance *balance, int64_t n,
                                int64_t all_weight, int64_t *share)
{
    bool more;
    int64_t least = balance_floor(n, balance->weight, all_weight, &more);
    const int64_t own[2] = {least, more};
    int64_t before[2], all[2];
    TRY(scan(comm, 2, own, before, all));
    *share = balance_ceiling(n, before[0], before[1], least, more);
    return REDIST_OK;
}

static redist_err find_share(MPI_Comm comm, const struct balance *balance, int64_t *share)
{
    const int64_t own[2] = {balance->count, balance->weight};
    int64_t before[2], all[2];
    TRY(check_sums(comm, balance));
    TRY(scan(comm, 2, own, before, all));
    if (balance->method == REDIST_BALANCE_B)
        return share_surplus(comm, balance, all[0], all[1], share);
    if (balance->method == REDIST_BALANCE_A_CEILING)
        return share_ceiling(comm, balance, all[0], all[1], share);
    *share = balance_cut(all[0], before[1] + balance->weight, all[1]) -
             balance_cut(all[0], before[1], all[1]);
    return REDIST_OK;
}

static redist_err find_stretches(MPI_Comm comm, const struct balance *balance,
                                 int64_t *share, struct scanned *scanned)
{
    TRY(find_share(comm, balance, share));
    struct holding holding = balance_holding(balance->method, balance->count, *share);
    const int64_t own[3] = {holding.keep, holding.give, holding.take};
    int64_t before[3], all[3];
    TRY(scan(comm, 3, own, before, all));
    *scanned = (struct scanned){
        .kept = all[0],
        .moved = all[1],
        .keep = {before[0], before[0] + holding.keep},
        .stream = {[REDIST_SOURCE] = {before[1], before[1] + holding.give},
                   [REDIST_TARGET] = {before[2], before[2] + holding.take}}};
    return REDIST_OK;
}

/* ---- the search -------------------------------------------------------------------- */

/* The ranges of one side; those of others are in their memory. */
struct atlas {
    MPI_Win window; /* of struct span [SIDES] */
    redist_side side;
    int rank, nranks;
};

static redist_err look_at(const struct atlas *atlas, int rank, struct span *span)
{
    MPI_Aint at = (MPI_Aint)sizeof *span * (MPI_Aint)atlas->side;
    TRY(mpi_call(MPI_Get(span, sizeof *span, MPI_BYTE, rank, at, sizeof *span, MPI_BYTE,
                         atlas->window)));
    return mpi_call(MPI_Win_flush(rank, atlas->window));
}

/* Find the only process whose range holds place x of the stream: the first that ends
 * after it. Gallop from rank *rank. */
static redist_err locate(const struct atlas *atlas, int64_t x, int *rank,
                         struct span *span)
{
    int low = -1, high = atlas->nranks, at = *rank; /* low ends before x, high after */
    int64_t step = 1;
    while (high - low > 1) {
        TRY(look_at(atlas, at, span));
        bool behind = span->end > x;
        if (behind)
            high = at;
        else
            low = at;
        bool open = behind ? low < 0 : high == atlas->nranks;
        int64_t next = at + (behind ? -step : step);
        step *= 2;
        bool inside = next > low && next < high;
        at = open && inside ? (int)next : low + (high - low) / 2;
    }
    *rank = high;
    return look_at(atlas, high, span);
}

/* The processes whose ranges meet this one's, itself too; ascending. */
struct known {
    int64_t n, room, ranks, ranks_room;
    int *rank;           /* [n] */
    struct block *block; /* [n] the owner is its index in this list */
};

static redist_err append(struct known *known, int rank, int64_t begin, int64_t end)
{
    const struct block block = {.begin = begin, .end = end, .owner = (int)known->n};
    TRY(mem_append(NULL, &known->rank, &known->ranks, &known->ranks_room, &rank,
                   sizeof rank));
    return mem_append(NULL, &known->block, &known->n, &known->room, &block, sizeof block);
}

/* List those of one side whose ranges meet this process's range of the other, and
 * itself. */
static redist_err find_known(const struct atlas *atlas, const struct scanned *scanned,
                             struct known *known)
{
    struct span mine = scanned->stream[atlas->side];
    struct span asked = scanned->stream[!atlas->side];
    bool listed = false;
    int next = atlas->rank;
    for (int64_t x = asked.begin; x < asked.end;) {
        struct span found;
        int rank = next;
        TRY(locate(atlas, x, &rank, &found));
        if (!listed && rank > atlas->rank)
            TRY(append(known, atlas->rank, mine.begin, mine.end));
        TRY(append(known, rank, found.begin, found.end));
        listed = listed || rank >= atlas->rank;
        x = found.end;
        next = rank + 1;
    }
    return listed ? REDIST_OK : append(known, atlas->rank, mine.begin, mine.end);
}

/* Describe the known part of one side: the elements that this process keeps, then
 * ranges. */
static redist_err describe(const struct atlas *atlas, const struct scanned *scanned,
                           redist_dist **dist)
{
    struct known known = {0};
    redist_err err = find_known(atlas, scanned, &known);
    int64_t n = known.n + 1;
    struct block *blocks = err ? NULL : mem_alloc(NULL, n, sizeof *blocks);
    if (!err && !blocks) err = REDIST_ERR_MEMORY;
    for (int k = 0; !err && k < known.n; k++) {
        blocks[k + 1] = known.block[k];
        blocks[k + 1].begin += scanned->kept;
        blocks[k + 1].end += scanned->kept;
        if (known.rank[k] == atlas->rank)
            blocks[0] = (struct block){scanned->keep.begin, scanned->keep.end, 0, k};
    }
    if (!err)
        err = dist_from_blocks(scanned->kept + scanned->moved, (int)known.n, known.rank,
                               n, blocks, dist);
    mem_free(blocks);
    mem_free(known.rank);
    mem_free(known.block);
    return err;
}

/* Show the own ranges to others, in whole lines: MPICH 4.0 confuses places in windows of
 * unaligned sizes. Collective. */
static redist_err open_atlas(const struct team *team, const struct scanned *scanned,
                             struct span **shown, struct atlas *atlas)
{
    *atlas = (struct atlas){MPI_WIN_NULL, REDIST_SOURCE, team->rank, team->nranks};
    TRY(mpi_call(MPI_Win_allocate(2 * sizeof scanned->stream, 1, MPI_INFO_NULL,
                                  team->comm, shown, &atlas->window)));
    TRY(mpi_call(MPI_Win_set_errhandler(atlas->window, MPI_ERRORS_RETURN)));
    TRY(mpi_call(MPI_Win_lock_all(MPI_MODE_NOCHECK, atlas->window)));
    memcpy(*shown, scanned->stream, sizeof scanned->stream);
    TRY(mpi_call(MPI_Win_sync(atlas->window)));
    return mpi_call(MPI_Barrier(team->comm));
}

/* Wait until nobody reads any more. Collective. */
static redist_err close_atlas(const struct team *team, struct atlas *atlas)
{
    TRY(mpi_call(MPI_Win_unlock_all(atlas->window)));
    TRY(mpi_call(MPI_Barrier(team->comm)));
    return mpi_call(MPI_Win_free(&atlas->window));
}

redist_err balance_scan(const struct team *team, const struct balance *balance,
                        int64_t *share, redist_dist *dist[SIDES])
{
    struct scanned scanned;
    struct span *shown = NULL;
    struct atlas atlas;
    TRY(find_stretches(team->comm, balance, share, &scanned));
    TRY(open_atlas(team, &scanned, &shown, &atlas));
    redist_err err = REDIST_OK;
    for (int s = 0; !err && s < SIDES; s++) {
        atlas.side = (redist_side)s;
        err = describe(&atlas, &scanned, &dist[s]);
    }
    redist_err closed = close_atlas(team, &atlas);
    return err ? err : closed;
}
