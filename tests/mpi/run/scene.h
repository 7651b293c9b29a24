/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/run/scene.h - all collective operations that make something, as a table: what
 * they need, the call, a run of the plan with a check of each element, and the end. For
 * programs that repeat them and count what is left.
 */
#ifndef REDIST_TESTS_SCENE_H
#define REDIST_TESTS_SCENE_H

#include <dirent.h>

#include "mpi/pair.h"
#include "mpi/views/groups.h"
#include "plan/balance/balance.h"

enum { MOST_ARRAYS = 3, MOST_COUNT = 8 };

/* What the communicator is: the world; a duplicate that nobody has used; an
 * intercommunicator of its even and its odd ranks. */
enum where { WORLD, FRESH, GROUPS };

struct scene;
typedef redist_err operation_call(struct scene *scene);

struct operation {
    const char *name;
    operation_call *call;
    const char *texts[2]; /* of the pair, see pair_of_world */
    const char *strategy;
    int arrays; /* of the same pair; 0: one */
    enum where where;
    redist_reduction reduction;
    bool scaled, in_place, tuned /* the plan exists before the call */, local;
    int least;         /* processes */
    int node;          /* processes of a node; 0: as they are */
    const char *links; /* the network, with the number of processes */
    int64_t bytes;     /* for redist_alloc */
    int listed;        /* for balance_create; < 0: elements of different sizes */
    redist_balance_method method;
};

struct scene {
    const struct operation *operation;
    const char *strategy; /* of the plan */
    MPI_Comm comm;
    struct groups groups;
    int rank[2]; /* of the caller among the source's and the target's ranks, or NOBODY */
    struct pair pair;
    redist_topology *topology;
    redist_options options;
    int64_t *source, *target[MOST_ARRAYS];
    int64_t share[2]; /* of a balance */
    redist_plan *plan;
    void *memory;
    redist_topology *made;
    redist_dist *dist;
};

static inline int scene_arrays(const struct scene *scene)
{
    return scene->operation->arrays ? scene->operation->arrays : 1;
}

/* ---- the calls --------------------------------------------------------------------- */

static inline redist_err create(struct scene *scene)
{
    redist_item items[MOST_ARRAYS];
    for (int k = 0; k < scene_arrays(scene); k++)
        items[k] = (redist_item){MPI_INT64_T, &scene->pair.view[0], &scene->pair.view[1]};
    return redist_plan_create_batch(scene->comm, scene_arrays(scene), items,
                                    &scene->options, &scene->plan);
}

/* The same by lists of the indices that the buffers hold; of a target list without those
 * that are outside of the section. */
static inline redist_err create_indexed(struct scene *scene)
{
    enum { MOST = 256 };
    int64_t list[2][MOST];
    redist_indices indices[2];
    for (int s = 0; s < 2; s++) {
        int64_t n = pair_span(&scene->pair, (redist_side)s, scene->rank[s]);
        CHECK(n <= MOST, "%" PRId64 " indices", n);
        int64_t *number = NULL;
        if (n > 0) number = pair_numbers(&scene->pair.view[s], scene->rank[s]);
        for (int64_t e = 0; e < n; e++) list[s][e] = number[e];
        free(number);
        indices[s] = redist_indices_of_list(n, list[s]);
    }
    return redist_plan_create_indexed(
        scene->comm, MPI_INT64_T, redist_dist_extent(scene->pair.dist[0], 0), &indices[0],
        &indices[1], &scene->options, &scene->plan);
}

static inline int64_t balance_count(int rank) { return rank == 0 ? MOST_COUNT : 1; }

static inline redist_err balance(struct scene *scene)
{
    static const int64_t sizes[MOST_COUNT] = {2, 0, 3, 1, 1, 4, 2, 2};
    const struct operation *operation = scene->operation;
    const struct balance balance = {.comm = scene->comm,
                                    .type = MPI_INT64_T,
                                    .method = operation->method,
                                    .count = balance_count(world_rank()),
                                    .weight = 1,
                                    .sizes = sizes,
                                    .options = &scene->options};
    return operation->listed < 0
               ? redist_balance_create_sized(
                     balance.comm, balance.count, sizes, MPI_INT64_T, balance.method, 1,
                     balance.options, &scene->plan, &scene->share[0], &scene->share[1])
               : balance_create(&balance, operation->listed, &scene->plan,
                                &scene->share[0]);
}

