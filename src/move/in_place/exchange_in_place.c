/* SPDX-License-Identifier: MIT */
#include "move/in_place/exchange_in_place.h"

#include "base/error.h"
#include "base/intmath.h"
#include "move/in_place/gaps.h"
#include "move/in_place/relayout.h"
#include "move/mpi/check.h"
#include "move/walk/memory.h"

/* Rounds in progress at a time, so that processes need not go in step. */
enum { AHEAD = 3 };

/* The requests of one round. */
struct trip {
    int n;
    MPI_Request *request; /* [messages] */
};

struct state {
    struct gaps gaps[SIDES];
    struct portions portions[SIDES];
    struct relayout relayout; /* of the target */
    int64_t lack;             /* bytes of staging memory that it needs; 0: it has them */
    bool still;               /* the process keeps all its elements in place */
    struct pages_demand demand;
    struct pages_size size; /* for the demand */
    char *staging;
    int64_t rounds;

    /* the run in progress */
    struct pages pages;
    int64_t round, posted; /* rounds round .. posted - 1 are in progress */
    struct trip *trip;     /* [AHEAD]: round k is in trip k % AHEAD */
    MPI_Request *request;  /* of all trips */
    MPI_Status *status;    /* [messages] */
};

/* The most pages of staging memory for each message of a side. In a round: one that is
 * not full, one that is sent late, and one that arrives for each round ahead. While
 * messages are split or merged, beside the window: one at each end of their present
 * range. */
enum { LISTS = 2 + AHEAD };

static const char *const side_name[SIDES] = {"source", "target"};

/* ---- describing -------------------------------------------------------------------- */

static redist_err check_whole(const redist_view *view, redist_side side)
{
    const redist_dist *dist = view->dist;
    for (int i = 0; i < dist->ndims; i++)
        if (view->extent[i] != dist->dim[i].extent)
            return error_arg("in_place: dim %d of the %s has a section of %" PRId64
                             " elements, must be whole, %" PRId64,
                             i, side_name[side], view->extent[i], dist->dim[i].extent);
    if (side == REDIST_TARGET && dist->nreplicas > 1)
        return error_arg("in_place: the target's grid replicates %" PRId64
                         "-fold, must not: there is no room for what is sent twice",
                         dist->nreplicas);
    return REDIST_OK;
}

/* Make the views without gaps, both with their dimensions in the source's order. */
static redist_err make_dense(const struct memory_side sides[SIDES], int rank,
                             redist_view view[SIDES], struct memory_side dense[SIDES])
{
    const redist_view *source = sides[REDIST_SOURCE].view;
    int ndims = source->dist->ndims, paired[REDIST_MAX_DIMS]; /* [source's dim] */
    for (int s = 0; s < SIDES; s++) view[s] = view_dense(sides[s].view);
    for (int j = 0; j < ndims; j++) paired[source->axes[j]] = view[REDIST_TARGET].axes[j];
    for (int k = 0; k < ndims; k++)
        view[REDIST_TARGET].order[k] = paired[source->order[k]];
    for (int s = 0; s < SIDES; s++) {
        dense[s].view = &view[s];
        TRY(view_layout(&view[s], rank, &dense[s].layout));
    }
    return REDIST_OK;
}

/* Return the message of the process to itself, a portion of both sides; NULL: none. */
static struct portion *own_portion(const struct state *state, redist_side side, int rank)
{
    const struct portions *portions = &state->portions[side];
    for (int64_t k = 0; k < portions->n; k++)
        if (portions->portion[k].rank == rank) return &portions->portion[k];
    return NULL;
}

static bool is_still(const struct state *state, int rank)
{
    for (int s = 0; s < SIDES; s++) {
        const struct portions *portions = &state->portions[s];
        const struct portion *own = own_portion(state, (redist_side)s, rank);
        if (portions->elements != (own ? own->elements : 0) || portions->n > 1)
            return false;
    }
    return true;
}

