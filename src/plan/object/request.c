/* SPDX-License-Identifier: MIT */
#include "plan/object/request.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "move/arith/reduce.h"
#include "move/mpi/check.h"
#include "plan/comm/number.h"
#include "schedule/problem/topology.h"

static const char *const side_name[SIDES] = {"source", "target"};

redist_err request_element_size(MPI_Datatype type, int64_t *bytes)
{
    if (type == MPI_DATATYPE_NULL) return error_arg("type is MPI_DATATYPE_NULL");
    MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    TRY(mpi_call(MPI_Type_size_x(type, &size)));
    TRY(mpi_call(MPI_Type_get_extent_x(type, &lower, &extent)));
    TRY(mpi_call(MPI_Type_get_true_extent_x(type, &true_lower, &true_extent)));
    bool dense = lower == 0 && true_lower == 0 && extent == size && true_extent == size;
    if (!dense && number_reducible(type).kind == REDUCIBLE_PAIR)
        size = extent; /* the gap between its two numbers is moved, too */
    else if (size < 1 || !dense)
        return error_arg(
            "type has %lld bytes in an extent of %lld, must be contiguous bytes",
            (long long)size, (long long)extent);
    *bytes = size;
    return REDIST_OK;
}

static redist_err check_ranks(const struct team *team, const redist_view *view, int side)
{
    int most = grid_max_rank(view->dist->grid);
    if (most < team->size[side]) return REDIST_OK;
    return error_arg("%s: the grid has rank %d, the communicator only 0 to %d",
                     side_name[side], most, team->size[side] - 1);
}

const char *const digest_name[DIGESTS] = {
    "number of items",
    "source",
    "target",
    "extent",
    "element size",
    "op, reduction, scaled, checked or kind of number",
    "strategy, staging_bytes, in_place or topology"};

redist_err request_in_item(const struct request *request, int number, redist_err err)
{
    return err && request->nitems > 1 ? error_prefix(err, "item %d", number) : err;
}

/* Find the size of an item's elements, in the target and in messages. A piece of a
 * message has one element at least. */
static redist_err check_type(redist_plan *plan, MPI_Datatype type, MPI_Datatype source,
                             struct sizes *sizes)
{
    int64_t *element = &sizes->element;
    TRY(request_element_size(type, element));
    if (*element > TRANSFER_PIECE)
        return error_arg("type has %" PRId64 " bytes, must have at most %" PRId64,
                         *element, (int64_t)TRANSFER_PIECE);
    if (source != MPI_DATATYPE_NULL) {
        sizes->target = *element;
        redist_err err = request_element_size(source, element);
        if (err) return error_prefix(err, "options: source_type");
    }
    plan->move.grain = int_gcd(plan->move.grain, *element);
    plan->element = int_max(plan->element, *element);
    return REDIST_OK;
}

/* Check that the reduction is defined for an item's type, and that it is the type of item
 * 0. */
static redist_err check_reducible(redist_plan *plan, const struct request *request, int k)
{
    const redist_reduction onto = request->onto;
    const redist_reduction reduction = onto ? onto : plan->options.reduction;
    MPI_Datatype type = request->items[k].type;
    const struct reducible reducible = number_reducible(type);
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (!reduction) return REDIST_OK;
    TRY(mpi_call(MPI_Type_get_name(type, name, &length)));
    TRY(reduce_check(reduction, &reducible, *name ? name : "such a type"));
    const struct reducible *first = &plan->reducible;
    if (k > 0 && (first->kind != reducible.kind || first->bytes != reducible.bytes ||
                  first->which != reducible.which))
        return error_arg("type is another than item 0 has, must be one "
                         "for all, as there is a reduction to do");
    plan->reducible = reducible;
    plan->onto = onto;
    return REDIST_OK;
}

/* Find the kind of number of an item's elements, if there is arithmetic. A real number is
 * its own conjugate. */
static redist_err check_number(redist_plan *plan, const struct request *request, int k)
{
    MPI_Datatype type = request->items[k].type;
    enum number number = NUMBER_NONE;
    bool conjugates = options_conjugate(&plan->options);
    if (!plan->options.scaled && !conjugates) return REDIST_OK;
    TRY(number_find(type, &number));
    if (!plan->options.scaled && !number_is_complex(number)) number = NUMBER_NONE;
    if (k > 0 && plan->number != number)
        return error_arg("type is another number than item 0 has, must "
                         "be one for all, as there is arithmetic to do");
    plan->number = number;
    return REDIST_OK;
}

