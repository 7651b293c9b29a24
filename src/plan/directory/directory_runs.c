/* SPDX-License-Identifier: MIT
 *
 * plan/directory/directory_runs.c - a part of the directory as a sorted list of the runs
 * that processes have. The runs that they want are looked up in it, and cut where owners
 * change:
 *
 *   had      |0: rank 1      |6: rank 0  |9: ..
 *   wanted        |3 ..             8|
 *   match         rank 1 | rank 0
 *
 * A match is reported to both its ends. The memory is proportional to the runs, for any
 * extent.
 */

#include "base/error.h"
#include "plan/comm/agree.h"
#include "plan/directory/directory.h"

/* A piece as a keeper knows it, counted from the part's begin. */
struct owned {
    int64_t first, count, place;
    int rank;
};

struct match {
    int rank[SIDES];
    int64_t place[SIDES], count;
};

struct matches {
    int64_t n, room;
    struct match *match;
};

/* A match as reported to one process. */
struct half {
    int64_t rank; /* of the other process */
    int64_t place, count;
};

/* ---- report ------------------------------------------------------------------------ */

static redist_err fill_told(const struct directory *directory, redist_side side,
                            struct mail *out)
{
    struct pieces pieces = directory->pieces[side];
    struct piece piece, cut;
    TRY(mail_open(directory->account, directory->nranks, sizeof cut, out));
    while (pieces_next(&pieces, &piece))
        while (piece.count > 0) out->count[directory_cut(directory, &piece, &cut)]++;
    TRY(mail_address(out));
    struct piece *outbox = out->items;
    pieces = directory->pieces[side];
    while (pieces_next(&pieces, &piece))
        while (piece.count > 0) {
            int keeper = directory_cut(directory, &piece, &cut);
            outbox[out->next[keeper]++] = cut;
        }
    return REDIST_OK;
}

static redist_err tell(const struct directory *directory, redist_side side,
                       struct mail *in)
{
    struct mail out = {0};
    redist_err err = fill_told(directory, side, &out);
    err = mail_send(directory->comm, err, &out, in);
    mail_free(&out);
    return err;
}

/* ---- sort -------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const struct owned *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Find the least fault of n sorted runs that should cover a part. */
static struct fault find_fault(const struct owned owned[], int64_t n, int64_t size)
{
    int64_t end = 0;
    for (int64_t k = 0; k < n; k++) {
        if (owned[k].first > end) return (struct fault){.index = end};
        if (owned[k].first < end)
            return (struct fault){owned[k].first, 2, {owned[k - 1].rank, owned[k].rank}};
        end += owned[k].count;
    }
    return (struct fault){.index = end < size ? end : DIRECTORY_FAULTLESS};
}

/* Sort the runs that all processes have in the own part. */
static redist_err sort_owned(const struct directory *directory, const struct mail *in,
                             struct owned **owned)
{
    const struct piece *piece = in->items;
    int64_t n = in->begin[in->nranks];
    struct fault fault = {.index = DIRECTORY_FAULTLESS};
    *owned = mem_alloc(directory->account, n, sizeof **owned);
    if (*owned) {
        for (int r = 0; r < in->nranks; r++)
            for (int64_t k = in->begin[r]; k < in->begin[r + 1]; k++)
                (*owned)[k] =
                    (struct owned){piece[k].first, piece[k].count, piece[k].place, r};
        mem_sort(*owned, n, sizeof **owned, by_first);
        fault = find_fault(*owned, n, directory_size(directory));
    }
    return directory_judge(directory, *owned ? REDIST_OK : REDIST_ERR_MEMORY, &fault);
}

/* ---- match ------------------------------------------------------------------------- */

