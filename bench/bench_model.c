/* SPDX-License-Identifier: MIT
 *
 * bench_model - what it is worth to run without barriers, and with start times instead of
 * steps, under the alpha-beta model. Counted, not timed, and serial.
 *
 * The problems are those of P, Q <= 16 and coprime r, s <= 12 with u > 1 or t > 1 (where
 * steps in general cost more than W) that are not full (each message is one run) and in
 * which the side with more processes has at least as many factors l as the other, for
 * every prime l of r s. The time is over the bound that no schedule undercuts, the
 * largest degree alpha + load beta of a process.
 *
 *   script/bench model
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule/model/model.h"

/* What is compared: a schedule, and how its messages are issued. */
static const struct contender {
    const char *name;
    const struct schedule_kind *kind;
    enum model_issue issue;
} contenders[] = {
    {"stepwise, barriers", &schedule_stepwise, MODEL_BARRIERS},
    {"stepwise, none", &schedule_stepwise, MODEL_FREE},
    {"optimal, barriers", &schedule_optimal, MODEL_BARRIERS},
    {"optimal, none", &schedule_optimal, MODEL_FREE},
    {"timeline, pieces", &schedule_timeline, MODEL_FREE},
    {"timeline, whole", &schedule_timeline, MODEL_WHOLE},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/* Startups, in the time of a message of mean length. */
static const double startups[] = {0, 0.1, 1, 10};
enum { STARTUPS = sizeof startups / sizeof startups[0] };

struct ratios {
    double sum, worst;
};

struct table {
    int64_t problems;
    struct ratios cell[STARTUPS][CONTENDERS];
    int64_t chosen_timed[STARTUPS];
    struct ratios chosen[STARTUPS];
};

static void add(struct ratios *ratios, double ratio)
{
    ratios->sum += ratio;
    ratios->worst = fmax(ratios->worst, ratio);
}

/* How often the prime l divides n. */
static int exponent(int64_t n, int64_t l)
{
    int e = 0;
    for (; n % l == 0; n /= l) e++;
    return e;
}

/* Whether `most` has at least as many factors l as `least`, for every prime l of n. */
static bool has_factors(int64_t most, int64_t least, int64_t n)
{
    for (int64_t l = 2; n > 1; l++) {
        if (n % l > 0) continue;
        if (exponent(most, l) < exponent(least, l)) return false;
        while (n % l == 0) n /= l;
    }
    return true;
}

static bool is_of_table(const struct classes *k)
{
    return k->u * k->t > 1 && k->r + k->s - 1 < k->g &&
           has_factors(int_max(k->P, k->Q), int_min(k->P, k->Q), k->r * k->s);
}

static redist_err time_contender(const struct contender *contender,
                                 const struct schedule_input *input,
                                 const struct model models[STARTUPS], struct table *table,
                                 int column)
{
    void *state = NULL;
    redist_err err = contender->kind->make(input, &state);
    for (int row = 0; !err && row < STARTUPS; row++) {
        double seconds[MODEL_ISSUES];
        err = model_times(contender->kind, state, input, &models[row], seconds);
        if (!err)
            add(&table->cell[row][column],
                seconds[contender->issue] / model_bound(input, &models[row]));
    }
    contender->kind->free(state);
    return err;
}

static redist_err time_all(const struct schedule_input *input, struct table *table)
{
    const struct comm_grid *grid = input->grid;
    double mean = (double)schedule_classes(input)->length / (double)grid->nedges;
    struct model models[STARTUPS];
    for (int row = 0; row < STARTUPS; row++)
        models[row] = (struct model){startups[row] * mean, 1, 0, 1};
    for (int column = 0; column < CONTENDERS; column++)
        TRY(time_contender(&contenders[column], input, models, table, column));
    for (int row = 0; row < STARTUPS; row++) {
        struct model_choice choice;
        TRY(model_choose(input, &models[row], &choice));
        table->chosen_timed[row] += choice.kind->timed;
        add(&table->chosen[row], choice.seconds / model_bound(input, &models[row]));
    }
    table->problems++;
    return REDIST_OK;
}

static redist_err add_problem(int P, int r, int Q, int s, struct table *table)
{
    struct classes classes;
    struct comm_grid grid;
    TRY(classes_make(P, r, Q, s, &classes));
    if (!is_of_table(&classes)) return REDIST_OK;
    TRY(comm_grid_from_classes(&classes, NULL, &grid));
    struct schedule_input input = {.ndims = 1, .dim = &classes, .grid = &grid};
    redist_err err = time_all(&input, table);
    comm_grid_free(&grid);
    return err;
}

static redist_err sweep(struct table *table)
{
    for (int P = 1; P <= 16; P++)
        for (int Q = 1; Q <= 16; Q++)
            for (int r = 1; r <= 12; r++)
                for (int s = 1; s <= 12; s++)
                    if (int_gcd(r, s) == 1) TRY(add_problem(P, r, Q, s, table));
    return REDIST_OK;
}

static void print(const struct table *table)
{
    double n = (double)table->problems;
    printf("time over the bound, mean / worst of %" PRId64 " problems, where a startup "
           "takes so many mean messages\n\n%-20s",
           table->problems, "");
    for (int row = 0; row < STARTUPS; row++) printf("  %13g", startups[row]);
    for (int column = 0; column < CONTENDERS; column++) {
        printf("\n%-20s", contenders[column].name);
        for (int row = 0; row < STARTUPS; row++) {
            const struct ratios *cell = &table->cell[row][column];
            printf("  %.3f / %.3f", cell->sum / n, cell->worst);
        }
    }
    printf("\n%-20s", "the model's choice");
    for (int row = 0; row < STARTUPS; row++)
        printf("  %.3f / %.3f", table->chosen[row].sum / n, table->chosen[row].worst);
    printf("\n%-20s", "  without steps");
    for (int row = 0; row < STARTUPS; row++)
        printf("  %12.1f%%", 100 * (double)table->chosen_timed[row] / n);
    printf("\n");
}

int main(void)
{
    struct table table = {.problems = 0};
    if (sweep(&table)) {
        fprintf(stderr, "bench_model: %s\n", redist_error_message());
        return 1;
    }
    print(&table);
    return 0;
}
