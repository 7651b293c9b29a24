/* SPDX-License-Identifier: MIT
 *
 * tests/soak/run.h - run a case and check all that can be seen of it: every byte of
 * sources and targets, the errors, the report.
 */
#ifndef REDIST_TESTS_SOAK_RUN_H
#define REDIST_TESTS_SOAK_RUN_H

#include "base/mem.h"
#include "soak/create.h"

/* ---- buffers ----------------------------------------------------------------------- */

static inline enum location memory_for(const struct job_run *run, int k, int side)
{
    const struct job *job = run->job;
    redist_report report;
    CHECK_OK(redist_plan_report(run->plan, &report));
    int host = job->kind == IN_PLACE || is_converted(job) ||
               strstr(report.strategy, "naive") || strstr(report.strategy, "alltoallw");
    enum location memory = job->memory;
    if (memory == MIXED)
        memory = (enum location)own_choice(job, run->team->rank, 2 * k + side, MIXED);
    return memory == DEVICE && (host || !run->comms->device) ? HEAP : memory;
}

static inline void make_buffers(struct job_run *run)
{
    const struct job *job = run->job;
    for (int k = 0; k < job->nitems; k++) {
        struct item_run *item = &run->item[k];
        size_t bytes[2];
        for (int s = 0; s < 2; s++)
            bytes[s] = (size_t)(item->holding[s].span * job->item[k].element[s]);
        if (job->kind == IN_PLACE && bytes[0] < bytes[1]) bytes[0] = bytes[1];
        for (int s = 0; s < 2; s++) {
            int aligned = has_arithmetic(job) || job->kind == SIZED;
            int shift = aligned ? 0 : own_choice(job, run->team->rank, 20 + s, 8);
            item->buffer[s] = buffer_make(bytes[s], memory_for(run, k, s), (size_t)shift,
                                          run->comms->device, run->comms->arena);
            if (job->kind != IN_PLACE) continue;
            item->buffer[1] = item->buffer[0];
            break;
        }
        item->expected = malloc(item->buffer[1].bytes + 2 * (size_t)GUARD);
        item->truth = (struct truth){.job = job, .item = k, .replicas = 1};
        if (has_views(job) && job->reduction) {
            item->truth.replicas = sample_replicas(&job->item[k].side[0]);
            item->truth.mine = sample_replica(&job->item[k].side[0]);
        }
    }
}

static inline void free_buffers(struct job_run *run)
{
    const struct device_memory *device = run->comms->device;
    for (int k = 0; k < run->job->nitems; k++) {
        struct item_run *item = &run->item[k];
        buffer_free(&item->buffer[0], device);
        if (run->job->kind != IN_PLACE) buffer_free(&item->buffer[1], device);
        free(item->expected);
        for (int s = 0; s < 2; s++) free(item->holding[s].held);
    }
    run->comms->arena->used = 0;
}

/* Write all buffers as they are before a run, and what the targets are to be after it. */
static inline void fill(struct job_run *run, uint64_t salt)
{
    const struct job *job = run->job;
    for (int k = 0; k < job->nitems; k++) {
        struct item_run *item = &run->item[k];
        const int64_t *size = job->item[k].element;
        item->truth.salt = salt;
        for (int s = 0; s < 2; s++) {
            const int64_t element = size[s];
            const struct buffer *buffer = &item->buffer[s];
            const struct holding *holding = &item->holding[s];
            if (s == REDIST_TARGET && job->kind == IN_PLACE) break;
            memset(buffer->image, POISON, buffer->bytes + 2 * (size_t)GUARD);
            for (int64_t e = 0; e < holding->n; e++) {
                unsigned char *at = buffer_bytes(buffer) + holding->held[e].at * element;
                truth_put(&item->truth, holding->held[e].id,
                          s == REDIST_SOURCE ? item->truth.mine : BEFORE, at);
                if (is_unread(job, s)) memset(at, 0xff, (size_t)element);
            }
            buffer_put(buffer, run->comms->device);
        }
        const struct buffer *target = &item->buffer[REDIST_TARGET];
        memcpy(item->expected, target->image, target->bytes + 2 * (size_t)GUARD);
        unsigned char *base = item->expected + (target->at - target->block);
        for (int64_t e = 0; e < item->holding[1].n; e++) {
            const struct held *held = &item->holding[1].held[e];
            truth_result(&item->truth, held->id, base + held->at * size[REDIST_TARGET]);
        }
    }
}

