/* SPDX-License-Identifier: MIT
 *
 * plan/directory/directory_order.c - the order of elements within messages. Receivers
 * determine it, as they know the places at both ends.
 *
 *   plain   in the order of the target
 *   tiled   by windows of the source, and within these by blocks of the target: tiles;
 *           the elements of a tile are in plain order
 *
 *               block 0  1  2  3
 *   window 0        1  2  3  4       the sender reads within a window, which stays in the
 *   window 1        5  6  7  8       cache; received data are scattered tile by tile,
 *                                    see move/walk/blocked_scatter.h
 *
 * Tiled order traverses the target twice. It is faster if arrays are too large for the
 * cache, elements small and their order random.
 */
#include "base/ablate.h"
#include "base/error.h"
#include "plan/comm/agree.h"
#include "plan/directory/directory.h"

enum {
    LARGEST = 32,           /* bytes of an element; several share a cache line */
    CACHED = 1 << 20,       /* bytes of an array that needs no tiles */
    WINDOW = 256 << 10,     /* bytes */
    BLOCK = 256 << 10,      /* bytes, at least, */
    BLOCK_MOST = 512 << 10, /* and at most */
    TILE = 32,              /* least mean elements of a tile */
    FEW = 4 /* tiles of a block; with at most so many, plain order is as fast */
};

struct tiling {
    int window, block; /* of 1 << window, and 1 << block elements */
    int64_t windows;   /* of a source */
    int64_t blocks;    /* of the own target */
};

static const struct tiling plain = {.window = 32, .windows = 1};

/* From the locations of the own elements to the listings. */
struct asking {
    struct tiling tiling;
    int64_t keys;       /* windows of all ranks */
    struct mail out;    /* places, as their owners are asked for them */
    int64_t *next;      /* [keys] the place of the next one */
    struct mail places; /* plain: the own places, in the same order */
    struct mail runs;   /* tiled: their runs */
    struct blocked_scatter *scatter;
};

/* ---- tiles ------------------------------------------------------------------------- */

/* Return the bits of numbers below n; if n is no power of two, one less, so that at most
 * as many are used as the scatter has. */
static int bits_of(int64_t n)
{
    int bits = 0;
    while (bits < BLOCKED_SCATTER_MOST && n >> (bits + 1) > 0) bits++;
    return bits;
}

/* Choose the tiles: larger ones if they would be too small. False: tiles gain nothing. */
static bool find_tiling(const struct directory *directory, struct tiling *tiling)
{
    int64_t n = directory->count[REDIST_TARGET].elements, size = directory->purpose.size;
    int64_t had = directory->most[REDIST_SOURCE];
    if (ABLATED(TILES) || size > LARGEST || int_max(n, had) * size <= CACHED || n == 0)
        return false;
    int most = bits_of(BLOCK_MOST / size);
    tiling->window = bits_of(WINDOW / size);
    tiling->block = bits_of(BLOCK / size);
    for (;;) {
        tiling->windows = ((had - 1) >> tiling->window) + 1;
        tiling->blocks = ((n - 1) >> tiling->block) + 1;
        if (directory->nranks * tiling->windows * tiling->blocks <= n / TILE) return true;
        if (tiling->block < most)
            tiling->block++;
        else if (tiling->windows > 1)
            tiling->window++;
        else
            return false;
    }
}

/* ---- asking ------------------------------------------------------------------------ */

static int64_t key_of(const struct tiling *tiling, struct location location)
{
    return location.rank * tiling->windows + ((int64_t)location.place >> tiling->window);
}

/* Count the elements requested of each window, and address them. */
static redist_err open_asking(const struct directory *directory, const void *locations,
                              struct asking *asking)
{
    int64_t n = directory->count[REDIST_TARGET].elements;
    asking->keys = directory->nranks * asking->tiling.windows;
    asking->next = mem_alloc(directory->account, asking->keys, sizeof *asking->next);
    TRY(mail_open(directory->account, directory->nranks, sizeof(uint32_t), &asking->out));
    if (!asking->next) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < n; k++) {
        struct location location =
            location_of(directory, locations_get(directory, locations, k));
        asking->next[key_of(&asking->tiling, location)]++;
    }
    return mail_address_bins(&asking->out, asking->tiling.windows, asking->next);
}

/* The traversal of the own elements in the order of their places. */
struct way {
    const struct directory *directory;
    struct indices_reader reader;
    const void *locations; /* as received from the keepers */
    int64_t *next;         /* [all shelves] */
};

/* Find the locations of the next n elements. */
static void read_locations(struct way *way, int64_t n, struct location locations[])
{
    for (int64_t count = 0; n > 0; n -= count) {
        const int64_t *index = indices_read(&way->reader, n, &count);
        for (int64_t k = 0; k < count; k++) {
            int64_t at = way->next[directory_shelf(way->directory, index[k])]++;
            *locations++ = location_of(way->directory,
                                       locations_get(way->directory, way->locations, at));
        }
    }
}