/* Return the run that holds an index, of n which cover all. */
static int64_t find_owned(const struct owned owned[], int64_t n, int64_t index)
{
    int64_t low = 0, high = n;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (owned[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Match one wanted piece. */
static redist_err match_piece(const struct directory *directory,
                              const struct owned owned[], int64_t n, struct piece wanted,
                              int rank, struct matches *matches)
{
    for (int64_t k = find_owned(owned, n, wanted.first); wanted.count > 0; k++) {
        int64_t within = wanted.first - owned[k].first;
        int64_t count = int_min(wanted.count, owned[k].count - within);
        const struct match match = {
            {owned[k].rank, rank}, {owned[k].place + within, wanted.place}, count};
        TRY(mem_append(directory->account, &matches->match, &matches->n, &matches->room,
                       &match, sizeof match));
        wanted.first += count, wanted.count -= count, wanted.place += count;
    }
    return REDIST_OK;
}

/* Match all wanted pieces of the own part, in the order of ranks. */
static redist_err match_all(const struct directory *directory, const struct owned owned[],
                            int64_t n, const struct mail *wanted, struct matches *matches)
{
    const struct piece *piece = wanted->items;
    for (int r = 0; r < wanted->nranks; r++)
        for (int64_t k = wanted->begin[r]; k < wanted->begin[r + 1]; k++)
            TRY(match_piece(directory, owned, n, piece[k], r, matches));
    return REDIST_OK;
}

/* ---- answer ------------------------------------------------------------------------ */

static redist_err fill_halves(const struct directory *directory, redist_side side,
                              const struct matches *matches, struct mail *out)
{
    int other = side == REDIST_SOURCE ? REDIST_TARGET : REDIST_SOURCE;
    TRY(mail_open(directory->account, directory->nranks, sizeof(struct half), out));
    for (int64_t k = 0; k < matches->n; k++) out->count[matches->match[k].rank[side]]++;
    TRY(mail_address(out));
    struct half *halves = out->items;
    for (int64_t k = 0; k < matches->n; k++) {
        const struct match *match = &matches->match[k];
        halves[out->next[match->rank[side]]++] =
            (struct half){match->rank[other], match->place[side], match->count};
    }
    return REDIST_OK;
}

/* Append to the runs of a message: continue the last run, or begin a new one. */
static void add_run(struct mail *sorted, int64_t elements[], const struct half *half)
{
    struct listed_run *runs = sorted->items;
    int64_t *next = &sorted->next[half->rank], *at = &elements[half->rank];
    const struct listed_run *last = &runs[*next - 1];
    bool continues = *next > sorted->begin[half->rank] &&
                     last->place + (*at - last->at) == half->place;
    if (!continues) runs[(*next)++] = (struct listed_run){*at, half->place};
    *at += half->count;
}

/* List the matches reported to a process, by partners. */
static redist_err list(const struct mail *in, struct listing *listing)
{
    const struct half *halves = in->items;
    struct mail sorted = {0};
    int64_t n = in->begin[in->nranks];
    int64_t *elements = mem_alloc(in->account, in->nranks, sizeof *elements);
    redist_err err =
        mail_open(in->account, in->nranks, sizeof(struct listed_run), &sorted);
    if (!elements) err = REDIST_ERR_MEMORY;
    for (int64_t k = 0; !err && k < n; k++) sorted.count[halves[k].rank]++;
    if (!err) err = mail_address(&sorted);
    for (int64_t k = 0; !err && k < n; k++) add_run(&sorted, elements, &halves[k]);
    if (!err) err = directory_list(&sorted, elements, listing);
    mail_free(&sorted);
    mem_free(elements);
    return err;
}

static redist_err answer(const struct directory *directory, redist_side side,
                         const struct matches *matches, struct listing *listing)
{
    struct mail out = {0}, in = {0};
    redist_err err = fill_halves(directory, side, matches, &out);
    err = mail_send(directory->comm, err, &out, &in);
    mail_free(&out);
    if (!err) err = agree(directory->comm, list(&in, listing));
    mail_free(&in);
    return err;
}

/* ---- the whole --------------------------------------------------------------------- */

redist_err directory_match_runs(const struct directory *directory,
                                struct listing listing[SIDES])
{
    struct mail in[SIDES] = {{0}, {0}};
    struct owned *owned = NULL;
    struct matches matches = {0, 0, NULL};
    redist_err err = REDIST_OK;
    for (int s = 0; !err && s < SIDES; s++) err = tell(directory, (redist_side)s, &in[s]);
    if (!err) err = sort_owned(directory, &in[REDIST_SOURCE], &owned);
    if (!err) {
        int64_t n = in[REDIST_SOURCE].begin[directory->nranks];
        err = match_all(directory, owned, n, &in[REDIST_TARGET], &matches);
        err = agree(directory->comm, err);
    }
    for (int s = 0; s < SIDES; s++) mail_free(&in[s]);
    mem_free(owned);
    for (int s = 0; !err && s < SIDES; s++)
        err = answer(directory, (redist_side)s, &matches, &listing[s]);
    mem_free(matches.match);
    return err;
}
