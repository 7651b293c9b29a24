/* SPDX-License-Identifier: MIT */
#include "move/in_place/relayout.h"

#include "base/error.h"
#include "base/intmath.h"

/* The array, and its division into slabs: the dimensions to[0] .. to[cut - 1] one by one,
 * to[cut] by `block`, the others not at all. */
struct cutting {
    int ndims;
    const int64_t *count;
    const int *from, *to; /* orders of dimensions */
    int64_t element;
    int cut;
    int64_t block;
    struct pages_size size;
    struct windows windows;
};

/* Divide for staging memory of `bytes`, for pages_lack and pages_use. */
static bool cut(void *opaque, int64_t bytes)
{
    struct cutting *cutting = opaque;
    int64_t most = bytes / 4 / cutting->element, inner = 1, slabs = 1;
    if (most < 1) return false;
    int k = cutting->ndims - 1;
    for (; k > 0 && inner * cutting->count[cutting->to[k]] <= most; k--)
        inner *= cutting->count[cutting->to[k]];
    int64_t along = cutting->count[cutting->to[k]];
    cutting->cut = k;
    cutting->block = int_max(int_min(most / inner, along), 1);
    cutting->windows = (struct windows){along * inner, cutting->block * inner};
    slabs = int_ceil_div(along, cutting->block);
    for (int j = 0; j < k; j++) slabs *= cutting->count[cutting->to[j]];
    int64_t elements = along * inner;
    for (int j = 0; j < k; j++) elements *= cutting->count[cutting->to[j]];
    struct pages_demand demand = {.element = cutting->element,
                                  .elements = elements,
                                  .lists = slabs,
                                  .copies = 1,
                                  .window = cutting->windows.window};
    return pages_fit(&demand, bytes, &cutting->size);
}

static bool is_same_order(int ndims, const int64_t count[], const int a[], const int b[])
{
    for (int j = 0, k = 0;; j++, k++) {
        while (j < ndims && count[a[j]] == 1) j++;
        while (k < ndims && count[b[k]] == 1) k++;
        if (j == ndims) return true;
        if (a[j] != b[k]) return false;
    }
}

/* Make the array's dist on one process, and that of its slabs, as if each were on a
 * process of its own. */
static redist_err make_dists(const struct cutting *cutting, redist_dist *dist[SIDES])
{
    redist_format whole[REDIST_MAX_DIMS], slabs[REDIST_MAX_DIMS];
    int shape[REDIST_MAX_DIMS] = {1};
    redist_grid *grid[SIDES] = {NULL, NULL};
    for (int k = 0; k < cutting->ndims; k++) {
        int i = cutting->to[k];
        int64_t block = k < cutting->cut ? 1 : cutting->block;
        whole[i] = slabs[i] = redist_collapsed();
        if (k > cutting->cut) continue;
        slabs[i] = redist_block_of(block);
        slabs[i].axis = k;
        shape[k] = (int)int_ceil_div(cutting->count[i], block);
    }
    redist_err err =
        redist_grid_create(1, &(int){1}, REDIST_ROW_MAJOR, NULL, &grid[REDIST_SOURCE]);
    if (!err)
        err = redist_grid_create(cutting->cut + 1, shape, REDIST_ROW_MAJOR, NULL,
                                 &grid[REDIST_TARGET]);
    for (int s = 0; !err && s < SIDES; s++)
        err = redist_dist_create(cutting->ndims, cutting->count,
                                 s == REDIST_SOURCE ? whole : slabs, grid[s], &dist[s]);
    for (int s = 0; s < SIDES; s++) redist_grid_destroy(&grid[s]);
    return err;
}

/* Return the begin of the slab of rank `rank` in the new order. */
static int64_t begin_of(const struct cutting *cutting, int64_t rank)
{
    const struct windows *windows = &cutting->windows;
    int64_t slabs = int_ceil_div(windows->row, windows->window);
    return rank / slabs * windows->row + rank % slabs * windows->window;
}

static redist_err make_portions(struct mem_account *account,
                                const struct cutting *cutting,
                                redist_dist *const dist[SIDES], struct relayout *relayout)
{
    redist_view view[SIDES], whole;
    struct memory_side sides[SIDES];
    TRY(redist_view_init(dist[REDIST_SOURCE], &whole));
    for (int s = 0; s < SIDES; s++) {
        const int *order = s == REDIST_SOURCE ? cutting->from : cutting->to;
        TRY(redist_view_init(dist[s], &view[s]));
        for (int k = 0; k < cutting->ndims; k++) {
            view[s].order[k] = cutting->from[k];
            whole.order[k] = order[k];
        }
        sides[s].view = &view[s];
        TRY(view_layout(&whole, 0, &sides[s].layout));
    }
    TRY(overlap_make(account, &view[0], &view[1], REDIST_SOURCE, 0, &relayout->overlap));
    for (int s = 0; s < SIDES; s++) {
        struct portions *portions = &relayout->portions[s];
        TRY(portions_make(account, &relayout->overlap, sides, (redist_side)s,
                          cutting->element, portions));
        (void)portions_number(portions, 0, cutting->size.page);
        portions->whole = s == REDIST_TARGET;
        for (int64_t k = 0; portions->whole && k < portions->n; k++) {
            struct portion *portion = &portions->portion[k];
            portion->begin = begin_of(cutting, portion->rank);
            portion->walk.offset[s] += portion->begin * cutting->element;
        }
    }
    return REDIST_OK;
}

redist_err relayout_make(struct mem_account *account, const redist_view *view,
                         const int64_t count[], const int from[], int64_t element,
                         int64_t staging, struct relayout *relayout, int64_t *lack)
{
    *lack = 0;
    *relayout = (struct relayout){.needed = false};
    int64_t elements = 1;
    struct cutting cutting = {.ndims = view->dist->ndims,
                              .count = count,
                              .from = from,
                              .to = view->order,
                              .element = element};
    for (int i = 0; i < cutting.ndims; i++) elements *= count[i];
    if (elements == 0 || is_same_order(cutting.ndims, count, from, view->order))
        return REDIST_OK;
    relayout->needed = true;
    *lack = pages_lack(cut, &cutting, staging);
    if (*lack > 0) return REDIST_OK;
    pages_use(cut, &cutting, elements * element, staging);
    relayout->size = cutting.size;
    relayout->windows = cutting.windows;
    redist_dist *dist[SIDES] = {NULL, NULL};
    redist_err err = make_dists(&cutting, dist);
    if (!err) err = make_portions(account, &cutting, dist, relayout);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&dist[s]);
    return err;
}

void relayout_free(struct relayout *relayout)
{
    for (int s = 0; s < SIDES; s++) portions_free(&relayout->portions[s]);
    overlap_free(&relayout->overlap);
}

void relayout_run(struct relayout *relayout, char *array, char *staging)
{
    struct pages pages;
    if (!relayout->needed) return;
    pages_begin(&pages, &relayout->size, array, staging);
    for (int s = 0; s < SIDES; s++)
        portions_move(&relayout->portions[s], &pages, &relayout->windows);
}
