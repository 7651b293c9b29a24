/* SPDX-License-Identifier: MIT */
#include "schedule/lists/core_list.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/lists/list.h"

enum { MOST_MESSAGES = 1 << 20 };

bool core_list_fits(const struct classes *k)
{
    int64_t messages = 0;
    return int_mul(k->n, k->a, &messages) && int_mul(messages, k->b, &messages) &&
           messages <= MOST_MESSAGES;
}

/* List the messages of the core, and both ends of each: sources are 0 .. u a - 1, targets
 * follow. */
static void list_messages(const struct classes *k, struct edge message[], int64_t begin[],
                          int end[])
{
    int64_t e = 0, sources = k->u * k->a;
    for (int64_t z = k->first; z < k->first + k->n; z++)
        for (int64_t A = 0; A < k->a; A++)
            for (int64_t B = 0; B < k->b; B++, e++) {
                int p = (int)(int_mod(z, k->u) * k->a + A);
                int q = (int)(int_mod(z, k->t) * k->b + B);
                message[e] = (struct edge){p, q, classes_weight(k, z)};
                begin[e] = 2 * e;
                end[2 * e] = p;
                end[2 * e + 1] = (int)sources + q;
            }
    begin[e] = 2 * e;
}

redist_err core_list_make(const struct classes *k, int64_t **start)
{
    int64_t n = k->n * k->a * k->b;
    struct edge *message = NULL;
    int64_t *begin = NULL;
    int *end = NULL;
    const struct mem_part room[] = {
        MEM_PART(message, n), MEM_PART(begin, n + 1), MEM_PART(end, 2 * n), {0}};
    *start = mem_alloc(NULL, n, sizeof **start);
    redist_err err = *start ? mem_alloc_parts(NULL, room) : REDIST_ERR_MEMORY;
    if (!err) {
        list_messages(k, message, begin, end);
        struct list_work work = {n, message, (int)(k->u * k->a + k->t * k->b), begin,
                                 end};
        err = list_schedule(&work, 0, *start);
    }
    mem_free(message); /* and its ends */
    if (err) mem_free(*start), *start = NULL;
    return err;
}
