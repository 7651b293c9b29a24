/* SPDX-License-Identifier: MIT
 *
 * move/walk/listed.c - moves by lists. With a size known to the compiler a copy is one or
 * two moves, and the next places are prefetched: the loops wait for memory, not for
 * arithmetic.
 */
#include "move/walk/listed.h"

#include <string.h>

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/arith/combine.h"
#include "move/arith/convert.h"
#include "move/walk/memory.h"

enum {
    AHEAD = 128,         /* elements that are prefetched */
    RUNS_AHEAD = 4,      /* runs that are prefetched, */
    RUN_AHEAD = 1 << 10, /* at most so many bytes of each, */
    RUN_LONG = 2 << 10,  /* none of a longer one */
    RUN_STREAM = 512,    /* bytes; too many lines of shorter runs belong to two of them */
    LINE = 64,
    BATCH = LENGTH(4 << 10, 256), /* bytes that are copied or combined at a time through a
                                     buffer */
};

void listing_free(struct listing *listing)
{
    for (int64_t k = 0; k < listing->n; k++) memory_leave(&listing->message[k]);
    mem_free(listing->message);
    mem_free(listing->place);
    mem_free(listing->run);
    blocked_scatter_free(listing->scatter);
    mem_free(listing->from);
    *listing = (struct listing){0};
}

/* ---- runs instead of places -------------------------------------------------------- */

/* Count the runs of a list of places, up to `most` + 1. */
static int64_t count_runs(const struct listed *list, int64_t most)
{
    int64_t n = 0;
    for (int64_t k = 0; k < list->elements && n <= most; k++)
        n += k == 0 || list->place[k] != list->place[k - 1] + 1;
    return n;
}

/* Write them to `runs`. */
static void find_runs(const struct listed *list, struct listed_run runs[])
{
    for (int64_t k = 0, n = 0; k < list->elements; k++)
        if (k == 0 || list->place[k] != list->place[k - 1] + 1)
            runs[n++] = (struct listed_run){k, list->place[k]};
}

bool listing_shorten(struct mem_account *account, struct listing *listing)
{
    int64_t all = 0;
    bool any_places = false;
    for (int64_t k = 0; k < listing->n; k++) {
        struct listed *list = &listing->message[k];
        int64_t most = list->elements / LISTED_LONG, nruns = count_runs(list, most);
        list->nruns = nruns <= most ? nruns : 0;
        all += list->nruns;
        any_places = any_places || list->nruns == 0;
    }
    if (all == 0) return true;
    listing->run = mem_alloc(account, all, sizeof *listing->run);
    if (!listing->run) return false;
    struct listed_run *run = listing->run;
    for (int64_t k = 0; k < listing->n; k++) {
        struct listed *list = &listing->message[k];
        if (list->nruns == 0) continue;
        find_runs(list, run);
        list->run = run;
        run += list->nruns;
        list->place = NULL;
    }
    if (any_places) return true;
    mem_free(listing->place);
    listing->place = NULL;
    return true;
}

bool listed_goes_by(const uint32_t place[], int64_t elements, int window)
{
    enum { STRIDE = 64 };
    for (int64_t k = STRIDE; k < elements; k += STRIDE)
        if (place[k] >> window < place[k - STRIDE] >> window) return false;
    return true;
}

bool listed_is_contiguous(const struct listed *list, int64_t *place)
{
    if (list->place ? list->elements != 1 : list->nruns != 1) return false;
    *place = list->place ? list->place[0] : list->run[0].place;
    return true;
}

bool listed_streams(const struct listed *list, int64_t size)
{
    return list->run && !list->scatter &&
           list->elements * size >= list->nruns * RUN_STREAM;
}

/* ---- places ------------------------------------------------------------------------ */

#define INLINE static inline __attribute__((always_inline))

/* Prefetch lines of the next window while one is traversed, one line for as many
 * elements as a line has: otherwise a window's begin would wait for memory, and its
 * end leave memory idle. Messages of several ranks, which traverse the window
 * together, take turns. */
struct foresight {
    const char *line;
    int64_t step; /* bytes to the next one; 0: no windows */
};