/* ---- plain ------------------------------------------------------------------------- */

static redist_err order_plainly(const struct directory *directory, struct way *way,
                                struct asking *asking)
{
    enum { AT_ONCE = 512 };
    struct location locations[AT_ONCE];
    int64_t n = directory->count[REDIST_TARGET].elements, *next = asking->next;
    TRY(mail_open(directory->account, directory->nranks, sizeof(uint32_t),
                  &asking->places));
    for (int r = 0; r < directory->nranks; r++)
        asking->places.count[r] = asking->out.count[r];
    TRY(mail_address(&asking->places));
    uint32_t *asked = asking->out.items, *places = asking->places.items;
    for (int64_t at = 0; at < n; at += AT_ONCE) {
        int64_t count = int_min(AT_ONCE, n - at);
        read_locations(way, count, locations);
        for (int64_t k = 0; k < count; k++) {
            int64_t to = next[locations[k].rank]++;
            asked[to] = locations[k].place;
            places[to] = (uint32_t)(at + k);
        }
    }
    mail_seal(&asking->places);
    return REDIST_OK;
}

/* ---- tiled ------------------------------------------------------------------------- */

/* Order one block, elements begin .. begin + n - 1, of these locations. `tile`[keys]
 * receives the number of elements in each tile, `start`[keys] is the place where each
 * tile arrives. */
static void order_block(struct asking *asking, int64_t begin, int64_t n,
                        const struct location locations[], uint32_t tile[],
                        int64_t start[])
{
    uint32_t *asked = asking->out.items;
    uint16_t *position = asking->scatter->position + begin;
    for (int64_t k = 0; k < n; k++) tile[key_of(&asking->tiling, locations[k])]++;
    for (int64_t key = 0, at = 0; key < asking->keys; key++) {
        start[key] = at;
        at += tile[key];
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t key = key_of(&asking->tiling, locations[k]);
        position[k] = (uint16_t)start[key]++;
        asked[asking->next[key]++] = locations[k].place;
    }
}

/* Order all blocks. `tiles`[blocks keys]. */
static redist_err order_blocks(const struct directory *directory, struct way *way,
                               struct asking *asking, uint32_t tiles[])
{
    const struct tiling *tiling = &asking->tiling;
    int64_t n = directory->count[REDIST_TARGET].elements, most = 1 << tiling->block;
    struct location *locations =
        mem_alloc_list(directory->account, most, sizeof *locations);
    int64_t *start = mem_alloc(directory->account, asking->keys, sizeof *start);
    redist_err err = locations && start ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t b = 0; !err && b < tiling->blocks; b++) {
        int64_t begin = b * most, count = int_min(most, n - begin);
        read_locations(way, count, locations);
        order_block(asking, begin, count, locations, &tiles[b * asking->keys], start);
    }
    mem_free(locations);
    mem_free(start);
    return err;
}

/* List the tiles as runs of arriving elements, in the order of messages:
 * `elements`[nranks] of each message. */
static redist_err list_tiles(const struct directory *directory, const uint32_t tiles[],
                             struct asking *asking, int64_t elements[])
{
    const struct tiling *tiling = &asking->tiling;
    struct mail *runs = &asking->runs;
    TRY(mail_open(directory->account, directory->nranks, sizeof(struct listed_run),
                  runs));
    for (int64_t b = 0; b < tiling->blocks; b++)
        for (int64_t key = 0; key < asking->keys; key++)
            runs->count[key / tiling->windows] += tiles[b * asking->keys + key] > 0;
    TRY(mail_address(runs));
    int64_t *at = mem_alloc(directory->account, tiling->blocks, sizeof *at);
    if (!at) return REDIST_ERR_MEMORY;
    for (int64_t b = 0; b < tiling->blocks; b++) at[b] = b << tiling->block;
    struct listed_run *run = runs->items;
    for (int64_t key = 0; key < asking->keys; key++)
        for (int64_t b = 0, r = key / tiling->windows; b < tiling->blocks; b++) {
            int64_t count = tiles[b * asking->keys + key];
            if (count == 0) continue;
            run[runs->next[r]++] = (struct listed_run){elements[r], at[b]};
            elements[r] += count;
            at[b] += count;
        }
    mem_free(at);
    return REDIST_OK;
}

/* Replace the scatter by the places themselves. */
static redist_err list_places(struct mem_account *account, struct listing *listing)
{
    uint32_t *place = mem_alloc_list(account, listing->scatter->elements, sizeof *place);
    listing->place = place;
    if (!place || !blocked_scatter_find_places(account, listing->scatter))
        return REDIST_ERR_MEMORY;
    for (int64_t m = 0; m < listing->n; m++) {
        struct listed *list = &listing->message[m];
        list->place = place;
        for (int64_t j = 0; j < list->nruns; j++) {
            const struct listed_run *run = &list->run[j];
            int64_t end = j + 1 < list->nruns ? run[1].at : list->elements;
            for (int64_t k = 0; k < end - run->at; k++)
                *place++ =
                    (uint32_t)blocked_scatter_place(listing->scatter, run->place + k);
        }
        list->scatter = NULL;
        list->run = NULL;
        list->nruns = 0;
    }
    mem_free(listing->run);
    listing->run = NULL;
    blocked_scatter_free(listing->scatter);
    listing->scatter = NULL;
    return REDIST_OK;
}

