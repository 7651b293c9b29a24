/* SPDX-License-Identifier: MIT
 *
 * Moves of many messages in one launch of a device (move/device/jobs.h) against the
 * host's: random arrays are packed, unpacked, and read from the arrays of all senders.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "device/device_memory.h"
#include "device/late_device.h"
#include "move/device/device.h"
#include "move/message/array.h"
#include "oracle.h"
#include "seed.h"

enum { CASES = 2000, PROCS = 6, MOST = 1 << 18 /* bytes of an array */, TEXT = 256 };
static int cases = CASES; /* or REDIST_TEST_CASES */

static const struct device_memory *device;
static const struct memory_kind *kind; /* of it */
static bool is_late;

/* An array in device memory, and the same bytes in the host's. */
struct twin {
    char *at, *plain;
    size_t bytes;
};

static struct twin make_twin(uint64_t *seed, int64_t bytes)
{
    struct twin twin = {.bytes = (size_t)int_max(bytes, 1)};
    twin.at = device->alloc(twin.bytes);
    twin.plain = malloc(twin.bytes);
    assert_true(twin.at && twin.plain);
    for (size_t k = 0; k < twin.bytes; k++) twin.plain[k] = (char)random_in(seed, 0, 255);
    device->put(twin.at, twin.plain, twin.bytes);
    return twin;
}

static void check_twin(struct twin *twin)
{
    char *is = malloc(twin->bytes);
    assert_non_null(is);
    device->get(is, twin->at, twin->bytes);
    assert_memory_equal(is, twin->plain, twin->bytes);
    free(is);
}

static void free_twin(struct twin *twin)
{
    free(twin->plain);
    device->free(twin->at);
}

/* Draw a view as text: one dimension is spread over all processes. */
static void draw_view(uint64_t *seed, const int64_t extent[], int ndims, int nprocs,
                      char text[TEXT])
{
    int spread = (int)random_in(seed, 0, ndims - 1),
        most = random_in(seed, 0, 1) ? 8 : 99;
    char extents[TEXT] = "", formats[TEXT] = "", grid[TEXT] = "";
    for (int d = 0, e = 0, f = 0, g = 0; d < ndims; d++) {
        bool whole = d != spread && random_in(seed, 0, 1);
        e += snprintf(extents + e, TEXT / 4, d ? ",%ld" : "%ld", (long)extent[d]);
        f += snprintf(formats + f, TEXT / 4, d ? "," : "");
        f += snprintf(formats + f, TEXT / 4, whole ? "*" : "cyclic(%ld)",
                      (long)random_in(seed, 1, most));
        if (!whole)
            g += snprintf(grid + g, TEXT / 4, g ? "x%d" : "%d", d == spread ? nprocs : 1);
    }
    (void)snprintf(text, TEXT, "[%.60s] (%.90s) onto %.20s%s", extents, formats, grid,
                   random_in(seed, 0, 3) ? "" : " order column-major");
}

/* Two views of an array, and the messages of each process. */
struct scene {
    int nprocs, element;
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
    struct array array[PROCS];
};

static void draw_scene(uint64_t *seed, struct scene *scene)
{
    static const int elements[] = {1, 2, 4, 8, 16, 24};
    char text[TEXT];
    int64_t extent[3];
    int ndims = (int)random_in(seed, 1, 3);
    scene->nprocs = (int)random_in(seed, 2, PROCS);
    scene->element = elements[random_in(seed, 0, 5)];
    for (int d = 0; d < ndims; d++)
        extent[d] = random_in(seed, 1, ndims == 1 ? MOST / 24 : ndims == 2 ? 100 : 21);
    for (int s = 0; s < SIDES; s++) {
        draw_view(seed, extent, ndims, scene->nprocs, text);
        ok(redist_view_parse(text, &scene->dist[s], &scene->view[s]));
    }
    const struct sizes sizes = {scene->element, scene->element, 0};
    for (int p = 0; p < scene->nprocs; p++)
        ok(array_make(NULL, scene->view, sizes, p, &scene->array[p]));
}

static void free_scene(struct scene *scene)
{
    for (int p = 0; p < scene->nprocs; p++) array_free(&scene->array[p]);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&scene->dist[s]);
}

static int64_t span_of(const struct scene *scene, int rank, int side)
{
    return scene->array[rank].sides[side].layout.span * scene->element;
}

