/* SPDX-License-Identifier: MIT
 *
 * tests/peers/drawn_calls.h - random calls over random grids, and the comparison of what
 * they leave in the target with what they must.
 */
#ifndef REDIST_TESTS_DRAWN_CALLS_H
#define REDIST_TESTS_DRAWN_CALLS_H

#include "peers/calls.h"

enum { LARGE = 600 };

/* Those that do it in a way of their own. */
static const char *const strategies[] = {"shared",      "alltoallw", "synchronous",
                                         "nonblocking", "onesided",  "aggregated",
                                         "optimal",     "sendrecv"};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

static char where[64]; /* "repeat: <batch> <count>\n", if a test has it */

/* ---- one call ---------------------------------------------------------------------- */

/* The first byte of an element that differs, or `bytes`. Sums may be 0 or -0. */
static inline size_t first_difference(const struct call *call, const char *x,
                                      const char *y, size_t bytes)
{
    size_t width = call->type == 2 || call->type == 4 ? sizeof(double) : sizeof(float);
    if (memcmp(x, y, bytes) == 0) return bytes;
    for (size_t k = 0; k < bytes; k += width) {
        double p = 0, q = 0;
        float r = 0, s = 0;
        if (memcmp(x + k, y + k, width) == 0) continue;
        if (call_copies(call)) return k;
        memcpy(width == sizeof p ? (void *)&p : (void *)&r, x + k, width);
        memcpy(width == sizeof q ? (void *)&q : (void *)&s, y + k, width);
        if (p != q || r != s) return k;
    }
    return bytes;
}

static const char *name_of(const struct call *call, char name[32])
{
    static const char *const families[] = {"gemr2d", "trmr2d", "tran",
                                           "tranc",  "geadd",  "tradd"};
    (void)snprintf(name, 32, "p%c%s%s%s", type_letter[call->type], families[call->family],
                   call_is_old(call) ? "o" : "",
                   call_copies(call) && call->form % 2 ? " from C" : "");
    return name;
}

static inline void compare(const struct call *call, const struct drawn *b,
                           const char *whose, const char *is, const char *expected)
{
    char name[32];
    size_t at = first_difference(call, is, expected, b->bytes);
    size_t element = at / (size_t)type_bytes[call->type], lld = (size_t)b->lld;
    CHECK(at == b->bytes,
          "%s%s: %s of %d x %d, %c %c: local element (%zu, %zu) differs, lld %d, desc %d "
          "%d %d %d %d %d %d %d %d, start %d %d",
          where, whose, name_of(call, name), call->m, call->n, uplos[call->uplo],
          call_letter(call), element % lld, element / lld, b->lld, b->desc[0], b->desc[1],
          b->desc[2], b->desc[3], b->desc[4], b->desc[5], b->desc[6], b->desc[7],
          b->desc[8], b->start[0], b->start[1]);
}

static inline size_t room_of(const struct drawn *matrix)
{
    return matrix->room ? (size_t)(matrix->memory - matrix->room) + matrix->bytes + MARGIN
                        : 0;
}

/* All of a matrix's room, copied. */
static inline char *copy_of(const struct drawn *matrix)
{
    char *copy = malloc(room_of(matrix) + 1);
    CHECK(copy, "no memory");
    if (matrix->room) memcpy(copy, matrix->room, room_of(matrix));
    return copy;
}

static inline void run_library(enum library library, const struct call *call,
                               const struct drawn matrix[], const struct grids *grids,
                               const char *original, const char *expected)
{
    const struct drawn *a = &matrix[A], *b = &matrix[B];
    const char *whose = library == OURS ? "ours" : "theirs";
    char *to = malloc(room_of(b) + 1);
    CHECK(to, "no memory");
    if (b->room) memcpy(to, original, room_of(b));
    /* what holds no elements may be nowhere */
    bool none = call->number % 2;
    char *at = b->room && !(none && b->bytes == 0) ? to + (b->memory - b->room) : NULL;
    const char *from = call->shared ? at : none && a->bytes == 0 ? NULL : a->memory;
    if (call_copies(call))
        call_copy(library, call, matrix, from, at, grids->all.context);
    else
        call_add(library, call, matrix, from, at);
    if (at) {
        size_t before = (size_t)(b->memory - b->room);
        compare(call, b, whose, at, expected + before);
        CHECK(memcmp(to, expected, before) == 0 &&
                  memcmp(at + b->bytes, expected + before + b->bytes, MARGIN) == 0,
              "%s%s: written beside the target", where, whose);
    }
    free(to);
}

