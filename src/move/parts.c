/* SPDX-License-Identifier: MIT */
#include "move/parts.h"

#include "base/intmath.h"

redist_err parts_make(struct mem_account *account, const struct overlap *overlap,
                      const struct memory_side sides[SIDES], redist_side side,
                      size_t element, struct parts *parts)
{
    const struct memory_side *own = &sides[side];
    *parts = (struct parts){.side = side, .ndims = overlap->ndims, .elements = 1};
    for (int k = overlap->ndims - 1; k >= 0; k--) {
        parts->stride[k] = parts->elements;
        parts->elements *= own->layout.count[own->view->order[k]];
    }
    parts->part = mem_alloc(account, overlap->nmessages, sizeof *parts->part);
    parts->axes =
        mem_alloc(account, overlap->nmessages * overlap->ndims, sizeof *parts->axes);
    parts->marks =
        mem_alloc(account, overlap->nmessages * overlap->ndims, sizeof *parts->marks);
    if (!parts->part || !parts->axes || !parts->marks) {
        parts_free(parts);
        return REDIST_ERR_MEMORY;
    }
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        struct part *part = &parts->part[parts->n++];
        *part = (struct part){.rank = overlap->message[k].rank,
                              .elements = overlap->message[k].elements,
                              .axes = parts->axes + k * overlap->ndims,
                              .marks = parts->marks + k * overlap->ndims};
        walk_make(overlap, &overlap->message[k], sides, element,
                  side == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER, part->axes,
                  &part->walk);
    }
    return REDIST_OK;
}

void parts_free(struct parts *parts)
{
    mem_free(parts->part);
    mem_free(parts->axes);
    mem_free(parts->marks);
    *parts = (struct parts){0};
}

/* ---- places in the array and in the message ---------------------------------------- */

/* How many elements of some runs are of a local index below `local`. */
static int64_t below_in(const struct run *run, int s, int64_t local)
{
    int64_t ahead = local - run->local[s], c = 0;
    if (ahead <= 0) return 0;
    if (run->count > 1) c = int_min(ahead / run->local_step[s], run->count - 1);
    return c * run->length + int_min(ahead - c * run->local_step[s], run->length);
}

/* The same of run[0] .. run[n - 1], which ascend, from the mark on if that will do. */
static int64_t below_among(const struct run run[], int64_t n, int s, int64_t local,
                           struct mark *mark)
{
    if (n > 0 && run[mark->run].local[s] >= local) *mark = (struct mark){0, 0};
    for (; mark->run < n; mark->run++) {
        int64_t here = below_in(&run[mark->run], s, local);
        bool all = here == run[mark->run].length * run[mark->run].count;
        if (!all || mark->run == n - 1) return mark->before + here;
        mark->before += here;
    }
    return 0;
}

/* How many elements of an axis are of a local index below `local`. */
static int64_t below(const struct runs *runs, int s, int64_t local, struct mark *mark)
{
    int64_t rep = 0, period = runs->local_period[s];
    int64_t ahead = runs->elements > 0 ? local - runs->run[0].local[s] : 0;
    if (ahead <= 0) return 0;
    if (runs->repeats > 1) rep = int_min(ahead / period, runs->repeats - 1);
    struct mark tail = {0, 0};
    return rep * runs->period_elements +
           below_among(runs->run, runs->nperiod, s, local - rep * period, mark) +
           below_among(runs->run + runs->nperiod, runs->ntail, s, local, &tail);
}

/* How many elements of a part lie before place `x` of the array. */
static int64_t part_before(const struct parts *parts, const struct part *part, int64_t x)
{
    int64_t n = 0, width = part->elements;
    if (parts->whole) return x > part->begin ? part->elements : 0;
    if (x >= parts->elements) return part->elements;
    for (int k = 0; k < parts->ndims; k++) {
        const struct runs *runs = part->axes[k].runs;
        width /= runs->elements;
        struct mark *mark = &part->marks[k];
        int64_t local = x / parts->stride[k],
                before = below(runs, parts->side, local, mark);
        x %= parts->stride[k];
        n += before * width;
        if (x == 0 || below(runs, parts->side, local + 1, mark) == before) break;
    }
    return n;
}

/* ---- splitting and merging --------------------------------------------------------- */

/* Move the elements up to `end` of a part from the array to its pages. */
static void split_part(struct pages *pages, struct part *part, int64_t end)
{
    while (part->done < end) {
        int64_t id = part->first + part->done / pages->page;
        int64_t within = part->done % pages->page;
        int64_t n = int_min(pages->page - within, end - part->done);
        char *page = within ? pages_at(pages, id) : pages_take(pages, id);
        walk_seek(&part->walk, part->done);
        walk_move(&part->walk, WAY_GATHER, pages->array,
                  page + within * (int64_t)pages->element, n);
        part->done += n;
    }
}

void parts_split(struct parts *parts, struct pages *pages, int64_t window)
{
    pages_lend_behind(pages, parts->elements);
    for (int64_t k = 0; k < parts->n; k++) parts->part[k].done = 0;
    for (int64_t x = 0; x < parts->elements;) {
        x = int_min(x + window, parts->elements);
        for (int64_t k = 0; k < parts->n; k++)
            split_part(pages, &parts->part[k], part_before(parts, &parts->part[k], x));
        pages_lend_before(pages, x);
    }
    pages_lend_before(pages, INT64_MAX);
}

/* Move the elements up to `end` of a part from its pages to the array. */
static void merge_part(struct pages *pages, struct part *part, int64_t end)
{
    while (part->done < end) {
        int64_t id = part->first + part->done / pages->page;
        int64_t within = part->done % pages->page;
        int64_t n = int_min(pages->page - within, end - part->done);
        walk_seek(&part->walk, part->done);
        walk_move(&part->walk, WAY_SCATTER,
                  pages_at(pages, id) + within * (int64_t)pages->element, pages->array,
                  n);
        part->done += n;
        if (within + n == pages->page || part->done == part->elements)
            pages_drop(pages, id);
    }
}

void parts_merge(struct parts *parts, struct pages *pages, const struct windows *windows)
{
    for (int64_t k = 0; k < parts->n; k++) parts->part[k].done = 0;
    for (int64_t x = 0; x < parts->elements;) {
        x = int_min(x + windows->window, x - x % windows->row + windows->row);
        x = int_min(x, parts->elements);
        pages_reclaim_before(pages, x);
        for (int64_t k = 0; k < parts->n; k++)
            merge_part(pages, &parts->part[k], part_before(parts, &parts->part[k], x));
    }
}
