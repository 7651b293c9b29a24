/* SPDX-License-Identifier: MIT
 *
 * tests/oracle.h - the brute-force owner map of one dimension, from the definitions of
 * HPF alone: nothing here is shared with the library.
 */
#ifndef REDIST_TESTS_ORACLE_H
#define REDIST_TESTS_ORACLE_H

#include <stdint.h>
#include <stdlib.h>

#include <redist/describe.h>

#include "random.h"

struct oracle {
    int64_t n;
    int *owner;     /* [n] */
    int64_t *local; /* [n] */
};

static inline struct oracle oracle_make(int64_t n, int procs, const redist_format *f)
{
    struct oracle o = {n, calloc((size_t)n + 1, sizeof(int)),
                       calloc((size_t)n + 1, sizeof(int64_t))};
    int64_t *held = calloc((size_t)procs, sizeof *held);
    int64_t in_block = 0, m = f->block;
    int turn = 0;
    if (f->kind == REDIST_BLOCK && m == REDIST_EVEN_BLOCK) m = (n + procs - 1) / procs;
    for (int64_t i = 0; i < n; i++) {
        int owner = 0;
        switch (f->kind) {
            case REDIST_COLLAPSED: break;
            case REDIST_INDIRECT: owner = f->owners[i]; break;
            case REDIST_BLOCK:
            case REDIST_CYCLIC:
                if (in_block == m) {
                    in_block = 0;
                    turn++;
                }
                owner = (f->first + turn) % procs;
                break;
            case REDIST_GEN_BLOCK:
                while (in_block == f->sizes[turn]) {
                    in_block = 0;
                    turn++;
                }
                owner = (f->first + turn) % procs;
                break;
        }
        in_block++;
        o.owner[i] = owner;
        o.local[i] = held[owner]++;
    }
    free(held);
    return o;
}

static inline void oracle_free(struct oracle *o)
{
    free(o->owner);
    free(o->local);
}

/* A format of any kind, with its lists in caller-provided room for n + procs numbers
 * each. */
static inline redist_format random_format(uint64_t *state, int64_t n, int procs,
                                          int64_t *sizes, int *owners)
{
    redist_format f = redist_collapsed();
    switch (random_in(state, 0, 5)) {
        case 0: f = redist_block(); break;
        case 1:
            f = redist_block_of((n + procs - 1) / procs + random_in(state, 0, 3));
            break;
        case 2: f = redist_cyclic(random_in(state, 1, 4)); break;
        case 3: f = redist_cyclic(random_in(state, 1, n / 2 + 2)); break;
        case 4: {
            int64_t left = n;
            for (int c = 0; c < procs; c++) {
                sizes[c] = c == procs - 1 ? left : random_in(state, 0, left);
                left -= sizes[c];
            }
            f = redist_gen_block(sizes);
            break;
        }
        default:
            for (int64_t i = 0; i < n; i++)
                owners[i] = i > 0 && random_in(state, 0, 2)
                                ? owners[i - 1]
                                : (int)random_in(state, 0, procs - 1);
            return redist_indirect(owners);
    }
    if (f.kind == REDIST_BLOCK && f.block == 0) f.block = 1;
    f.first = (int)random_in(state, 0, procs - 1);
    return f;
}

#endif
