/* SPDX-License-Identifier: MIT */
#include "plan/object/buffers.h"

#include "base/error.h"
#include "base/intmath.h"
#include "move/device/module.h"

static const char *const side_names[SIDES] = {"source", "target"};

void buffers_take(redist_plan *plan, const struct call *call)
{
    for (int k = 0; k < plan->narrays; k++) {
        const void *source = call->sources ? call->sources[k] : NULL;
        void *target = call->targets ? call->targets[k] : NULL;
        if (plan->source[k] != source || plan->target[k] != target) plan->apart = NULL;
        plan->source[k] = source;
        plan->target[k] = target;
    }
}

/* Tell whether a run touches the buffer of an array on one side. */
static bool uses(const redist_plan *plan, int k, redist_side side)
{
    const struct exchange *exchange = plan->exchange;
    return exchange->carries_kept && exchange->usage
               ? plan->usage.buffer[side]
               : plan->array[k].overlap[side].nmessages > 0;
}

/* Return the bytes of a buffer, from its first to its last, if a run touches it. */
static int64_t span_of(const redist_plan *plan, int k, redist_side side)
{
    const struct array *array = &plan->array[k];
    const int64_t element = sizes_element(array->sizes, (int)side);
    return uses(plan, k, side) ? array->sides[side].layout.span * element : 0;
}

/* As span_of, for the whole run that this pass belongs to: the first pass must find all
 * errors. */
static int64_t whole_span(const redist_plan *plan, int k, redist_side side)
{
    const redist_plan *whole = plan->whole;
    int64_t bytes = span_of(plan, k, side);
    for (int64_t p = 0; whole && p < whole->passes.n; p++)
        bytes = int_max(bytes, span_of(&whole->passes.plan[p], k, side));
    return bytes;
}

static const void *buffer_of(const redist_plan *plan, int k, redist_side side)
{
    return side == REDIST_SOURCE ? plan->source[k] : plan->target[k];
}

/* Name the item in an error, if there are several. */
static redist_err in_item(const redist_plan *plan, int k, redist_err err)
{
    return err && plan->narrays > 1 ? error_prefix(err, "item %d", k) : err;
}

/* Check that no buffer is missing where this process holds elements. */
static redist_err check_presence(const redist_plan *plan, int k)
{
    for (int s = 0; s < SIDES; s++)
        if (!buffer_of(plan, k, (redist_side)s) && uses(plan, k, (redist_side)s))
            return error_arg("%s is NULL, but this process holds elements of it",
                             side_names[s]);
    return REDIST_OK;
}

/* Check that an array has one buffer. */
static redist_err check_in_place(const redist_plan *plan, int k)
{
    bool used = uses(plan, k, REDIST_SOURCE) || uses(plan, k, REDIST_TARGET);
    if (plan->source[k] == plan->target[k] || !used) return REDIST_OK;
    return error_arg("source and target are two buffers, must be one: the plan is in "
                     "place");
}

/* List the memory of all buffers in use. Returns their number. */
static int list_spans(const redist_plan *plan, struct buffer_span spans[])
{
    int n = 0;
    for (int k = 0; k < plan->narrays; k++)
        for (int s = 0; s < SIDES; s++) {
            uintptr_t begin = (uintptr_t)buffer_of(plan, k, (redist_side)s);
            uintptr_t bytes = (uintptr_t)whole_span(plan, k, (redist_side)s);
            if (begin && bytes > 0)
                spans[n++] =
                    (struct buffer_span){begin, begin + bytes, k, (redist_side)s};
        }
    return n;
}

static int by_begin(const void *a, const void *b)
{
    const struct buffer_span *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->side < y->side ? -1 : x->side > y->side;
}