static inline redist_err tune(struct scene *scene)
{
    return redist_plan_tune(scene->plan, scene->source, scene->target[0]);
}

static inline redist_err alloc(struct scene *scene)
{
    return redist_alloc(scene->comm, (size_t)scene->operation->bytes, &scene->memory);
}

static inline redist_err alloc_view(struct scene *scene)
{
    return redist_alloc_view(scene->comm, MPI_INT64_T, &scene->pair.view[0],
                             &scene->memory);
}

static inline redist_err topology_of_nodes(struct scene *scene)
{
    return redist_topology_create_nodes(scene->comm, 1, &scene->made);
}

/* ---- those of one process, which all call ------------------------------------------ */

static inline redist_err topology_of_text(struct scene *scene)
{
    return redist_topology_parse(scene->operation->links, world_size(), &scene->made);
}

static inline redist_err darray(struct scene *scene)
{
    redist_view view;
    const int extents[] = {40, 6}, shape[] = {world_size(), 1}, args[] = {3, 1};
    const int kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    return redist_view_from_darray(2, extents, kinds, args, shape, MPI_ORDER_C,
                                   &scene->dist, &view);
}

static inline redist_err relabel(struct scene *scene)
{
    return redist_relabel(&scene->pair.view[0], &scene->pair.view[1], NULL, 100,
                          &scene->dist, NULL);
}

/* ---- before and after -------------------------------------------------------------- */

static inline bool scene_is_balance(const struct scene *scene)
{
    return scene->operation->call == balance;
}

static inline int64_t *balance_buffer(int64_t room)
{
    int64_t *buffer = calloc((size_t)room, sizeof *buffer);
    for (int64_t e = 0; e < room; e++) buffer[e] = 1;
    return buffer;
}

static inline void make_buffers(struct scene *scene)
{
    const struct pair *pair = &scene->pair;
    int64_t span[2] = {0};
    if (scene_is_balance(scene)) return;
    for (int s = 0; s < 2; s++) span[s] = pair_span(pair, (redist_side)s, scene->rank[s]);
    scene->source = pair_buffer(pair, REDIST_SOURCE, scene->rank[0]);
    for (int k = 0; k < scene_arrays(scene); k++)
        scene->target[k] = pair_buffer(pair, REDIST_TARGET, scene->rank[1]);
    if (scene->operation->in_place && span[1] > span[0])
        scene->source = realloc(scene->source, (size_t)span[1] * sizeof *scene->source);
}

/* Set the size of nodes: the environment of the library, which it reads whenever it looks
 * for them. */
static inline void set_node(int size)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", size);
    if (size > 0)
        setenv("REDIST_NODE_SIZE", text, 1);
    else
        unsetenv("REDIST_NODE_SIZE");
}

static inline void find_comm(struct scene *scene)
{
    int number[1024], n = world_size(), rank = world_rank();
    scene->comm = MPI_COMM_WORLD;
    scene->rank[0] = scene->rank[1] = rank;
    if (scene->operation->where == FRESH) PMPI_Comm_dup(MPI_COMM_WORLD, &scene->comm);
    if (scene->operation->where != GROUPS) return;
    CHECK(n <= 1024, "%d processes", n);
    for (int k = 0; k < n; k++) number[k] = k % 2;
    scene->groups = make_groups(number);
    scene->comm = scene->groups.inter;
    scene->options.side = (redist_side)(rank % 2);
    scene->rank[rank % 2] = rank / 2;
    scene->rank[!(rank % 2)] = NOBODY;
}

/* Get ready for a call. */
static inline struct scene scene_begin(const struct operation *operation,
                                       const char *strategy)
{
    struct scene scene = {
        .operation = operation, .strategy = strategy, .options = REDIST_OPTIONS_INIT};
    char network[64];
    set_node(operation->node);
    scene.options.strategy = strategy;
    scene.options.reduction = operation->reduction;
    scene.options.scaled = operation->scaled;
    scene.options.in_place = operation->in_place;
    find_comm(&scene);
    if (operation->texts[0]) {
        scene.pair = pair_of_world(operation->texts);
        make_buffers(&scene);
    }
    if (operation->links && !operation->local) {
        (void)snprintf(network, sizeof network, operation->links, world_size());
        CHECK_OK(redist_topology_parse(network, world_size(), &scene.topology));
        scene.options.topology = scene.topology;
    }
    if (operation->tuned) {
        CHECK_OK(create(&scene));
        pair_free(&scene.pair); /* the plan has what it needs of it */
        scene.pair = pair_of_world(operation->texts);
    }
    return scene;
}