static inline void check_item(const struct job_run *run, int k)
{
    const struct job *job = run->job;
    const struct item_run *item = &run->item[k];
    const struct device_memory *device = run->comms->device;
    const struct buffer *source = &item->buffer[0], *target = &item->buffer[1];
    size_t room = target->bytes + 2 * (size_t)GUARD;
    int64_t element = job->item[k].element[REDIST_TARGET];
    unsigned char *found = malloc(room > source->bytes + 2 * (size_t)GUARD
                                      ? room
                                      : source->bytes + 2 * (size_t)GUARD);
    buffer_get(target, device, found);
    size_t shift = (size_t)(target->at - target->block);
    if (has_arithmetic(job))
        for (int b = 0; b < 2; b++)
            clear_padding(&job->number, (b ? found : item->expected) + shift,
                          target->bytes);
    for (int64_t e = 0; e < item->holding[1].n; e++) {
        const struct held *held = &item->holding[1].held[e];
        size_t at = shift + (size_t)(held->at * element);
        CHECK(memcmp(found + at, item->expected + at, (size_t)element) == 0,
              "item %d: element %" PRId64 " at place %" PRId64 " of the target is wrong",
              k, held->id, held->at);
    }
    if (job->kind == IN_PLACE) { /* between the elements anything may be */
        memcpy(found + shift, item->expected + shift, target->bytes);
    } else {
        CHECK(memcmp(found, item->expected, room) == 0,
              "item %d: the target is written where no element is", k);
        buffer_get(source, device, found);
        CHECK(memcmp(found, source->image, source->bytes + 2 * (size_t)GUARD) == 0,
              "item %d: the source is written", k);
        free(found);
        return;
    }
    CHECK(memcmp(found, item->expected, room) == 0,
          "item %d: something outside of the buffer is written", k);
    free(found);
}

/* ---- runs -------------------------------------------------------------------------- */

/* The pointers of a call; `fault`: the culprit gives NULL where it holds something. */
struct call_buffers {
    const void *source[MOST_ITEMS];
    void *target[MOST_ITEMS];
    union value alpha, beta;
};

static inline int gives_null(const struct job *job)
{
    return job->fault == NULL_SOURCE || job->fault == NULL_TARGET;
}

static inline void call_make(struct call_buffers *call, const struct job_run *run,
                             int faulty)
{
    const struct job *job = run->job;
    int rank = run->team->rank, wrong = faulty && rank == job->culprit && gives_null(job);
    for (int k = 0; k < job->nitems; k++) {
        const struct item_run *item = &run->item[k];
        call->source[k] = item->buffer[0].at;
        call->target[k] = item->buffer[1].at;
        for (int s = 0; s < 2; s++) {
            int none = item->holding[s].span == 0 && job->kind != IN_PLACE &&
                       own_choice(job, rank, 40 + s, 2);
            int guilty = wrong && (job->fault == (s ? NULL_TARGET : NULL_SOURCE) ||
                                   job->kind == IN_PLACE);
            if (!none && !guilty) continue;
            if (s == REDIST_SOURCE) call->source[k] = NULL;
            if (s == REDIST_TARGET) call->target[k] = NULL;
        }
    }
    if (!job->scaled) return;
    call->alpha = whole_number(&job->number, job->alpha[0], job->alpha[1]);
    call->beta = whole_number(&job->number, job->beta[0], job->beta[1]);
}

/* By the call for one array, or for several. */
static inline redist_err start(const struct job_run *run, const struct call_buffers *call)
{
    const struct job *job = run->job;
    int one = job->nitems == 1 && own_choice(job, run->team->rank, 50, 2);
    if (one && job->scaled)
        return redist_start_scaled(run->plan, &call->alpha, call->source[0], &call->beta,
                                   call->target[0]);
    if (one) return redist_start(run->plan, call->source[0], call->target[0]);
    if (job->scaled)
        return redist_start_batch_scaled(run->plan, &call->alpha, call->source,
                                         &call->beta, call->target);
    return redist_start_batch(run->plan, call->source, call->target);
}

static inline redist_err execute(const struct job_run *run,
                                 const struct call_buffers *call)
{
    const struct job *job = run->job;
    int one = job->nitems == 1 && own_choice(job, run->team->rank, 50, 2);
    if (one && job->scaled)
        return redist_execute_scaled(run->plan, &call->alpha, call->source[0],
                                     &call->beta, call->target[0]);
    if (one) return redist_execute(run->plan, call->source[0], call->target[0]);
    if (job->scaled)
        return redist_execute_batch_scaled(run->plan, &call->alpha, call->source,
                                           &call->beta, call->target);
    return redist_execute_batch(run->plan, call->source, call->target);
}

