/* SPDX-License-Identifier: MIT
 *
 * plan/directory/directory.h - find which elements processes exchange if each knows only
 * its own indices. A distributed directory matches them: each process keeps an equal part
 * of it.
 *
 *   rank 0 has 7 2 5     part 0: 0 .. 3   "2 is rank 0's, the 1st index it reported"
 *   rank 1 has 0 4 ..    part 1: 4 .. 7   ..
 *
 * Processes report the indices that they have and want to the keepers of the parts.
 * Element by element (directory_table.c), a keeper tells the target the owner and the
 * place of each; the target then orders each message to suit both ends
 * (directory_order.c) and requests it. For long runs (directory_runs.c), a keeper tells
 * both ends of a message.
 */
#ifndef REDIST_PLAN_DIRECTORY_DIRECTORY_H
#define REDIST_PLAN_DIRECTORY_DIRECTORY_H

#include "intersect/runs.h"
#include "move/walk/listed.h"
#include "plan/directory/indices.h"
#include "plan/comm/mail.h"
#include "plan/comm/team.h"

/* The use of the listings. The same on all processes. */
struct purpose {
    int64_t size;    /* bytes of an element */
    bool shares;     /* sources may be read directly in shared memory */
    bool by_element; /* received elements may be stored one by one, where they belong */
    bool wide;       /* locations have 8 bytes even if 4 suffice: for tests */
    int64_t most;    /* most bytes of a block */
};

struct directory {
    struct mem_account *account;
    MPI_Comm comm;
    int rank, nranks;
    int64_t block; /* indices handled as one; from here on all counts are of blocks, as if
                      elements had this size */
    int64_t extent;
    struct purpose purpose;
    int64_t part;     /* indices in a part, >= 1: rank k keeps k part .. (k + 1) part -
                         1 */
    uint64_t inverse; /* floor((2^64 - 1) / part): multiplying is faster than dividing */
    int shelf;        /* a part has shelves of 1 << shelf indices, */
    int64_t shelves;  /* so many */
    struct pieces pieces[SIDES]; /* of the calling process */
    struct indices_count count[SIDES];
    int64_t most[SIDES]; /* elements of any process */
    int place_bits;      /* bits of the place in a location */
};

/* Find the messages between the processes of a team: the listings of what the caller
 * sends (REDIST_SOURCE) and receives. The caller frees them; they are empty on an error.
 * If it `shares`, a target's listing of places also has the places at the sources, in 4
 * bytes an element. If all lists consist of blocks, listings count each block as one
 * element. All memory is charged to `account`.
 * Collective. See redist_plan_create_indexed. ARG, MEMORY, MPI: the same everywhere. */
redist_err directory_match(struct mem_account *account, const struct team *team,
                           int64_t extent, const struct purpose *purpose,
                           const redist_indices *const indices[SIDES],
                           struct listing listing[SIDES]);

/* ---- the two ways ------------------------------------------------------------------ */

/* The mean run from which on elements are kept in runs. */
enum { DIRECTORY_LONG = 8 };

redist_err directory_match_table(const struct directory *directory,
                                 struct listing listing[SIDES]);
redist_err directory_match_runs(const struct directory *directory,
                                struct listing listing[SIDES]);

/* The owner and the place of an element. Lists store a location as a number: rank + 1
 * above the bits of the place; 4 bytes if they suffice; 0: no owner. */
struct location {
    uint32_t rank, place;
};

static inline int64_t locations_size(const struct directory *directory)
{
    return directory->place_bits < 32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

static inline uint64_t locations_get(const struct directory *directory,
                                     const void *locations, int64_t k)
{
    return directory->place_bits < 32 ? ((const uint32_t *)locations)[k]
                                      : ((const uint64_t *)locations)[k];
}

static inline void locations_put(const struct directory *directory, void *locations,
                                 int64_t k, uint64_t location)
{
    if (directory->place_bits < 32)
        ((uint32_t *)locations)[k] = (uint32_t)location;
    else
        ((uint64_t *)locations)[k] = location;
}

static inline uint64_t location_number(const struct directory *directory,
                                       struct location location)
{
    return ((uint64_t)location.rank + 1) << directory->place_bits | location.place;
}

static inline struct location location_of(const struct directory *directory,
                                          uint64_t number)
{
    const uint64_t places = (UINT64_C(1) << directory->place_bits) - 1;
    return (struct location){(uint32_t)(number >> directory->place_bits) - 1,
                             (uint32_t)(number & places)};
}

/* Order the messages to this process, request them from the sources, and make the
 * listings of both sides. `locations`[elements of the target] are those of the wanted
 * elements, sorted by shelf and then by place; `next`[all shelves] is the first of each
 * shelf, and is overwritten.
 * Collective. O(elements). MEMORY, MPI: the same everywhere. */
redist_err directory_order(const struct directory *directory, const void *locations,
                           int64_t next[], struct listing listing[SIDES]);

/* ---- common parts ------------------------------------------------------------------ */

/* The shelf of an index, counted over all parts. */
static inline int64_t directory_shelf(const struct directory *directory, int64_t index)
{
    return index >> directory->shelf;
}

/* Cut from a piece what lies in the first part that it touches; indices of `*cut` count
 * from the part's begin. Returns the keeper of the part. */
static inline int directory_cut(const struct directory *directory, struct piece *piece,
                                struct piece *cut)
{
    int64_t keeper = (int64_t)((uint128)piece->first * directory->inverse >> 64);
    int64_t offset = piece->first - keeper * directory->part;
    while (offset >= directory->part) offset -= directory->part, keeper++;
    int64_t n = int_min(piece->count, directory->part - offset);
    *cut = (struct piece){offset, n, piece->place};
    piece->first += n, piece->count -= n, piece->place += n;
    return (int)keeper;
}

/* The begin of the own part, and the number of its indices. */
int64_t directory_begin(const struct directory *directory);
int64_t directory_size(const struct directory *directory);

/* The least index, counted from the part's begin, that is not in exactly one source list:
 * it is in the lists of two ranks, perhaps the same rank twice, or in none. */
struct fault {
    int64_t index; /* DIRECTORY_FAULTLESS: none */
    int ranks;     /* 2 or 0 */
    int rank[2];
};
#define DIRECTORY_FAULTLESS INT64_MAX

/* Find the least fault of all parts.
 * Collective. ARG: there is a fault; MPI; or `err`, if a process passes one. */
redist_err directory_judge(const struct directory *directory, redist_err err,
                           const struct fault *fault);

/* Make a listing of items sorted by partner. It takes over the items of `sorted` (places
 * or runs), up to `next` for each partner. `elements`[nranks]: of each message; NULL: one
 * an item.
 * O(nranks). MEMORY. */
redist_err directory_list(struct mail *sorted, const int64_t elements[],
                          struct listing *listing);

#endif