/* Describe two buffers that share memory, as an error. */
static redist_err overlap_error(const redist_plan *plan, const struct buffer_span *x,
                                const struct buffer_span *y)
{
    const struct buffer_span *source = x->side == REDIST_SOURCE ? x : y;
    const struct buffer_span *target = x->side == REDIST_SOURCE ? y : x;
    uintptr_t begin = source->begin > target->begin ? source->begin : target->begin;
    uintptr_t end = source->end < target->end ? source->end : target->end;
    if (source->item != target->item)
        return error_arg("the source of item %d and the target of item %d share %" PRIu64
                         " bytes, must share none",
                         source->item, target->item, (uint64_t)(end - begin));
    if (source->begin != target->begin)
        return in_item(plan, source->item,
                       error_arg("source and target share %" PRIu64
                                 " bytes, must share none",
                                 (uint64_t)(end - begin)));
    return in_item(plan, source->item,
                   error_arg("source and target are one buffer, must be two, or the plan "
                             "be made with options.in_place"));
}

/* Check that bytes written are disjoint from bytes read. */
static redist_err check_apart(redist_plan *plan)
{
    struct buffer_span *spans = plan->spans;
    const struct buffer_span *last[SIDES] = {NULL, NULL}; /* with the greatest end */
    int n = list_spans(plan, spans);
    mem_sort(spans, n, sizeof *spans, by_begin);
    for (int i = 0; i < n; i++) {
        const struct buffer_span *other = last[!spans[i].side];
        const struct buffer_span **own = &last[spans[i].side];
        if (other && other->end > spans[i].begin)
            return overlap_error(plan, &spans[i], other);
        if (!*own || (*own)->end < spans[i].end) *own = &spans[i];
    }
    plan->apart = plan->exchange;
    return REDIST_OK;
}

/* Check that a run of the plan can move a buffer's kind of memory. */
static redist_err check_kind(const redist_plan *plan, const struct memory_kind *kind,
                             const void *buffer, const char *name)
{
    redist_err err = memory_check(kind, buffer);
    if (err) return error_prefix(err, "the %s", name);
    if (kind == memory_host.kind) return REDIST_OK;
    if (plan->move.converts)
        return error_arg(
            "the %s is in %s memory, must be in host memory, as elements are "
            "converted",
            name, kind->name);
    if (plan->host_only)
        return error_arg("the %s is in %s memory, but the plan was made before this "
                         "process had such",
                         name, kind->name);
    if (plan->exchange->host_only)
        return error_arg("%s moves host memory only, but the %s is in %s memory",
                         plan->exchange->name, name, kind->name);
    return REDIST_OK;
}

/* Find the kind of memory that the buffers are in, and whether the exchange can move
 * it. */
static redist_err check_memory(redist_plan *plan)
{
    plan->memory = memory_host;
    module_find();
    for (int k = 0; memory_has_kinds() && k < plan->narrays; k++)
        for (int s = 0; s < SIDES; s++) {
            const void *buffer = buffer_of(plan, k, (redist_side)s);
            const struct memory_kind *kind = memory_of(buffer);
            if (!buffer || !uses(plan, k, (redist_side)s)) continue;
            TRY(in_item(plan, k, check_kind(plan, kind, buffer, side_names[s])));
            if (kind != memory_host.kind) plan->memory.kind = kind;
        }
    return REDIST_OK;
}

static redist_err check(redist_plan *plan)
{
    TRY(check_memory(plan));
    for (int k = 0; k < plan->narrays; k++) {
        TRY(in_item(plan, k, check_presence(plan, k)));
        if (plan->options.in_place) TRY(in_item(plan, k, check_in_place(plan, k)));
    }
    if (plan->options.in_place || plan->team.lent || plan->apart == plan->exchange)
        return REDIST_OK;
    return check_apart(plan);
}

redist_err buffers_open(redist_plan *plan)
{
    plan->move.memory = &memory_host;
    TRY(check(plan));
    TRY(memory_open(&plan->memory, plan->memory.kind, plan->options.stream));
    plan->move.memory = &plan->memory;
    return REDIST_OK;
}

redist_err buffers_close(redist_plan *plan, redist_err err)
{
    if (!err) err = memory_fence(plan->move.memory);
    memory_close(plan->move.memory);
    plan->move.memory = &memory_host;
    return err;
}
