/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/sample.h - random views over random grids, and the brute-force truth about
 * them: which byte of which process's buffer is which element. Nothing of the library
 * is used for that.
 */
#ifndef REDIST_TESTS_SAMPLE_H
#define REDIST_TESTS_SAMPLE_H

#include "mpi/check.h"
#include "oracle.h"

/* What sides there may be: their grids may replicate; they are whole arrays. */
enum { SAMPLE_REPLICAS = 1, SAMPLE_WHOLE = 2 };

enum { SAMPLE_MAX_DIMS = 6, SAMPLE_MAX_EXTENT = 4096, SAMPLE_MAX_RANKS = 64 };

/* One side of a random case: the view, and what it was made from. */
struct sample {
    int ndims, naxes;
    int64_t extent[SAMPLE_MAX_DIMS];
    redist_format format[SAMPLE_MAX_DIMS];
    int shape[SAMPLE_MAX_DIMS + 1];
    redist_order grid_order;
    int ranks[SAMPLE_MAX_RANKS], nranks;
    int64_t sizes[SAMPLE_MAX_DIMS][SAMPLE_MAX_RANKS];
    int owners[SAMPLE_MAX_DIMS][SAMPLE_MAX_EXTENT];
    struct oracle oracle[SAMPLE_MAX_DIMS];
    redist_dist *dist;
    redist_view view;
    /* of the calling process */
    int coords[SAMPLE_MAX_DIMS + 1], member;
    int64_t width[SAMPLE_MAX_DIMS]; /* of the local array, halo included */
    int64_t stride[SAMPLE_MAX_DIMS], offset, span;
};

enum { POISON = 0xA5 };

/* Make a buffer of so many bytes, and one more, full of what nobody sends. */
static inline unsigned char *poisoned(int64_t bytes)
{
    unsigned char *buffer = malloc((size_t)bytes + 1);
    return memset(buffer, POISON, (size_t)bytes + 1);
}

/* Draw the bytes of an element. */
static inline int64_t random_element(uint64_t *seed)
{
    static const int64_t elements[] = {1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 24, 40, 64, 100};
    return elements[random_in(seed, 0, 13)];
}

/* Draw the extents of a section, now and then of no elements. Returns how many. */
static inline int random_extents(uint64_t *seed, int64_t n[SAMPLE_MAX_DIMS])
{
    static const int64_t most[] = {0, 60, 12, 7, 5, 3, 2};
    int ndims = (int)random_in(seed, 1, SAMPLE_MAX_DIMS);
    for (int j = 0; j < ndims; j++)
        n[j] = random_in(seed, 0, 20) ? random_in(seed, 1, most[ndims]) : 0;
    return ndims;
}

static inline void random_permutation(uint64_t *seed, int n, int list[])
{
    for (int k = 0; k < n; k++) {
        int j = (int)random_in(seed, 0, k);
        list[k] = list[j];
        list[j] = k;
    }
}

/* A grid of at most `most` processes with one axis for each dimension or fewer, now
 * and then one more that replicates, over a random choice of the `nranks` ranks. */
static inline void sample_grid(struct sample *s, uint64_t *seed, int nranks, int replicas)
{
    int left = nranks;
    s->naxes = 0;
    for (int i = 0; i < s->ndims; i++) {
        int procs = 1;
        if (s->format[i].kind == REDIST_COLLAPSED) continue;
        procs = (int)random_in(seed, 1, left);
        if (random_in(seed, 0, 1) && procs > 3) procs = 2;
        left /= procs;
        s->format[i].axis = s->naxes;
        s->shape[s->naxes++] = procs;
    }
    if (s->naxes == 0 || (replicas && random_in(seed, 0, 3) == 0))
        s->shape[s->naxes++] = replicas ? (int)random_in(seed, 1, left) : 1;
    s->nranks = 1;
    for (int a = 0; a < s->naxes; a++) s->nranks *= s->shape[a];
    s->grid_order = random_in(seed, 0, 1) ? REDIST_ROW_MAJOR : REDIST_COLUMN_MAJOR;
    int all[SAMPLE_MAX_RANKS];
    random_permutation(seed, nranks, all);
    int identity = (int)random_in(seed, 0, 1);
    for (int k = 0; k < s->nranks; k++) s->ranks[k] = identity ? k : all[k];
}

