/* SPDX-License-Identifier: MIT */
#include "move/in_place/portions.h"

#include "base/error.h"
#include "base/intmath.h"

redist_err portions_make(struct mem_account *account, const struct overlap *overlap,
                         const struct memory_side sides[SIDES], redist_side side,
                         int64_t element, struct portions *portions)
{
    const struct sizes sizes = {element, element, 0};
    const int64_t n = overlap->nmessages;
    struct axis *axes;
    const struct mem_part parts[] = {
        MEM_PART(portions->portion, n), MEM_PART(axes, n * overlap->ndims), {0}};
    *portions = (struct portions){.side = side, .n = n, .elements = 1};
    for (int i = 0; i < overlap->ndims; i++)
        portions->elements *= sides[side].layout.count[i];
    TRY(mem_alloc_parts(account, parts));
    for (int64_t k = 0; k < n; k++) {
        struct portion *portion = &portions->portion[k];
        portion->rank = overlap->message[k].rank;
        portion->elements = overlap->message[k].elements;
        walk_make(overlap, &overlap->message[k], sides, sizes,
                  side == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER, false,
                  axes + k * overlap->ndims, &portion->walk);
    }
    return REDIST_OK;
}

void portions_free(struct portions *portions)
{
    mem_free(portions->portion);
    *portions = (struct portions){0};
}

int64_t portions_number(struct portions *portions, int64_t first, int64_t page)
{
    for (int64_t k = 0; k < portions->n; k++) {
        portions->portion[k].first = first;
        first += portion_pages(&portions->portion[k], page);
    }
    return first;
}

/* ---- splitting and merging --------------------------------------------------------- */

/* Count the elements of a portion before place `x` of the array. */
static int64_t count_before(const struct portions *portions,
                            const struct portion *portion, int64_t x)
{
    if (portions->whole) return x > portion->begin ? portion->elements : 0;
    return walk_before(&portion->walk, portions->side, x * portion->walk.grain);
}

/* Move the elements up to `end` of a portion from the array to its pages, or back. */
static void move_portion(const struct portions *portions, struct pages *pages,
                         struct portion *portion, int64_t end)
{
    const bool splits = portions->side == REDIST_SOURCE;
    while (portion->done < end) {
        int64_t id = portion->first + portion->done / pages->page;
        int64_t within = portion->done % pages->page;
        int64_t n = int_min(pages->page - within, end - portion->done);
        char *page = splits && within == 0 ? pages_take(pages, id) : pages_at(pages, id);
        page += within * pages->element;
        walk_seek(&portion->walk, portion->done);
        if (splits)
            walk_move(&portion->walk, WAY_GATHER, pages->array, page, n);
        else
            walk_move(&portion->walk, WAY_SCATTER, page, pages->array, n);
        portion->done += n;
        bool emptied = within + n == pages->page || portion->done == portion->elements;
        if (!splits && emptied) pages_drop(pages, id);
    }
}

void portions_move(struct portions *portions, struct pages *pages,
                   const struct windows *windows)
{
    const bool splits = portions->side == REDIST_SOURCE;
    if (splits) pages_lend_behind(pages, portions->elements);
    for (int64_t k = 0; k < portions->n; k++) portions->portion[k].done = 0;
    for (int64_t x = 0; x < portions->elements;) {
        x = int_min(x + windows->window, x - x % windows->row + windows->row);
        x = int_min(x, portions->elements);
        if (!splits) pages_reclaim_before(pages, x);
        for (int64_t k = 0; k < portions->n; k++) {
            struct portion *portion = &portions->portion[k];
            move_portion(portions, pages, portion, count_before(portions, portion, x));
        }
        if (splits) pages_lend_before(pages, x);
    }
    if (splits) pages_lend_before(pages, INT64_MAX);
}
