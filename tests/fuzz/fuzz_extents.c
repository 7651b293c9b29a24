/* SPDX-License-Identifier: MIT
 *
 * Extents near 2^63: two views are drawn from the bytes, and asked all that needs no
 * communication. What costs as much as the runs or the messages that there are is left
 * out if these are many.
 */
#include "fuzz.h"
#include "views.h"

#include <redist/propose.h>

#include "base/intmath.h"
#include "intersect/overlap.h"

enum { MOST_RUNS = 2000, MOST_MESSAGES = 1024, MOST_PLACES = 256 };

/* All runs of a partner lie in the section and in the two local arrays. */
static void check_runs(const struct runs *runs, int64_t extent)
{
    int128 elements = 0;
    for (int64_t j = 0; j < runs->nperiod + runs->ntail; j++) {
        const struct run *run = &runs->run[j];
        int64_t times = j < runs->nperiod ? runs->repeats : 1;
        CHECK(run->length >= 1 && run->count >= 1 && times >= 1 && run->at >= 0);
        CHECK(run->length <= extent);
        CHECK(run->count == 1 ||
              run->step <= (extent - run->at - run->length) / (run->count - 1));
        CHECK(run->at <= extent - run->length);
        CHECK(run->local[0] >= 0 && run->local[1] >= 0);
        elements += (int128)run->length * run->count * times;
    }
    CHECK(elements == runs->elements && elements <= extent);
}

/* Find the elements of the message of `other` with `rank`, from its other end. */
static int64_t seen_from(const redist_view views[2], redist_side own, int rank, int other)
{
    struct overlap overlap;
    int64_t elements = -1;
    redist_err err = overlap_make(NULL, &views[0], &views[1], own, rank, &overlap);
    CHECK(!err || err == REDIST_ERR_MEMORY);
    if (err) return -1;
    for (int64_t k = 0; k < overlap.nmessages; k++)
        if (overlap.message[k].rank == other) elements = overlap.message[k].elements;
    CHECK(elements > 0);
    overlap_free(&overlap);
    return elements;
}

static void check_overlap(const redist_view views[2], redist_side own, int rank)
{
    struct overlap overlap;
    struct overlap_counts counts;
    const int64_t *extent = views[own].extent;
    bool replicated = views[0].dist->nreplicas > 1 || views[1].dist->nreplicas > 1;
    redist_err err = overlap_make(NULL, &views[0], &views[1], own, rank, &overlap);
    CHECK(!err || err == REDIST_ERR_MEMORY);
    if (err) return;
    int64_t elements = 0, kept = 0, n = overlap.nmessages;
    for (int j = 0; j < overlap.ndims; j++)
        for (int64_t k = 0; k < overlap.dim[j].n; k++)
            check_runs(&overlap.dim[j].partner[k].runs, extent[views[own].axes[j]]);
    for (int64_t k = 0; k < n && !replicated; k++) {
        CHECK(overlap.message[k].elements > 0);
        elements += overlap.message[k].elements;
        if (overlap.message[k].rank == rank) kept += overlap.message[k].elements;
    }
    bool few = views[own].dist->grid->size <= MOST_MESSAGES;
    for (int64_t k = 0; few && k < n; k += int_max(n - 1, 1)) {
        int64_t seen = seen_from(views, (redist_side)!own, overlap.message[k].rank, rank);
        CHECK(seen < 0 || seen == overlap.message[k].elements);
    }
    overlap_free(&overlap);
    if (replicated || overlap_count(&views[0], &views[1], own, rank, &counts)) return;
    CHECK(counts.messages == n && counts.elements == elements && counts.kept == kept);
}

static void check_relabel(const redist_view views[2], int within)
{
    redist_dist *dist = NULL;
    int64_t kept[2] = {-1, -1};
    fuzz_clear();
    redist_err err = redist_relabel(&views[0], &views[1], NULL, within, &dist, kept);
    CHECK(!err || err == REDIST_ERR_MEMORY);
    if (err) return;
    CHECK(kept[0] >= 0 && kept[1] >= kept[0]);
    redist_dist_destroy(&dist);
}

/* ---- balance ----------------------------------------------------------------------- */

static void check_balance(struct bytes *in)
{
    enum { MOST = 8 };
    int n = take_int(in, 0, MOST), way = take_below(in, 3);
    int64_t counts[MOST], weights[MOST], shares[MOST], sum = 0, given = 0;
    redist_dist *source = NULL, *target = NULL;
    for (int k = 0; k < n; k++) {
        counts[k] = take_number(in, 0, INT64_MAX);
        weights[k] = take_number(in, 0, INT64_MAX);
    }
    redist_balance_method method = (redist_balance_method)way;
    bool weighted = take_below(in, 2);
    fuzz_clear();
    redist_err err =
        redist_balance_shares(method, n, counts, weighted ? weights : NULL, shares);
    if (err) {
        fuzz_refused(err, NULL);
        return;
    }
    for (int k = 0; k < n; k++) {
        CHECK(shares[k] >= 0 && (!weighted || weights[k] > 0 || shares[k] == 0));
        sum += counts[k];
        given += shares[k];
    }
    CHECK(sum == given);
    GOOD(redist_balance_dists(method, n, counts, shares, &source, &target));
    for (int k = 0; k < n; k++) {
        int64_t before = -1, after = -1;
        GOOD(redist_dist_local_extents(source, k, &before));
        GOOD(redist_dist_local_extents(target, k, &after));
        CHECK(before == counts[k] && after == shares[k]);
    }
    redist_dist_destroy(&source);
    redist_dist_destroy(&target);
}

/* ---- all --------------------------------------------------------------------------- */

void fuzz_one(const uint8_t *data, size_t size)
{
    struct bytes in = {data, data + size};
    redist_view views[2];
    check_balance(&in);
    if (!views_draw(&in, INT32_MAX, views)) return;
    for (int s = 0; s < 2; s++) views_check(&views[s]);
    fuzz_clear();
    redist_err err = overlap_check(&views[0], &views[1]);
    if (err) {
        fuzz_refused(err, NULL);
    } else if (views_runs(views) <= MOST_RUNS) {
        for (int s = 0; s < 2; s++) {
            const redist_grid *grid = views[s].dist->grid;
            int64_t far = redist_grid_size(views[!s].dist->grid), size_here = grid->size;
            if (far > MOST_MESSAGES) continue;
            check_overlap(views, (redist_side)s, grid_rank_at(grid, 0));
            check_overlap(views, (redist_side)s, grid_rank_at(grid, size_here / 2));
            check_overlap(views, (redist_side)s, grid_rank_at(grid, size_here - 1));
        }
        if (views[0].dist->grid->size <= MOST_PLACES &&
            views[1].dist->grid->size <= MOST_PLACES)
            check_relabel(views, 0);
    }
    views_free(views);
}