static struct foresight foresee(const struct listed *list, int64_t at, int64_t size,
                                const char *array)
{
    const uint32_t *place = list->place;
    if (list->window == 0) return (struct foresight){array + place[at] * size, 0};
    double span = (double)place[list->elements - 1] - (double)place[0];
    double rate = span / (double)list->elements;
    int64_t lines = int_max((int64_t)(rate + 0.5), 1);
    int64_t next = place[0] + (int64_t)((double)at * rate) + (INT64_C(1) << list->window);
    return (struct foresight){array + next * size + list->rank % lines * LINE,
                              lines * LINE};
}

/* `known` places are listed, n of them are gathered. */
INLINE void gather_places(const uint32_t *place, int64_t n, size_t size, int64_t known,
                          struct foresight *foresight, const char *restrict array,
                          char *restrict dense)
{
    const int64_t group = int_max(LINE / (int64_t)size, 1);
    const int64_t most = int_min(n, known - AHEAD);
    const char *line = foresight->line;
    int64_t k = 0;
    for (; k <= most - group; k += group, line += foresight->step) {
        __builtin_prefetch(line, 0, 2);
        for (int64_t j = k; j < k + group; j++) {
            __builtin_prefetch(array + place[j + AHEAD] * size, 0);
            memcpy(dense + (size_t)j * size, array + place[j] * size, size);
        }
    }
    foresight->line = line;
    for (; k < n; k++) memcpy(dense + (size_t)k * size, array + place[k] * size, size);
}

INLINE void scatter_places(const uint32_t *place, int64_t n, size_t size,
                           const char *restrict dense, char *restrict array)
{
    int64_t k = 0;
    for (; k < n - AHEAD; k++) {
        __builtin_prefetch(array + place[k + AHEAD] * size, 1);
        memcpy(array + place[k] * size, dense + (size_t)k * size, size);
    }
    for (; k < n; k++) memcpy(array + place[k] * size, dense + (size_t)k * size, size);
}

static void gather(const uint32_t *place, int64_t n, int64_t size, int64_t known,
                   struct foresight *foresight, const char *array, char *dense)
{
    BLOCKED_SCATTER_FOR_SIZE(gather_places, place, n, known, foresight, array, dense)
}

static void scatter(const uint32_t *place, int64_t n, int64_t size, const char *dense,
                    char *array)
{
    BLOCKED_SCATTER_FOR_SIZE(scatter_places, place, n, dense, array)
}

/* ---- runs -------------------------------------------------------------------------- */

