/* SPDX-License-Identifier: MIT */
#include "schedule/model/phases.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "intersect/partners.h"

/* The section's dimensions as they are on both sides. */
struct section {
    const redist_view *view[SIDES];
    int ndims;
    int64_t extent[REDIST_MAX_DIMS];
    redist_format format[SIDES][REDIST_MAX_DIMS];
    int *owners[SIDES][REDIST_MAX_DIMS]; /* of irregular formats, else NULL */
    struct dim dim[SIDES][REDIST_MAX_DIMS];
    int64_t most[SIDES][REDIST_MAX_DIMS]; /* elements that a coordinate has */
    int nchanged;                         /* dimensions that differ */
    int changed[REDIST_MAX_DIMS];         /* [nchanged] */
};

/* ---- the section's own dimensions -------------------------------------------------- */

/* Describe one side of a dimension by the elements of the section alone. */
static redist_err find_format(const struct side *side, int axis, redist_format *format,
                              int **owners)
{
    const struct dim *dim = side->dim;
    if (dim->procs == 1) {
        *format = redist_block();
    } else if (dim_is_regular(dim) && side->start % dim->m == 0 &&
               dim->m % side->stride == 0) {
        *format = redist_cyclic(dim->m / side->stride);
        format->first = (int)((dim->first + side->start / dim->m) % dim->procs);
    } else {
        *owners = mem_alloc(NULL, side->extent, sizeof **owners);
        if (!*owners) return REDIST_ERR_MEMORY;
        for (int64_t k = 0; k < side->extent;) {
            struct block block = side_block_at(side, k);
            while (k < block.end) (*owners)[k++] = block.owner;
        }
        *format = redist_indirect(*owners);
    }
    format->axis = axis;
    return REDIST_OK;
}

static redist_err section_make(const redist_view *source, const redist_view *target,
                               struct section *section)
{
    *section = (struct section){{source, target}, .ndims = source->dist->ndims};
    for (int j = 0; j < section->ndims; j++) {
        for (int s = 0; s < SIDES; s++) {
            struct side side = side_of_view(section->view[s], j);
            struct dim *dim = &section->dim[s][j];
            redist_format *format = &section->format[s][j];
            section->extent[j] = side.extent;
            TRY(find_format(&side, j, format, &section->owners[s][j]));
            TRY(dim_make(j, side.extent, format, side.dim->procs, j, dim));
            section->most[s][j] = dim_count(dim, dim_extreme(dim, 1));
        }
        if (!dim_equal(&section->dim[0][j], &section->dim[1][j]))
            section->changed[section->nchanged++] = j;
    }
    return REDIST_OK;
}

static void section_free(struct section *section)
{
    for (int s = 0; s < SIDES; s++)
        for (int j = 0; j < section->ndims; j++) {
            mem_free(section->owners[s][j]);
            dim_free(&section->dim[s][j]);
        }
}

/* Return the side that dimension j equals after just the changed dimensions in `set` have
 * been redistributed. */
static redist_side side_in(const struct section *section, unsigned set, int j)
{
    for (int i = 0; i < section->nchanged; i++)
        if (section->changed[i] == j) return set >> i & 1 ? REDIST_TARGET : REDIST_SOURCE;
    return REDIST_SOURCE;
}

/* ---- the choice -------------------------------------------------------------------- */

/* The most partners that a coordinate of one side has along dimension j. */
static redist_err find_degree(const struct section *section, int j, redist_side own,
                              int64_t *degree)
{
    struct side sides[SIDES];
    *degree = 1;
    for (int s = 0; s < SIDES; s++)
        sides[s] = (struct side){&section->dim[s][j], 0, 1, section->extent[j]};
    for (int c = 0; c < sides[own].dim->procs; c++) {
        struct partners partners;
        TRY(partners_make(NULL, sides, own, c, &partners));
        *degree = int_max(*degree, partners.n);
        partners_free(&partners);
    }
    return REDIST_OK;
}

/* Return the most elements of a process after the dimensions in `set` have been
 * redistributed; -1: that takes more than `nranks` processes. */
static int64_t held_in(const struct section *section, unsigned set, int64_t nranks)
{
    int64_t procs = 1, elements = 1;
    for (int j = 0; j < section->ndims; j++) {
        redist_side s = side_in(section, set, j);
        procs *= section->dim[s][j].procs;
        if (procs > nranks) return -1;
        elements *= section->most[s][j];
    }
    return elements;
}

/* A machine whose startup outweighs all data moved in the most phases possible. */
static struct model fewest_messages(const struct model_ways *ways)
{
    int64_t most = 1;
    for (unsigned set = 0; set < 1U << ways->ndims; set++)
        most = int_max(most, ways->held[set]);
    double all = (double)most * ways->ndims;
    return (struct model){.alpha = 1, .beta = 0.5 / all, .unit = 1};
}