/* Pack, or unpack, some messages of a process, one after the other in a dense buffer. */
static void pack(const struct scene *scene, int rank, redist_side side, unsigned which,
                 struct memory *memory, char *own, char *dense)
{
    const struct overlap *overlap = &scene->array[rank].overlap[side];
    enum way way = side == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER;
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        struct walk walk;
        struct axis axes[REDIST_MAX_DIMS];
        array_walk(&scene->array[rank], side, &overlap->message[k], way, axes, &walk);
        walk.memory = memory;
        walk_seek(&walk, 0);
        if (which >> k & 1)
            walk_move(&walk, way, side ? dense : own, side ? own : dense, walk.total);
        dense += walk.total * walk.grain;
    }
    assert_int_equal(memory_fence(memory), REDIST_OK);
}

/* Fill a process's target from the arrays of all senders. */
static void pull(const struct scene *scene, int rank, struct memory *memory,
                 char *const sources[], char *target)
{
    const struct array *array = &scene->array[rank];
    const struct overlap *overlap = &array->overlap[REDIST_TARGET];
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        struct walk walk;
        struct axis axes[REDIST_MAX_DIMS];
        int from = overlap->message[k].rank;
        struct memory_side sides[SIDES] = {scene->array[from].sides[REDIST_SOURCE],
                                           array->sides[REDIST_TARGET]};
        walk_make(overlap, &overlap->message[k], sides, array->sizes, WAY_COPY, false,
                  axes, &walk);
        walk.memory = memory;
        walk_seek(&walk, 0);
        walk_move(&walk, WAY_COPY, sources[from], target, walk.total);
    }
    assert_int_equal(memory_fence(memory), REDIST_OK);
}

static void check_packing(uint64_t *seed, const struct scene *scene, redist_side side)
{
    struct memory memory;
    int rank = (int)random_in(seed, 0, scene->nprocs - 1);
    unsigned which = random_in(seed, 0, 1) ? ~0u : (unsigned)random_in(seed, 0, 63);
    struct twin own = make_twin(seed, span_of(scene, rank, (int)side));
    struct twin dense = make_twin(seed, span_of(scene, rank, (int)side));
    ok(memory_open(&memory, kind, NULL));
    pack(scene, rank, side, which, &memory, own.at, dense.at);
    memory_close(&memory);
    pack(scene, rank, side, which, &memory_host, own.plain, dense.plain);
    check_twin(&own);
    check_twin(&dense);
    free_twin(&own);
    free_twin(&dense);
}

static void check_pulling(uint64_t *seed, const struct scene *scene)
{
    struct memory memory;
    struct twin source[PROCS];
    char *at[PROCS], *plain[PROCS];
    int rank = (int)random_in(seed, 0, scene->nprocs - 1);
    for (int p = 0; p < scene->nprocs; p++) {
        source[p] = make_twin(seed, span_of(scene, p, REDIST_SOURCE));
        at[p] = source[p].at;
        plain[p] = source[p].plain;
    }
    struct twin target = make_twin(seed, span_of(scene, rank, REDIST_TARGET));
    ok(memory_open(&memory, kind, NULL));
    pull(scene, rank, &memory, at, target.at);
    memory_close(&memory);
    pull(scene, rank, &memory_host, plain, target.plain);
    check_twin(&target);
    free_twin(&target);
    for (int p = 0; p < scene->nprocs; p++) free_twin(&source[p]);
}

static void messages_are_moved(void **state)
{
    (void)state;
    static struct scene scene; /* large */
    uint64_t seed = seed_or(20261128);
    struct late_device_counts before = late_device_counts();
    for (int k = 0; k < cases; k++) {
        draw_scene(&seed, &scene);
        check_packing(&seed, &scene, REDIST_SOURCE);
        check_packing(&seed, &scene, REDIST_TARGET);
        check_pulling(&seed, &scene);
        free_scene(&scene);
    }
    struct late_device_counts after = late_device_counts();
    if (!is_late) return;
    printf("%ld windows, %ld squares\n", (long)(after.windows - before.windows),
           (long)(after.squares - before.squares));
    assert_true(after.windows - before.windows > cases);
    assert_true(after.squares - before.squares > cases / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_are_moved)};
    const char *few = getenv("REDIST_TEST_CASES");
    if (few) cases = atoi(few);
    device = device_memory_of_test(&kind);
    is_late = strcmp(device->name, "late") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
