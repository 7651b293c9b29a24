/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/matrix/spread.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* Count the coordinates from the owner of the second block to `coordinate`. */
static int64_t turn(const struct spread *spread, int64_t coordinate)
{
    return int_mod(coordinate - spread->source - 1, spread->procs);
}

int64_t spread_count(const struct spread *spread, int64_t x, int64_t coordinate)
{
    int64_t own = coordinate == spread->source || spread->replicated;
    if (x <= spread->head) return own ? x : 0;
    int64_t behind = x - spread->head, blocks = behind / spread->block;
    int64_t at = spread->replicated ? 0 : turn(spread, coordinate);
    int64_t rounds = blocks / spread->procs, left = blocks % spread->procs;
    int64_t rest = at < left ? spread->block : at == left ? behind % spread->block : 0;
    return own * spread->head + rounds * spread->block + rest;
}

int64_t spread_global(const struct spread *spread, int64_t local, int64_t coordinate)
{
    if (spread->replicated) return local;
    if (coordinate == spread->source) {
        if (local < spread->head) return local;
        local -= spread->head;
    }
    int64_t round = local / spread->block;
    int64_t block = round * spread->procs + turn(spread, coordinate);
    return spread->head + block * spread->block + local % spread->block;
}

struct cut spread_cut(const struct spread *spread, int64_t at, int64_t n)
{
    struct cut cut = {.n = n, .block = spread->block, .procs = spread->procs};
    cut.replicated = spread->replicated;
    int64_t left; /* in the block in which it begins */
    if (at < spread->head) {
        left = spread->head - at;
        cut.first = spread->source;
        if (spread->head == spread->block)
            cut.before = at;
        else
            cut.head = left;
    } else {
        int64_t behind = at - spread->head;
        cut.before = behind % spread->block;
        cut.first = (spread->source + 1 + behind / spread->block) % spread->procs;
        left = spread->block - cut.before;
    }
    if (spread->procs == 1) cut.first = 0;
    if (n > left && spread->procs > 1) return cut;
    cut.before = cut.head = 0; /* it lies in one block */
    cut.block = n;
    return cut;
}

/* The array [before + n] of a section. */
static struct spread whole(const struct cut *cut)
{
    return (struct spread){.extent = cut->before + cut->n,
                           .head = cut->head ? cut->head : cut->block,
                           .block = cut->block,
                           .source = (int)cut->first,
                           .procs = (int)cut->procs,
                           .replicated = cut->replicated};
}

struct cut cut_of_cut(const struct cut *cut, int64_t at, int64_t n)
{
    struct spread spread = whole(cut);
    return spread_cut(&spread, cut->before + at, n);
}

int64_t cut_count(const struct cut *cut, int64_t coordinate)
{
    struct spread spread = whole(cut);
    return spread_count(&spread, spread.extent, coordinate);
}

int64_t cut_owner(const struct cut *cut, int64_t i)
{
    int64_t block = cut->head == 0  ? (cut->before + i) / cut->block
                    : i < cut->head ? 0
                                    : 1 + (i - cut->head) / cut->block;
    return (cut->first + block) % cut->procs;
}

redist_err cut_format(const struct cut *cut, int axis, redist_format *format,
                      int **owners)
{
    *owners = NULL;
    *format = cut->replicated ? redist_collapsed() : redist_cyclic(cut->block);
    if (cut->head) {
        *owners = mem_alloc(NULL, cut->n, sizeof **owners);
        if (!*owners) return REDIST_ERR_MEMORY;
        for (int64_t i = 0; i < cut->n; i++) (*owners)[i] = (int)cut_owner(cut, i);
        *format = redist_indirect(*owners);
    } else {
        format->first = (int)cut->first;
    }
    if (!cut->replicated) format->axis = axis;
    return REDIST_OK;
}