static int count_phases(int ndims, const int phase[])
{
    int n = 0;
    for (int i = 0; i < ndims; i++) n = (int)int_max(n, phase[i] + 1);
    return n;
}

/* Find the least room for more than one phase, given that some suffices; less room never
 * yields more phases. */
static redist_err find_least(struct model_ways ways, const struct model *model,
                             int64_t *least)
{
    int64_t low = -1, high = 0, sets = (int64_t)1 << ways.ndims;
    int phase[REDIST_MAX_DIMS];
    double seconds = 0;
    for (int64_t set = 0; set < sets; set++)
        high += int_min(int_max(ways.held[set], 0), INT64_MAX - 1 - high);
    while (high - low > 1) {
        ways.room = low + (high - low) / 2;
        TRY(model_phases(&ways, model, phase, &seconds));
        if (count_phases(ways.ndims, phase) > 1)
            high = ways.room;
        else
            low = ways.room;
    }
    *least = high;
    return REDIST_OK;
}

/* Find in which phase [nchanged] each changed dimension goes, and their number. */
static redist_err choose(const struct section *section, int nranks, int64_t room,
                         int64_t held[], int phase[], struct phases *phases)
{
    struct model_ways ways = {
        .ndims = section->nchanged, .held = held, .room = INT64_MAX};
    int64_t sets = (int64_t)1 << ways.ndims;
    double seconds = 0;
    for (int s = 0; s < SIDES; s++)
        for (int i = 0; i < ways.ndims; i++)
            TRY(find_degree(section, section->changed[i], (redist_side)s,
                            &ways.degree[s][i]));
    for (int64_t set = 0; set < sets; set++)
        held[set] = held_in(section, (unsigned)set, nranks);
    struct model model = fewest_messages(&ways);
    TRY(model_phases(&ways, &model, phase, &seconds));
    if (count_phases(ways.ndims, phase) > 1)
        TRY(find_least(ways, &model, &phases->least));
    ways.room = room;
    TRY(model_phases(&ways, &model, phase, &seconds));
    phases->n = count_phases(ways.ndims, phase);
    return REDIST_OK;
}

/* ---- the arrays between ------------------------------------------------------------ */

/* The rank at `coords` of the section's dimensions on one side. */
static int rank_at(const redist_view *view, const int coords[])
{
    int dims[REDIST_MAX_DIMS];
    for (int j = 0; j < view->dist->ndims; j++) dims[view->axes[j]] = coords[j];
    return dist_rank(view->dist, dims, 0);
}

/* Return the side with enough ranks for the coordinates of `shape`; -1: none. */
static int find_ranks(const struct section *section, const int shape[])
{
    for (int s = 0; s < SIDES; s++) {
        bool enough = true;
        for (int j = 0; j < section->ndims; j++)
            enough = enough && shape[j] <= section->dim[s][j].procs;
        if (enough) return s;
    }
    return -1;
}

/* Make the grid of `shape`: a process keeps its place on one of the sides. */
static redist_err make_grid(const struct section *section, const int shape[],
                            redist_grid **grid)
{
    int ndims = section->ndims, s = find_ranks(section, shape);
    TRY(redist_grid_create(ndims, shape, REDIST_ROW_MAJOR, NULL, grid));
    if (s < 0) return REDIST_OK;
    const redist_grid *unnamed = *grid;
    int *ranks = mem_alloc(NULL, unnamed->size, sizeof *ranks);
    if (!ranks) return REDIST_ERR_MEMORY;
    for (int64_t position = 0; position < unnamed->size; position++) {
        int coords[REDIST_MAX_DIMS];
        grid_coords_at(unnamed, position, coords);
        ranks[position] = rank_at(section->view[s], coords);
    }
    redist_grid_destroy(grid);
    redist_err err = redist_grid_create(ndims, shape, REDIST_ROW_MAJOR, ranks, grid);
    mem_free(ranks);
    return err;
}

/* Make the section's array in these formats, over a grid of this shape, in the target's
 * memory order, as messages are. */
static redist_err make_array(const struct section *section, const redist_format formats[],
                             const int shape[], redist_view *view)
{
    const redist_view *target = section->view[REDIST_TARGET];
    int paired[REDIST_MAX_DIMS];
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    for (int j = 0; j < section->ndims; j++) paired[target->axes[j]] = j;
    redist_err err = make_grid(section, shape, &grid);
    if (!err)
        err = redist_dist_create(section->ndims, section->extent, formats, grid, &dist);
    redist_grid_destroy(&grid);
    if (!err) err = redist_view_init(dist, view);
    for (int k = 0; !err && k < section->ndims; k++)
        view->order[k] = paired[target->order[k]];
    return err;
}