/* Describe the messages that this process sends and receives, and their places. */
static redist_err describe(const struct move *move, struct state *state)
{
    const struct array *array = &move->array[0];
    const struct memory_side *sides = array->sides, *target = &sides[REDIST_TARGET];
    int64_t element = array->sizes.element;
    redist_view view[SIDES];
    struct memory_side dense[SIDES];
    for (int s = 0; s < SIDES; s++) {
        TRY(check_whole(sides[s].view, (redist_side)s));
        if (array->overlap[s].nmessages > 0)
            TRY(gaps_find(&sides[s], element, &state->gaps[s]));
    }
    TRY(make_dense(sides, move->rank, view, dense));
    for (int s = 0; s < SIDES; s++)
        TRY(portions_make(move->plan_account, &array->overlap[s], dense, (redist_side)s,
                          element, &state->portions[s]));
    state->still = is_still(state, move->rank);
    state->demand.element = element;
    return relayout_make(move->plan_account, target->view, target->layout.count,
                         view[REDIST_TARGET].order, element, move->staging,
                         &state->relayout, &state->lack);
}

/* ---- making ------------------------------------------------------------------------ */

static bool fit(void *opaque, int64_t bytes)
{
    struct state *state = opaque;
    struct pages_demand *demand = &state->demand;
    int64_t window = bytes / 4 / demand->element;
    demand->window = int_max(int_min(window, demand->elements), 1);
    return pages_fit(demand, bytes, &state->size);
}

static void number_pages(struct state *state, int rank)
{
    int64_t page = 0;
    for (int s = 0; s < SIDES; s++)
        page = portions_number(&state->portions[s], page, state->size.page);
    struct portion *kept = own_portion(state, REDIST_SOURCE, rank);
    if (kept) own_portion(state, REDIST_TARGET, rank)->first = kept->first;
}

/* Choose the size of the pages, the same on all processes: for a process with the maximum
 * of everything. Refuse staging memory that does not suffice, with what does for all
 * steps. */
static redist_err choose_pages(const struct move *move, struct state *state)
{
    struct portions *from = &state->portions[REDIST_SOURCE],
                    *to = &state->portions[REDIST_TARGET];
    int64_t inside = int_max(from->elements, to->elements);
    int64_t most[4] = {inside, int_max(from->n, to->n), 0, state->lack};
    for (int64_t k = 0; k < from->n; k++)
        if (from->portion[k].rank != move->rank)
            most[2] = int_max(most[2], from->portion[k].elements);
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_INT64_T, MPI_MAX, move->comm)));
    state->demand.elements = most[0];
    state->demand.lists = LISTS * most[1];
    state->demand.copies = SIDES;
    int64_t bytes = most[0] * state->demand.element;
    int64_t lack = int_max(pages_lack(fit, state, move->staging), most[3]);
    if (lack > 0) return pages_refuse(bytes, move->staging, lack);
    pages_use(fit, state, bytes, move->staging);
    state->size.inside = inside / state->size.page;
    state->rounds = int_ceil_div(most[2], state->size.page);
    number_pages(state, move->rank);
    return REDIST_OK;
}

static redist_err allocate(const struct move *move, struct state *state)
{
    int64_t n = state->portions[REDIST_SOURCE].n + state->portions[REDIST_TARGET].n;
    state->trip = mem_alloc(move->plan_account, AHEAD, sizeof *state->trip);
    state->request = mem_alloc(move->plan_account, AHEAD * n, sizeof *state->request);
    state->status = mem_alloc(move->plan_account, n, sizeof *state->status);
    if (!state->trip || !state->request || !state->status) return REDIST_ERR_MEMORY;
    for (int k = 0; k < AHEAD; k++) state->trip[k].request = state->request + k * n;
    int64_t bytes = state->still ? 0 : pages_staging_bytes(&state->size);
    if (state->relayout.needed)
        bytes = int_max(bytes, pages_staging_bytes(&state->relayout.size));
    state->staging = mem_alloc_elements(move->staging_account, bytes);
    return state->staging ? REDIST_OK : REDIST_ERR_MEMORY;
}

static redist_err make(const struct move *move, void **opaque)
{
    bool well = false;
    TRY(exchange_check(move, NEEDS_ONE_ARRAY | NEEDS_BYTES, "in_place"));
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    *opaque = state;
    TRY(mpi_all_well(move->comm, state ? describe(move, state) : REDIST_ERR_MEMORY,
                     &well));
    if (!well) return REDIST_OK; /* the plan has the others' error */
    TRY(choose_pages(move, state));
    return allocate(move, state);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int s = 0; s < SIDES; s++) portions_free(&state->portions[s]);
    relayout_free(&state->relayout);
    mem_free(state->staging);
    mem_free(state->trip);
    mem_free(state->request);
    mem_free(state->status);
    mem_free(state);
}

