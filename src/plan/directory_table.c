/* SPDX-License-Identifier: MIT
 *
 * plan/directory_table.c - a part of the directory as a table, element by element, in
 * streaming passes over lists of four or eight bytes an element:
 *
 *   tell     to each keeper, the indices that one has or wants, within its part
 *   enter    table[index] = whose it is, and the how-many-th that he told of
 *   answer   for each that is wanted: to the target, whose it is; to the source, who
 *            wants it, and which of its own it is
 *   sort     the places of what one told of, by partners
 *
 * Only the table, and places that are looked up by the source, are not read in order.
 */
#include <string.h>

#include "base/error.h"
#include "plan/agree.h"
#include "plan/directory.h"

/* Whose an index is, and which of those that he told of; 0: nobody's. */
struct entry {
    uint32_t owner; /* rank + 1 */
    uint32_t which;
};

/* What the source learns of an element that is wanted. */
struct wanted {
    uint32_t by; /* rank */
    uint32_t which;
};

/* What a process told the keepers, and what it was told as one. */
struct told {
    struct mail out, in; /* indices within the part */
    uint32_t *place;     /* of what is in `out` */
};

/* As many lookups are under way at a time. */
enum { AHEAD = 32 };

/* ---- tell -------------------------------------------------------------------------- */

static redist_err count_told(const struct directory *directory, redist_side side,
                             struct mail *out)
{
    struct pieces pieces = directory->pieces[side];
    struct piece piece, cut;
    TRY(mail_open(directory->account, directory->nranks, sizeof(uint32_t), out));
    while (pieces_next(&pieces, &piece))
        while (piece.count > 0) {
            int keeper = directory_cut(directory, &piece, &cut);
            out->count[keeper] += cut.count;
        }
    return mail_address(out);
}

static redist_err fill_told(const struct directory *directory, redist_side side,
                            struct told *told)
{
    struct pieces pieces = directory->pieces[side];
    struct piece piece, cut;
    TRY(count_told(directory, side, &told->out));
    uint32_t *indices = told->out.items;
    int64_t *next = told->out.next;
    told->place = mem_alloc_list(directory->account, directory->count[side].elements,
                                 sizeof *told->place);
    if (!told->place) return REDIST_ERR_MEMORY;
    while (pieces_next(&pieces, &piece))
        while (piece.count > 0) {
            int keeper = directory_cut(directory, &piece, &cut);
            int64_t at = next[keeper];
            next[keeper] += cut.count;
            for (int64_t k = 0; k < cut.count; k++) {
                indices[at + k] = (uint32_t)(cut.first + k);
                told->place[at + k] = (uint32_t)(cut.place + k);
            }
        }
    return REDIST_OK;
}

/* Tell of one side. What was told is not needed any more then, but for how much. */
static redist_err tell(const struct directory *directory, redist_side side,
                       struct told *told)
{
    redist_err err = fill_told(directory, side, told);
    err = mail_send(directory->comm, err, &told->out, &told->in);
    mem_free(told->out.items);
    told->out.items = NULL;
    return err;
}

static void free_told(struct told *told)
{
    mail_free(&told->out);
    mail_free(&told->in);
    mem_free(told->place);
}

/* ---- enter ------------------------------------------------------------------------- */

static void find_twice(struct fault *fault, uint32_t index, uint32_t owner, int rank)
{
    if ((int64_t)index < fault->index)
        *fault = (struct fault){index, 2, {(int)owner - 1, rank}};
}

static void find_hole(const struct entry table[], int64_t size, struct fault *fault)
{
    for (int64_t k = 0; k < size && k < fault->index; k++)
        if (table[k].owner == 0) *fault = (struct fault){.index = k};
}

/* Enter what all have into the table of the own part. */
static void enter(const struct mail *in, int64_t size, struct entry table[],
                  struct fault *fault)
{
    const uint32_t *indices = in->items;
    int64_t all = in->begin[in->nranks];
    bool twice = false;
    for (int r = 0; r < in->nranks; r++)
        for (int64_t k = in->begin[r]; k < in->begin[r + 1]; k++) {
            if (k + AHEAD < all) __builtin_prefetch(&table[indices[k + AHEAD]], 1);
            struct entry *entry = &table[indices[k]];
            if (entry->owner != 0) {
                find_twice(fault, indices[k], entry->owner, r);
                twice = true;
                continue;
            }
            *entry = (struct entry){(uint32_t)r + 1, (uint32_t)(k - in->begin[r])};
        }
    if (twice || all < size) find_hole(table, size, fault);
}

static redist_err make_table(const struct directory *directory, struct told *source,
                             struct entry **table)
{
    int64_t size = directory_size(directory);
    struct fault fault = {.index = DIRECTORY_FAULTLESS};
    *table = mem_alloc_list(directory->account, size, sizeof **table);
    if (*table) {
        memset(*table, 0, (size_t)size * sizeof **table);
        enter(&source->in, size, *table, &fault);
    }
    mail_free(&source->in);
    return directory_judge(directory, *table ? REDIST_OK : REDIST_ERR_MEMORY, &fault);
}

/* ---- answer ------------------------------------------------------------------------ */

/* Look up what is wanted: the owners in the places of the indices, and which of theirs it
 * is; count what is wanted of each. */
static void look_up(const struct mail *in, const struct entry table[], uint32_t which[],
                    int64_t count[])
{
    uint32_t *indices = in->items;
    int64_t all = in->begin[in->nranks];
    for (int64_t k = 0; k < all; k++) {
        if (k + AHEAD < all) __builtin_prefetch(&table[indices[k + AHEAD]], 0);
        struct entry entry = table[indices[k]];
        indices[k] = entry.owner - 1;
        which[k] = entry.which;
        count[entry.owner - 1]++;
    }
}

