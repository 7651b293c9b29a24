/* SPDX-License-Identifier: MIT */
#include "move/collective/datatype.h"

#include <limits.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"

/* The greatest count passed to MPI: larger ones are nested. */
static const int64_t MOST = 1 << 30;

/* The most datatypes at a time: MPICH 4.0 packs some of those after the 512th wrongly.
 * The number of the program's datatypes is unknown, so half are left to it. */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 &&                         \
    MPICH_NUMVERSION < 40100000
static const int64_t MOST_LIVE = 256;
#else
static const int64_t MOST_LIVE = INT64_MAX;
#endif

static _Atomic int64_t live;

/* `n` elements of a type, one after the other. */
struct items {
    MPI_Datatype type;
    int64_t n;
};

/* All datatypes made on the way. They are freed in the end; MPI keeps those that others
 * use. */
struct builder {
    MPI_Datatype *made;
    int64_t n, room;
};

/* ---- one datatype ------------------------------------------------------------------ */

/* Register a datatype that `call` has made; *items is one of it. */
static redist_err take(struct builder *builder, int code, const char *call,
                       MPI_Datatype type, struct items *items)
{
    TRY(mpi_check(code, call));
    redist_err err =
        mem_append(NULL, &builder->made, &builder->n, &builder->room, &type, sizeof type);
    *items = (struct items){type, 1};
    if (err) (void)MPI_Type_free(&type);
    return err;
}

static redist_err vector(struct builder *builder, int64_t count, int64_t stride,
                         struct items *items)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int code = MPI_Type_create_hvector((int)count, (int)items->n, (MPI_Aint)stride,
                                       items->type, &type);
    return take(builder, code, "MPI_Type_create_hvector", type, items);
}

static redist_err contiguous(struct builder *builder, struct items *items)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int code = MPI_Type_contiguous((int)items->n, items->type, &type);
    return take(builder, code, "MPI_Type_contiguous", type, items);
}

/* Make a list of parts [n], each of at most MOST items, at their places; *items may be
 * one of them. */
static redist_err list_parts(struct builder *builder, int64_t n,
                             const struct items parts[], const MPI_Aint places[],
                             struct items *items)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int *lengths = mem_alloc(NULL, n, sizeof *lengths);
    MPI_Datatype *types = mem_alloc(NULL, n, sizeof(MPI_Datatype));
    bool alike = true;
    redist_err err = lengths && types ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t k = 0; !err && k < n; k++) {
        lengths[k] = (int)parts[k].n;
        types[k] = parts[k].type;
        alike = alike && types[k] == parts[0].type;
    }
    if (!err && alike) {
        int code =
            MPI_Type_create_hindexed((int)n, lengths, places, parts[0].type, &type);
        err = take(builder, code, "MPI_Type_create_hindexed", type, items);
    } else if (!err) {
        int code = MPI_Type_create_struct((int)n, lengths, places, types, &type);
        err = take(builder, code, "MPI_Type_create_struct", type, items);
    }
    mem_free(lengths);
    mem_free(types);
    return err;
}

/* As list_parts; a single part already in place is returned itself. */
static redist_err join(struct builder *builder, int64_t n, const struct items parts[],
                       const MPI_Aint places[], struct items *items)
{
    if (n > 1 || places[0] != 0) return list_parts(builder, n, parts, places, items);
    *items = parts[0];
    return REDIST_OK;
}

/* ---- nests ------------------------------------------------------------------------- */

static redist_err repeat(struct builder *builder, int64_t count, int64_t stride,
                         struct items *items);

/* Make long items fit into MPI's count. `extent` is that of their type. */
static redist_err shorten(struct builder *builder, int64_t extent, struct items *items)
{
    if (items->n <= MOST) return REDIST_OK;
    struct items parts[2] = {{items->type, MOST}, {items->type, items->n % MOST}};
    int64_t whole = items->n / MOST;
    const MPI_Aint places[2] = {0, (MPI_Aint)(whole * MOST * extent)};
    TRY(contiguous(builder, &parts[0]));
    TRY(repeat(builder, whole, MOST * extent, &parts[0]));
    return join(builder, parts[1].n > 0 ? 2 : 1, parts, places, items);
}

/* Repeat items of at most MOST elements. */
static redist_err repeat(struct builder *builder, int64_t count, int64_t stride,
                         struct items *items)
{
    if (count == 1) return REDIST_OK;
    if (items->type == MPI_BYTE && items->n == stride && stride <= MOST / count) {
        items->n *= count;
        return REDIST_OK;
    }
    if (count <= MOST) return vector(builder, count, stride, items);
    struct items parts[2] = {*items, *items};
    int64_t whole = count / MOST, rest = count % MOST;
    const MPI_Aint places[2] = {0, (MPI_Aint)(whole * MOST * stride)};
    TRY(vector(builder, MOST, stride, &parts[0]));
    TRY(repeat(builder, whole, MOST * stride, &parts[0]));
    if (rest > 0) TRY(repeat(builder, rest, stride, &parts[1]));
    return join(builder, rest > 0 ? 2 : 1, parts, places, items);
}

