/* SPDX-License-Identifier: MIT
 *
 * tests/soak/draw.h - draw a case. A draw of 0 is the plain choice everywhere, so that a
 * case becomes simpler where its draws become less.
 */
#ifndef REDIST_TESTS_SOAK_DRAW_H
#define REDIST_TESTS_SOAK_DRAW_H

#include "move/arith/reduce.h"
#include "move/registry/exchanges.h"
#include "mpi/lacking.h"
#include "mpi/pair.h"
#include "schedule/registry/schedules.h"
#include "soak/case.h"

/* True in one of n cases. */
static inline int chance(uint64_t *seed, int n)
{
    return random_in(seed, 0, n - 1) == n - 1;
}

/* Whether every plan is of views and follows a schedule, REDIST_TEST_DRAW=schedules: the
 * rarer of them come often then. */
static inline int draws_schedules(void)
{
    const char *what = getenv("REDIST_TEST_DRAW");
    return what && strcmp(what, "schedules") == 0;
}

/* ---- the processes ----------------------------------------------------------------- */

static inline void draw_team(struct team *team, uint64_t *seed)
{
    int n = world_size(), rank = world_rank();
    team->size = n - (int)random_in(seed, 0, 3) / 3 * (int)random_in(seed, 0, n - 1);
    team->reversed = chance(seed, 4);
    team->split = 0;
#ifndef SOAK_SIMULATED
    if (team->size > 1 && chance(seed, 12)) {
        const int splits[] = {1, (team->size + 1) / 2, team->size - 1};
        team->split = splits[random_in(seed, 0, 2)];
    }
#endif
    team->rank = rank >= team->size ? -1 : team->reversed ? team->size - 1 - rank : rank;
}

/* ---- strategies -------------------------------------------------------------------- */

static const char *const ordered_exchanges[] = {
    "",           "/nonblocking", "/sendrecv", "/window(1)",
    "/window(3)", "/synchronous", "/ready"};

/* Draw one for what moves; the library may still find that it is not for this problem. */
static inline void draw_strategy(struct job *job, uint64_t *seed)
{
    static const char *const more[] = {"lcm-phases", "multicast(3)", "aggregated(3)",
                                       "replicate(2)", "replicate(4)"};
    enum { MORE = sizeof more / sizeof *more };
    size_t nschedules = 0;
    while (schedules[nschedules]) nschedules++;
    int scheduled = job->kind == REGULAR ? 1 : 5;
    job->strategy[0] = 0;
    if (!draws_schedules()) {
        if (job->kind == IN_PLACE || !random_in(seed, 0, 3)) return; /* auto */
        if (chance(seed, 6)) { /* it has more ways to move data than any other */
            (void)snprintf(job->strategy, TEXT, "%s", here("shared"));
            return;
        }
        if (random_in(seed, 0, scheduled) > 0 || job->kind == INDEXED) {
            int k = (int)random_in(seed, 0, STRATEGIES + MORE - 1);
            const char *name = k < STRATEGIES ? all_strategies[k] : more[k - STRATEGIES];
            (void)snprintf(job->strategy, TEXT, "%s", here(name));
            return;
        }
    }
    static const char *const products[] = {"product", "combination", "product-timeline"};
    const char *schedule = schedules[random_in(seed, 0, (int64_t)nschedules - 1)]->name;
    if (job->kind == REGULAR && job->item[0].side[0].ndims > 1 && random_in(seed, 0, 1))
        schedule = products[random_in(seed, 0, 2)];
    char text[TEXT];
    (void)snprintf(text, sizeof text, "%s%s", schedule,
                   ordered_exchanges[random_in(seed, 0, 6)]);
    (void)snprintf(job->strategy, TEXT, "%s", here(text));
}

static inline void draw_topology(struct job *job, int size, uint64_t *seed)
{
    static const char *const forms[] = {"mesh(%d)",   "torus(%d)",    "tree(%d)",
                                        "mesh(2,%d)", "tree(2:1,%d)", "torus(%d,2)"};
    int form = (int)random_in(seed, 0, 5);
    (void)snprintf(job->topology, TEXT, forms[form], form < 3 ? size : (size + 1) / 2);
}

/* ---- arrays ------------------------------------------------------------------------ */

/* Larger extents now and then, so that messages travel in pieces. */
static inline int draw_extents(uint64_t *seed, int64_t n[SAMPLE_MAX_DIMS])
{
    if (!chance(seed, 12)) return random_extents(seed, n);
    int ndims = (int)random_in(seed, 1, 2);
    for (int j = 0; j < ndims; j++) n[j] = random_in(seed, 1, ndims == 1 ? 1200 : 40);
    return ndims;
}

