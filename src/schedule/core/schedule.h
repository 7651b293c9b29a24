/* SPDX-License-Identifier: MIT
 *
 * schedule/core/schedule.h - the interface of a schedule: who sends to whom, when. Each
 * algorithm is one file and one line in the table of schedule/registry/schedules.c.
 *
 * A step is a set of messages in which each process sends at most one and receives at
 * most one; a schedule is an ordered list of steps. A timed schedule gives start times
 * instead: each process sends and receives in their order, without waiting for others.
 */
#ifndef REDIST_SCHEDULE_CORE_SCHEDULE_H
#define REDIST_SCHEDULE_CORE_SCHEDULE_H

#include <redist/topology.h>

#include "schedule/core/grid.h"

/* The input of a schedule. It has dimensions, a grid, or both. Processes are numbered as
 * in dims.h. */
struct schedule_input {
    int ndims;                    /* 0 unless all dimensions are regular */
    const struct classes *dim;    /* [ndims] one period of each */
    const struct comm_grid *grid; /* NULL: too large to build */
    /* If the array does not end with a period, and there is a grid: how many periods it
     * holds of each dimension. The grid then covers the whole array (schedule_own). */
    const struct periods *periods; /* [ndims], or NULL */
    bool is_part; /* the array is shorter than a period along some dimension */
    bool by_grid; /* it holds few periods, or part of one: the grid's lengths decide */
    int seed;     /* of a drawn schedule; 0: its default */
    /* The c-th process of a side in the grid is rank[side][c]. NULL: unknown, so no
     * message is known to stay on its process. */
    const int *rank[SIDES];
    const redist_topology *topology; /* of these ranks; NULL: unknown */
};

/* Tell whether a message is known to stay on its process. */
static inline bool schedule_stays(const struct schedule_input *input, int p, int q)
{
    const int *source = input->rank[REDIST_SOURCE], *target = input->rank[REDIST_TARGET];
    return source && target && source[p] == target[q];
}

/* The links of a message's way over the network, as redist_topology_route. */
static inline int schedule_route(const struct schedule_input *input,
                                 const struct edge *edge, int room, int64_t links[])
{
    return redist_topology_route(input->topology, input->rank[REDIST_SOURCE][edge->p],
                                 input->rank[REDIST_TARGET][edge->q], room, links);
}

/* The only dimension, or NULL. */
static inline const struct classes *schedule_classes(const struct schedule_input *input)
{
    return input->ndims == 1 ? input->dim : NULL;
}

/* The reason why a schedule that needs classes is not applicable without them. */
#define SCHEDULE_NEEDS_CLASSES "needs one whole dimension, block-cyclic on both sides"

/* One of a process's own messages. */
struct own_message {
    int partner;    /* on the other side */
    int64_t weight; /* as in the input */
    int64_t step;   /* >= 0; the start time if the schedule is timed */
};

struct own_list {
    int64_t n, room;
    struct own_message *message; /* [n] ascending by step */
};
redist_err own_list_append(struct own_list *list, struct own_message message);
void own_list_sort(struct own_list *list);        /* by step, then partner */
void own_list_join_pieces(struct own_list *list); /* pieces of a message, at its first
                                                     start */
void own_list_stretch(struct own_list *list, int64_t factor); /* starts and lengths */
void own_list_free(struct own_list *list);

/* No schedule is made that would cut the messages of one process into more pieces than
 * this. If those of all processes are more, its costs and times are not counted. */
enum { SCHEDULE_MOST_PIECES = 1 << 20 };

struct schedule_kind {
    const char *name;   /* as users write it */
    const char *what;   /* one line for users */
    const char *source; /* paper and section, or the document that proves it */
    bool timed;         /* own_message.step is a start time */
    bool loose;         /* steps only define an order: a target may occur twice in one */
    bool cut;           /* in steps, but a message may be sent in pieces, one a step */
    bool drawn;         /* each seed draws another order */
    /* Chosen for the minimum that it attains, not for its order: over a known network
     * another may replace it, if its links gain more time than it loses. */
    bool least;
    /* Works without a grid: a message's step depends on its class and copy indices, so
     * that this is a schedule of the core. */
    bool lifted;
    /* Tell whether it can schedule the input; if not, *why is the reason, a sentence.
     * O(log), with a grid O(messages). */
    bool (*applicable)(const struct schedule_input *input, const char **why);
    /* Return the most pieces into which it cuts the messages of all processes, if it is
     * applicable; 0: it cuts none. Missing: it cuts few. O(ndims). */
    int64_t (*pieces)(const struct schedule_input *input);
    /* Make it. The input must live on. MEMORY. */
    redist_err (*make)(const struct schedule_input *input, void **state);
    /* Append the own messages of coordinate c of a side, in order, to an empty list.
     * MEMORY. */
    redist_err (*own)(const void *state, redist_side side, int64_t c,
                      struct own_list *list);
    /* Describe the schedule that was made, for users, or return NULL. May be missing. */
    const char *(*note)(const void *state);
    void (*free)(void *state); /* NULL-safe */
};

/* Tell whether a schedule cuts messages into at most so many pieces. O(ndims). */
static inline bool schedule_is_short(const struct schedule_kind *kind,
                                     const struct schedule_input *input, int64_t most)
{
    return !kind->pieces || kind->pieces(input) <= most;
}

/* Return what a kind has made as its state, or free it after an error. Returns `err`. */
static inline redist_err schedule_give(void *made, redist_err err,
                                       void (*destroy)(void *state), void **state)
{
    if (err)
        destroy(made);
    else
        *state = made;
    return err;
}

/* Append the own messages of coordinate c of a side, in order, to an empty list, with
 * their lengths in the input's array, while the lists of a schedule may have those of one
 * period. Messages that the array does not have are left out.
 * O(own messages log). MEMORY. */
redist_err schedule_own(const struct schedule_kind *kind, const void *state,
                        const struct schedule_input *input, redist_side side, int64_t c,
                        struct own_list *list);

#endif
