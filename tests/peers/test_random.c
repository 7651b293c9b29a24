/* SPDX-License-Identifier: MIT
 *
 * Random calls of every routine of the drop-in, compared with ScaLAPACK's own: all
 * that it left in the local arrays, gaps between columns included. Grids of any shape
 * over any processes, in contexts of some or all of these; sections; processes outside of
 * one or both grids, whose descriptors hold nothing of use.
 *
 * Several cases share their grids, so plans are found again, with other leading
 * dimensions too; and some move between sections that are dealt out alike.
 * test_random [cases]; REDIST_TEST_LONG=1: more of them; REDIST_TEST_SEED=<seed> repeats
 * them.
 */
#include "peers/matrices.h"

enum { CASES = 2000, LONG = 20000, CASES_OF_GRIDS = 25 };

enum family { GEMR2D, TRMR2D, TRAN, TRANC, GEADD, TRADD, FAMILIES };
static int done[FAMILIES];

/* The grids that some cases share. */
struct grids {
    struct grid all, a, b; /* of the copies: b and a lie within all */
    bool member;
};

static struct grids make_grids(uint64_t *seed)
{
    struct grids grids;
    int among[MOST_RANKS], size = world_size();
    bool whole = random_in(seed, 0, 2) == 0;
    int n = whole ? size : (int)random_in(seed, 1, size);
    random_ranks(seed, n, size, among);
    grids.all = random_grid(seed, n, among, true);
    grids.a = random_grid(seed, n, among, random_in(seed, 0, 2) == 0);
    grids.b = random_grid(seed, n, among, random_in(seed, 0, 2) == 0);
    grids.member = grids.all.context >= 0;
    return grids;
}

static void free_grids(struct grids *grids)
{
    free_grid(&grids->all);
    free_grid(&grids->a);
    free_grid(&grids->b);
}

struct job {
    enum family family;
    int type, m, n;
    char uplo, letter; /* DIAG or TRANS */
    double alpha[2], beta[2];
    bool from_c;
};

/* A coefficient, as the type has it; of real types the second number is not there. */
static const void *coefficient(int type, const double number[2], char room[16])
{
    const float single[] = {(float)number[0], (float)number[1]};
    if (type == 1 || type == 3)
        memcpy(room, single, sizeof single);
    else
        memcpy(room, number, 2 * sizeof *number);
    return room;
}

static void copy(enum library library, const struct job *job, const struct drawn *a,
                 const struct drawn *b, void *to, int context)
{
    gemr2d *all;
    trmr2d *part;
    c_gemr2d *c_all;
    c_trmr2d *c_part;
    char letter = type_letter[job->type];
    int m = job->m, n = job->n;
    if (job->family == GEMR2D && job->from_c) {
        find_routine(library, "Cp", letter, "gemr2d", &c_all);
        c_all(m, n, a->memory, a->start[0], a->start[1], a->desc, to, b->start[0],
              b->start[1], b->desc, context);
    } else if (job->family == GEMR2D) {
        find_routine(library, "p", letter, "gemr2d_", &all);
        all(&m, &n, a->memory, &a->start[0], &a->start[1], a->desc, to, &b->start[0],
            &b->start[1], b->desc, &context);
    } else if (job->from_c) {
        find_routine(library, "Cp", letter, "trmr2d", &c_part);
        c_part(&job->uplo, &job->letter, m, n, a->memory, a->start[0], a->start[1],
               a->desc, to, b->start[0], b->start[1], b->desc, context);
    } else {
        find_routine(library, "p", letter, "trmr2d_", &part);
        part(&job->uplo, &job->letter, &m, &n, a->memory, &a->start[0], &a->start[1],
             a->desc, to, &b->start[0], &b->start[1], b->desc, &context);
    }
}

static void sum(enum library library, const struct job *job, const struct drawn *a,
                const struct drawn *c, void *to)
{
    tran *transpose;
    geadd *all;
    tradd *part;
    char letter = type_letter[job->type], room[2][16];
    const void *alpha = coefficient(job->type, job->alpha, room[0]);
    const void *beta = coefficient(job->type, job->beta, room[1]);
    bool complex = job->type >= 3;
    const char *name = !complex ? "tran_" : job->family == TRANC ? "tranc_" : "tranu_";
    if (job->family == GEADD) {
        find_routine(library, "p", letter, "geadd_", &all);
        all(&job->letter, &job->m, &job->n, alpha, a->memory, &a->start[0], &a->start[1],
            a->desc, beta, to, &c->start[0], &c->start[1], c->desc);
    } else if (job->family == TRADD) {
        find_routine(library, "p", letter, "tradd_", &part);
        part(&job->uplo, &job->letter, &job->m, &job->n, alpha, a->memory, &a->start[0],
             &a->start[1], a->desc, beta, to, &c->start[0], &c->start[1], c->desc);
    } else {
        find_routine(library, "p", letter, name, &transpose);
        transpose(&job->m, &job->n, alpha, a->memory, &a->start[0], &a->start[1], a->desc,
                  beta, to, &c->start[0], &c->start[1], c->desc);
    }
}

/* Whether two local arrays hold the same numbers: 0 and -0 are, as a product may come out
 * either way. Returns the first element that differs, or `bytes`. */
static size_t first_difference(const char *x, const char *y, size_t bytes, int type)
{
    size_t width = type == 2 || type == 4 ? sizeof(double) : sizeof(float);
    for (size_t k = 0; k < bytes; k += width) {
        double p[LIBRARIES] = {0, 0};
        float q[LIBRARIES] = {0, 0};
        bool wide = width == sizeof(double);
        memcpy(wide ? (void *)&p[0] : (void *)&q[0], x + k, width);
        memcpy(wide ? (void *)&p[1] : (void *)&q[1], y + k, width);
        bool same =
            type == 0 ? memcmp(x + k, y + k, width) == 0 : p[0] == p[1] && q[0] == q[1];
        if (!same) return k;
    }
    return bytes;
}

