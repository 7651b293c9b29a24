/* SPDX-License-Identifier: MIT */
#include "move/in_place/portions.h"

#include "base/intmath.h"

redist_err portions_make(struct mem_account *account, const struct overlap *overlap,
                         const struct memory_side sides[SIDES], redist_side side,
                         int64_t element, struct portions *portions)
{
    const struct memory_side *own = &sides[side];
    *portions = (struct portions){.side = side, .ndims = overlap->ndims, .elements = 1};
    for (int k = overlap->ndims - 1; k >= 0; k--) {
        portions->stride[k] = portions->elements;
        portions->elements *= own->layout.count[own->view->order[k]];
    }
    portions->portion = mem_alloc(account, overlap->nmessages, sizeof *portions->portion);
    portions->axes =
        mem_alloc(account, overlap->nmessages * overlap->ndims, sizeof *portions->axes);
    portions->marks =
        mem_alloc(account, overlap->nmessages * overlap->ndims, sizeof *portions->marks);
    if (!portions->portion || !portions->axes || !portions->marks) {
        portions_free(portions);
        return REDIST_ERR_MEMORY;
    }
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        struct portion *portion = &portions->portion[portions->n++];
        *portion = (struct portion){.rank = overlap->message[k].rank,
                                    .elements = overlap->message[k].elements,
                                    .axes = portions->axes + k * overlap->ndims,
                                    .marks = portions->marks + k * overlap->ndims};
        const struct sizes sizes = {element, element, 0};
        walk_make(overlap, &overlap->message[k], sides, sizes,
                  side == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER, portion->axes,
                  &portion->walk);
    }
    return REDIST_OK;
}

void portions_free(struct portions *portions)
{
    mem_free(portions->portion);
    mem_free(portions->axes);
    mem_free(portions->marks);
    *portions = (struct portions){0};
}

/* ---- places in the array and in the message ---------------------------------------- */

/* Count the elements of some runs with a local index below `local`. */
static int64_t below_in(const struct run *run, int s, int64_t local)
{
    int64_t ahead = local - run->local[s], c = 0;
    if (ahead <= 0) return 0;
    if (run->count > 1) c = int_min(ahead / run->local_step[s], run->count - 1);
    return c * run->length + int_min(ahead - c * run->local_step[s], run->length);
}

/* As below_in, for run[0] .. run[n - 1], which ascend; from the mark on if possible. */
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

/* Count the elements of an axis with a local index below `local`. */
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

/* Count the elements of a portion before place `x` of the array. */
static int64_t portion_before(const struct portions *portions,
                              const struct portion *portion, int64_t x)
{
    int s = (int)portions->side;
    int64_t n = 0, width = portion->elements;
    if (portions->whole) return x > portion->begin ? portion->elements : 0;
    if (x >= portions->elements) return portion->elements;
    for (int k = 0; k < portions->ndims; k++) {
        const struct runs *runs = portion->axes[k].runs;
        width /= runs->elements;
        struct mark *mark = &portion->marks[k];
        int64_t local = x / portions->stride[k], before = below(runs, s, local, mark);
        x %= portions->stride[k];
        n += before * width;
        if (x == 0 || below(runs, s, local + 1, mark) == before) break;
    }
    return n;
}

/* ---- splitting and merging --------------------------------------------------------- */

/* Move the elements up to `end` of a portion from the array to its pages. */
static void split_portion(struct pages *pages, struct portion *portion, int64_t end)
{
    while (portion->done < end) {
        int64_t id = portion->first + portion->done / pages->page;
        int64_t within = portion->done % pages->page;
        int64_t n = int_min(pages->page - within, end - portion->done);
        char *page = within ? pages_at(pages, id) : pages_take(pages, id);
        walk_seek(&portion->walk, portion->done);
        walk_move(&portion->walk, WAY_GATHER, pages->array,
                  page + within * pages->element, n);
        portion->done += n;
    }
}

void portions_split(struct portions *portions, struct pages *pages, int64_t window)
{
    pages_lend_behind(pages, portions->elements);
    for (int64_t k = 0; k < portions->n; k++) portions->portion[k].done = 0;
    for (int64_t x = 0; x < portions->elements;) {
        x = int_min(x + window, portions->elements);
        for (int64_t k = 0; k < portions->n; k++)
            split_portion(pages, &portions->portion[k],
                          portion_before(portions, &portions->portion[k], x));
        pages_lend_before(pages, x);
    }
    pages_lend_before(pages, INT64_MAX);
}

/* Move the elements up to `end` of a portion from its pages to the array. */
static void merge_portion(struct pages *pages, struct portion *portion, int64_t end)
{
    while (portion->done < end) {
        int64_t id = portion->first + portion->done / pages->page;
        int64_t within = portion->done % pages->page;
        int64_t n = int_min(pages->page - within, end - portion->done);
        walk_seek(&portion->walk, portion->done);
        walk_move(&portion->walk, WAY_SCATTER,
                  pages_at(pages, id) + within * pages->element, pages->array, n);
        portion->done += n;
        if (within + n == pages->page || portion->done == portion->elements)
            pages_drop(pages, id);
    }
}

void portions_merge(struct portions *portions, struct pages *pages,
                    const struct windows *windows)
{
    for (int64_t k = 0; k < portions->n; k++) portions->portion[k].done = 0;
    for (int64_t x = 0; x < portions->elements;) {
        x = int_min(x + windows->window, x - x % windows->row + windows->row);
        x = int_min(x, portions->elements);
        pages_reclaim_before(pages, x);
        for (int64_t k = 0; k < portions->n; k++)
            merge_portion(pages, &portions->portion[k],
                          portion_before(portions, &portions->portion[k], x));
    }
}