/* Where this process is in the grid, and how its local array lies in memory. */
static inline void sample_place(struct sample *s, int rank)
{
    s->member = 0;
    for (int k = 0; k < s->nranks; k++) {
        if (s->ranks[k] != rank) continue;
        s->member = 1;
        int rest = k;
        for (int a = 0; a < s->naxes; a++) {
            int axis = s->grid_order == REDIST_ROW_MAJOR ? s->naxes - 1 - a : a;
            s->coords[axis] = rest % s->shape[axis];
            rest /= s->shape[axis];
        }
    }
    int64_t stride = 1, last = 0;
    s->offset = 0;
    int empty = !s->member;
    for (int k = s->ndims - 1; k >= 0; k--) {
        int i = s->view.order[k];
        int64_t count = 0;
        int c = s->format[i].kind == REDIST_COLLAPSED ? 0 : s->coords[s->format[i].axis];
        for (int64_t e = 0; s->member && e < s->extent[i]; e++)
            count += s->oracle[i].owner[e] == c;
        int64_t width = count + s->view.halo_low[i] + s->view.halo_high[i];
        s->width[i] = width;
        s->stride[i] = s->view.lead[i] ? s->view.lead[i] : stride;
        s->offset += s->view.halo_low[i] * s->stride[i];
        last += (width - 1) * s->stride[i];
        if (count == 0) empty = 1;
        stride *= width > 0 ? width : 1;
    }
    s->span = empty ? 0 : last + 1;
}

/* Make the oracle, the dist and the view's place in memory from all that describes
 * them. */
static inline void sample_build(struct sample *s, int rank)
{
    for (int i = 0; i < s->ndims; i++) {
        const redist_format *f = &s->format[i];
        int procs = f->kind == REDIST_COLLAPSED ? 1 : s->shape[f->axis];
        s->oracle[i] = oracle_make(s->extent[i], procs, f);
    }
    redist_grid *grid;
    CHECK_OK(redist_grid_create(s->naxes, s->shape, s->grid_order, s->ranks, &grid));
    CHECK_OK(redist_dist_create(s->ndims, s->extent, s->format, grid, &s->dist));
    redist_grid_destroy(&grid);
    s->view.dist = s->dist;
    sample_place(s, rank);
}

/* Make a random side, as `rank` sees it, of which a section of `n`[ndims] elements (in
 * the order of the axes) takes part. */
static inline void sample_make_for(struct sample *s, uint64_t *seed, int ndims,
                                   const int64_t n[], int nranks, int kinds, int rank)
{
    int whole = (kinds & SAMPLE_WHOLE) != 0;
    s->ndims = ndims;
    redist_view *v = &s->view;
    memset(v, 0, sizeof *v);
    int plain = random_in(seed, 0, 2) == 0;
    random_permutation(seed, ndims, v->axes);
    random_permutation(seed, ndims, v->order);
    for (int i = 0; i < ndims && plain; i++) v->axes[i] = v->order[i] = i;
    for (int j = 0; j < ndims; j++) {
        int i = v->axes[j];
        v->stride[i] =
            plain || whole || random_in(seed, 0, 2) ? 1 : random_in(seed, 1, 3);
        v->start[i] = plain || whole ? 0 : random_in(seed, 0, 3);
        v->extent[i] = n[j];
        v->halo_low[i] = random_in(seed, 0, 3) ? 0 : random_in(seed, 0, 2);
        v->halo_high[i] = random_in(seed, 0, 3) ? 0 : random_in(seed, 0, 2);
        int64_t reach = n[j] > 0 ? (n[j] - 1) * v->stride[i] + 1 : 0;
        s->extent[i] = v->start[i] + reach + (plain || whole ? 0 : random_in(seed, 0, 2));
    }
    for (int i = 0; i < ndims; i++)
        s->format[i] = random_in(seed, 0, 3) ? redist_block() : redist_collapsed();
    sample_grid(s, seed, nranks, kinds & SAMPLE_REPLICAS);
    for (int i = 0; i < ndims; i++) {
        int procs = 1, axis = s->format[i].axis;
        if (s->format[i].kind != REDIST_COLLAPSED) {
            procs = s->shape[axis];
            s->format[i] =
                random_format(seed, s->extent[i], procs, s->sizes[i], s->owners[i]);
            s->format[i].axis = axis;
        }
    }
    sample_build(s, rank);
    /* strides of the caller's own: a gap in the slowest, any if that is one element */
    if (random_in(seed, 0, 3) == 0) {
        int slowest = v->order[0];
        for (int i = 0; i < ndims; i++) v->lead[i] = s->stride[i];
        int alone = s->span > 0 && s->width[slowest] == 1;
        v->lead[slowest] = alone ? INT64_MAX : v->lead[slowest] + 3;
        sample_place(s, rank);
    }
}

