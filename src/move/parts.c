/* SPDX-License-Identifier: MIT */
#include "move/parts.h"

#include "base/intmath.h"

redist_err parts_make(struct mem_account *account, const struct overlap *overlap,
                      const struct memory_side sides[SIDES], redist_side side,
                      size_t element, struct parts *parts)
{
    const struct memory_side *own = &sides[side];
    *parts = (struct parts){.side = side, .ndims = overlap->ndims, .elements = 1};
    for (int k = 0; k < overlap->ndims; k++) {
        parts->count[k] = own->layout.count[own->view->order[k]];
        parts->elements *= parts->count[k];
    }
    parts->part = mem_alloc(account, overlap->nmessages, sizeof *parts->part);
    parts->axes =
        mem_alloc(account, overlap->nmessages * overlap->ndims, sizeof *parts->axes);
    if (!parts->part || !parts->axes) {
        parts_free(parts);
        return REDIST_ERR_MEMORY;
    }
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        struct part *part = &parts->part[parts->n++];
        *part = (struct part){.rank = overlap->message[k].rank,
                              .elements = overlap->message[k].elements,
                              .axes = parts->axes + k * overlap->ndims};
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
    *parts = (struct parts){0};
}

/* ---- places in the array and in the message ---------------------------------------- */

/* How many of the elements of runs `from` .. `to` - 1 are of a local index below `local`. */
static int64_t below_among(const struct runs *runs, int64_t from, int64_t to, int s,
                           int64_t local)
{
    int64_t n = 0;
    for (int64_t j = from; j < to; j++) {
        const struct run *run = &runs->run[j];
        int64_t ahead = local - run->local[s], c = 0;
        if (ahead <= 0) break;
        if (run->count > 1) c = int_min(ahead / run->local_step[s], run->count - 1);
        n += c * run->length +
             int_min(ahead - c * (run->count > 1 ? run->local_step[s] : 0), run->length);
    }
    return n;
}

/* How many elements of an axis are of a local index below `local`. */
static int64_t below(const struct runs *runs, int s, int64_t local)
{
    int64_t rep = 0, period = runs->local_period[s];
    int64_t ahead = runs->elements > 0 ? local - runs->run[0].local[s] : 0;
    if (ahead <= 0) return 0;
    if (runs->repeats > 1) rep = int_min(ahead / period, runs->repeats - 1);
    int64_t n = rep * runs->period_elements;
    n += below_among(runs, 0, runs->nperiod, s, local - rep * period);
    return n + below_among(runs, runs->nperiod, runs->nperiod + runs->ntail, s, local);
}

/* How many elements of a part lie before place `x` of the array. */
static int64_t part_before(const struct parts *parts, const struct part *part, int64_t x)
{
    int64_t n = 0, width = part->elements, stride = parts->elements;
    if (parts->whole) return x > part->begin ? part->elements : 0;
    if (x >= parts->elements) return part->elements;
    for (int k = 0; k < parts->ndims; k++) {
        const struct runs *runs = part->axes[k].runs;
        stride /= parts->count[k];
        width /= runs->elements;
        int64_t local = x / stride, before = below(runs, parts->side, local);
        x %= stride;
        n += before * width;
        if (x == 0 || below(runs, parts->side, local + 1) == before) break;
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
