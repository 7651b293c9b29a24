/* SPDX-License-Identifier: MIT
 *
 * move/collective/datatype_check.c - check that MPI packs a datatype as the walk does.
 *
 * A message may be too long to be tried when a plan is made. Its sample is the inner axes
 * and, of the next one, as many periods as fit:
 *
 *   axis 0   . . . . . . .      not in the sample
 *   axis 1   [aa b][aa b]..     two periods of it
 *   axis 2   [ccc d ccc d e]    all of it
 */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "move/collective/datatype.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"

enum { SAMPLE = 32 << 10 }; /* bytes that a sample spans */

struct sample {
    struct walk walk; /* its place 0 is the sample's first byte */
    struct axis axis[REDIST_MAX_DIMS];
    struct runs cut; /* of the outermost axis */
    int64_t span;    /* bytes */
};

/* Return the bytes from an axis's first element, which lies at `*first`, to its last. */
static int64_t reach(const struct axis *axis, redist_side s, int64_t *first)
{
    int64_t last = 0;
    (void)axis_bounds(axis, s, first, &last);
    return last - *first;
}

/* Cut an axis to as many periods as the sample has room for. */
static bool cut_axis(struct sample *sample, struct axis *axis, redist_side s)
{
    struct runs *cut = &sample->cut;
    int64_t most = axis->runs->repeats;
    *cut = *axis->runs;
    cut->ntail = 0;
    cut->repeats = 1;
    axis->runs = cut;
    int64_t first = 0, room = SAMPLE - sample->span - reach(axis, s, &first);
    int64_t step = cut->local_period[s] * axis->scale[s];
    if (room < 0) return false;
    if (step > 0) cut->repeats = int_min(1 + room / step, most);
    cut->elements = cut->repeats * cut->period_elements;
    return true;
}

/* Take a sample; false if its bytes are all contiguous. */
static bool take_sample(const struct walk *walk, redist_side s, struct sample *sample)
{
    int k = walk->naxes;
    bool whole = true;
    int64_t first = 0;
    sample->span = walk->inner * walk->grain;
    if (sample->span > SAMPLE) return false;
    for (; k > 0 && whole; k--) {
        struct axis *axis = &sample->axis[k - 1];
        *axis = walk->axis[k - 1];
        axis->at[0] = axis->at[1] = (struct cursor){.e = -1};
        whole = sample->span + reach(axis, s, &first) <= SAMPLE;
        if (!whole && !cut_axis(sample, axis, s)) break;
        sample->span += reach(axis, s, &first);
    }
    if (k == walk->naxes) return false;
    struct walk *part = &sample->walk;
    *part = *walk;
    part->panel = 0; /* a datatype has whole rows */
    part->naxes -= k;
    part->axis = sample->axis + k;
    part->across = walk->across >= k ? walk->across - k : part->naxes - 1;
    part->total = part->inner;
    part->done = part->offset[s] = 0;
    for (int i = 0; i < part->naxes; i++) {
        part->total *= part->axis[i].runs->elements;
        (void)reach(&part->axis[i], s, &first);
        part->offset[s] -= first;
    }
    return true;
}

/* ---- trying ------------------------------------------------------------------------ */

/* Fill memory with values that depend on the address. */
static void fill(unsigned char *memory, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k++)
        memory[k] = (unsigned char)(hash_int(HASH_START, k) >> 8);
}

/* Let MPI and the walk move the sample; each has its own array [span] and message. */
static redist_err move_both(struct sample *sample, MPI_Datatype type, redist_side s,
                            MPI_Comm comm, unsigned char *array[2],
                            unsigned char *message[2], int64_t bytes)
{
    int position = 0;
    struct walk *walk = &sample->walk;
    if (s == REDIST_SOURCE) {
        fill(array[0], sample->span);
        walk_move(walk, WAY_GATHER, array[0], message[0], walk->total);
        return mpi_call(
            MPI_Pack(array[0], 1, type, message[1], (int)bytes, &position, comm));
    }
    fill(message[0], bytes);
    walk_move(walk, WAY_SCATTER, message[0], array[0], walk->total);
    return mpi_call(
        MPI_Unpack(message[0], (int)bytes, &position, array[1], 1, type, comm));
}

static redist_err try_sample(struct sample *sample, redist_side s, MPI_Comm comm)
{
    struct datatype datatype;
    int64_t bytes = sample->walk.total * sample->walk.grain;
    TRY(datatype_make(&sample->walk, s, &datatype));
    unsigned char *memory = mem_alloc(NULL, 2 * (sample->span + bytes), 1);
    redist_err err = memory ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) {
        unsigned char *array[2] = {memory, memory + sample->span};
        unsigned char *message[2] = {array[1] + sample->span,
                                     array[1] + sample->span + bytes};
        err = move_both(sample, datatype.type, s, comm, array, message, bytes);
        bool same = s == REDIST_SOURCE
                        ? memcmp(message[0], message[1], (size_t)bytes) == 0
                        : memcmp(array[0], array[1], (size_t)sample->span) == 0;
        if (!err && !same)
            err = error_set(REDIST_ERR_MPI,
                            "alltoallw: this MPI %s a sample of %" PRId64
                            " bytes of a message wrongly",
                            s == REDIST_SOURCE ? "packs" : "unpacks", bytes);
    }
    mem_free(memory);
    datatype_free(&datatype);
    return err;
}

redist_err datatype_check(const struct datatype *datatype, const struct walk *walk,
                          redist_side s, MPI_Comm comm)
{
    MPI_Count size = 0, first = 0, extent = 0;
    int64_t grain = walk->grain, place = 0;
    int64_t from = walk->offset[s], span = walk->inner * grain;
    for (int k = 0; k < walk->naxes; k++) {
        span += reach(&walk->axis[k], s, &place);
        from += place;
    }
    TRY(mpi_call(MPI_Type_size_x(datatype->type, &size)));
    TRY(mpi_call(MPI_Type_get_true_extent_x(datatype->type, &first, &extent)));
    if (size != walk->total * grain || first != from || extent != span)
        return error_set(REDIST_ERR_MPI,
                         "alltoallw: to this MPI a message of %" PRId64
                         " bytes at %" PRId64 " to %" PRId64
                         " of the array is one of %lld bytes at %lld to %lld",
                         walk->total * grain, from, from + span, (long long)size,
                         (long long)first, (long long)(first + extent));
    struct sample sample;
    return take_sample(walk, s, &sample) ? try_sample(&sample, s, comm) : REDIST_OK;
}
