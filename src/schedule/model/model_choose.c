/* SPDX-License-Identifier: MIT
 *
 * schedule/model/model_choose.c - the fastest schedule in the model, of all that can be
 * made with bounded effort.
 */
#include <math.h>

#include "base/error.h"
#include "schedule/core/kinds.h"
#include "schedule/model/model.h"
#include "schedule/registry/schedules.h"

/* The schedules that each process computes by itself, and those of nearly linear time for
 * any grid, in order of preference. */
static const struct schedule_kind *const quick[] = {
    &schedule_optimal,
    &schedule_timeline,
    &schedule_staircase,
    &schedule_staircase_steps,
    &schedule_dense,
    &schedule_shifted,
    NULL,
};

/* Sums of the same terms in another order differ by less. */
static const double rounding = 1e-9;

/* Take the issue of least time, if it is less than that of the choice so far. */
static void improve(struct model_choice *choice, const struct schedule_kind *kind,
                    const double seconds[MODEL_ISSUES])
{
    for (int issue = 0; issue < MODEL_ISSUES; issue++) {
        if (isinf(seconds[issue])) continue;
        if (choice->kind && seconds[issue] >= (1 - rounding) * choice->seconds) continue;
        choice->kind = kind;
        choice->issue = (enum model_issue)issue;
        choice->seconds = seconds[issue];
    }
}

/* Make and time those of the kinds that are applicable. */
static redist_err consider(const struct schedule_kind *const kinds[],
                           const struct schedule_input *input, const struct model *model,
                           struct model_choice *choice)
{
    for (int k = 0; kinds[k]; k++) {
        double seconds[MODEL_ISSUES];
        TRY(model_try(kinds[k], input, model, seconds));
        improve(choice, kinds[k], seconds);
    }
    return REDIST_OK;
}

/* Choose without making any, if even the core is too large. */
static redist_err choose_by_rule(const struct schedule_input *input,
                                 const struct model *model, struct model_choice *choice)
{
    const struct classes *k = schedule_classes(input);
    const char *why = NULL;
    if (!k) {
        bool combined = schedule_combination.applicable(input, &why);
        *choice = (struct model_choice){
            .kind = combined ? &schedule_combination : &schedule_product,
            .seconds = model_bound(input, model),
            .basis = MODEL_BY_RULE,
        };
        return REDIST_OK;
    }
    bool timed = schedule_timeline.applicable(input, &why);
    bool stepped = schedule_optimal.applicable(input, &why);
    if (!timed && !stepped) return error_arg("no schedule is applicable: %s", why);
    double messages = (double)k->n * (double)k->a * (double)k->b *
                      ((double)k->g / ((double)k->u * (double)k->t));
    double mean = model->beta * model->unit * (double)k->length / messages;
    bool cheap = k->n < k->g && model->alpha <= mean;
    *choice = (struct model_choice){
        .kind = timed && (cheap || !stepped) ? &schedule_timeline : &schedule_optimal,
        .seconds = model_bound(input, model),
        .basis = MODEL_BY_RULE,
    };
    if (choice->kind->timed && k->n < k->g) choice->issue = MODEL_WHOLE;
    return REDIST_OK;
}

redist_err model_choose(const struct schedule_input *input, const struct model *model,
                        struct model_choice *choice)
{
    *choice = (struct model_choice){.basis = MODEL_BY_ALL};
    if (input->grid && input->grid->nedges <= MODEL_MOST_MESSAGES) {
        TRY(consider(quick, input, model, choice));
        return consider(schedules, input, model, choice);
    }
    choice->basis = MODEL_BY_SOME;
    struct schedule_input local = *input;
    if (input->ndims > 0 && !input->by_grid) local.grid = NULL;
    TRY(consider(quick, &local, model, choice));
    if (!choice->kind && input->grid) TRY(consider(quick, input, model, choice));
    return choice->kind ? REDIST_OK : choose_by_rule(input, model, choice);
}