/* Draw the sides of an array; its source has `least` to `most` replicas. */
static inline void draw_views(struct job *job, struct item *item, const struct team *team,
                              int64_t least, int64_t most, uint64_t *seed)
{
    int64_t n[2][SAMPLE_MAX_DIMS];
    int which = job->kind == IN_PLACE ? SAMPLE_WHOLE : SAMPLE_REPLICAS;
    int ndims = draw_extents(seed, n[REDIST_TARGET]);
    for (int j = 0; j < ndims; j++)
        n[REDIST_SOURCE][j] = n[REDIST_TARGET][job->transpose ? ndims - 1 - j : j];
    for (int s = 0; s < 2; s++)
        sample_make_for(&item->side[s], seed, ndims, n[s], team_ranks(team, s),
                        s == REDIST_SOURCE ? which | SAMPLE_REPLICAS : which,
                        team_rank(team, s));
    while (sample_replicas(&item->side[0]) < least ||
           sample_replicas(&item->side[0]) > most) {
        sample_free(&item->side[0]);
        if (random_tape && random_tape->given && random_tape->next >= random_tape->n)
            exit(passed("there is no such case")); /* all draw alike, and end here */
        sample_make_for(&item->side[0], seed, ndims, n[0], team_ranks(team, 0), which,
                        team_rank(team, 0));
    }
}

/* Draw the sides of array k of a plan. All arrays of a reduction have as many replicas;
 * of three or more their order matters. */
static inline void draw_item_views(struct job *job, int k, const struct team *team,
                                   uint64_t *seed)
{
    int64_t least = 0, most = INT64_MAX;
    if (job->reduction && k > 0)
        least = most = sample_replicas(&job->item[0].side[0]);
    else if (job->reduction && team_ranks(team, REDIST_SOURCE) > 2 && chance(seed, 2))
        least = 3;
    draw_views(job, &job->item[k], team, least, most, seed);
}

static inline void draw_items(struct job *job, const struct team *team, uint64_t *seed)
{
    for (int k = 0; k < job->nitems; k++) {
        struct item *item = &job->item[k];
        const int64_t one = is_converted(job)              ? 0
                            : has_arithmetic(job)          ? (int64_t)job->number.bytes
                            : job->kind == SIZED && k == 0 ? (int64_t)sizeof(int64_t)
                                                           : random_element(seed);
        for (int s = 0; s < 2; s++) {
            const struct kind *kind = job->type[s].kind;
            item->element[s] = kind ? kind->bytes * kind->parts : one;
        }
        if (job->kind == REGULAR)
            sample_make_regular_for(item->side, seed, team->size, team->rank);
        else if (has_views(job))
            draw_item_views(job, k, team, seed);
    }
}

/* ---- what is done ------------------------------------------------------------------ */

/* Draw a number that the library scales or reduces, and what it does with it. */
static inline void draw_arithmetic(struct job *job, uint64_t *seed)
{
    struct operand number = draw_number(seed);
    int complex = number.fold == fold_pair_of_f4 || number.fold == fold_pair_of_f8;
    int reduces = has_views(job) && random_in(seed, 0, 1);
    if (!reduces && !number.scales) return;
    job->number = number;
    job->scaled = number.scales && (!reduces || chance(seed, 3));
    job->conjugate = number.scales && has_views(job) && chance(seed, 4);
    if (reduces)
        job->reduction = (redist_reduction)random_in(seed, (int64_t)number.first,
                                                     (int64_t)number.last);
    if (reduces && is_linear(job)) job->reduction = REDIST_REDUCTION_SUM;
    for (int k = 0; k < 2; k++) {
        job->alpha[k] = job->scaled ? (int)random_in(seed, -2, 2) : !k;
        job->beta[k] = job->scaled ? (int)random_in(seed, -2, 2) : 0;
        if (k == 1 && !complex) job->alpha[k] = job->beta[k] = 0;
    }
}

static inline void draw_types(struct job *job, uint64_t *seed)
{
    for (int s = 0; s < 2; s++) {
        job->type[s].kind = &kinds[random_in(seed, 0, KINDS - 1)];
        job->type[s].big = chance(seed, 4);
    }
    job->checked = chance(seed, 4);
}

static inline void draw_staging(struct job *job, uint64_t *seed)
{
    int64_t largest = 2;
    for (int k = 0; k < job->nitems; k++)
        for (int s = 0; s < 2; s++)
            if (job->item[k].element[s] > largest) largest = job->item[k].element[s];
    job->staging = 0;
    if (!random_in(seed, 0, 2)) return;
    job->staging = 2 * largest << random_in(seed, 0, 10);
    job->staging += random_in(seed, 0, 7);
}