static inline redist_err finish(const struct job_run *run)
{
    int tests = own_choice(run->job, run->team->rank, 60, 2), done = 0;
    redist_err err = REDIST_OK;
    while (tests && !done && !err) err = redist_test(run->plan, &done);
    return tests ? err : redist_wait(run->plan);
}

/* Whether any process wants an index. */
static inline int is_wanted(const struct lists *lists, int64_t index)
{
    for (int r = 0; r < lists->nranks; r++)
        for (int64_t l = 0; l < lists->share[REDIST_TARGET][r].n; l++)
            if (lists->share[REDIST_TARGET][r].index[l] == index) return 1;
    return 0;
}

/* Whether a run must touch the buffer of a side: it has elements of the section, which,
 * in a source, somebody wants from here. */
static inline int must_touch(const struct job_run *run, int k, int side)
{
    const struct job *job = run->job;
    const struct holding *holding = &run->item[k].holding[side];
    int wanted = holding->n > 0;
    if (side == REDIST_TARGET) return wanted;
    if (has_views(job)) /* of replicas another may be read */
        return wanted && (job->reduction || sample_replicas(&job->item[k].side[0]) == 1);
    if (job->kind != INDEXED) return wanted;
    wanted = 0;
    for (int64_t e = 0; e < holding->n && !wanted; e++)
        wanted = is_wanted(&job->lists, holding->held[e].id);
    return wanted;
}

/* What is to come of a run in which the culprit gave NULL, for the one buffer of a plan
 * in place. */
static inline void check_fault(const struct job_run *run)
{
    int held[2] = {0, 0}, all[2]; /* an array's elements; those that the run must touch */
    for (int k = 0; k < run->job->nitems; k++)
        for (int s = 0; s < 2; s++) {
            int gives = run->job->kind == IN_PLACE ||
                        run->job->fault == (s ? NULL_TARGET : NULL_SOURCE);
            if (run->team->rank != run->job->culprit || !gives) continue;
            held[0] |= run->item[k].holding[s].span > 0;
            held[1] |= must_touch(run, k, s);
        }
    PMPI_Allreduce(held, all, 2, MPI_INT, MPI_MAX, run->comms->all);
    if (all[1]) CHECK(run->err == REDIST_ERR_ARG, "rank %d gave NULL", run->job->culprit);
    if (!all[0]) CHECK(!run->err, "nobody gave NULL");
}

/* Run all jobs once, the faulty ones with NULL if `faulty`, and check them. */
static inline void run_all(const struct soak_case *one, struct job_run runs[],
                           uint64_t salt, int faulty)
{
    static struct call_buffers call[MOST_JOBS];
    int rank = one->team.rank, started[MOST_JOBS] = {0}, hosts = !faulty;
    for (int j = 0; j < one->njobs; j++) {
        hosts = hosts && (one->job[j].memory == HEAP || one->job[j].memory == SHARED);
        fill(&runs[j], salt + (uint64_t)j);
        call_make(&call[j], &runs[j], faulty);
    }
    if (hosts) mem_fail_at(1); /* nothing is allocated */
    for (int j = 0; j < one->njobs; j++) {
        started[j] = one->together || own_choice(&one->job[j], rank, 70, 2);
        note(&runs[j],
             started[j] ? start(&runs[j], &call[j]) : execute(&runs[j], &call[j]));
        if (started[j]) CHECK(!runs[j].err, "start");
        memset(&call[j], 0, sizeof call[j]); /* not needed any more */
    }
    int first = own_choice(&one->job[0], rank, 80, one->njobs);
    for (int k = 0; k < one->njobs; k++) {
        int j = (first + k) % one->njobs;
        if (started[j]) note(&runs[j], finish(&runs[j]));
    }
    if (hosts) CHECK(mem_fail_left() == 1, "a run allocates");
    mem_fail_at(0);
    for (int j = 0; j < one->njobs; j++) {
        int fails = faulty && gives_null(&one->job[j]);
        check_agreed(&runs[j]);
        if (fails) check_fault(&runs[j]);
        if (!fails) CHECK(!runs[j].err, "%s", runs[j].sentence);
        for (int k = 0; k < one->job[j].nitems && !runs[j].err; k++)
            check_item(&runs[j], k);
    }
}

/* ---- the report -------------------------------------------------------------------- */