/* Make `items` one element of an axis: a type of extent `unit`, or as many bytes. */
static redist_err make_element(struct builder *builder, const struct axis *axis,
                               redist_side s, struct items *items)
{
    const struct runs *runs = axis->runs;
    int64_t longest = 1;
    for (int64_t j = 0; j < runs->nperiod + runs->ntail; j++)
        longest = int_max(longest, runs->run[j].length);
    if (longest == 1 || (items->type == MPI_BYTE && items->n == axis->unit[s]))
        return REDIST_OK;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (items->n > 1) TRY(contiguous(builder, items));
    int code = MPI_Type_create_resized(items->type, 0, (MPI_Aint)axis->unit[s], &type);
    return take(builder, code, "MPI_Type_create_resized", type, items);
}

/* One progression of an axis, its first run at place 0. */
static redist_err make_run(struct builder *builder, const struct axis *axis,
                           const struct run *run, redist_side s, struct items element,
                           struct items *items)
{
    int64_t extent = element.type == MPI_BYTE ? 1 : axis->unit[s];
    *items = (struct items){element.type, element.n * run->length};
    TRY(shorten(builder, extent, items));
    return repeat(builder, run->count, run->local_step[s] * axis->scale[s], items);
}

/* List all of an axis from place `base` on, instead of one of its elements: a period,
 * repeated, and the rest after the last one. */
static redist_err list_axis(struct builder *builder, const struct axis *axis,
                            redist_side s, int64_t base, struct items parts[],
                            MPI_Aint places[], struct items *items)
{
    const struct runs *runs = axis->runs;
    int64_t n = runs->nperiod + runs->ntail, first = 0;
    struct items element = *items;
    TRY(make_element(builder, axis, s, &element));
    for (int64_t j = 0; j < n; j++) {
        places[j] = (MPI_Aint)(base + runs->run[j].local[s] * axis->scale[s]);
        TRY(make_run(builder, axis, &runs->run[j], s, element, &parts[j]));
    }
    if (runs->repeats > 1) {
        first = runs->nperiod - 1;
        TRY(join(builder, runs->nperiod, parts, places, &parts[first]));
        TRY(repeat(builder, runs->repeats, runs->local_period[s] * axis->scale[s],
                   &parts[first]));
        places[first] = 0;
    }
    return join(builder, n - first, parts + first, places + first, items);
}

static redist_err make_axis(struct builder *builder, const struct axis *axis,
                            redist_side s, int64_t base, struct items *items)
{
    int64_t n = axis->runs->nperiod + axis->runs->ntail;
    struct items *parts = mem_alloc(NULL, n, sizeof *parts);
    MPI_Aint *places = mem_alloc(NULL, n, sizeof *places);
    redist_err err = REDIST_ERR_MEMORY;
    if (parts && places) err = list_axis(builder, axis, s, base, parts, places, items);
    mem_free(parts);
    mem_free(places);
    return err;
}

static redist_err make_all(struct builder *builder, const struct walk *walk,
                           redist_side s, struct items *items)
{
    *items = (struct items){MPI_BYTE, walk->inner * walk->grain};
    TRY(shorten(builder, 1, items));
    for (int k = walk->naxes - 1; k >= 0; k--)
        TRY(make_axis(builder, &walk->axis[k], s, k == 0 ? walk->offset[s] : 0, items));
    if (builder->n == 0 || items->n > 1) TRY(contiguous(builder, items));
    return mpi_call(MPI_Type_commit(&items->type));
}

/* Add the parts of a datatype to those in use. */
static redist_err claim(int64_t parts)
{
    int64_t others = atomic_fetch_add(&live, parts);
    if (others + parts <= MOST_LIVE) return REDIST_OK;
    (void)atomic_fetch_sub(&live, parts);
    return error_arg("alltoallw: %" PRId64 " datatypes live and a message needs %" PRId64
                     ", of more than %" PRId64 " this MPI may pack wrongly",
                     others, parts, MOST_LIVE);
}

redist_err datatype_make(const struct walk *walk, redist_side s,
                         struct datatype *datatype)
{
    struct builder builder = {0};
    struct items items = {MPI_DATATYPE_NULL, 1};
    redist_err err = make_all(&builder, walk, s, &items);
    if (!err) err = claim(builder.n);
    for (int64_t k = 0; k < builder.n; k++)
        if (err || builder.made[k] != items.type) (void)MPI_Type_free(&builder.made[k]);
    *datatype = (struct datatype){items.type, err ? 0 : builder.n};
    mem_free(builder.made);
    return err;
}

void datatype_free(struct datatype *datatype)
{
    if (datatype->parts == 0) return;
    (void)MPI_Type_free(&datatype->type);
    (void)atomic_fetch_sub(&live, datatype->parts);
    datatype->parts = 0;
}
