/* SPDX-License-Identifier: MIT
 *
 * schedule/core/schedule.h - who sends to whom, when. Each algorithm is one file and one
 * line in the table of schedule.c.
 *
 * A step is a set of messages in which each process sends at most one and receives at
 * most one; a schedule is an ordered list of steps. A timed schedule gives messages
 * start times instead; a process goes through its own in their order, without waiting
 * for the others.
 */
#ifndef REDIST_SCHEDULE_CORE_SCHEDULE_H
#define REDIST_SCHEDULE_CORE_SCHEDULE_H

#include <redist/topology.h>

#include "schedule/core/grid.h"

/* What is to be scheduled. At least one of dimensions and grid is there. Processes are
 * numbered as in dims.h. */
struct schedule_input {
    int ndims;                    /* 0 unless all dimensions are regular */
    const struct classes *dim;    /* [ndims] one period of each */
    const struct comm_grid *grid; /* NULL where it is too large to build */
    /* Where the array does not end with a period, and there is the grid: how many it
     * holds of each dimension. The grid is then of all of the array (schedule_own). */
    const struct periods *periods; /* [ndims], or NULL */
    bool is_part; /* the array is shorter than a period along some dimension */
    bool by_grid; /* it holds few, or part of one: the grid's lengths decide */
    int seed;     /* of a schedule that is drawn; 0: as it is by itself */
    /* The c-th process of a side, as the grid counts, is rank[side][c]. NULL: not known,
     * and so no message is known to stay where it is. */
    const int *rank[SIDES];
    const redist_topology *topology; /* of these ranks; NULL: no network is known */
};

/* Whether a message is known to stay on its process. */
static inline bool schedule_stays(const struct schedule_input *input, int p, int q)
{
    const int *source = input->rank[REDIST_SOURCE], *target = input->rank[REDIST_TARGET];
    return source && target && source[p] == target[q];
}

/* The only dimension, or NULL. */
static inline const struct classes *schedule_classes(const struct schedule_input *input)
{
    return input->ndims == 1 ? input->dim : NULL;
}

/* Why a schedule that goes by them is not applicable where there are none. */
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
void own_list_join_pieces(struct own_list *list); /* of a message, at its first start */
void own_list_stretch(struct own_list *list, int64_t factor); /* starts and lengths */
void own_list_free(struct own_list *list);

struct schedule_kind {
    const char *name;   /* as users write it */
    const char *what;   /* one line for people */
    const char *source; /* paper and section, or the document that proves it */
    bool timed;         /* own_message.step is a start time */
    bool loose;         /* steps are an order only: a target may be met twice in one */
    bool cut;           /* in steps, but a message may go in pieces, one a step */
    bool drawn;         /* each seed draws another */
    /* Known for what it makes least, not for how: over a network that is known another
     * may go in its place, which links make up for if it takes longer. */
    bool least;
    /* Without a grid: a message's step follows from its class and the copy indices, so
     * that this is a schedule of the core. */
    bool lifted;
    /* Whether it can schedule the input; if not, *why is the reason in a sentence.
     * O(log). */
    bool (*applicable)(const struct schedule_input *input, const char **why);
    /* Make it. The input must live on. MEMORY. */
    redist_err (*make)(const struct schedule_input *input, void **state);
    /* Put the own messages of coordinate c of a side, in their order, into an empty list.
     * MEMORY. */
    redist_err (*own)(const void *state, redist_side side, int64_t c,
                      struct own_list *list);
    /* What is special about the one that was made, for people, or NULL. May be
     * missing. */
    const char *(*note)(const void *state);
    void (*free)(void *state); /* NULL-safe */
};

/* Put the own messages of coordinate c of a side, in their order, into an empty list,
 * with the lengths of the input's array: where a schedule goes by one period, its lists
 * have those of that. Messages that the array does not have are left out.
 * O(own messages log). MEMORY. */
redist_err schedule_own(const struct schedule_kind *kind, const void *state,
                        const struct schedule_input *input, redist_side side, int64_t c,
                        struct own_list *list);

#endif