static inline void run_call(struct call *call, const struct grids *grids,
                            bool with_theirs)
{
    limit_call(call, grids);
    if (!grids->member && !call_is_old(call)) return;
    struct drawn matrix[SIDES_OF_CALL];
    for (int side = A; side <= B; side++)
        matrix[side] =
            make_matrix(call_grid(call, grids, side), &call->side[side], call->type,
                        !call_copies(call), call->number + (call->shared ? 0 : side));
    const struct drawn *b = &matrix[B];
    call_fill(call, matrix);
    char *original = copy_of(b), *source = copy_of(&matrix[A]);
    call_expect(call, matrix);
    if (with_theirs) run_library(THEIRS, call, matrix, grids, original, b->room);
    for (int run = 0; run < call->runs; run++)
        run_library(OURS, call, matrix, grids, original, b->room);
    CHECK(!matrix[A].room || memcmp(source, matrix[A].room, room_of(&matrix[A])) == 0,
          "%sthe source has changed", where);
    free(source);
    free(original);
    free_drawn(&matrix[A]);
    free_drawn(&matrix[B]);
}

/* ---- drawing ----------------------------------------------------------------------- */

static inline struct grids make_grids(uint64_t *seed)
{
    struct grids grids;
    int among[MOST_RANKS], size = world_size();
    bool whole = random_in(seed, 0, 2) == 0;
    int n = whole ? size : (int)random_in(seed, 1, size);
    int strategy = (int)random_in(seed, 0, 3 * STRATEGIES);
    if (strategy < STRATEGIES)
        CHECK(setenv("REDIST_STRATEGY", strategies[strategy], 1) == 0, "no memory");
    random_ranks(seed, n, size, among);
    grids.all = random_grid(seed, n, among, true);
    grids.a = random_grid(seed, n, among, random_in(seed, 0, 2) == 0);
    grids.b = random_grid(seed, n, among, random_in(seed, 0, 2) == 0);
    grids.member = grids.all.context >= 0;
    return grids;
}

static inline void free_grids(struct grids *grids)
{
    free_grid(&grids->all);
    free_grid(&grids->a);
    free_grid(&grids->b);
    CHECK(unsetenv("REDIST_STRATEGY") == 0, "REDIST_STRATEGY is still there");
}

static inline struct call draw_call(uint64_t *seed, const struct grids *grids)
{
    struct call call = {.family = (int)random_in(seed, 0, FAMILIES - 1), .runs = 1};
    bool copies = call_copies(&call);
    int large = random_in(seed, 0, 199) == 0 ? (int)random_in(seed, LARGE / 2, LARGE)
                : random_in(seed, 0, 9) == 0 ? 150 /* several pieces */
                                             : 0;
    call.form = (int)random_in(seed, 0, 3) ? (int)random_in(seed, 0, 1)
                                           : (int)random_in(seed, 2, FORMS - 1);
    call.type = (int)random_in(seed, 0, TYPES - 1);
    call.m = (int)random_in(seed, 0, 9) ? (int)random_in(seed, 1, MOST_EXTENT) : -large;
    call.n = (int)random_in(seed, 0, 9) ? (int)random_in(seed, 1, MOST_EXTENT) : -large;
    call.m += large, call.n += large;
    call.uplo = (int)random_in(seed, 0, UPLOS - 1);
    call.letter = (int)random_in(seed, 0, (copies ? (int)DIAGS : (int)TRANSPOSES) - 1);
    for (int k = 0; k < 2; k++) {
        call.alpha[k] = (int)random_in(seed, 0, k ? 1 : COEFFICIENTS - 1);
        call.beta[k] = (int)random_in(seed, 0, k ? 1 : COEFFICIENTS - 1);
    }
    call.unread = (int)random_in(seed, 0, 1);
    call.alike = random_in(seed, 0, 3) == 0;
    call.shared = random_in(seed, 0, 9) == 0;
    for (int side = A; side <= B; side++)
        call.side[side] = draw_layout(seed, call_extent(&call, side, 0),
                                      call_extent(&call, side, 1), !copies);
    limit_call(&call, grids);
    return call;
}

#endif
