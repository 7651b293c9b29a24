/* SPDX-License-Identifier: MIT */
#include "schedule/core/dims.h"

#include <limits.h>

#include "base/error.h"
#include "base/intmath.h"

static int64_t processes_along(const struct classes *k, redist_side side)
{
    return side == REDIST_SOURCE ? k->P : k->Q;
}

bool dims_fit(int ndims, const struct classes dim[])
{
    int64_t elements = 1, sources = 1, targets = 1;
    for (int j = 0; j < ndims; j++)
        if (!int_mul(elements, dim[j].length, &elements) ||
            !int_mul(elements, dim[j].d, &elements) ||
            !int_mul(sources, dim[j].P, &sources) || sources > INT_MAX ||
            !int_mul(targets, dim[j].Q, &targets) || targets > INT_MAX)
            return false;
    return true;
}

int64_t dims_processes(int ndims, const struct classes dim[], redist_side side)
{
    int64_t processes = 1;
    for (int j = 0; j < ndims; j++) processes *= processes_along(&dim[j], side);
    return processes;
}

void dims_coords(int ndims, const struct classes dim[], redist_side side, int64_t c,
                 int64_t coords[])
{
    for (int j = ndims - 1; j >= 0; j--) {
        int64_t processes = processes_along(&dim[j], side);
        coords[j] = c % processes;
        c /= processes;
    }
}

int64_t dims_messages(int ndims, const struct classes dim[])
{
    int64_t messages = 1;
    for (int j = 0; j < ndims; j++) {
        const struct classes *k = &dim[j];
        messages *= k->n * k->a * k->b * (k->g / k->u / k->t);
    }
    return messages;
}

int64_t dims_degree(int ndims, const struct classes dim[], redist_side side)
{
    int64_t degree = 1;
    for (int j = 0; j < ndims; j++) degree *= classes_degree(&dim[j], side);
    return degree;
}

int64_t dims_length(int ndims, const struct classes dim[])
{
    int64_t length = 1;
    for (int j = 0; j < ndims; j++) length *= dim[j].length;
    return length;
}

int64_t dims_least(int ndims, const struct classes dim[])
{
    return dims_length(ndims, dim) / int_min(dims_processes(ndims, dim, REDIST_SOURCE),
                                             dims_processes(ndims, dim, REDIST_TARGET));
}

int64_t dims_places(const struct classes *k, redist_side side)
{
    return k->n * (side == REDIST_SOURCE ? k->b : k->a);
}

struct core_message dims_message(const struct classes *k, redist_side side, int64_t c,
                                 int64_t place)
{
    int64_t own = classes_copy(k, side, c);
    if (side == REDIST_SOURCE)
        return (struct core_message){place / k->b, own, place % k->b};
    return (struct core_message){place / k->a, place % k->a, own};
}

redist_err dims_own(const struct classes *k, redist_side side, int64_t c,
                    struct own_list *list)
{
    bool sends = side == REDIST_SOURCE;
    int64_t copies = sends ? k->b : k->a;
    int64_t stride = sends ? k->g / k->u : k->g / k->t; /* from partner to partner */
    int64_t z = classes_first_of(k, side, c);
    for (; z < k->first + k->n; z += sends ? k->u : k->t) {
        int64_t partner = classes_partner(k, side, c, z), weight = classes_weight(k, z);
        for (int64_t i = 0; i < copies; i++, partner += stride) {
            int64_t place = (z - k->first) * copies + i;
            struct own_message message = {(int)partner, weight, place};
            TRY(own_list_append(list, message));
        }
    }
    return REDIST_OK;
}

redist_err dims_join(int ndims, const struct classes dim[], redist_side side,
                     const struct own_list along[], const int64_t steps[],
                     struct own_list *list)
{
    redist_side other = side == REDIST_SOURCE ? REDIST_TARGET : REDIST_SOURCE;
    int64_t at[REDIST_MAX_DIMS] = {0};
    for (int j = 0; j < ndims; j++)
        if (along[j].n == 0) return REDIST_OK;
    for (int last = ndims - 1; last >= 0;) {
        struct own_message joint = {0, 1, 0};
        for (int j = 0; j < ndims; j++) {
            const struct own_message *own = &along[j].message[at[j]];
            int64_t processes = processes_along(&dim[j], other);
            joint.partner = (int)(joint.partner * processes + own->partner);
            joint.weight *= own->weight;
            joint.step = joint.step * steps[j] + own->step;
        }
        TRY(own_list_append(list, joint));
        for (last = ndims - 1; last >= 0 && ++at[last] == along[last].n; last--)
            at[last] = 0;
    }
    return REDIST_OK;
}