static inline void sample_make(struct sample *s, uint64_t *seed, int ndims,
                               const int64_t n[], int nranks, int kinds)
{
    sample_make_for(s, seed, ndims, n, nranks, kinds, world_rank());
}

static inline int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t multiple = a;
    while (multiple % b != 0) multiple += a;
    return multiple;
}

/* Make two sides that are cyclic in all dimensions, and as large as one period of both if
 * that is not too large; onto the same grid, its transpose, or any other of `nranks`. */
static inline void sample_make_regular_for(struct sample side[2], uint64_t *seed,
                                           int nranks, int rank)
{
    static const int64_t most[] = {0, 256, 48};
    int ndims = (int)random_in(seed, 1, 2);
    struct sample *source = &side[0], *target = &side[1];
    memset(source, 0, sizeof *source);
    source->ndims = ndims;
    for (int i = 0; i < ndims; i++) source->format[i] = redist_cyclic(1);
    sample_grid(source, seed, nranks, 0);
    *target = *source;
    int relation = (int)random_in(seed, 0, 2);
    if (relation == 0) sample_grid(target, seed, nranks, 0);
    for (int i = 0; i < ndims && relation == 1; i++)
        target->shape[i] = source->shape[ndims - 1 - i];
    for (int i = 0; i < ndims; i++) {
        int64_t width[2];
        for (int s = 0; s < 2; s++) {
            int procs = side[s].shape[i];
            side[s].format[i].block = random_in(seed, 1, 3);
            side[s].format[i].first = (int)random_in(seed, 0, procs - 1);
            width[s] = procs * side[s].format[i].block;
        }
        int64_t n = common_multiple(width[0], width[1]) + random_in(seed, 0, 3);
        if (n > most[ndims]) n = random_in(seed, 1, most[ndims]);
        source->extent[i] = target->extent[i] = n;
    }
    for (int s = 0; s < 2; s++) {
        redist_view *v = &side[s].view;
        for (int i = 0; i < ndims; i++) {
            v->extent[i] = side[s].extent[i];
            v->stride[i] = 1;
            v->axes[i] = i;
        }
        random_permutation(seed, ndims, v->order);
        sample_build(&side[s], rank);
    }
}

static inline void sample_make_regular(struct sample side[2], uint64_t *seed)
{
    sample_make_regular_for(side, seed, world_size(), world_rank());
}

static inline void sample_free(struct sample *s)
{
    for (int i = 0; i < s->ndims; i++) oracle_free(&s->oracle[i]);
    redist_dist_destroy(&s->dist);
}

/* How many replicas there are of each element. */
static inline int64_t sample_replicas(const struct sample *s)
{
    int64_t replicas = s->nranks;
    for (int i = 0; i < s->ndims; i++)
        if (s->format[i].kind != REDIST_COLLAPSED)
            replicas /= s->shape[s->format[i].axis];
    return replicas;
}

/* Which replica of a side this process is. */
static inline int64_t sample_replica(const struct sample *s)
{
    int64_t mine = 0;
    for (int axis = 0; axis < s->naxes; axis++) {
        int used = 0;
        for (int i = 0; i < s->ndims; i++)
            used = used ||
                   (s->format[i].kind != REDIST_COLLAPSED && s->format[i].axis == axis);
        if (used) continue;
        mine = mine * s->shape[axis] + (s->member ? s->coords[axis] : 0);
    }
    return mine;
}

/* Elements that arrive in all at a side. */
static inline int64_t sample_elements(const struct sample *s)
{
    int64_t elements = sample_replicas(s);
    for (int i = 0; i < s->ndims; i++) elements *= s->view.extent[i];
    return elements;
}

