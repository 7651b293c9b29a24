/* SPDX-License-Identifier: MIT
 *
 * Contexts come and go between calls: grids of a shape that is seen again and again, over
 * other processes or in another order, so that nearly each has the number of a former
 * context, and the communicator the address of a former one. Some live longer than others
 * that began after them. Each call leaves what it must: no plan and no list of ranks is
 * found of a context that is gone. Memory does not grow.
 *
 * test_contexts [changes]
 */
#include <malloc.h>
#include <unistd.h>

#include "peers/drawn_calls.h"

enum { ROUNDS = 10, LONG = 160, CHANGES = 25, PLACES = 3, CALLS = 2, SEEN = 4096 };
enum { STRICT = 40, STUCK_S = 100 };

/* What was there before: the numbers of contexts, and the addresses of communicators. */
static struct {
    int number;
    MPI_Comm comm;
} seen[SEEN];
static int nseen, same_number, same_address;

static void look(const struct grid *grid)
{
    const int communicator = 10; /* blacs_get's "what" */
    int handle = 0;
    bool number = false, address = false;
    if (grid->context < 0) return;
    blacs_get_(&grid->context, &communicator, &handle);
    MPI_Comm comm = MPI_Comm_f2c(handle);
    for (int k = 0; k < nseen; k++) {
        number = number || seen[k].number == grid->context;
        address = address || seen[k].comm == comm;
    }
    same_number += number;
    same_address += address;
    if (nseen == SEEN || (number && address)) return;
    seen[nseen].number = grid->context;
    seen[nseen++].comm = comm;
}

/* Grids whose processes change, while there are few shapes. */
static void change(struct grids *grids, uint64_t *seed)
{
    bool first = random_in(seed, 0, 1);
    if (first) free_grid(&grids->all);
    free_grids(grids);
    *grids = make_grids(seed);
    look(&grids->all);
    look(&grids->a);
    look(&grids->b);
}

static int64_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

/* A round of changes: begins and ends without contexts. */
static void run_round(uint64_t seed)
{
    struct grids grids[PLACES];
    struct call calls[PLACES];
    for (int k = 0; k < PLACES; k++) grids[k] = make_grids(&seed);
    for (int k = 0; k < PLACES; k++) calls[k] = draw_call(&seed, &grids[k]);
    for (int k = 0; k < CHANGES; k++) {
        int place = (int)random_in(&seed, 0, PLACES - 1);
        (void)alarm(STUCK_S);
        change(&grids[place], &seed);
        if (random_in(&seed, 0, 1)) calls[place] = draw_call(&seed, &grids[place]);
        for (int call = 0; call < CALLS; call++) {
            place = call == 0 ? place : (int)random_in(&seed, 0, PLACES - 1);
            calls[place].number = (int)random_in(&seed, 0, 1 << 30);
            calls[place].runs = 1;
            run_call(&calls[place], &grids[place], false);
        }
    }
    for (int k = 0; k < PLACES; k++) free_grids(&grids[k]);
}

int main(int argc, char **argv)
{
    int grown = 0;
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int rounds = number_of_cases(argc, argv, ROUNDS, LONG), alike = rounds / 2;
    int settled = rounds - rounds / 8;
    int64_t heap = 0, growth = 0;
    for (int k = 0; k < rounds; k++) {
        run_round(hash_int(seed, k < alike ? k : alike) | 1);
        int64_t more = heap_bytes() - heap;
        heap += more;
        if (k < settled) continue;
        grown += more > 0;
        growth += more;
    }
    CHECK(rounds < STRICT || grown <= (rounds - settled) / 2,
          "%d of %d rounds took memory, %" PRId64 " bytes", grown, rounds - settled,
          growth);
    /* the address sanitizer keeps freed addresses back */
    int reuses = CASES_SHARE > 1 || same_address > rounds;
    CHECK(rounds < ROUNDS || (same_number > rounds && reuses),
          "%d contexts had a former number, %d a former communicator's address",
          same_number, same_address);
    if (world_rank() == 0)
        printf("%d contexts had a former number, %d a former communicator's address; the "
               "heap has grown in %d of the last %d rounds\n",
               same_number, same_address, grown, rounds - settled);
    return passed("%d rounds of %d changes of contexts", rounds, (int)CHANGES);
}
