/* SPDX-License-Identifier: MIT
 *
 * plan/directory/directory.h - which elements processes send to each other, where each
 * knows but its own indices: by way of a directory, of which each process keeps an equal
 * part.
 *
 *   rank 0 has 7 2 5     part 0: 0 .. 3   "2 is rank 0's, the 1st that he told me of"
 *   rank 1 has 0 4 ..    part 1: 4 .. 7   ..
 *
 * Processes tell the keepers of the parts what they have and what they want, and these
 * tell who has to know: element by element (directory_table.c) the target, of whose each
 * is and where it lies there, who then puts each message into an order that suits both
 * ends (directory_order.c) and asks for it; in runs, where these are long
 * (directory_runs.c), both ends of a message.
 */
#ifndef REDIST_PLAN_DIRECTORY_DIRECTORY_H
#define REDIST_PLAN_DIRECTORY_DIRECTORY_H

#include "intersect/runs.h"
#include "move/walk/listed.h"
#include "plan/directory/indices.h"
#include "plan/comm/mail.h"
#include "plan/comm/team.h"

/* What the listings are for. The same everywhere. */
struct purpose {
    int64_t size;  /* bytes of an element */
    bool shares;   /* sources may lie in shared memory, and be read there */
    bool combines; /* what comes may be combined with what is there */
    bool wide;     /* homes are of 8 bytes even if 4 do: for tests */
    int64_t most;  /* bytes of a block, at most */
};

struct directory {
    struct mem_account *account;
    MPI_Comm comm;
    int rank, nranks;
    int64_t block; /* indices that go together: from here on all counts blocks, as if of
                       elements of this size */
    int64_t extent;
    struct purpose purpose;
    int64_t part;     /* indices that rank k keeps, k part .. (k + 1) part - 1, >= 1 */
    uint64_t inverse; /* floor((2^64 - 1) / part): to multiply by is quicker */
    int shelf;        /* a part has shelves of 1 << shelf indices .. */
    int64_t shelves;  /* .. and so many */
    struct pieces pieces[SIDES]; /* of the calling process */
    struct indices_count count[SIDES];
    int64_t most[SIDES]; /* elements of any process */
    int place_bits;      /* of a home */
};

/* Find the messages between the processes of a team: `listing` of what the caller sends
 * (REDIST_SOURCE) and receives, for it to free; empty on an error. If it `shares`,
 * the target's has the places at the sources too where it is of places, in 4 bytes an
 * element. Where the lists of all processes are of blocks, the listings have each as one
 * element. Charged to `account`, as all that is needed meanwhile.
 * Collective. See redist_plan_create_indexed. ARG, MEMORY, MPI: the same everywhere. */
redist_err directory_match(struct mem_account *account, const struct team *team,
                           int64_t extent, const struct purpose *purpose,
                           const redist_indices *const indices[SIDES],
                           struct listing listing[SIDES]);

/* ---- the two ways ------------------------------------------------------------------ */

/* An average run from which on elements are kept in runs. */
enum { DIRECTORY_LONG = 8 };

redist_err directory_match_table(const struct directory *directory,
                                 struct listing listing[SIDES]);
redist_err directory_match_runs(const struct directory *directory,
                                struct listing listing[SIDES]);

/* Where an element is. Lists of homes have them as numbers, rank + 1 above the bits of
 * the place, of 4 bytes if that does; 0: nobody has it. */
struct home {
    uint32_t rank, place;
};

static inline int64_t homes_size(const struct directory *directory)
{
    return directory->place_bits < 32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

static inline uint64_t homes_get(const struct directory *directory, const void *homes,
                                 int64_t k)
{
    return directory->place_bits < 32 ? ((const uint32_t *)homes)[k]
                                      : ((const uint64_t *)homes)[k];
}

static inline void homes_put(const struct directory *directory, void *homes, int64_t k,
                             uint64_t home)
{
    if (directory->place_bits < 32)
        ((uint32_t *)homes)[k] = (uint32_t)home;
    else
        ((uint64_t *)homes)[k] = home;
}

static inline uint64_t home_number(const struct directory *directory, struct home home)
{
    return ((uint64_t)home.rank + 1) << directory->place_bits | home.place;
}

static inline struct home home_of(const struct directory *directory, uint64_t number)
{
    const uint64_t places = (UINT64_C(1) << directory->place_bits) - 1;
    return (struct home){(uint32_t)(number >> directory->place_bits) - 1,
                         (uint32_t)(number & places)};
}

/* Put the messages to this process into an order, ask the sources for them, and make the
 * listings of both sides. `homes`[elements of the target] are those of what it wants, in
 * the order of the shelves and in each in that of its places; `next`[all shelves], which
 * is spoilt, where the first of each is.
 * Collective. O(elements). MEMORY, MPI: the same everywhere. */
redist_err directory_order(const struct directory *directory, const void *homes,
                           int64_t next[], struct listing listing[SIDES]);

/* ---- what they have in common ------------------------------------------------------ */

/* Who keeps an index, and its place in the part. */
static inline int directory_keeper(const struct directory *directory, int64_t index,
                                   int64_t *offset)
{
    int64_t keeper = (int64_t)((uint128)index * directory->inverse >> 64);
    *offset = index - keeper * directory->part;
    while (*offset >= directory->part) *offset -= directory->part, keeper++;
    return (int)keeper;
}

/* The shelf of an index, of those of all parts. */
static inline int64_t directory_shelf(const struct directory *directory, int64_t index)
{
    return index >> directory->shelf;
}

/* Cut off from a piece what lies in the first part that it touches; in `*cut` the index
 * counts from the part's begin. Returns who keeps the part. */
static inline int directory_cut(const struct directory *directory, struct piece *piece,
                                struct piece *cut)
{
    int64_t offset = 0;
    int keeper = directory_keeper(directory, piece->first, &offset);
    int64_t n = int_min(piece->count, directory->part - offset);
    *cut = (struct piece){offset, n, piece->place};
    piece->first += n, piece->count -= n, piece->place += n;
    return keeper;
}

/* Where the own part begins, and how many indices are in it. */
int64_t directory_begin(const struct directory *directory);
int64_t directory_size(const struct directory *directory);

/* The least index, counted from the part's begin, that is not in one source list: it is
 * in those of two ranks, which may be one, or in none. */
struct fault {
    int64_t index; /* DIRECTORY_FAULTLESS: there is none */
    int ranks;     /* 2 or 0 */
    int rank[2];
};
#define DIRECTORY_FAULTLESS INT64_MAX

/* Find the least fault of all parts.
 * Collective. ARG: there is one; MPI. `err`, if a process comes with that. */
redist_err directory_judge(const struct directory *directory, redist_err err,
                           const struct fault *fault);

/* Make the listing of what is sorted by partners: of `sorted`, whose items, places or
 * runs, it takes over, of each partner those up to next. `elements`[nranks]: of each
 * message; NULL: one an item.
 * O(nranks). MEMORY. */
redist_err directory_list(struct mail *sorted, const int64_t elements[],
                          struct listing *listing);

#endif