/* Find the run of element `at`. */
static int64_t find_run(const struct listed *list, int64_t at)
{
    int64_t low = 0, high = list->nruns;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (list->run[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A position in a list of runs: the next `left` elements are contiguous. */
struct cursor {
    const struct listed *list;
    int64_t run, place, left;
};

static void enter(struct cursor *cursor, int64_t at)
{
    const struct listed *list = cursor->list;
    const struct listed_run *run = &list->run[cursor->run];
    int64_t end = cursor->run + 1 < list->nruns ? run[1].at : list->elements;
    cursor->place = run->place + (at - run->at);
    cursor->left = end - at;
}

static struct cursor cursor_at(const struct listed *list, int64_t at)
{
    struct cursor cursor = {.list = list, .run = find_run(list, at)};
    enter(&cursor, at);
    return cursor;
}

/* Advance by n elements, at most those left of the run; `at`: the new element. */
static void advance(struct cursor *cursor, int64_t n, int64_t at)
{
    cursor->place += n;
    cursor->left -= n;
    if (cursor->left > 0 || at == cursor->list->elements) return;
    cursor->run++;
    enter(cursor, at);
}

INLINE void ask_for(const char *place, int64_t bytes, bool write)
{
    for (int64_t at = 0; at < bytes; at += LINE) {
        if (write)
            __builtin_prefetch(place + at, 1);
        else
            __builtin_prefetch(place + at, 0);
    }
}

/* Return a run to come soon, and its bytes; NULL: none. */
INLINE const struct listed_run *foresee_run(const struct cursor *cursor, int64_t size,
                                            int64_t *bytes)
{
    int64_t next = cursor->run + RUNS_AHEAD;
    if (next + 1 >= cursor->list->nruns) return NULL;
    const struct listed_run *run = &cursor->list->run[next];
    *bytes = (run[1].at - run->at) * size;
    return run;
}

/* Prefetch the lines of the array that a later run reads or writes: the hardware does not
 * predict short runs. */
INLINE void expect(const struct cursor *cursor, int64_t size, bool write,
                   const char *array)
{
    int64_t bytes = 0;
    const struct listed_run *run = foresee_run(cursor, size, &bytes);
    if (run && bytes <= RUN_LONG)
        ask_for(array + run->place * size, int_min(bytes, RUN_AHEAD), write);
}

/* As expect, for an array that is filled: with non-temporal stores only the partial lines
 * at the ends. */
INLINE void expect_filling(const struct cursor *cursor, int64_t size,
                           struct filling filling, const char *array)
{
    int64_t bytes = 0;
    if (!filling.stream) {
        expect(cursor, size, true, array);
        return;
    }
    const struct listed_run *run = foresee_run(cursor, size, &bytes);
    if (!run) return;
    const char *place = array + run->place * size;
    __builtin_prefetch(place, 1);
    __builtin_prefetch(place + bytes - 1, 1);
}

static const struct convert *convert_of(struct filling filling)
{
    return filling.combine ? filling.combine->convert : NULL;
}

/* The bytes in the source of elements that have `size` in the target. */
static int64_t size_read(struct filling filling, int64_t size)
{
    const struct convert *convert = convert_of(filling);
    return convert ? size / convert->size[1] * convert->size[0] : size;
}

/* Copy contiguous elements, or combine them with the target's values. */
static void move_run(struct filling filling, int64_t bytes, const char *from, char *to)
{
    struct nest nest; /* of no loops */
    if (!filling.combine && !filling.stream) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    nest.block = bytes;
    nest.n = 0;
    nest.stream = filling.stream;
    nest.combine = filling.combine;
    memory_host.kind->move(&memory_host, &nest, to, from);
}

int64_t listed_place(const struct listed *list, int64_t element)
{
    int64_t place = list->place ? list->place[element] : cursor_at(list, element).place;
    return list->scatter ? blocked_scatter_place(list->scatter, place) : place;
}

/* ---- moving ------------------------------------------------------------------------ */

void listed_gather(const struct listed *list, int64_t at, int64_t n, int64_t size,
                   const char *array, char *dense)
{
    if (list->place) {
        struct foresight foresight = foresee(list, at, size, array);
        gather(list->place + at, n, size, list->elements - at, &foresight, array, dense);
        return;
    }
    struct cursor cursor = cursor_at(list, at);
    for (int64_t end = at + n; at < end;) {
        int64_t count = int_min(cursor.left, end - at);
        expect(&cursor, size, false, array);
        memcpy(dense, array + cursor.place * size, (size_t)(count * size));
        dense += count * size;
        at += count;
        advance(&cursor, count, at);
    }
}

/* Note the numbers that are lost, with their places: a batch has none of these. */
static void note_lost(const struct convert *convert, const uint32_t *place, int64_t n,
                      const char *dense, char *array)
{
    for (int64_t k = 0; (k = convert_find_lost(convert, dense, k, n)) < n; k++)
        convert->note(convert->context, array + place[k] * convert->size[1],
                      dense + k * convert->size[0]);
}

/* Combine a batch: gather the target's values, combine, scatter. */
static void combine_places(const uint32_t *place, int64_t n, int64_t size,
                           struct filling filling, const char *dense, char *array)
{
    char there[BATCH];
    struct foresight none = {array, 0};
    const struct convert *convert = convert_of(filling);
    const int64_t read = size_read(filling, size);
    const bool adds = !convert && !filling.combine->replaces;
    for (int64_t most = BATCH / size; n > 0;) {
        int64_t count = int_min(n, most);
        if (adds) gather(place, count, size, n, &none, array, there);
        if (convert && convert->checked) note_lost(convert, place, count, dense, array);
        move_run(filling, count * read, dense, there);
        scatter(place, count, size, there, array);
        place += count, n -= count, dense += count * read;
    }
}

/* Combine at final places, behind a blocked scatter. */
static void combine_scattered(const struct listed *list, int64_t at, int64_t n,
                              int64_t size, struct filling filling, const char *dense,
                              char *array)
{
    enum { MOST = BATCH / sizeof(uint32_t) };
    uint32_t place[MOST];
    struct cursor cursor = cursor_at(list, at);
    for (int64_t end = at + n; at < end;) {
        int64_t count = int_min(int_min(cursor.left, end - at), MOST);
        for (int64_t k = 0; k < count; k++)
            place[k] = (uint32_t)blocked_scatter_place(list->scatter, cursor.place + k);
        combine_places(place, count, size, filling, dense, array);
        dense += count * size_read(filling, size);
        at += count;
        advance(&cursor, count, at);
    }
}

void listed_scatter(const struct listed *list, int64_t at, int64_t n, int64_t size,
                    struct filling filling, const char *dense, char *array)
{
    if (list->place && filling.combine) {
        combine_places(list->place + at, n, size, filling, dense, array);
        return;
    }
    if (list->place) {
        scatter(list->place + at, n, size, dense, array);
        return;
    }
    if (list->scatter && filling.combine) {
        combine_scattered(list, at, n, size, filling, dense, array);
        return;
    }
    const int64_t read = size_read(filling, size);
    struct cursor cursor = cursor_at(list, at);
    for (int64_t end = at + n; at < end;) {
        int64_t count = int_min(cursor.left, end - at);
        expect_filling(&cursor, size, filling, array);
        move_run(filling, count * read, dense, array + cursor.place * size);
        dense += count * read;
        at += count;
        advance(&cursor, count, at);
    }
}

/* Both lists have runs: copy as far as both continue. */
static void copy_runs(const struct listed *from_list, const struct listed *to_list,
                      int64_t at, int64_t n, int64_t size, struct filling filling,
                      const char *from, char *to)
{
    struct cursor source = cursor_at(from_list, at), target = cursor_at(to_list, at);
    const int64_t read = size_read(filling, size);
    for (int64_t end = at + n; at < end;) {
        int64_t count = int_min(int_min(source.left, target.left), end - at);
        expect(&source, read, false, from);
        expect_filling(&target, size, filling, to);
        move_run(filling, count * read, from + source.place * read,
                 to + target.place * size);
        at += count;
        advance(&source, count, at);
        advance(&target, count, at);
    }
}

/* Both lists have places, and nothing is combined: copy directly, without a buffer. */
INLINE void copy_places(const uint32_t *place, int64_t n, size_t size,
                        const uint32_t *from_place, const char *restrict from,
                        char *restrict to)
{
    for (int64_t k = 0; k < n; k++) {
        if (k + AHEAD < n) __builtin_prefetch(from + from_place[k + AHEAD] * size, 0);
        memcpy(to + place[k] * size, from + from_place[k] * size, size);
    }
}

static void copy(const uint32_t *place, int64_t n, int64_t size,
                 const uint32_t *from_place, const char *from, char *to)
{
    BLOCKED_SCATTER_FOR_SIZE(copy_places, place, n, from_place, from, to)
}

/* The source has places, the target runs. */
static void gather_runs(const struct listed *from_list, const struct listed *to_list,
                        int64_t at, int64_t n, int64_t size, const char *from, char *to)
{
    struct cursor target = cursor_at(to_list, at);
    struct foresight foresight = foresee(from_list, at, size, from);
    for (int64_t end = at + n; at < end;) {
        int64_t count = int_min(target.left, end - at);
        expect(&target, size, true, to);
        gather(from_list->place + at, count, size, from_list->elements - at, &foresight,
               from, to + target.place * size);
        at += count;
        advance(&target, count, at);
    }
}

/* For all other lists: copy through a buffer that stays in the cache, or, elements too
 * large for that, one by one. */
static void copy_batches(const struct listed *from_list, const struct listed *to_list,
                         int64_t at, int64_t n, int64_t size, struct filling filling,
                         const char *from, char *to)
{
    char batch[BATCH];
    const int64_t read = size_read(filling, size);
    for (int64_t end = at + n; at < end;) {
        int64_t count = int_min(int_max(BATCH / read, 1), end - at);
        const char *dense = batch;
        if (read <= BATCH)
            listed_gather(from_list, at, count, read, from, batch);
        else
            dense = from + read * listed_place(from_list, at);
        listed_scatter(to_list, at, count, size, filling, dense, to);
        at += count;
    }
}

void listed_copy(const struct listed *from_list, const struct listed *to_list, int64_t at,
                 int64_t n, int64_t size, struct filling filling, const char *from,
                 char *to)
{
    const bool runs = !from_list->place && !to_list->place;
    const bool combines = filling.combine != NULL;
    if (runs && !(to_list->scatter && combines))
        copy_runs(from_list, to_list, at, n, size, filling, from, to);
    else if (from_list->place && to_list->place && !combines)
        copy(to_list->place + at, n, size, from_list->place + at, from, to);
    else if (from_list->place && !combines)
        gather_runs(from_list, to_list, at, n, size, from, to);
    else
        copy_batches(from_list, to_list, at, n, size, filling, from, to);
}
