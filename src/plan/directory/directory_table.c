/* SPDX-License-Identifier: MIT
 *
 * plan/directory/directory_table.c - a part of the directory as a table, element by
 * element, in streaming passes over lists of four or eight bytes an element:
 *
 *   tell     each keeper: the indices that a process has, with places, and those it wants
 *   enter    table[index] = owner and place
 *   answer   owner and place of each wanted index, in the order of the requests
 *
 * Reports are sorted by shelves, of which a part has several. The table is written and
 * read at random, but only within one shelf at a time, which stays in the cache.
 */
#include <string.h>

#include "base/error.h"
#include "plan/comm/agree.h"
#include "plan/directory/directory.h"

/* The report of an index that a process has. 32 bits suffice: a part has fewer
 * indices. */
struct had {
    uint32_t index;
    uint32_t place;
};

/* The reports of a process to the keepers. */
struct outbox {
    struct mail out;
    int64_t *next; /* [all shelves] the place of the next index */
};

/* Lookups in progress at a time. */
enum { AHEAD = 32 };

/* ---- tell -------------------------------------------------------------------------- */

/* Count the indices of each shelf, and place them. */
static redist_err count_outbox(const struct directory *directory, redist_side side,
                               size_t size, struct outbox *outbox)
{
    struct indices_reader reader =
        indices_read_from(&directory->pieces[side], directory->block);
    int64_t all = directory->nranks * directory->shelves, n = 0;
    TRY(mail_open(directory->account, directory->nranks, size, &outbox->out));
    outbox->next = mem_alloc(directory->account, all, sizeof *outbox->next);
    if (!outbox->next) return REDIST_ERR_MEMORY;
    for (const int64_t *index; index = indices_read(&reader, INT64_MAX, &n), n > 0;)
        for (int64_t k = 0; k < n; k++)
            outbox->next[directory_shelf(directory, index[k])]++;
    return mail_address_bins(&outbox->out, directory->shelves, outbox->next);
}

static redist_err fill_had(const struct directory *directory, struct outbox *outbox)
{
    struct indices_reader reader =
        indices_read_from(&directory->pieces[REDIST_SOURCE], directory->block);
    int64_t n = 0;
    uint32_t place = 0;
    TRY(count_outbox(directory, REDIST_SOURCE, sizeof(struct had), outbox));
    struct had *had = outbox->out.items;
    for (const int64_t *index; index = indices_read(&reader, INT64_MAX, &n), n > 0;)
        for (int64_t k = 0; k < n; k++) {
            int64_t shelf = directory_shelf(directory, index[k]);
            had[outbox->next[shelf]++] = (struct had){(uint32_t)index[k], place++};
        }
    return REDIST_OK;
}

static redist_err fill_wanted(const struct directory *directory, struct outbox *outbox)
{
    struct indices_reader reader =
        indices_read_from(&directory->pieces[REDIST_TARGET], directory->block);
    int64_t n = 0;
    TRY(count_outbox(directory, REDIST_TARGET, sizeof(uint32_t), outbox));
    uint32_t *wanted = outbox->out.items;
    for (const int64_t *index; index = indices_read(&reader, INT64_MAX, &n), n > 0;)
        for (int64_t k = 0; k < n; k++) {
            int64_t shelf = directory_shelf(directory, index[k]);
            wanted[outbox->next[shelf]++] = (uint32_t)index[k];
        }
    return REDIST_OK;
}

static void free_outbox(struct outbox *outbox)
{
    mail_free(&outbox->out);
    mem_free(outbox->next);
    *outbox = (struct outbox){.next = NULL};
}

/* ---- enter ------------------------------------------------------------------------- */

/* Return the first index of the own part, as it is reported. */
static uint32_t first_of(const struct directory *directory)
{
    return (uint32_t)directory_begin(directory);
}

static void find_twice(struct fault *fault, uint32_t index, struct location location,
                       int rank)
{
    if ((int64_t)index < fault->index)
        *fault = (struct fault){index, 2, {(int)location.rank, rank}};
}

static void find_hole(const struct directory *directory, const void *table,
                      struct fault *fault)
{
    int64_t size = directory_size(directory);
    for (int64_t k = 0; k < size && k < fault->index; k++)
        if (locations_get(directory, table, k) == 0) *fault = (struct fault){.index = k};
}

