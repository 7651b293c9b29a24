/* SPDX-License-Identifier: MIT */
#include "plan/directory/directory.h"

#include "base/error.h"
#include "describe/view.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"

/* ---- parts ------------------------------------------------------------------------- */

int64_t directory_begin(const struct directory *directory)
{
    int64_t k = directory->rank, part = directory->part, extent = directory->extent;
    return k > 0 && part > extent / k ? extent : k * part;
}

int64_t directory_size(const struct directory *directory)
{
    return int_min(directory->part, directory->extent - directory_begin(directory));
}

/* ---- faults ------------------------------------------------------------------------ */

static redist_err report(int64_t index, const int found[3])
{
    if (found[0] == 0)
        return error_arg("index %" PRId64 " is in no source list, must be in one", index);
    if (found[1] == found[2])
        return error_arg("index %" PRId64
                         " is twice in the source list of rank %d, must be once",
                         index, found[1]);
    return error_arg("index %" PRId64
                     " is in the source lists of rank %d and rank %d, must be in one",
                     index, found[1], found[2]);
}

redist_err directory_judge(const struct directory *directory, redist_err err,
                           const struct fault *fault)
{
    int64_t least = INT64_MAX;
    int found[3] = {fault->ranks, fault->rank[0], fault->rank[1]};
    TRY(agree(directory->comm, err));
    if (fault->index != DIRECTORY_FAULTLESS)
        least = directory_begin(directory) + fault->index;
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, directory->comm)));
    if (least == INT64_MAX) return REDIST_OK;
    int keeper = (int)(least / directory->part);
    TRY(mpi_call(MPI_Bcast(found, 3, MPI_INT, keeper, directory->comm)));
    return report(least * directory->block, found);
}

/* ---- listings ---------------------------------------------------------------------- */

redist_err directory_list(struct mail *sorted, const int64_t elements[],
                          struct listing *listing)
{
    int64_t n = 0;
    *listing = (struct listing){0};
    for (int r = 0; r < sorted->nranks; r++) n += sorted->next[r] > sorted->begin[r];
    listing->message = mem_alloc(sorted->account, n, sizeof *listing->message);
    if (!listing->message) return REDIST_ERR_MEMORY;
    if (elements)
        listing->run = sorted->items;
    else
        listing->place = sorted->items;
    sorted->items = NULL;
    for (int r = 0; r < sorted->nranks; r++) {
        int64_t begin = sorted->begin[r], items = sorted->next[r] - begin;
        if (items == 0) continue;
        struct listed *list = &listing->message[listing->n++];
        *list = (struct listed){.rank = r, .elements = elements ? elements[r] : items};
        if (elements)
            list->run = listing->run + begin, list->nruns = items;
        else
            list->place = listing->place + begin;
    }
    return REDIST_OK;
}

/* ---- the whole --------------------------------------------------------------------- */

static redist_err check(struct directory *directory,
                        const redist_indices *const indices[SIDES])
{
    static const char *const side_name[SIDES] = {"source", "target"};
    int64_t extent = directory->extent;
    if (extent < 0) return error_arg("extent is %" PRId64 ", must be >= 0", extent);
    for (int s = 0; s < SIDES; s++) {
        int64_t bytes = 0;
        TRY(indices_check(indices[s], side_name[s], extent, directory->rank,
                          directory->nranks, &directory->pieces[s],
                          &directory->count[s]));
        redist_err err =
            view_bytes(directory->count[s].elements, directory->purpose.size, &bytes);
        if (err) return error_prefix(err, "%s", side_name[s]);
    }
    return REDIST_OK;
}

/* Tell whether parts are kept in runs: runs are long, or a part, or a process's list, has
 * too many elements for 32 bits. Otherwise tell whether there may be blocks. */