/* What stands against a conversion; NULL: nothing. */
static const char *find_hindrance(const redist_options *options)
{
    return options->in_place            ? "in_place"
           : options->scaled            ? "scaled"
           : options_conjugate(options) ? "a conjugating op"
           : options->reduction         ? "a reduction"
                                        : NULL;
}

/* Find how numbers are converted. ARG. */
static redist_err find_conversion(redist_plan *plan, const struct format *source,
                                  const struct format *target)
{
    const char *hindrance = find_hindrance(&plan->options);
    if (!source->kind || !target->kind)
        return error_arg(
            "%s is no number that can be converted, must be an integer, real "
            "or complex number of MPI's or of redist_type_create, as "
            "options.source_type is another type",
            source->kind ? "type" : "options.source_type");
    if (hindrance)
        return error_arg("options: source_type is another number than type, must be the "
                         "same or MPI_DATATYPE_NULL with %s",
                         hindrance);
    (void)convert_make(source, target, plan->options.checked, &plan->convert);
    plan->convert.note = lost_note;
    plan->convert.context = &plan->first_lost;
    plan->first_lost = (struct lost){.move = &plan->move, .convert = &plan->convert};
    plan->move.converts = true;
    return REDIST_OK;
}

/* Find whether an item's numbers are converted, as those of item 0 are. Formats count in
 * the digest if they are, and those of which MPI has no type. */
static redist_err check_conversion(redist_plan *plan, const struct request *request,
                                   int k, int64_t *digest)
{
    const MPI_Datatype from = plan->options.source_type, type = request->items[k].type;
    const struct format source = number_format(from), target = number_format(type);
    const bool converts = from != MPI_DATATYPE_NULL && from != type &&
                          (!source.kind || format_code(&source) != format_code(&target));
    const struct format first = plan->convert.format[REDIST_TARGET]; /* if k > 0 */
    const bool all_alike = converts == plan->move.converts &&
                           (!converts || format_code(&first) == format_code(&target));
    if (!converts) plan->array[k].sizes.target = 0;
    if (k > 0 && !all_alike)
        return error_arg("type is another number than item 0 has, must "
                         "be one for all, as they are converted");
    if (k == 0 && converts) TRY(find_conversion(plan, &source, &target));
    if (converts || number_type_of(&target) == MPI_DATATYPE_NULL)
        *digest = (int64_t)hash_int((uint64_t)*digest, format_code(&target));
    if (converts) *digest = (int64_t)hash_int((uint64_t)*digest, format_code(&source));
    return REDIST_OK;
}

const redist_view *request_source(const redist_plan *plan, const redist_item *item,
                                  redist_view *copy)
{
    const redist_view *source = item->source;
    if (!options_transpose(&plan->options) || !source || !source->dist) return source;
    int n = source->dist->ndims;
    *copy = *source;
    for (int j = 0; j < n; j++) copy->axes[j] = source->axes[n - 1 - j];
    return copy;
}

/* Add the bytes of an item, with all copies: so every sum of bytes fits, too. */
static redist_err add_bytes(const struct sizes *sizes, const redist_view *const views[],
                            int64_t *all)
{
    int64_t copies = int_max(views[REDIST_SOURCE]->dist->nreplicas,
                             views[REDIST_TARGET]->dist->nreplicas);
    int64_t elements = view_elements(views[REDIST_TARGET]) * copies, bytes = 0;
    int64_t element = int_max(sizes->element, sizes->target);
    if (int_mul(elements, element, &bytes) && int_add(*all, bytes, all)) return REDIST_OK;
    return error_arg("the section has %" PRId64 " elements of %" PRId64
                     " bytes in all copies, more than 2^63 - 1 bytes with all items "
                     "before it",
                     elements, element);
}

/* Check the views of item k, and add them to the digests if these are compared. */
static redist_err check_views(const redist_plan *plan, const redist_item items[], int k,
                              bool compared, int64_t digests[DIGESTS], int64_t *bytes)
{
    redist_view copy;
    const redist_view *views[SIDES] = {request_source(plan, &items[k], &copy),
                                       items[k].target};
    TRY(overlap_check(views[REDIST_SOURCE], views[REDIST_TARGET]));
    TRY(add_bytes(&plan->array[k].sizes, views, bytes));
    for (int s = 0; s < SIDES; s++) {
        int64_t *digest = &digests[s == REDIST_SOURCE ? SOURCES : TARGETS];
        TRY(check_ranks(&plan->team, views[s], s));
        if (!compared) continue;
        *digest = (int64_t)hash_int((uint64_t)*digest, (int64_t)view_hash(views[s]));
    }
    return REDIST_OK;
}

