/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/pair.h - a source and a target given as text, buffers whose elements tell
 * which they are, and what all processes must agree on.
 *
 * An element is an int64_t: its number in the section, -1 outside of it. Local arrays
 * have no leading strides.
 */
#ifndef REDIST_TESTS_PAIR_H
#define REDIST_TESTS_PAIR_H

#include "mpi/check.h"
#include "mpi/lacking.h"

/* Whom none of a side's ranks stands for. */
enum { NOBODY = -1 };

static const char *const all_strategies[] = {
    "nonblocking",   "alltoallv", "window(1)", "window(3)", "sendrecv",     "synchronous",
    "ready",         "neighbor",  "alltoallw", "onesided",  "multiphase",   "aggregated",
    "aggregated(2)", "shared",    "naive",     "replicate", "replicate(1)", "multicast",
};
enum { STRATEGIES = sizeof all_strategies / sizeof *all_strategies };

/* Whether a strategy sends everything straight to where it belongs. */
static inline int goes_straight(const char *strategy)
{
    return strcmp(strategy, "multiphase") != 0 && strcmp(strategy, "lcm-phases") != 0 &&
           strncmp(strategy, "aggregated", 10) != 0 &&
           strncmp(strategy, "replicate", 9) != 0;
}

/* Whether a strategy moves several arrays at once. */
static inline int moves_batches(const char *strategy)
{
    return strcmp(strategy, "multiphase") != 0 && strcmp(strategy, "lcm-phases") != 0 &&
           strcmp(strategy, "alltoallw") != 0 && strcmp(strategy, "naive") != 0 &&
           strncmp(strategy, "replicate", 9) != 0;
}

/* Whether a strategy can combine what it moves with what is there. */
static inline int combines(const char *strategy)
{
    return strcmp(strategy, "alltoallw") != 0 && strcmp(strategy, "naive") != 0 &&
           strncmp(strategy, "replicate", 9) != 0;
}

/* Whether a strategy may have to hold as much as is moved. */
static inline int holds_all(const char *strategy)
{
    return strcmp(strategy, "ready") == 0 || strcmp(strategy, "multiphase") == 0;
}

struct pair {
    redist_dist *dist[2];
    redist_view view[2]; /* REDIST_SOURCE, REDIST_TARGET */
};

static inline struct pair pair_parse(const char *source, const char *target)
{
    struct pair pair;
    CHECK(redist_view_parse(source, &pair.dist[0], &pair.view[0]) == 0, "%s", source);
    CHECK(redist_view_parse(target, &pair.dist[1], &pair.view[1]) == 0, "%s", target);
    return pair;
}

/* Make the pair of two texts in which %1$d stands for the number of processes, %2$d for
 * half of them, rounded up, %3$d for the last one and %4$d for the second. */
static inline struct pair pair_of_world(const char *const texts[2])
{
    char text[2][128];
    int n = world_size();
    for (int s = 0; s < 2; s++)
        (void)snprintf(text[s], sizeof text[s], texts[s], n, (n + 1) / 2, n - 1, 1 % n);
    return pair_parse(text[0], text[1]);
}

static inline void pair_free(struct pair *pair)
{
    redist_dist_destroy(&pair->dist[0]);
    redist_dist_destroy(&pair->dist[1]);
}

/* What each place along dimension i adds to the number of an element in the section, of
 * which the dimensions behind it have `weight` elements: -1 outside of the section. */
static inline int64_t *pair_parts(const redist_view *view, int rank, int i, int64_t width,
                                  int64_t weight)
{
    int64_t local[REDIST_MAX_DIMS], place[REDIST_MAX_DIMS] = {0}, index[REDIST_MAX_DIMS];
    int64_t *part = malloc((size_t)width * sizeof *part);
    CHECK_OK(redist_dist_local_extents(view->dist, rank, local));
    for (int64_t w = 0; w < width; w++) {
        part[w] = -1;
        place[i] = w - view->halo_low[i];
        if (place[i] < 0 || place[i] >= local[i]) continue;
        CHECK_OK(redist_dist_index(view->dist, rank, place, index));
        int64_t from = index[i] - view->start[i], k = from / view->stride[i];
        if (from < 0 || from % view->stride[i] != 0 || k >= view->extent[i]) continue;
        part[w] = k * weight;
    }
    return part;
}

/* The numbers in the section of what stands at the places of a rank's local array, -1
 * outside of it. NULL if there are no places. */