/* "source -> target", for a message; the next call's takes its place. */
static inline const char *sample_text(const struct sample *source,
                                      const struct sample *target)
{
    static char text[4096];
    size_t length = 0;
    CHECK_OK(redist_view_print(&source->view, text, sizeof text, &length));
    length += (size_t)snprintf(text + length, sizeof text - length, " -> ");
    CHECK_OK(redist_view_print(&target->view, text + length, sizeof text - length, NULL));
    return text;
}

/* The rank that owns section element k of a sample without replicas. */
static inline int sample_owner(const struct sample *s, const int64_t k[])
{
    int coords[SAMPLE_MAX_DIMS + 1] = {0}, position = 0;
    for (int j = 0; j < s->ndims; j++) {
        int i = s->view.axes[j];
        int64_t index = s->view.start[i] + k[j] * s->view.stride[i];
        if (s->format[i].kind != REDIST_COLLAPSED)
            coords[s->format[i].axis] = s->oracle[i].owner[index];
    }
    for (int step = 0; step < s->naxes; step++) {
        int axis = s->grid_order == REDIST_ROW_MAJOR ? step : s->naxes - 1 - step;
        position = position * s->shape[axis] + coords[axis];
    }
    return s->ranks[position];
}

/* Count the elements that go from each rank to each other, [from][to]. */
static inline void sample_volume(const struct sample *a, const struct sample *b,
                                 const int64_t n[],
                                 int64_t volume[SAMPLE_MAX_RANKS][SAMPLE_MAX_RANKS])
{
    int64_t total = 1, k[SAMPLE_MAX_DIMS];
    memset(volume, 0, sizeof(int64_t) * SAMPLE_MAX_RANKS * SAMPLE_MAX_RANKS);
    for (int j = 0; j < a->ndims; j++) total *= n[j];
    for (int64_t e = 0; e < total; e++) {
        int64_t rest = e;
        for (int j = a->ndims - 1; j >= 0; j--) {
            k[j] = rest % n[j];
            rest /= n[j];
        }
        volume[sample_owner(a, k)][sample_owner(b, k)]++;
    }
}

/* Byte b of section element k. */
static inline unsigned char sample_byte(int64_t k, int64_t b)
{
    return (unsigned char)((uint64_t)(k * 31 + b * 7 + 1) *
                               UINT64_C(0x9e3779b97f4a7c15) >>
                           56);
}

/* Call back for each element of the section that this process holds: its place in the
 * buffer, and its number in the section, counted along the axes in their order or, if
 * `reversed`, in the opposite one. */
typedef void sample_visit(void *context, int64_t at, int64_t k);

static inline void sample_each(const struct sample *s, int reversed, sample_visit *visit,
                               void *context)
{
    int64_t index[SAMPLE_MAX_DIMS] = {0}, total = 1;
    for (int i = 0; i < s->ndims; i++) total *= s->extent[i];
    if (!s->member) return;
    for (int64_t e = 0; e < total; e++) {
        int64_t rest = e, at = s->offset, k = 0;
        int here = 1;
        for (int i = s->ndims - 1; i >= 0; i--) {
            index[i] = rest % s->extent[i];
            rest /= s->extent[i];
            int c =
                s->format[i].kind == REDIST_COLLAPSED ? 0 : s->coords[s->format[i].axis];
            here = here && s->oracle[i].owner[index[i]] == c;
            if (here) at += s->oracle[i].local[index[i]] * s->stride[i];
        }
        for (int j = 0; j < s->ndims; j++) {
            int i = s->view.axes[reversed ? s->ndims - 1 - j : j];
            int64_t from = index[i] - s->view.start[i];
            here = here && from >= 0 && from % s->view.stride[i] == 0 &&
                   from / s->view.stride[i] < s->view.extent[i];
            k = k * s->view.extent[i] + from / s->view.stride[i];
        }
        if (here) visit(context, at, k);
    }
}

struct sample_bytes {
    unsigned char *buffer;
    int64_t element;
};

static inline void sample_put(void *context, int64_t at, int64_t k)
{
    const struct sample_bytes *bytes = context;
    for (int64_t b = 0; b < bytes->element; b++)
        bytes->buffer[at * bytes->element + b] = sample_byte(k, b);
}

/* Write this process's part of the section into its buffer, element by element. */
static inline void sample_fill(const struct sample *s, unsigned char *buffer,
                               int64_t element)
{
    struct sample_bytes bytes = {buffer, element};
    sample_each(s, 0, sample_put, &bytes);
}

#endif
