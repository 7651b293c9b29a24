/* SPDX-License-Identifier: MIT
 *
 * tests/soak/create.h - make the plans of a case: all processes have the same error, or
 * none.
 */
#ifndef REDIST_TESTS_SOAK_CREATE_H
#define REDIST_TESTS_SOAK_CREATE_H

#include "soak/buffer.h"
#include "soak/draw.h"
#include "soak/features.h"
#include "soak/scanned.h"
#include "soak/teams.h"
#include "soak/truth.h"

/* A job while it runs. */
struct job_run {
    const struct job *job;
    const struct communicators *comms;
    const struct team *team;
    redist_plan *plan;
    struct item_run {
        struct holding holding[2];
        struct truth truth;
        struct buffer buffer[2]; /* in place they are the same */
        unsigned char *expected; /* the image of the target after the run */
    } item[MOST_ITEMS];
    redist_err err; /* of the last call */
    char sentence[512];
};

static inline void note(struct job_run *run, redist_err err)
{
    run->err = err;
    (void)snprintf(run->sentence, sizeof run->sentence, "%s",
                   err ? redist_error_message() : "");
}

/* Check that all processes have the same error and sentence. Collective. */
static inline void check_agreed(const struct job_run *run)
{
    uint64_t mine = (uint64_t)run->err + 1, range[2], all[2];
    for (const char *c = run->sentence; *c; c++) mine = mine * 31 + (unsigned char)*c;
    range[0] = mine;
    range[1] = ~mine;
    PMPI_Allreduce(range, all, 2, MPI_UINT64_T, MPI_MAX, run->comms->all);
    CHECK(all[0] == mine && all[1] == ~mine, "others do not have \"%s\"", run->sentence);
}

/* ---- the plan ---------------------------------------------------------------------- */

static inline MPI_Datatype named_type(const struct type *type)
{
    char name[8];
    MPI_Datatype made;
    type_name(type, name);
    CHECK_OK(redist_type_create(name, &made));
    return made;
}

static inline MPI_Datatype make_type(const struct job *job, int k)
{
    MPI_Datatype type;
    if (has_arithmetic(job)) return job->number.type;
    if (job->kind == SIZED && k == 0) return MPI_INT64_T;
    if (is_converted(job)) return named_type(&job->type[REDIST_TARGET]);
    PMPI_Type_contiguous((int)job->item[k].element[0], MPI_BYTE, &type);
    PMPI_Type_commit(&type);
    return type;
}

static inline void free_type(const struct job *job, int k, MPI_Datatype type)
{
    if (!has_arithmetic(job) && !(job->kind == SIZED && k == 0)) PMPI_Type_free(&type);
}

static inline redist_err create_balanced(const struct job_run *run, MPI_Datatype type,
                                         const redist_options *options,
                                         redist_plan **plan)
{
    const struct deal_problem *problem = &run->job->problem;
    int rank = problem->rank;
    int64_t share[2] = {-1, -1};
    redist_err err;
    if (run->job->kind == SIZED)
        err = redist_balance_create_sized(
            run->comms->all, problem->count[rank], problem->size[rank], type,
            problem->method, problem->weight[rank], options, plan, &share[0], &share[1]);
    else
        err = (run->job->salt % 2 ? scanned_create : redist_balance_create)(
            run->comms->all, problem->count[rank], type, problem->method,
            problem->weight[rank], options, plan, &share[0]);
    for (int k = 0; k < run->job->nitems && !err; k++)
        CHECK(share[k] == run->item[k].holding[REDIST_TARGET].n,
              "%" PRId64 " elements of item %d instead of %" PRId64, share[k], k,
              run->item[k].holding[REDIST_TARGET].n);
    return err;
}

static inline redist_err create_with(const struct job_run *run,
                                     const redist_options *options, redist_plan **plan)
{
    const struct job *job = run->job;
    MPI_Datatype type[MOST_ITEMS];
    redist_item items[MOST_ITEMS];
    redist_err err;
    for (int k = 0; k < job->nitems; k++) {
        type[k] = make_type(job, k);
        items[k] = (redist_item){type[k], &job->item[k].side[0].view,
                                 &job->item[k].side[1].view};
    }
    if (has_views(job) && job->nitems == 1) {
        err = redist_plan_create(run->comms->plan, type[0], items[0].source,
                                 items[0].target, options, plan);
    } else if (has_views(job)) {
        err =
            redist_plan_create_batch(run->comms->plan, job->nitems, items, options, plan);
    } else if (job->kind == INDEXED) {
        redist_indices source = lists_indices(&job->lists, REDIST_SOURCE);
        redist_indices target = lists_indices(&job->lists, REDIST_TARGET);
        err = redist_plan_create_indexed(run->comms->plan, type[0], job->lists.extent,
                                         &source, &target, options, plan);
    } else {
        err = create_balanced(run, type[job->nitems - 1], options, plan);
    }
    for (int k = 0; k < job->nitems; k++) free_type(job, k, type[k]);
    CHECK(!err == (*plan != NULL), "a plan in spite of an error, or none without");
    return err;
}