static inline int64_t *pair_numbers(const redist_view *view, int rank)
{
    int ndims = redist_dist_ndims(view->dist);
    int64_t local[REDIST_MAX_DIMS], width[REDIST_MAX_DIMS], span = 0;
    int64_t weight[REDIST_MAX_DIMS], *part[REDIST_MAX_DIMS];
    CHECK_OK(redist_view_span(view, rank, &span));
    CHECK_OK(redist_dist_local_extents(view->dist, rank, local));
    if (span == 0) return NULL;
    int64_t *number = malloc((size_t)span * sizeof *number);
    bool holds_any = true;
    for (int i = 0; i < ndims; i++) holds_any = holds_any && local[i] > 0;
    for (int64_t e = 0; e < span; e++) number[e] = holds_any ? 0 : -1;
    if (!holds_any) return number;
    int64_t before = 1;
    for (int j = ndims - 1; j >= 0; j--) {
        weight[view->axes[j]] = before;
        before *= view->extent[view->axes[j]];
    }
    for (int i = 0; i < ndims; i++) {
        width[i] = view->halo_low[i] + local[i] + view->halo_high[i];
        part[i] = pair_parts(view, rank, i, width[i], weight[i]);
    }
    for (int64_t e = 0; e < span; e++) {
        int64_t rest = e;
        for (int k = ndims - 1; k >= 0; k--) {
            int i = view->order[k];
            int64_t more = part[i][rest % width[i]];
            number[e] = number[e] < 0 || more < 0 ? -1 : number[e] + more;
            rest /= width[i];
        }
    }
    for (int i = 0; i < ndims; i++) free(part[i]);
    return number;
}

/* Elements of the buffer of `rank`, which may be NOBODY. */
static inline int64_t pair_span(const struct pair *pair, redist_side side, int rank)
{
    int64_t span = 0;
    if (rank != NOBODY) CHECK_OK(redist_view_span(&pair->view[side], rank, &span));
    return span;
}

/* Make the buffer of `rank`, NULL where it takes no part; a target's holds -1
 * everywhere. */
static inline int64_t *pair_buffer(const struct pair *pair, redist_side side, int rank)
{
    int64_t span = pair_span(pair, side, rank);
    if (span == 0) return NULL;
    if (side == REDIST_SOURCE) return pair_numbers(&pair->view[side], rank);
    int64_t *buffer = malloc((size_t)span * sizeof *buffer);
    for (int64_t e = 0; e < span; e++) buffer[e] = -1;
    return buffer;
}

/* Check that a target has all its elements and no others. */
static inline void pair_check(const struct pair *pair, int rank, const int64_t *target)
{
    if (rank == NOBODY) return;
    int64_t span = pair_span(pair, REDIST_TARGET, rank);
    int64_t *number = pair_numbers(&pair->view[REDIST_TARGET], rank);
    for (int64_t e = 0; e < span; e++)
        CHECK(target[e] == number[e],
              "place %" PRId64 " holds element %" PRId64 ", must hold %" PRId64, e,
              target[e], number[e]);
    free(number);
}

/* Execute a plan between fresh buffers of the ranks that the caller is, and check the
 * target. */
static inline void pair_execute(redist_plan *plan, const struct pair *pair,
                                int source_rank, int target_rank)
{
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, source_rank);
    int64_t *target = pair_buffer(pair, REDIST_TARGET, target_rank);
    CHECK_OK(redist_execute(plan, source, target));
    pair_check(pair, target_rank, target);
    free(source);
    free(target);
}

static inline redist_err pair_create(const struct pair *pair, MPI_Datatype type,
                                     const redist_options *options, redist_plan **plan)
{
    return redist_plan_create(MPI_COMM_WORLD, type, &pair->view[REDIST_SOURCE],
                              &pair->view[REDIST_TARGET], options, plan);
}

/* Make the plan of a pair over the world; of what holds all, under the default cap. */
static inline redist_plan *pair_plan(const struct pair *pair, const char *strategy,
                                     size_t staging)
{
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.staging_bytes = strategy && holds_all(strategy) ? 0 : staging;
    CHECK_OK(pair_create(pair, MPI_INT64_T, &options, &plan));
    return plan;
}

/* Check that all processes of the world have the error `code` and one and the same
 * sentence, which is or, where `whole` is 0, begins with the formatted one.
 * Collective: proves that all are back. */
__attribute__((format(printf, 4, 5))) static inline void
check_everywhere(redist_err err, redist_err code, int whole, const char *format, ...)
{
    char expected[1024], first[1024] = "";
    const char *got = redist_error_message();
    va_list args;
    va_start(args, format);
    (void)vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    size_t length = whole ? sizeof expected : strlen(expected);
    CHECK(err == code, "%s, expected %s: %s", redist_error_name(err),
          redist_error_name(code), expected);
    CHECK(strncmp(got, expected, length) == 0, "expected \"%s\"", expected);
    if (world_rank() == 0) (void)snprintf(first, sizeof first, "%s", got);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(got, first) == 0, "rank 0 has \"%s\"", first);
}

#endif