/* A reduction needs the same replicas for all sources. */
static redist_err check_replicas(const redist_plan *plan, const redist_item items[],
                                 int k)
{
    int64_t n = items[k].source->dist->nreplicas, first = request_replicas(items);
    if (!plan->options.reduction || n == first) return REDIST_OK;
    return error_arg("the source's grid replicates %" PRId64
                     " times, must as that of item 0, %" PRId64
                     " times, as there is a reduction to do",
                     n, first);
}

static redist_err check_partial(const redist_plan *plan)
{
    const struct strategy *strategy = &plan->strategy;
    const struct exchange *exchange = strategy->exchange;
    if (!strategy->schedule && !(exchange && exchange->needs_dists)) return REDIST_OK;
    return error_arg("strategy is \"%s\" (%s), must follow no schedule and need no list "
                     "of all processes, as none has one",
                     strategy->text, plan->origin);
}

static redist_err check_topology(const redist_plan *plan)
{
    const struct team *team = &plan->team;
    const redist_topology *topology = plan->options.topology;
    if (!topology) return REDIST_OK;
    if (team->size[REDIST_SOURCE] < team->nranks)
        return error_arg("options: topology must be NULL over an intercommunicator");
    if (topology->nprocs == team->nranks) return REDIST_OK;
    return error_arg("options: topology is of %d processes, must be of the "
                     "communicator's %d",
                     topology->nprocs, team->nranks);
}

/* A single-use plan has no choice of strategy. */
static redist_err check_options(redist_plan *plan, const struct request *request)
{
    const redist_options *options = request->options;
    TRY(options_take(options, (size_t)plan->element, &plan->options));
    if (plan->options.in_place)
        strategy_in_place(&plan->strategy, &plan->origin);
    else if (!request->single_use)
        TRY(strategy_take(plan->options.strategy, !request->untold, &plan->strategy,
                          &plan->origin));
    plan->options.strategy = plan->strategy.text;
    return check_topology(plan);
}

redist_err request_check(redist_plan *plan, const struct request *request,
                         int64_t digests[DIGESTS])
{
    const redist_item *items = request->items;
    const MPI_Datatype source = options_source_type(request->options);
    const bool compared = !request->partial && !request->lent;
    int64_t formats = 0, bytes = 0;
    redist_err err = REDIST_OK;
    for (int k = 0; k < plan->narrays; k++) {
        struct sizes *sizes = &plan->array[k].sizes;
        TRY(request_in_item(request, k, check_type(plan, items[k].type, source, sizes)));
        digests[ELEMENTS] =
            (int64_t)hash_int((uint64_t)digests[ELEMENTS], sizes->element);
    }
    TRY(check_options(plan, request));
    if (request->indexed && plan->options.in_place)
        return error_arg("options: in_place is set, must be 0 with index lists");
    if (request->partial) TRY(check_partial(plan));
    for (int k = 0; k < plan->narrays; k++) {
        TRY(request_in_item(request, k, check_number(plan, request, k)));
        TRY(request_in_item(request, k, check_reducible(plan, request, k)));
        TRY(request_in_item(request, k, check_conversion(plan, request, k, &formats)));
        if (request->indexed) continue;
        err = check_views(plan, items, k, compared, digests, &bytes);
        if (!err) err = check_replicas(plan, items, k);
        TRY(request_in_item(request, k, err));
    }
    if (request->lent) return REDIST_OK; /* nobody compares them */
    digests[ITEMS] = request->nitems;
    if (request->indexed) digests[EXTENT] = request->indexed->extent;
    digests[OPERATION] = (int64_t)plan->options.op;
    digests[OPERATION] = digests[OPERATION] * 2 + (plan->options.scaled != 0);
    digests[OPERATION] = digests[OPERATION] * NUMBERS + (int64_t)plan->number;
    digests[OPERATION] = digests[OPERATION] * REDUCTIONS + plan->options.reduction;
    digests[OPERATION] = digests[OPERATION] * REDUCIBLE_KINDS + (int)plan->reducible.kind;
    digests[OPERATION] = digests[OPERATION] * 16 + plan->reducible.which;
    digests[OPERATION] = digests[OPERATION] * 2 + (plan->options.checked != 0);
    digests[OPERATION] = (int64_t)hash_int((uint64_t)digests[OPERATION], formats);
    digests[OPTIONS] = options_hash(&plan->options);
    return REDIST_OK;
}