static inline void draw_job(struct job *job, const struct team *team, uint64_t *seed)
{
    static const enum plan_kind all[] = {VIEWS,    VIEWS,   VIEWS,   VIEWS,
                                         REGULAR,  REGULAR, REGULAR, INDEXED,
                                         BALANCED, SIZED,   IN_PLACE};
    int alone = team->split > 0; /* what an intercommunicator has not */
    job->kind = alone ? VIEWS : draws_schedules() ? REGULAR : all[random_in(seed, 0, 10)];
    job->nitems = 1;
    job->transpose = job->conjugate = job->scaled = job->relabels = job->tunes = 0;
    job->reduction = REDIST_REDUCTION_NONE;
    job->number.bytes = 0;
    job->type[0].kind = job->type[1].kind = NULL;
    job->checked = 0;
    job->topology[0] = 0;
    if (job->kind == VIEWS || job->kind == REGULAR) {
        if (chance(seed, 5)) job->nitems = (int)random_in(seed, 1, MOST_ITEMS);
        job->transpose = job->kind == VIEWS && chance(seed, 5);
    }
    if (job->kind == SIZED) job->nitems = 2;
    if (job->kind != IN_PLACE && job->kind != SIZED && chance(seed, 4))
        draw_arithmetic(job, seed);
    if (job->kind != IN_PLACE && job->kind != SIZED && !has_arithmetic(job) &&
        chance(seed, 6))
        draw_types(job, seed);
    draw_items(job, team, seed);
    if (job->kind == INDEXED) lists_make(&job->lists, seed, team->size, team->rank);
    if (job->kind == BALANCED || job->kind == SIZED)
        job->problem = deal_make(seed, team->size, team->rank);
    draw_strategy(job, seed);
    draw_staging(job, seed);
    int plain = !has_arithmetic(job) && job->kind != IN_PLACE && job->kind != SIZED;
    if (!alone && plain && chance(seed, 10)) draw_topology(job, team->size, seed);
    job->relabels = !alone && plain && job->kind != INDEXED && has_views(job) &&
                    job->nitems == 1 && !job->transpose && chance(seed, 12);
    job->tunes = plain && job->nitems == 1 && chance(seed, 60);
    job->memory = (enum location)random_in(seed, 0, MEMORIES - 1);
    job->salt = (uint64_t)random_in(seed, 0, 1000);
    job->fault = chance(seed, 12) ? (enum fault)random_in(seed, 0, FAULTS - 1) : NONE;
    job->culprit = (int)random_in(seed, 0, team->size - 1);
}

static inline void draw_case(struct soak_case *one, uint64_t *seed)
{
    draw_team(&one->team, seed);
    one->njobs = chance(seed, 4) ? (int)random_in(seed, 1, MOST_JOBS) : 1;
    one->rounds = (int)random_in(seed, 1, MOST_ROUNDS);
    one->together = one->njobs > 1;
    for (int k = 0; k < one->njobs; k++) draw_job(&one->job[k], &one->team, seed);
}

static inline void free_case(struct soak_case *one)
{
    for (int j = 0; j < one->njobs; j++) {
        struct job *job = &one->job[j];
        for (int k = 0; k < job->nitems && has_views(job); k++)
            for (int s = 0; s < 2; s++) sample_free(&job->item[k].side[s]);
        if (job->kind == INDEXED) lists_free(&job->lists);
    }
}

/* ---- in words ---------------------------------------------------------------------- */

static inline void print_job(FILE *file, const struct job *job)
{
    (void)fprintf(file, "  %s, strategy %s, staging %" PRId64 ", %s",
                  kind_name[job->kind], *job->strategy ? job->strategy : "auto",
                  job->staging, memory_name[job->memory]);
    if (*job->topology) (void)fprintf(file, ", topology %s", job->topology);
    if (job->transpose) (void)fprintf(file, ", transposed");
    if (job->conjugate) (void)fprintf(file, ", conjugated");
    if (job->scaled)
        (void)fprintf(file, ", alpha %d,%d beta %d,%d", job->alpha[0], job->alpha[1],
                      job->beta[0], job->beta[1]);
    if (job->reduction)
        (void)fprintf(file, ", reduction %s", reduce_name[job->reduction]);
    if (is_converted(job)) {
        char name[2][8];
        for (int s = 0; s < 2; s++) type_name(&job->type[s], name[s]);
        (void)fprintf(file, ", %s -> %s%s", name[0], name[1],
                      job->checked ? ", checked" : "");
    }
    if (job->relabels) (void)fprintf(file, ", relabelled");
    if (job->tunes) (void)fprintf(file, ", tuned");
    if (job->fault)
        (void)fprintf(file, ", rank %d: %s", job->culprit, fault_name[job->fault]);
    (void)fprintf(file, "\n");
    for (int k = 0; k < job->nitems; k++) {
        const struct item *item = &job->item[k];
        (void)fprintf(file, "    elements of %" PRId64 " bytes", item->element[0]);
        if (has_views(job))
            (void)fprintf(file, ": %s", sample_text(&item->side[0], &item->side[1]));
        if (job->kind == INDEXED)
            (void)fprintf(file, ", extent %" PRId64, job->lists.extent);
        (void)fprintf(file, "\n");
    }
}

static inline void print_case(FILE *file, const struct soak_case *one)
{
    const struct team *team = &one->team;
    (void)fprintf(file, "%d processes%s", team->size, team->reversed ? ", reversed" : "");
    if (team->split)
        (void)fprintf(file, ", an intercommunicator of %d and %d", team->split,
                      team->size - team->split);
    (void)fprintf(file, ", %d plans, run %d times\n", one->njobs, one->rounds);
    for (int k = 0; k < one->njobs; k++) print_job(file, &one->job[k]);
}

#endif