static inline void fill_options(const struct job_run *run, redist_options *options,
                                redist_topology **topology)
{
    static const redist_op ops[2][2] = {
        {REDIST_OP_NONE, REDIST_OP_CONJUGATE},
        {REDIST_OP_TRANSPOSE, REDIST_OP_CONJUGATE_TRANSPOSE}};
    const struct job *job = run->job;
    options->strategy = *job->strategy ? job->strategy : NULL;
    options->staging_bytes = (size_t)job->staging;
    options->op = ops[job->transpose][job->conjugate];
    options->scaled = job->scaled;
    options->reduction = job->reduction;
    options->in_place = job->kind == IN_PLACE;
    options->checked = job->checked;
    if (is_converted(job)) options->source_type = named_type(&job->type[REDIST_SOURCE]);
    options->side =
        team_rank(run->team, REDIST_SOURCE) >= 0 ? REDIST_SOURCE : REDIST_TARGET;
    if (*job->topology) {
        CHECK_OK(redist_topology_parse(job->topology, run->team->size, topology));
        options->topology = *topology;
    }
}

/* Why the library may refuse a plan, and what is then asked for instead. */
static const struct reason {
    const char *words;
    int strategy; /* another strategy; else more staging memory */
} reasons[] = {
    {"staging_bytes is", 0},
    {"is not applicable", 1},
    {"moves bytes", 1},
    {"follows no schedule", 1},
    {"moves one array a plan", 1},
    {"moves between views", 1},
    {"lcm-phases ", 1},
    {"must follow no schedule and need no list", 1},
};
enum { REASONS = sizeof reasons / sizeof *reasons };

static inline const struct reason *find_reason(const struct job_run *run)
{
    for (int k = 0; k < REASONS; k++)
        if (strstr(run->sentence, reasons[k].words)) return &reasons[k];
    CHECK(0, "refused: %s", run->sentence);
    return NULL;
}

/* One process does as it should not, and all are told. */
static inline void create_badly(struct job_run *run, redist_options options)
{
    const struct job *job = run->job;
    int is_culprit = run->team->rank == job->culprit;
    redist_plan *plan = NULL;
    if (job->fault == OTHER_CAP && is_culprit) options.staging_bytes += 1 << 20;
    if (job->fault == REFUSAL && is_culprit) redist_refuse("that was refused");
    note(run, create_with(run, &options, &plan));
    check_agreed(run);
    if (job->fault == REFUSAL)
        CHECK(run->err == REDIST_ERR_ARG && strstr(run->sentence, "that was refused"),
              "not refused");
    else if (run->team->size > 1)
        CHECK(run->err, "processes have different options");
    CHECK_OK(redist_plan_destroy(&plan));
}

static inline void create(struct job_run *run)
{
    redist_options options = REDIST_OPTIONS_INIT;
    redist_topology *topology = NULL;
    fill_options(run, &options, &topology);
    if (run->job->fault == OTHER_CAP || run->job->fault == REFUSAL)
        create_badly(run, options);
    for (int tries = 0;; tries++) {
        note(run, create_with(run, &options, &run->plan));
        check_agreed(run);
        if (!run->err) break;
        CHECK(run->err == REDIST_ERR_ARG && tries < 40, "no plan");
        const struct reason *reason = find_reason(run);
        feature("refused: %s", reason->words);
        const char *enough = strstr(run->sentence, "for this exchange, "); /* in place */
        size_t needed =
            enough ? strtoull(strpbrk(enough, "0123456789"), NULL, 10) : staging_needed();
        if (reason->strategy)
            options.strategy = NULL;
        else if (needed > options.staging_bytes && !run->job->reduction)
            options.staging_bytes = needed;
        else
            options.staging_bytes *= 2; /* each replica has a part of it */
    }
    redist_topology_destroy(&topology);
    if (is_converted(run->job)) PMPI_Type_free(&options.source_type);
    redist_report report;
    CHECK_OK(redist_plan_report(run->plan, &report));
    size_t cap = options.staging_bytes ? options.staging_bytes : (size_t)8 << 20;
    CHECK(report.staging_bytes <= (int64_t)cap,
          "%" PRId64 " bytes of staging are promised, the cap is %zu",
          report.staging_bytes, cap);
}

#endif