/* Make the array in which the dimensions in `set` have been redistributed. */
static redist_err make_between(const struct section *section, unsigned set,
                               redist_view *view)
{
    redist_format formats[REDIST_MAX_DIMS];
    int shape[REDIST_MAX_DIMS];
    for (int j = 0; j < section->ndims; j++) {
        redist_side s = side_in(section, set, j);
        formats[j] = section->format[s][j];
        shape[j] = section->dim[s][j].procs;
    }
    return make_array(section, formats, shape, view);
}

static redist_err make_all(const struct section *section, const int64_t held[],
                           const int phase[], struct phases *phases)
{
    unsigned set = 0;
    int64_t before = 0;
    for (int k = 0; k < phases->n - 1; k++) {
        for (int i = 0; i < section->nchanged; i++)
            if (phase[i] == k) set |= 1U << i;
        TRY(make_between(section, set, &phases->between[k]));
        phases->elements = int_max(phases->elements, before + held[set]);
        before = held[set];
    }
    return REDIST_OK;
}

redist_err phases_make(const redist_view *source, const redist_view *target, int nranks,
                       int64_t room, struct phases *phases)
{
    *phases = (struct phases){.n = 1};
    if (source->dist->ndims == 1) return REDIST_OK;
    struct section section;
    int phase[REDIST_MAX_DIMS];
    int64_t *held = NULL;
    redist_err err = section_make(source, target, &section);
    if (!err && section.nchanged > 1) {
        held = mem_alloc(NULL, (int64_t)1 << section.nchanged, sizeof *held);
        err = held ? choose(&section, nranks, room, held, phase, phases)
                   : REDIST_ERR_MEMORY;
        if (!err) err = make_all(&section, held, phase, phases);
    }
    mem_free(held);
    section_free(&section);
    return err;
}

/* ---- through blocks of the lcm ----------------------------------------------------- */

/* Find the format between both of dimension j; *same: it is one of them. */
static redist_err find_multiple(const struct section *section, int j,
                                redist_format *format, bool *same)
{
    const struct dim *dim = section->dim[0], *other = section->dim[1];
    if (dim[j].procs != other[j].procs)
        return error_arg("lcm-phases goes from %d processes to %d along dimension %d, "
                         "must be as many",
                         dim[j].procs, other[j].procs, j);
    if (!dim_is_regular(&dim[j]) || !dim_is_regular(&other[j]))
        return error_arg(
            "lcm-phases needs block-cyclic formats, dimension %d has another", j);
    int64_t r = dim[j].m, s = other[j].m, multiple = 0;
    if (!int_lcm(r, s, &multiple))
        return error_arg(
            "the lcm of blocks %" PRId64 " and %" PRId64 " exceeds 2^63 elements", r, s);
    *same = multiple == r || multiple == s;
    *format = section->format[REDIST_TARGET][j];
    int first = format->first, axis = format->axis;
    if (dim[j].procs > 1) {
        *format = redist_cyclic(multiple);
        format->first = first;
        format->axis = axis;
    }
    return REDIST_OK;
}

/* Make the only intermediate array, unless each of its formats is one of those at the
 * ends. */
static redist_err make_multiple(const struct section *section, struct phases *phases)
{
    redist_format formats[REDIST_MAX_DIMS];
    int shape[REDIST_MAX_DIMS];
    bool direct = true;
    phases->elements = 1;
    for (int j = 0; j < section->ndims; j++) {
        bool same = false;
        int64_t most = 0;
        struct dim dim;
        shape[j] = section->dim[REDIST_TARGET][j].procs;
        TRY(find_multiple(section, j, &formats[j], &same));
        direct = direct && (same || shape[j] == 1);
        TRY(dim_make(j, section->extent[j], &formats[j], shape[j], j, &dim));
        for (int c = 0; c < shape[j]; c++) most = int_max(most, dim_count(&dim, c));
        dim_free(&dim);
        phases->elements *= most;
    }
    if (direct) phases->elements = 0;
    if (direct) return REDIST_OK;
    TRY(make_array(section, formats, shape, &phases->between[0]));
    phases->n = 2;
    return REDIST_OK;
}

redist_err phases_through_lcm(const redist_view *source, const redist_view *target,
                              struct phases *phases)
{
    struct section section;
    *phases = (struct phases){.n = 1};
    redist_err err = section_make(source, target, &section);
    if (!err) err = make_multiple(&section, phases);
    section_free(&section);
    return err;
}

void phases_free(struct phases *phases)
{
    for (int k = 0; k < phases->n - 1; k++) {
        redist_dist *dist = (redist_dist *)phases->between[k].dist;
        redist_dist_destroy(&dist);
    }
    *phases = (struct phases){0};
}