static redist_err choose(struct directory *directory, bool *in_runs, bool *in_blocks)
{
    double sums[2] = {0, 0}; /* elements, pieces */
    for (int s = 0; s < SIDES; s++) {
        sums[0] += (double)directory->count[s].elements;
        sums[1] += (double)directory->count[s].pieces;
        directory->most[s] = directory->count[s].elements;
    }
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, directory->comm)));
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, directory->most, SIDES, MPI_INT64_T, MPI_MAX,
                               directory->comm)));
    int64_t most =
        int_max(directory->most[REDIST_SOURCE], directory->most[REDIST_TARGET]);
    *in_runs = sums[0] >= DIRECTORY_LONG * sums[1] || most >= UINT32_MAX ||
               directory->extent / directory->nranks >= UINT32_MAX / 2;
    *in_blocks = !*in_runs && sums[0] >= 2 * sums[1];
    return REDIST_OK;
}

/* Find the longest blocks of which all lists consist. Indices that begin at a multiple of
 * the block's length are always together and in order, so each block is planned and moved
 * as one element. A block is at most as long as a piece, so there is none if pieces have
 * one index. */
static redist_err choose_block(struct directory *directory)
{
    struct purpose *purpose = &directory->purpose;
    int64_t divisor = directory->extent;
    uint64_t broken = 0; /* bit k: pieces break blocks of k */
    for (int s = 0; s < SIDES; s++)
        divisor = int_gcd(divisor, indices_divisor(directory->pieces[s]));
    for (int k = 2; k < DIRECTORY_LONG; k++)
        broken |= (uint64_t)(divisor % k != 0 || k * purpose->size > purpose->most) << k;
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, &broken, 1, MPI_UINT64_T, MPI_BOR, directory->comm)));
    for (int k = 2; k < DIRECTORY_LONG; k++)
        if (!(broken >> k & 1)) directory->block = k;
    directory->extent /= directory->block;
    purpose->size *= directory->block;
    for (int s = 0; s < SIDES; s++) {
        directory->count[s].elements /= directory->block;
        directory->most[s] /= directory->block;
    }
    return REDIST_OK;
}

/* Divide the parts into shelves, equal but for the last: at most as many as one list
 * can be sorted by at a time, each small enough for a keeper's table of it to stay in
 * the cache. A part is rounded up to whole shelves, which are many, so that it grows
 * little. */
static void build_shelves(struct directory *directory)
{
    enum { SHELVES = 512, LEAST = 16 };
    int64_t most = int_max(SHELVES / directory->nranks, LEAST);
    while ((directory->part - 1) >> directory->shelf >= most) directory->shelf++;
    directory->shelves = ((directory->part - 1) >> directory->shelf) + 1;
    directory->part = directory->shelves << directory->shelf;
}

/* Use as few bits for places as suffice, if the rank then fits above them in 32 bits. */
static void choose_locations(struct directory *directory)
{
    int64_t most = directory->most[REDIST_SOURCE];
    while (most >> directory->place_bits > 0) directory->place_bits++;
    if (directory->purpose.wide ||
        directory->nranks >= INT64_C(1) << 32 >> directory->place_bits)
        directory->place_bits = 32;
}

redist_err directory_match(struct mem_account *account, const struct team *team,
                           int64_t extent, const struct purpose *purpose,
                           const redist_indices *const indices[SIDES],
                           struct listing listing[SIDES])
{
    struct directory directory = {.account = account,
                                  .comm = team->comm,
                                  .rank = team->rank,
                                  .nranks = team->nranks,
                                  .block = 1,
                                  .extent = extent,
                                  .purpose = *purpose};
    bool in_runs = false, in_blocks = false;
    for (int s = 0; s < SIDES; s++) listing[s] = (struct listing){0};
    TRY(agree(team->comm, check(&directory, indices)));
    TRY(choose(&directory, &in_runs, &in_blocks));
    if (in_blocks) TRY(choose_block(&directory));
    directory.part = int_max(int_ceil_div(directory.extent, team->nranks), 1);
    directory.inverse = UINT64_MAX / (uint64_t)directory.part;
    if (!in_runs) build_shelves(&directory);
    choose_locations(&directory);
    redist_err err = in_runs ? directory_match_runs(&directory, listing)
                             : directory_match_table(&directory, listing);
    for (int s = 0; err && s < SIDES; s++) listing_free(&listing[s]);
    for (int s = 0; s < SIDES; s++) {
        listing[s].block = directory.block;
        listing[s].length = directory.count[s].elements;
    }
    return err;
}
