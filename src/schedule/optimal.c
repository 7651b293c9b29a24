/* SPDX-License-Identifier: MIT
 *
 * schedule/optimal.c - as many steps as the largest degree, which is the fewest possible,
 * for all P, Q, r and s; each process computes its own, from the core alone.
 *
 * The core (classes.h) does not grow with the number of processes. docs/schedules.md has
 * the proofs. Where all send as much to all, the steps are those of the ring: what stays
 * on its process is then one of them, which nobody waits for. A seed draws another order
 * of the steps (shuffle.h).
 */
#include "base/error.h"
#include "schedule/dims.h"
#include "schedule/fewest.h"
#include "schedule/kinds.h"
#include "schedule/shuffle.h"

struct optimal {
    const struct classes *classes;
    struct fewest fewest;
    struct shuffle shuffle;
};

static bool applicable(const struct schedule_input *input, const char **why)
{
    const struct classes *k = schedule_classes(input);
    *why = SCHEDULE_NEEDS_CLASSES;
    return k != NULL;
}

static void optimal_free(void *state)
{
    struct optimal *o = state;
    if (!o) return;
    fewest_free(&o->fewest);
    mem_free(o);
}

/* Find the steps, given the lengths of the messages of the core. */
static redist_err find_steps(struct optimal *o)
{
    const struct classes *k = o->classes;
    if (classes_are_alike(k)) return REDIST_OK;
    struct core core = core_of_classes(k);
    int64_t *weight = mem_alloc(NULL, k->n, sizeof *weight);
    if (!weight) return REDIST_ERR_MEMORY;
    for (int64_t z = 0; z < k->n; z++) weight[z] = classes_weight(k, k->first + z);
    redist_err err = fewest_find(&core, weight, &o->fewest);
    mem_free(weight);
    return err;
}

static int64_t count_steps(const struct classes *k)
{
    if (classes_are_alike(k)) return int_max(k->P, k->Q);
    return int_max(dims_degree(1, k, REDIST_SOURCE), dims_degree(1, k, REDIST_TARGET));
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct optimal *o = mem_alloc(NULL, 1, sizeof *o);
    if (!o) return REDIST_ERR_MEMORY;
    o->classes = schedule_classes(input);
    o->shuffle = shuffle_draw(count_steps(o->classes), input->seed);
    redist_err err = find_steps(o);
    if (err)
        optimal_free(o);
    else
        *state = o;
    return err;
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct optimal *o = state;
    const struct classes *k = o->classes;
    bool sends = side == REDIST_SOURCE;
    int64_t copy = classes_copy(k, side, c), copies = sends ? k->b : k->a;
    TRY(dims_own(k, side, c, list));
    for (int64_t i = 0; i < list->n; i++) {
        struct own_message *message = &list->message[i];
        int64_t z = message->step / copies, other = message->step % copies;
        int64_t step =
            classes_are_alike(k)
                ? classes_ring_step(k, side, c, message->partner)
                : fewest_step(&o->fewest, z, sends ? copy : other, sends ? other : copy);
        message->step = shuffle_step(&o->shuffle, step);
    }
    own_list_sort(list);
    return REDIST_OK;
}

const struct schedule_kind schedule_optimal = {
    .name = "optimal",
    .what = "fewest steps for all parameters, each process by itself",
    .source = "docs/schedules.md",
    .drawn = true,
    .least = true,
    .lifted = true,
    .applicable = applicable,
    .make = make,
    .own = own,
    .free = optimal_free,
};