/* ---- a run ------------------------------------------------------------------------- */

/* Return the page of a portion that travels in a round, counted from its first, or -1. */
static int64_t page_of_round(const struct state *state, int64_t round,
                             const struct portion *portion)
{
    int64_t n = portion_pages(portion, state->size.page);
    int64_t page = round * n / state->rounds;
    return page < (round + 1) * n / state->rounds ? page : -1;
}

static redist_err post(const struct move *move, struct state *state, redist_side side)
{
    struct portions *portions = &state->portions[side];
    struct trip *trip = &state->trip[state->posted % AHEAD];
    int64_t element = state->demand.element;
    for (int64_t k = 0; k < portions->n; k++) {
        const struct portion *portion = &portions->portion[k];
        if (portion->rank == move->rank) continue;
        int64_t page = page_of_round(state, state->posted, portion);
        if (page < 0) continue;
        int64_t id = portion->first + page, size = state->size.page;
        int64_t bytes = int_min(size, portion->elements - page * size) * element;
        char *data = side == REDIST_SOURCE ? pages_at(&state->pages, id)
                                           : pages_take(&state->pages, id);
        trip->request[trip->n] = MPI_REQUEST_NULL;
        TRY(move_post(move, side, data, bytes, portion->rank, &trip->request[trip->n++]));
    }
    return REDIST_OK;
}

static redist_err post_rounds(const struct move *move, struct state *state)
{
    int64_t end = int_min(state->round + AHEAD, state->rounds);
    for (; state->posted < end; state->posted++) {
        state->trip[state->posted % AHEAD].n = 0;
        TRY(post(move, state, REDIST_TARGET));
        TRY(post(move, state, REDIST_SOURCE));
    }
    return REDIST_OK;
}

/* Free the slots of pages sent in the oldest round. */
static void drop_sent(const struct move *move, struct state *state)
{
    struct portions *sent = &state->portions[REDIST_SOURCE];
    for (int64_t k = 0; k < sent->n; k++) {
        const struct portion *portion = &sent->portion[k];
        if (portion->rank == move->rank) continue;
        int64_t page = page_of_round(state, state->round, portion);
        if (page >= 0) pages_drop(&state->pages, portion->first + page);
    }
}

static void find_usage(const void *opaque, struct usage *usage)
{
    const struct state *state = opaque;
    for (int s = 0; s < SIDES; s++) usage->buffer[s] = state->portions[s].n > 0;
}

static void move_portions(struct state *state, redist_side side)
{
    const struct windows windows = {INT64_MAX, state->demand.window};
    portions_move(&state->portions[side], &state->pages, &windows);
}

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->round = state->posted = 0;
    gaps_close(&state->gaps[REDIST_SOURCE], move->targets[0]);
    if (!state->still) {
        pages_begin(&state->pages, &state->size, move->targets[0], state->staging);
        move_portions(state, REDIST_SOURCE);
    }
    return post_rounds(move, state);
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    *done = false;
    while (state->round < state->rounds) {
        struct trip *trip = &state->trip[state->round % AHEAD];
        int landed = 1;
        TRY(mpi_complete_all(trip->n, trip->request, state->status, wait, &landed));
        if (!landed) return REDIST_OK;
        drop_sent(move, state);
        state->round++;
        TRY(post_rounds(move, state));
    }
    if (!state->still) move_portions(state, REDIST_TARGET);
    relayout_run(&state->relayout, move->targets[0], state->staging);
    gaps_open(&state->gaps[REDIST_TARGET], move->targets[0]);
    *done = true;
    return REDIST_OK;
}

const struct exchange exchange_in_place = {
    .name = "in place",
    .host_only = true,
    .collective = true,
    .needs_dists = true,
    .carries_kept = true,
    .make = make,
    .start = start,
    .progress = progress,
    .usage = find_usage,
    .destroy = destroy,
};
