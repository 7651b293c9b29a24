/* SPDX-License-Identifier: MIT */
#include "tool/bench/bench_work.h"

#include <string.h>

#include "base/intmath.h"
#include "base/mem.h"
#include "move/walk/memory.h"
#include "plan/object/request.h"
#include "files/format/collective.h"
#include "tool/common/summary.h"
#include "tool/store/elements.h"

/* ---- the array --------------------------------------------------------------------- */

static redist_err parse(const char *const specs[SIDES], struct bench_work *work)
{
    TRY(specs_share(work->comm, specs, &work->specs));
    redist_err err = input_synthetic(work->specs.dist[REDIST_SOURCE], work->element_bytes,
                                     &work->input);
    TRY(collective_agree(work->comm, err));
    MPI_Type_contiguous((int)work->element_bytes, MPI_BYTE, &work->element);
    MPI_Type_commit(&work->element);
    return REDIST_OK;
}

static redist_err local_bytes(const struct bench_work *work, redist_side side,
                              int64_t *bytes)
{
    TRY(redist_view_span(&work->specs.view[side], work->rank, bytes));
    if (int_mul(*bytes, work->element_bytes, bytes)) return REDIST_OK;
    return error_arg("the local array takes more than 2^63 - 1 bytes");
}

static redist_err make_buffers(struct bench_work *work)
{
    int64_t section =
        view_elements(&work->specs.view[REDIST_SOURCE]) * work->element_bytes;
    work->share = int_ceil_div(section, work->processes);
    for (int s = 0; s < SIDES; s++) {
        int64_t bytes = 0;
        TRY(local_bytes(work, (redist_side)s, &bytes));
        int64_t room = work->mode.exact ? bytes : int_max(bytes, work->share);
        work->buffer[s] = mem_alloc_elements(NULL, room);
        if (!work->buffer[s]) return REDIST_ERR_MEMORY;
    }
    return REDIST_OK;
}

static redist_err fill_source(struct bench_work *work)
{
    TRY(collective_agree(work->comm, make_buffers(work)));
    if (work->mode.hollow) return REDIST_OK;
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    return elements_read(work->comm, &work->input, &work->specs.view[REDIST_SOURCE],
                         work->buffer[REDIST_SOURCE], &quiet);
}

/* ---- plans ------------------------------------------------------------------------- */

static redist_err make_plan(const struct bench_work *work, const char *strategy,
                            redist_plan **plan)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.staging_bytes = (size_t)work->staging_bytes;
    options.topology = work->topology;
    const redist_item item = {work->element, &work->specs.view[REDIST_SOURCE],
                              &work->specs.view[REDIST_TARGET]};
    /* The conditions of `lent` hold: runs come one after the other, on valid buffers. */
    const struct request request = {.comm = work->comm,
                                    .nitems = 1,
                                    .items = &item,
                                    .options = &options,
                                    .lent = work->mode.bare};
    return plan_make(&request, plan);
}

static redist_err note_choice(const redist_plan *plan, struct bench_work *work)
{
    redist_report report;
    TRY(redist_plan_report(plan, &report));
    (void)snprintf(work->choice, sizeof work->choice, "%s", report.strategy);
    return REDIST_OK;
}

/* Find the library's choice. A problem that cannot be planned at all fails here. */
static redist_err find_choice(struct bench_work *work)
{
    redist_plan *plan = NULL;
    TRY(make_plan(work, NULL, &plan));
    redist_err err = note_choice(plan, work);
    TRY(redist_plan_destroy(&plan));
    return err;
}

static redist_err execute(void *context)
{
    struct contender *contender = context;
    return redist_execute(contender->plan, contender->work->buffer[REDIST_SOURCE],
                          contender->work->buffer[REDIST_TARGET]);
}

/* Run a plan once, or with an exact clock all rounds: a first run is not slower then. */
static redist_err run_first(struct contender *contender, struct bench_entry *entry)
{
    const struct bench_work *work = contender->work;
    if (!work->mode.exact) return execute(contender);
    struct racer racer = {.run = execute, .context = contender};
    TRY(race_run_exactly(work->comm, work->mode.rounds, &racer));
    entry->seconds = racer.seconds;
    return REDIST_OK;
}

/* Run a plan into a target without any of the expected values. */
static redist_err verify(struct contender *contender, struct bench_entry *entry)
{
    struct bench_work *work = contender->work;
    int64_t bytes = 0;
    if (work->mode.hollow) return run_first(contender, entry);
    TRY(local_bytes(work, REDIST_TARGET, &bytes));
    memset(work->buffer[REDIST_TARGET], 0xff, (size_t)bytes);
    TRY(run_first(contender, entry));
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    return elements_check(work->comm, &work->input, &work->specs.view[REDIST_SOURCE],
                          &work->specs.view[REDIST_TARGET], work->buffer[REDIST_TARGET],
                          &quiet);
}