/* Let both libraries do it, each to a copy of the target, and compare. */
static void run_job(int number, const struct job *job, const struct drawn *a,
                    const struct drawn *b, int context)
{
    char *to[LIBRARIES];
    for (int l = 0; l < LIBRARIES; l++) {
        to[l] = malloc(b->bytes + 1);
        CHECK(to[l], "no memory");
        if (b->memory) memcpy(to[l], b->memory, b->bytes);
        if (job->family <= TRMR2D)
            copy((enum library)l, job, a, b, to[l], context);
        else
            sum((enum library)l, job, a, b, to[l]);
    }
    size_t at = first_difference(to[OURS], to[THEIRS], b->bytes, job->type);
    size_t element = at / (size_t)type_bytes[job->type], lld = (size_t)b->lld;
    CHECK(at == b->bytes,
          "case %d: family %d of type %c, %d x %d, %c %c, alpha %g %g beta %g %g: local "
          "element %zu of column %zu differs (lld %d, desc %d %d %d %d %d %d %d %d %d, "
          "start %d %d)",
          number, (int)job->family, type_letter[job->type], job->m, job->n, job->uplo,
          job->letter, job->alpha[0], job->alpha[1], job->beta[0], job->beta[1],
          element % lld, element / lld, b->lld, b->desc[0], b->desc[1], b->desc[2],
          b->desc[3], b->desc[4], b->desc[5], b->desc[6], b->desc[7], b->desc[8],
          b->start[0], b->start[1]);
    for (int l = 0; l < LIBRARIES; l++) free(to[l]);
}

static struct job draw_job(uint64_t *seed)
{
    static const double numbers[] = {0, 1, -1, 2, 3};
    struct job job = {.family = (enum family)random_in(seed, 0, FAMILIES - 1)};
    bool copies = job.family <= TRMR2D;
    job.type = (int)random_in(seed, copies ? 0 : job.family == TRANC ? 3 : 1, TYPES - 1);
    job.m = (int)random_in(seed, 0, 9) ? (int)random_in(seed, 1, MOST_EXTENT) : 0;
    job.n = (int)random_in(seed, 0, 9) ? (int)random_in(seed, 1, MOST_EXTENT) : 0;
    if (random_in(seed, 0, 9) == 0) job.m += 150, job.n += 150; /* several pieces */
    job.uplo = "ULul"[random_in(seed, 0, 3)];
    job.letter = copies ? "NUnu"[random_in(seed, 0, 3)] : "NTCntc"[random_in(seed, 0, 5)];
    for (int k = 0; k < 1 + (job.type >= 3); k++) {
        job.alpha[k] = numbers[random_in(seed, 0, k ? 1 : 4)];
        job.beta[k] = numbers[random_in(seed, 0, k ? 1 : 4)];
    }
    job.from_c = random_in(seed, 0, 1);
    return job;
}

static void run_case(int number, uint64_t *seed, struct grids *grids)
{
    struct job job = draw_job(seed);
    bool copies = job.family <= TRMR2D;
    bool turned = job.family == TRAN || job.family == TRANC ||
                  (!copies && (job.letter | 32) != 'n');
    uint64_t one = *seed, two = random_next(seed) | 1, numbers = two;
    int repeats = 1 + (int)random_in(seed, 0, 2);
    bool alike = !turned && random_in(seed, 0, 3) == 0;
    if (alike) two = one; /* the same section of a matrix of other numbers */
    done[job.family]++;
    if (!grids->member) return;
    const struct grid *from = copies ? &grids->a : &grids->all;
    const struct grid *to = !copies ? &grids->all : alike ? from : &grids->b;
    for (int k = 0; k < repeats; k++) {
        uint64_t again = one; /* the same problem, with other numbers and gaps */
        uint64_t other = two;
        struct drawn a = draw(&again, from, job.type, turned ? job.n : job.m,
                              turned ? job.m : job.n, !copies);
        struct drawn b = draw(&other, to, job.type, job.m, job.n, !copies);
        if (alike && b.memory) fill(&b, job.type, &numbers);
        if (k > 0 && a.memory) { /* another leading dimension, but on some only */
            uint64_t own = one ^ (uint64_t)(k * 100 + world_rank());
            if (random_next(&own) % 2) {
                size_t column = (size_t)type_bytes[job.type];
                a.lld += k;
                a.desc[a.desc[0] == 2 && !copies ? 10 : 8] = a.lld;
                a.bytes = column * (size_t)a.lld * (size_t)a.columns;
                a.memory = realloc(a.memory, a.bytes + 1);
                CHECK(a.memory, "no memory");
                fill(&a, job.type, &own);
            }
        }
        run_job(number, &job, &a, &b, grids->all.context);
        free(a.memory);
        free(b.memory);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    struct grids grids = {.member = false};
    int cases = number_of_cases(argc, argv, CASES, LONG);
    for (int k = 0; k < cases; k++) {
        if (k % CASES_OF_GRIDS == 0) {
            if (k > 0) free_grids(&grids);
            grids = make_grids(&seed);
        }
        run_case(k, &seed, &grids);
    }
    free_grids(&grids);
    if (world_rank() == 0) {
        printf("PASS: %d cases:", cases);
        for (int f = 0; f < FAMILIES; f++) printf(" %d", done[f]);
        printf(" of gemr2d, trmr2d, tran(u), tranc, geadd, tradd\n");
    }
    MPI_Finalize();
    return 0;
}
