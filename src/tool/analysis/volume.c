/* SPDX-License-Identifier: MIT */
#include "tool/analysis/volume.h"

#include <limits.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/transfer.h"
#include "move/relay/replicas.h"

/* The input. */
struct question {
    const redist_view *view[SIDES];
    int64_t element; /* bytes */
    int node;        /* processes on each */
    bool replicas;   /* there are some */
};

/* The most runs examined on one side: more take several seconds. */
enum { MOST_RUNS = 1 << 24 };

/* The messages of one process on one side. */
struct process_volume {
    int64_t messages, elements; /* with others */
    bool keeps;
    int64_t kept;
    bool looked; /* all its runs were examined */
    int64_t runs;
    struct load load;
};

static redist_err find_load(const struct question *question, struct array *array,
                            redist_side own, struct load *load)
{
    const struct order order = {.nranks = INT_MAX}; /* any order */
    struct transfers transfers;
    int rank = array->overlap[own].rank;
    for (int s = 0; s < SIDES; s++) {
        array->sides[s].view = question->view[s];
        TRY(view_layout(question->view[s], rank, &array->sides[s].layout));
    }
    TRY(transfers_make(NULL, &order, 1, array, own, true, &transfers));
    for (int64_t k = 0; k < transfers.n; k++) {
        struct transfer *transfer = &transfers.transfer[k];
        transfer->near = transfer->rank / question->node == rank / question->node;
    }
    load_add(load, &transfers, own);
    transfers_free(&transfers);
    return REDIST_OK;
}

/* Count what must be examined of a process: its runs of one period, and its messages. */
static int64_t runs_of(const struct overlap *overlap)
{
    int64_t n = overlap->nmessages;
    for (int j = 0; j < overlap->ndims; j++)
        for (int64_t k = 0; k < overlap->dim[j].n; k++) {
            const struct runs *runs = &overlap->dim[j].partner[k].runs;
            n += runs->nperiod + runs->ntail;
        }
    return n;
}

static redist_err process_examine(const struct question *question, redist_side own,
                                  int rank, struct process_volume *process)
{
    struct array array = {.sizes = {question->element, question->element, 0}};
    struct overlap *overlap = &array.overlap[own];
    TRY(overlap_make(NULL, question->view[0], question->view[1], own, rank, overlap));
    *process = (struct process_volume){.looked = true, .runs = runs_of(overlap)};
    for (int64_t i = 0; i < overlap->nmessages; i++) {
        const struct message *message = &overlap->message[i];
        if (message->rank == rank) {
            process->keeps = true;
            process->kept = message->elements;
        } else {
            process->messages++;
            process->elements += message->elements;
        }
    }
    redist_err err = find_load(question, &array, own, &process->load);
    array_free(&array);
    return err;
}

static redist_err process_count(const struct question *question, redist_side own,
                                int rank, struct process_volume *process)
{
    struct overlap_counts counts;
    TRY(overlap_count(question->view[0], question->view[1], own, rank, &counts));
    *process = (struct process_volume){.messages = counts.messages - (counts.kept > 0),
                                       .elements = counts.elements - counts.kept,
                                       .keeps = counts.kept > 0,
                                       .kept = counts.kept};
    return REDIST_OK;
}

static void widen(struct range *range, int64_t value, bool is_first)
{
    range->least = is_first ? value : int_min(range->least, value);
    range->most = is_first ? value : int_max(range->most, value);
}

static void side_add(struct side_volume *side, const struct process_volume *process)
{
    bool is_first = side->processes++ == 0;
    side->looked += process->looked;
    widen(&side->messages, process->messages, is_first);
    widen(&side->elements, process->elements, is_first);
    widen(&side->degree, process->messages + process->keeps, is_first);
    widen(&side->load, process->elements + process->kept, is_first);
}

/* Add one side. If all runs are too many, those of every every-th process are examined;
 * for the others, common elements are counted. */
static redist_err add_side(const struct question *question, redist_side own,
                           struct volume *volume)
{
    const redist_view *view = question->view[own];
    struct side_volume *side = own == REDIST_SOURCE ? &volume->source : &volume->target;
    int64_t every = 1;
    for (int64_t k = 0; k < view->dist->grid->size; k++) {
        struct process_volume process;
        int rank = grid_rank_at(view->dist->grid, k);
        int64_t lap = k / every; /* so that the distance does not match that of classes */
        TRY(k % every == lap * lap % every
                ? process_examine(question, own, rank, &process)
                : process_count(question, own, rank, &process));
        if (k == 0 && !question->replicas)
            every = int_max(view->dist->grid->size * process.runs / MOST_RUNS, 1);
        if (own == REDIST_TARGET)
            process.load.beside = replicas_beside(view->dist, rank, question->node);
        side_add(side, &process);
        load_merge(&volume->load, &process.load);
        if (own == REDIST_TARGET) continue;
        volume->moved += process.elements;
        volume->kept += process.kept;
        volume->messages += process.messages;
        volume->pairs += process.messages + process.keeps;
    }
    return REDIST_OK;
}

redist_err volume_find(const redist_view *source, const redist_view *target,
                       int64_t element, int node, struct volume *volume)
{
    TRY(overlap_check(source, target));
    *volume = (struct volume){.elements = view_elements(source)};
    bool replicas = source->dist->nreplicas > 1 || target->dist->nreplicas > 1;
    struct question question = {{source, target}, element, node, replicas};
    TRY(add_side(&question, REDIST_SOURCE, volume));
    TRY(add_side(&question, REDIST_TARGET, volume));
    int most = (int)int_max(grid_max_rank(source->dist->grid),
                            grid_max_rank(target->dist->grid));
    volume->load.nranks = most + 1;
    volume->load.plain = true;
    volume->load.replicas = target->dist->nreplicas;
    bool all_take_part = volume->source.processes == volume->load.nranks &&
                         volume->target.processes == volume->load.nranks;
    int64_t least = int_min(volume->source.messages.least, volume->target.messages.least);
    volume->load.unreached = most - (all_take_part ? least : 0);
    return REDIST_OK;
}

/* Return the elements after which the owners of one side repeat, INT64_MAX if never. */
static int64_t owners_period(const redist_view *view, int j)
{
    struct side side = side_of_view(view, j);
    return side.dim->procs == 1 ? 1 : side_period(&side);
}

int64_t volume_period(const redist_view *source, const redist_view *target, int j)
{
    int64_t p = owners_period(source, j), q = owners_period(target, j), both = 0;
    if (p == INT64_MAX || q == INT64_MAX || !int_lcm(p, q, &both)) return 0;
    return both <= side_of_view(source, j).extent ? both : 0;
}

int64_t volume_load(const struct volume *volume)
{
    return int_max(volume->source.load.most, volume->target.load.most);
}

int64_t volume_degree(const struct volume *volume)
{
    return int_max(volume->source.degree.most, volume->target.degree.most);
}