/* Tell each source who wants what of its own. `owners` is what came from the targets,
 * with owners in the place of indices. */
static redist_err fill_wanted(const struct mail *owners, const uint32_t which[],
                              struct mail *wanted)
{
    TRY(mail_address(wanted));
    const uint32_t *owner = owners->items;
    struct wanted *items = wanted->items;
    for (int r = 0; r < owners->nranks; r++)
        for (int64_t k = owners->begin[r]; k < owners->begin[r + 1]; k++)
            items[wanted->next[owner[k]]++] = (struct wanted){(uint32_t)r, which[k]};
    return REDIST_OK;
}

/* Answer the targets, in `owners`, and the sources, in `wanted`. */
static redist_err answer(const struct directory *directory, struct told *target,
                         const struct entry table[], struct mail *owners,
                         struct mail *wanted)
{
    struct mail *in = &target->in, out = {0};
    uint32_t *which =
        mem_alloc_list(directory->account, in->begin[in->nranks], sizeof *which);
    redist_err err = which ? mail_open(directory->account, directory->nranks,
                                       sizeof(struct wanted), &out)
                           : REDIST_ERR_MEMORY;
    if (!err) {
        look_up(in, table, which, out.count);
        err = fill_wanted(in, which, &out);
    }
    mem_free(which);
    err = mail_send(directory->comm, err, &out, wanted);
    mail_free(&out);
    if (!err) err = mail_send(directory->comm, err, in, owners);
    mail_free(in);
    return err;
}

/* ---- sort -------------------------------------------------------------------------- */

/* The places of what was told of, sorted by the owners. */
static redist_err sort_targets(const struct mail *owners, const uint32_t place[],
                               struct mail *sorted)
{
    const uint32_t *owner = owners->items;
    int64_t all = owners->begin[owners->nranks];
    TRY(mail_open(owners->account, owners->nranks, sizeof(uint32_t), sorted));
    for (int64_t k = 0; k < all; k++) sorted->count[owner[k]]++;
    TRY(mail_address(sorted));
    uint32_t *places = sorted->items;
    for (int64_t k = 0; k < all; k++) places[sorted->next[owner[k]]++] = place[k];
    return REDIST_OK;
}

/* The places of what is wanted, sorted by who wants it. `told`: how what was told of was
 * sorted by keepers. */
static redist_err sort_sources(const struct mail *wanted, const struct mail *told,
                               const uint32_t place[], struct mail *sorted)
{
    const struct wanted *items = wanted->items;
    int64_t all = wanted->begin[wanted->nranks];
    TRY(mail_open(wanted->account, wanted->nranks, sizeof(uint32_t), sorted));
    for (int64_t k = 0; k < all; k++) sorted->count[items[k].by]++;
    TRY(mail_address(sorted));
    uint32_t *places = sorted->items;
    for (int keeper = 0; keeper < wanted->nranks; keeper++) {
        const uint32_t *own = place + told->begin[keeper];
        int64_t end = wanted->begin[keeper + 1];
        for (int64_t k = wanted->begin[keeper]; k < end; k++) {
            if (k + AHEAD < end) __builtin_prefetch(&own[items[k + AHEAD].which], 0);
            places[sorted->next[items[k].by]++] = own[items[k].which];
        }
    }
    return REDIST_OK;
}

static redist_err list(struct mem_account *account, struct mail *sorted,
                       struct listing *listing)
{
    TRY(directory_list(sorted, NULL, listing));
    return listing_shorten(account, listing) ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* Sort both sides. What has been sorted is freed as soon as it can be. */
static redist_err sort(const struct directory *directory, struct told told[SIDES],
                       struct mail *owners, struct mail *wanted,
                       struct listing listing[SIDES])
{
    struct mail sorted[SIDES] = {{0}, {0}};
    redist_err err = sort_targets(owners, told[REDIST_TARGET].place, &sorted[1]);
    mail_free(owners);
    free_told(&told[REDIST_TARGET]);
    told[REDIST_TARGET] = (struct told){.place = NULL};
    if (!err)
        err = sort_sources(wanted, &told[REDIST_SOURCE].out, told[REDIST_SOURCE].place,
                           &sorted[0]);
    for (int s = 0; !err && s < SIDES; s++)
        err = list(directory->account, &sorted[s], &listing[s]);
    for (int s = 0; s < SIDES; s++) mail_free(&sorted[s]);
    return err;
}

/* ---- all of it --------------------------------------------------------------------- */

redist_err directory_match_table(const struct directory *directory,
                                 struct listing listing[SIDES])
{
    struct told told[SIDES] = {{.place = NULL}, {.place = NULL}};
    struct entry *table = NULL;
    struct mail owners = {0}, wanted = {0};
    redist_err err = tell(directory, REDIST_SOURCE, &told[REDIST_SOURCE]);
    if (!err) err = make_table(directory, &told[REDIST_SOURCE], &table);
    if (!err) err = tell(directory, REDIST_TARGET, &told[REDIST_TARGET]);
    if (!err) err = answer(directory, &told[REDIST_TARGET], table, &owners, &wanted);
    mem_free(table);
    if (!err)
        err = agree(directory->comm, sort(directory, told, &owners, &wanted, listing));
    mail_free(&owners);
    mail_free(&wanted);
    for (int s = 0; s < SIDES; s++) free_told(&told[s]);
    return err;
}