/* Tune a plan whose strategy is left to the library: the result is its choice. */
static redist_err tune(const struct contender *contender, const char *strategy)
{
    void *const *buffer = contender->work->buffer;
    if (!contender->work->mode.tune || strcmp(strategy, "auto") != 0) return REDIST_OK;
    TRY(redist_plan_tune(contender->plan, buffer[REDIST_SOURCE], buffer[REDIST_TARGET]));
    return note_choice(contender->plan, contender->work);
}

/* Keep the report of a plan, after its staging memory has been used in a run. */
static redist_err collect(const struct contender *contender, double plan_seconds,
                          struct bench_entry *entry)
{
    struct bench_work *work = contender->work;
    struct stage_seconds seconds = {.plan = plan_seconds};
    struct summary summary;
    redist_report report;
    TRY(redist_plan_report(contender->plan, &report));
    summary_collect(work->comm, &report, &seconds, &summary);
    entry->plan_seconds = summary.seconds.plan;
    entry->messages = summary.messages;
    entry->staging_promised = summary.staging_promised;
    entry->staging_peak = summary.staging_peak;
    entry->plan_bytes = summary.plan_bytes;
    work->bytes_moved = summary.bytes_moved;
    work->bytes_kept = summary.bytes_kept;
    return REDIST_OK;
}

/* Plan with one strategy, or note why not, and verify it. */
static redist_err prepare(struct contender *contender, struct bench_entry *entry)
{
    struct bench_work *work = contender->work;
    MPI_Barrier(work->comm);
    double began = MPI_Wtime();
    entry->available = !make_plan(work, entry->strategy, &contender->plan);
    double plan_seconds = MPI_Wtime() - began;
    if (!entry->available) {
        (void)snprintf(entry->why, sizeof entry->why, "%s", redist_error_message());
        return REDIST_OK;
    }
    redist_err err = tune(contender, entry->strategy);
    if (!err) err = verify(contender, entry);
    entry->verified = !err && !work->mode.hollow;
    if (!err) err = collect(contender, plan_seconds, entry);
    return err ? error_prefix(err, "strategy %s", entry->strategy) : REDIST_OK;
}

redist_err bench_work_make(MPI_Comm comm, const char *const specs[SIDES],
                           int64_t element_bytes, int64_t staging_bytes,
                           const char *topology, struct bench_mode mode, int n,
                           struct bench_entry entry[], struct bench_work *work)
{
    *work = (struct bench_work){.comm = comm,
                                .element_bytes = element_bytes,
                                .staging_bytes = staging_bytes,
                                .mode = mode,
                                .element = MPI_DATATYPE_NULL,
                                .n = n,
                                .entry = entry};
    MPI_Comm_rank(comm, &work->rank);
    MPI_Comm_size(comm, &work->processes);
    work->contenders = mem_alloc(NULL, n, sizeof *work->contenders);
    redist_err err = work->contenders ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err && topology) {
        err = redist_topology_parse(topology, work->processes, &work->topology);
        if (err) err = error_prefix(err, "--topology");
    }
    TRY(collective_agree(comm, err));
    TRY(parse(specs, work));
    TRY(find_choice(work));
    TRY(fill_source(work));
    for (int k = 0; k < n; k++) {
        work->contenders[k].work = work;
        TRY(prepare(&work->contenders[k], &entry[k]));
    }
    return REDIST_OK;
}

void bench_work_free(struct bench_work *work)
{
    for (int k = 0; k < work->n && work->contenders; k++)
        (void)redist_plan_destroy(&work->contenders[k].plan);
    if (work->element != MPI_DATATYPE_NULL) MPI_Type_free(&work->element);
    for (int s = 0; s < SIDES; s++) mem_free(work->buffer[s]);
    specs_free(&work->specs);
    input_free(&work->input);
    redist_topology_destroy(&work->topology);
    mem_free(work->contenders);
}

/* ---- the race ---------------------------------------------------------------------- */

static redist_err copy(void *context)
{
    const struct bench_work *work = context;
    memcpy(work->buffer[REDIST_TARGET], work->buffer[REDIST_SOURCE], (size_t)work->share);
    return REDIST_OK;
}

redist_err bench_work_race(struct bench_work *work)
{
    if (work->mode.exact) return REDIST_OK;
    struct racer *racers = mem_alloc(NULL, work->n + 1, sizeof *racers);
    redist_err err = collective_agree(work->comm, racers ? REDIST_OK : REDIST_ERR_MEMORY);
    int n = 0;
    for (int k = 0; k < work->n && !err; k++)
        if (work->contenders[k].plan)
            racers[n++] = (struct racer){.run = execute, .context = &work->contenders[k]};
    if (!err) {
        racers[n] = (struct racer){.run = copy, .context = work};
        err = race_run(work->comm, work->mode.rounds, n + 1, racers);
        work->copy_seconds = racers[n].seconds;
    }
    for (int k = work->n - 1; k >= 0 && !err; k--)
        if (work->contenders[k].plan) work->entry[k].seconds = racers[--n].seconds;
    mem_free(racers);
    return err;
}