/* Run a balance. Its elements are ones: as many as there are must come. */
static inline void run_balance(struct scene *scene)
{
    bool sized = scene->operation->listed < 0;
    int64_t room = 2 * (int64_t)MOST_COUNT + scene->share[0] + scene->share[1];
    int64_t *source = balance_buffer(room),
            *target = calloc((size_t)room, sizeof *target);
    int64_t sizes[MOST_COUNT] = {2, 0, 3, 1, 1, 4, 2, 2}, sum = 0, all = 0;
    const void *sources[] = {sized ? sizes : source, source};
    int64_t *counts = calloc((size_t)room, sizeof *counts);
    void *targets[] = {sized ? counts : target, target};
    CHECK_OK(redist_execute_batch(scene->plan, sources, targets));
    for (int64_t e = 0; e < room; e++) sum += target[e];
    CHECK(sum == scene->share[sized], "%" PRId64 " of %" PRId64 " elements", sum,
          scene->share[sized]);
    PMPI_Allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int64_t n = world_size();
    CHECK(all == (sized ? 15 + (n - 1) * 2 : MOST_COUNT + n - 1), "%" PRId64 " in all",
          all);
    free(source);
    free(target);
    free(counts);
}

/* Give the buffers the elements that they have before a run. */
static inline void fill_buffers(const struct scene *scene)
{
    const struct pair *pair = &scene->pair;
    int64_t span = pair_span(pair, REDIST_SOURCE, scene->rank[0]);
    if (scene->operation->in_place) {
        int64_t *number = pair_buffer(pair, REDIST_SOURCE, scene->rank[0]);
        for (int64_t e = 0; e < span; e++) scene->source[e] = number[e];
        free(number);
    }
    span = pair_span(pair, REDIST_TARGET, scene->rank[1]);
    for (int k = 0; k < scene_arrays(scene); k++)
        for (int64_t e = 0; e < span; e++) scene->target[k][e] = -1;
}

/* Run the plan and check each element that has come. */
static inline void scene_run(struct scene *scene)
{
    const struct operation *operation = scene->operation;
    const int64_t one = 1, none = 0;
    const void *sources[MOST_ARRAYS];
    void *targets[MOST_ARRAYS];
    if (scene_is_balance(scene)) {
        run_balance(scene);
        return;
    }
    fill_buffers(scene);
    for (int k = 0; k < scene_arrays(scene); k++) {
        sources[k] = scene->source;
        targets[k] = operation->in_place ? scene->source : scene->target[k];
    }
    CHECK_OK(operation->scaled
                 ? redist_execute_batch_scaled(scene->plan, &one, sources, &none, targets)
                 : redist_execute_batch(scene->plan, sources, targets));
    for (int k = 0; k < scene_arrays(scene); k++)
        pair_check(&scene->pair, scene->rank[1], targets[k]);
}

/* What of the process is open in the system. */
static inline int open_files(void)
{
    int n = 0;
    DIR *files = opendir("/proc/self/fd");
    while (files && readdir(files)) n++;
    if (files) (void)closedir(files);
    return n;
}

/* Free what was made, and all that it needed. */
static inline void scene_end(struct scene *scene)
{
    CHECK_OK(redist_plan_destroy(&scene->plan));
    CHECK_OK(redist_free(scene->memory));
    redist_topology_destroy(&scene->made);
    redist_topology_destroy(&scene->topology);
    redist_dist_destroy(&scene->dist);
    free(scene->source);
    for (int k = 0; k < MOST_ARRAYS; k++) free(scene->target[k]);
    if (scene->operation->texts[0]) pair_free(&scene->pair);
    if (scene->operation->where == FRESH) PMPI_Comm_free(&scene->comm);
    if (scene->operation->where == GROUPS) free_groups(&scene->groups);
    set_node(0);
}

#endif