static inline void check_report(const struct job_run *run)
{
    redist_report report;
    CHECK_OK(redist_plan_report(run->plan, &report));
    CHECK(report.staging_peak_bytes <= report.staging_bytes,
          "peak %" PRId64 " over %" PRId64, report.staging_peak_bytes,
          report.staging_bytes);
    int64_t mine[2] = {report.elements_sent, report.elements_received}, all[2];
    PMPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, run->comms->all);
    CHECK(all[0] == all[1], "%" PRId64 " elements sent, %" PRId64 " received", all[0],
          all[1]);
    int64_t elements = 0, bytes = 0, largest = 0;
    for (int k = 0; k < run->job->nitems; k++) {
        int64_t n = run->item[k].holding[1].n * run->item[k].truth.replicas;
        int64_t element = run->job->item[k].element[REDIST_SOURCE];
        elements += n;
        bytes += n * element;
        if (element > largest) largest = element;
    }
    CHECK(report.arrays == run->job->nitems, "%d arrays", report.arrays);
    CHECK(report.element_bytes == largest, "%" PRId64, report.element_bytes);
    if (goes_straight(report.strategy)) {
        CHECK(report.elements_kept + report.elements_received == elements,
              "%" PRId64 " elements kept and received instead of %" PRId64,
              report.elements_kept + report.elements_received, elements);
        CHECK(report.bytes_kept + report.bytes_received == bytes,
              "%" PRId64 " bytes kept and received instead of %" PRId64,
              report.bytes_kept + report.bytes_received, bytes);
    }
    feature_strategy(report.strategy);
}

static inline void tune(struct job_run *run, uint64_t salt)
{
    struct call_buffers call;
    fill(run, salt);
    call_make(&call, run, 0);
    note(run, redist_plan_tune(run->plan, call.source[0], call.target[0]));
    check_agreed(run);
    CHECK(!run->err, "%s", run->sentence);
    check_item(run, 0);
}

/* Give the target's grid the ranks that the library proposes. */
static inline void relabel(struct job *job, const struct team *team)
{
    struct sample *source = &job->item[0].side[0], *target = &job->item[0].side[1];
    redist_dist *dist = NULL;
    int64_t kept[2] = {0, 0};
    CHECK_OK(redist_relabel(&source->view, &target->view, NULL, 0, &dist, kept));
    CHECK(kept[1] >= kept[0], "%" PRId64 " elements are kept instead of %" PRId64,
          kept[1], kept[0]);
    const redist_grid *grid = redist_dist_grid(dist);
    for (int k = 0; k < target->nranks; k++) {
        int coords[SAMPLE_MAX_DIMS + 1], rest = k;
        for (int a = 0; a < target->naxes; a++) {
            int axis = target->grid_order == REDIST_ROW_MAJOR ? target->naxes - 1 - a : a;
            coords[axis] = rest % target->shape[axis];
            rest /= target->shape[axis];
        }
        target->ranks[k] = redist_grid_rank(grid, coords);
    }
    redist_dist_destroy(&target->dist);
    target->dist = dist;
    target->view.dist = dist;
    for (int i = 0; i < target->ndims; i++) target->view.lead[i] = 0;
    sample_place(target, team->rank);
}

/* ---- a case ------------------------------------------------------------------------ */

static inline void run_case(struct soak_case *one, uint64_t salt)
{
    static struct job_run runs[MOST_JOBS];
    int faulty = 0;
    memset(runs, 0, sizeof runs);
    if (one->team.rank < 0) return;
    const struct communicators *comms = teams_get(&one->team);
    for (int j = 0; j < one->njobs; j++) {
        struct job *job = &one->job[j];
        struct job_run *run = &runs[j];
        *run = (struct job_run){.job = job, .comms = comms, .team = &one->team};
        if (job->relabels) relabel(job, &one->team);
        for (int k = 0; k < job->nitems; k++)
            for (int s = 0; s < 2; s++)
                run->item[k].holding[s] = holding_make(job, k, s, &one->team);
        create(run);
        make_buffers(run);
        if (job->tunes) tune(run, salt);
    }
    for (int j = 0; j < one->njobs; j++) faulty |= gives_null(&one->job[j]);
    if (faulty) run_all(one, runs, salt, 1);
    for (int round = 0; round < one->rounds; round++)
        run_all(one, runs, salt + 5 * (uint64_t)round, 0);
    for (int j = 0; j < one->njobs; j++) {
        check_report(&runs[j]);
        feature_job(&one->job[j]);
        CHECK_OK(redist_plan_destroy(&runs[j].plan));
    }
    for (int j = 0; j < one->njobs; j++) free_buffers(&runs[j]);
    feature_case(one);
}

#endif