/* Prefetch an entry of a table. */
static inline void ask_for(const struct directory *directory, const void *table,
                           int64_t index)
{
    __builtin_prefetch((const char *)table + index * locations_size(directory), 1);
}

/* Enter the indices of all processes into the table of the own part. */
static void enter(const struct directory *directory, const struct mail *in, void *table,
                  struct fault *fault)
{
    const uint32_t first = first_of(directory);
    const struct had *had = in->items;
    int64_t all = in->begin[in->nranks];
    bool twice = false;
    for (int r = 0; r < in->nranks; r++)
        for (int64_t k = in->begin[r]; k < in->begin[r + 1]; k++) {
            if (k + AHEAD < all) ask_for(directory, table, had[k + AHEAD].index - first);
            const struct location own = {(uint32_t)r, had[k].place};
            uint32_t index = had[k].index - first;
            uint64_t there = locations_get(directory, table, index);
            if (there != 0) {
                find_twice(fault, index, location_of(directory, there), r);
                twice = true;
                continue;
            }
            locations_put(directory, table, index, location_number(directory, own));
        }
    if (twice || all < directory_size(directory)) find_hole(directory, table, fault);
}

static redist_err make_table(const struct directory *directory, void **table)
{
    struct fault fault = {.index = DIRECTORY_FAULTLESS};
    struct outbox outbox = {.next = NULL};
    struct mail in = {0};
    redist_err err = fill_had(directory, &outbox);
    err = mail_send(directory->comm, err, &outbox.out, &in);
    free_outbox(&outbox);
    if (!err) {
        *table = mem_alloc_table(directory->account, directory_size(directory),
                                 (size_t)locations_size(directory));
        if (*table) enter(directory, &in, *table, &fault);
        err = *table ? REDIST_OK : REDIST_ERR_MEMORY;
        err = directory_judge(directory, err, &fault);
    }
    mail_free(&in);
    return err;
}

/* ---- answer ------------------------------------------------------------------------ */

/* Look up the wanted indices. */
static redist_err look_up(const struct directory *directory, const struct mail *in,
                          const void *table, struct mail *out)
{
    const uint32_t *wanted = in->items, first = first_of(directory);
    int64_t all = in->begin[in->nranks];
    TRY(mail_open(directory->account, in->nranks, (size_t)locations_size(directory),
                  out));
    for (int r = 0; r < in->nranks; r++) out->count[r] = in->count[r];
    TRY(mail_address(out));
    for (int64_t k = 0; k < all; k++) {
        if (k + AHEAD < all) ask_for(directory, table, wanted[k + AHEAD] - first);
        locations_put(directory, out->items, k,
                      locations_get(directory, table, wanted[k] - first));
    }
    return REDIST_OK;
}

/* Ask the keepers for the wanted indices. The table is freed as early as possible. */
static redist_err ask(const struct directory *directory, struct outbox *outbox,
                      void **table, struct mail *locations)
{
    struct mail in = {0}, out = {0};
    redist_err err = fill_wanted(directory, outbox);
    err = mail_send(directory->comm, err, &outbox->out, &in);
    mem_free(outbox->out.items);
    outbox->out.items = NULL;
    if (!err) {
        err = look_up(directory, &in, *table, &out);
        mail_free(&in);
        mem_free(*table);
        *table = NULL;
        err = mail_send(directory->comm, err, &out, locations);
    }
    mail_free(&in);
    mail_free(&out);
    return err;
}

/* ---- the whole --------------------------------------------------------------------- */

/* After filling, set each shelf's next place back to its begin. */
static void rewind_shelves(const struct directory *directory, int64_t next[])
{
    int64_t shelves = directory->nranks * directory->shelves;
    memmove(next + 1, next, (size_t)(shelves - 1) * sizeof *next);
    next[0] = 0;
}

redist_err directory_match_table(const struct directory *directory,
                                 struct listing listing[SIDES])
{
    void *table = NULL;
    struct outbox outbox = {.next = NULL};
    struct mail locations = {0};
    redist_err err = make_table(directory, &table);
    if (!err) err = ask(directory, &outbox, &table, &locations);
    mem_free(table);
    if (!err) {
        rewind_shelves(directory, outbox.next);
        err = directory_order(directory, locations.items, outbox.next, listing);
    }
    free_outbox(&outbox);
    mail_free(&locations);
    return err;
}
