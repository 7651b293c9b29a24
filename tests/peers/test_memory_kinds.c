/* SPDX-License-Identifier: MIT
 *
 * Matrices in memory that the library may touch through the functions of its kind alone
 * (mpi/checked_memory.h): random calls of pdgemr2d, pdtrmr2d and pdgeadd leave in them
 * what the same call leaves in host memory, gaps between columns included. Each process,
 * and each matrix, has that memory or not. The drop-in is linked here, so that a kind of
 * memory can be added.
 */
#include "mpi/checked_memory.h"
#include "peers/matrices.h"

enum { CASES = 300, LONG = 3000, DOUBLES = 2 /* type_letter */ };

gemr2d pdgemr2d_;
trmr2d pdtrmr2d_;
geadd pdgeadd_;

enum family { GEMR2D, TRMR2D, GEADD, FAMILIES };

/* A call: the same for both memories. */
struct job {
    enum family family;
    int m, n, context;
    const char *uplo;
    double alpha, beta;
    const struct drawn *a, *b;
};

static void call(const struct job *job, const void *from, void *to)
{
    const struct drawn *a = job->a, *b = job->b;
    const int *m = &job->m, *n = &job->n;
    if (job->family == GEMR2D)
        pdgemr2d_(m, n, from, &a->start[0], &a->start[1], a->desc, to, &b->start[0],
                  &b->start[1], b->desc, &job->context);
    else if (job->family == TRMR2D)
        pdtrmr2d_(job->uplo, "N", m, n, from, &a->start[0], &a->start[1], a->desc, to,
                  &b->start[0], &b->start[1], b->desc, &job->context);
    else
        pdgeadd_("N", m, n, &job->alpha, from, &a->start[0], &a->start[1], a->desc,
                 &job->beta, to, &b->start[0], &b->start[1], b->desc);
}

/* A copy of a local array, in that memory or in host memory. */
static char *copy_of(const struct drawn *matrix, bool is_checked)
{
    int64_t bytes = (int64_t)matrix->bytes;
    char *at = NULL;
    if (bytes == 0) return NULL;
    at = is_checked ? checked_alloc(bytes) : malloc((size_t)bytes);
    memcpy(checked_bytes(at), matrix->memory, (size_t)bytes);
    return at;
}

static void free_copy(char *copy)
{
    if (!checked_owns(copy)) free(copy);
}

static void run_case(int number, uint64_t *seed, const struct grid *from,
                     const struct grid *to)
{
    struct job job = {.family = (enum family)random_in(seed, 0, FAMILIES - 1),
                      .context = to->context};
    bool copies = job.family != GEADD, aligned = random_in(seed, 0, 2) == 0;
    int more = random_in(seed, 0, 2) ? 0 : 200; /* beyond what goes without a plan */
    job.m = (int)random_in(seed, 1, MOST_EXTENT) + more;
    job.n = (int)random_in(seed, 1, MOST_EXTENT) + more;
    job.uplo = random_in(seed, 0, 1) ? "U" : "L";
    job.alpha = (double)random_in(seed, -2, 2);
    job.beta = (double)random_in(seed, -2, 2);
    const struct grid *other = copies && !aligned ? from : to;
    uint64_t one = random_next(seed), two = aligned ? one : random_next(seed);
    uint64_t own = *seed ^ (uint64_t)(world_rank() + 1);
    struct drawn a = draw(&one, other, DOUBLES, job.m, job.n, !copies);
    struct drawn b = draw(&two, to, DOUBLES, job.m, job.n, !copies);
    job.a = &a, job.b = &b;
    fill(&b, DOUBLES, number, true); /* not the source's numbers, if they are aligned */
    checked_clear();
    for (int turn = 0; turn < 2; turn++) { /* with a new plan, and with a known one */
        char *expected = copy_of(&b, false);
        char *source = copy_of(&a, random_next(&own) % 3 > 0);
        char *target = copy_of(&b, random_next(&own) % 3 > 0);
        call(&job, a.memory, expected);
        call(&job, source, target);
        CHECK(b.bytes == 0 || memcmp(expected, checked_bytes(target), b.bytes) == 0,
              "case %d: %d x %d, family %d: the target differs", number, job.m, job.n,
              (int)job.family);
        free(expected);
        free_copy(source);
        free_copy(target);
    }
    free_drawn(&a);
    free_drawn(&b);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    enum { CASES_OF_GRIDS = 25 };
    uint64_t seed = test_seed();
    struct grid from = {.context = -1}, to = {.context = -1};
    int among[MOST_RANKS], cases = number_of_cases(argc, argv, CASES, LONG);
    checked_begin();
    for (int k = 0; k < cases; k++) {
        if (k % CASES_OF_GRIDS == 0) {
            free_grid(&from);
            free_grid(&to);
            random_ranks(&seed, world_size(), world_size(), among);
            from = random_grid(&seed, world_size(), among, false);
            to = random_grid(&seed, world_size(), among, true);
        }
        run_case(k, &seed, &from, &to);
    }
    free_grid(&from);
    free_grid(&to);
    checked_end();
    return passed("matrices are touched by the functions of their memory alone");
}