static redist_err order_tiled(const struct directory *directory, struct way *way,
                              struct asking *asking, struct listing *listing)
{
    struct mem_account *account = directory->account;
    const struct tiling *tiling = &asking->tiling;
    int64_t n = directory->count[REDIST_TARGET].elements;
    uint32_t *tiles = mem_alloc(account, tiling->blocks * asking->keys, sizeof *tiles);
    int64_t *elements = mem_alloc(account, directory->nranks, sizeof *elements);
    asking->scatter =
        blocked_scatter_make(account, n, tiling->block, directory->purpose.size);
    redist_err err = tiles && elements && asking->scatter ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) err = order_blocks(directory, way, asking, tiles);
    if (!err) err = list_tiles(directory, tiles, asking, elements);
    mem_free(tiles);
    int64_t runs = err ? 0 : asking->runs.begin[directory->nranks];
    if (!err) err = directory_list(&asking->runs, elements, listing);
    mem_free(elements);
    if (err) return err;
    listing->scatter = asking->scatter;
    asking->scatter = NULL;
    for (int64_t m = 0; m < listing->n; m++)
        listing->message[m].scatter = listing->scatter;
    bool well = true;
    if (runs <= FEW * tiling->blocks) {
        TRY(list_places(account, listing));
        well = listing_shorten(account, listing);
    } else if (directory->purpose.by_element) {
        well = blocked_scatter_find_places(account, listing->scatter);
    }
    return well ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* ---- the whole --------------------------------------------------------------------- */

/* Make the listing of places sorted by ranks; of runs, if these are long. */
static redist_err list(struct mem_account *account, struct mail *places,
                       struct listing *listing)
{
    mail_seal(places);
    TRY(directory_list(places, NULL, listing));
    return listing_shorten(account, listing) ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* Find which messages go by windows of the source. */
static void find_windows(const struct purpose *purpose, redist_side side,
                         struct listing *listing)
{
    const int window = bits_of(WINDOW / purpose->size);
    for (int64_t m = 0; m < listing->n; m++) {
        struct listed *list = &listing->message[m];
        const uint32_t *place = side == REDIST_SOURCE ? list->place : list->from;
        if (place && purpose->size <= LARGEST &&
            listed_goes_by(place, list->elements, window))
            list->window = window;
    }
}

/* Make the target's listing, and fill in the requests to the sources. */
static redist_err order(const struct directory *directory, struct way *way,
                        struct asking *asking, struct listing *listing)
{
    bool tiled = find_tiling(directory, &asking->tiling);
    if (!tiled) asking->tiling = plain;
    TRY(open_asking(directory, way->locations, asking));
    if (tiled) return order_tiled(directory, way, asking, listing);
    TRY(order_plainly(directory, way, asking));
    return list(directory->account, &asking->places, listing);
}

/* Keep the requests to the sources, so that their arrays can be read directly in shared
 * memory. */
static void keep_asked(struct mail *asked, struct listing listing[SIDES])
{
    struct listing *target = &listing[REDIST_TARGET];
    target->from = asked->items;
    asked->items = NULL;
    for (int64_t m = 0; m < target->n; m++) {
        struct listed *list = &target->message[m];
        list->from = target->from + asked->begin[list->rank];
    }
    listing[REDIST_SOURCE].known = true;
}

redist_err directory_order(const struct directory *directory, const void *locations,
                           int64_t next[], struct listing listing[SIDES])
{
    struct way way = {
        .directory = directory,
        .reader = indices_read_from(&directory->pieces[REDIST_TARGET], directory->block),
        .locations = locations,
        .next = next};
    struct asking asking = {.next = NULL};
    struct mail in = {0};
    redist_err err = order(directory, &way, &asking, &listing[REDIST_TARGET]);
    err = mail_send(directory->comm, err, &asking.out, &in);
    if (!err) {
        err = list(directory->account, &in, &listing[REDIST_SOURCE]);
        err = agree(directory->comm, err);
    }
    if (!err && directory->purpose.shares) keep_asked(&asking.out, listing);
    for (int s = 0; !err && s < SIDES; s++)
        find_windows(&directory->purpose, (redist_side)s, &listing[s]);
    mail_free(&asking.out);
    mail_free(&in);
    mail_free(&asking.places);
    mail_free(&asking.runs);
    mem_free(asking.next);
    blocked_scatter_free(asking.scatter);
    return err;
}
