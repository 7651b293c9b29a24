/* SPDX-License-Identifier: MIT
 *
 * redist/redist.h - move a distributed array from one distribution to another, over MPI.
 *
 *   redist_plan_create -> redist_execute ..                        -> redist_plan_destroy
 *                      -> redist_start, redist_test, redist_wait ..
 *
 * redist_plan_create_batch, redist_execute_batch and redist_start_batch are the same for
 * several arrays at once.
 *
 * A plan is made once and run many times, on any buffers of the described shape. There is
 * no init and no finalize; nothing is ever sent on the caller's communicator.
 *
 * Threads may use plans of their own at the same time where MPI was initialized with
 * MPI_THREAD_MULTIPLE; with less, calls of these functions count as calls of MPI. A plan
 * is for one thread at a time, and calls over one communicator have to come in the same
 * order on all its processes. redist_wait and redist_test may drive another thread's
 * plan.
 */
#ifndef REDIST_REDIST_H
#define REDIST_REDIST_H

#include <mpi.h>
#include <redist/describe.h>
#include <redist/propose.h>
#include <redist/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redist_plan redist_plan;

/* What is done to the source on its way. TRANSPOSE reverses the order of its axes
 * (view.axes), so that a matrix is transposed; CONJUGATE makes complex elements conjugate
 * and leaves real ones as they are. */
typedef enum redist_op {
    REDIST_OP_NONE = 0,
    REDIST_OP_TRANSPOSE,
    REDIST_OP_CONJUGATE,
    REDIST_OP_CONJUGATE_TRANSPOSE
} redist_op;

/* What the replicas of a source are to each other: copies (NONE), or partial results that
 * one of MPI's operations of the same name puts together. */
typedef enum redist_reduction {
    REDIST_REDUCTION_NONE = 0,
    REDIST_REDUCTION_SUM,
    REDIST_REDUCTION_PROD,
    REDIST_REDUCTION_MIN,
    REDIST_REDUCTION_MAX,
    REDIST_REDUCTION_LAND, /* logical */
    REDIST_REDUCTION_LOR,
    REDIST_REDUCTION_LXOR,
    REDIST_REDUCTION_BAND, /* bitwise */
    REDIST_REDUCTION_BOR,
    REDIST_REDUCTION_BXOR,
    REDIST_REDUCTION_MINLOC, /* of pairs, a value and where it is */
    REDIST_REDUCTION_MAXLOC
} redist_reduction;

/* What can be chosen. Start from REDIST_OPTIONS_INIT; fields may be added at the end,
 * `size` tells which of them the caller knows. All but `side`, `timeout_s` and `stream`
 * must be the same on all processes. */
typedef struct redist_options {
    size_t size; /* sizeof(redist_options) */
    /* How the messages travel: an exchange such as "nonblocking" or "alltoallv", with a
     * schedule before a slash if it is to follow one: "optimal/sendrecv". Of a schedule
     * alone, "optimal", the library takes the exchange that is fastest by its model; and
     * for "optimal" and "timeline", if `topology` is told, any order that takes no longer
     * by its ends and its links together. docs/exchanges.md says which there are.
     * NULL or "auto": the library takes what is fastest by its model of this machine, of
     * which it measures what it needs in the first such plan over a communicator, unless
     * REDIST_RATES in the environment states it (docs/exchanges.md). REDIST_STRATEGY in
     * the environment, if it is not empty, takes the place of what is said here. */
    const char *strategy;
    /* Hard cap on the staging memory of this process, in bytes, independent of the array.
     * 0: 8 MiB. At least two elements, in a batch of the largest type. */
    size_t staging_bytes;
    /* Over an intercommunicator only: what this process's group holds. The source's ranks
     * then count in the one group, the target's in the other; those that errors name
     * count through both, in the order in which MPI merges them. */
    redist_side side;
    redist_op op;
    /* Not 0: the plan is for redist_execute_scaled too. All messages are then staged. */
    int scaled;
    /* Not 0: source and target are one buffer. See redist_execute. */
    int in_place;
    /* With "shared": give up waiting for processes of the same node when nothing has come
     * from them for so many seconds, as when one has died. With any exchange: give up
     * waiting for the vote on errors. It should be longer than a run takes: processes
     * that read arrays of redist_alloc report when they have read them whole. Time in
     * which this process is stopped does not count. What waits for messages of MPI waits
     * as long as MPI does. 0: never. */
    double timeout_s;
    /* Not NONE: each replica of the source holds a partial result, and the target gets
     * that of all, x_0 op x_1 op .. from left to right in the order of the replicas:
     * row-major over the coordinates along the axes that replicate. So the bits are the
     * same in every run and with every strategy. */
    redist_reduction reduction;
    /* Where the processes of the communicator sit in a network, if that is known: "auto"
     * then puts the messages into an order in which they stand less in each other's way,
     * and the schedule "links" can be asked for. It is not needed later. NULL, as over
     * an intercommunicator: not known. */
    const redist_topology *topology;
    /* Of arrays in device memory: the queue of that device, as a cudaStream_t, in which
     * the data are moved. A run begins after what the queue holds when it is started, and
     * what is put into the queue after redist_wait sees the target. NULL: the device's
     * default queue. It may differ between processes and must live as long as the plan.
     * Such a run takes 4 MiB of pinned memory of the host besides `staging_bytes`, which
     * later runs use again. The first one pins staging memory, and copies index lists to
     * the device, 4 bytes an element, for as long as the plan lives. */
    void *stream;
    /* The type of the source's numbers; MPI_DATATYPE_NULL, or one that stores them alike:
     * that of the target's, `type`. Else each number is converted when it is unpacked:
     * messages and staging memory hold the source's. Both types are integers, real or
     * complex numbers of C or Fortran, of at most 8 bytes (complex 16), or of
     * redist_type_create; docs/operations.md has the rules. A batch then has one `type`
     * for all arrays. Refused with in_place, scaled, a conjugating op, a reduction, sizes
     * to balance, and buffers in device memory. */
    MPI_Datatype source_type;
    /* Not 0: a number that the target cannot hold is an error of the run on all
     * processes, whose sentence has its value and the global index of the element in the
     * target's array, or of index lists its place in the target's list. The target cannot
     * hold what overflows; in an integer a NaN, an infinity or a fraction; in a float an
     * integer that it would round; in a real number an imaginary part other than 0. It
     * may round floats. */
    int64_t checked;
} redist_options;
/* clang-format off */
#define REDIST_OPTIONS_INIT {sizeof(redist_options), NULL, 0, REDIST_SOURCE, \
                             REDIST_OP_NONE, 0, 0, 0.0, REDIST_REDUCTION_NONE, NULL, \
                             NULL, MPI_DATATYPE_NULL, 0}
/* clang-format on */

/* Create the MPI datatype of the numbers that `text` names in NumPy's notation: a letter
 * with the bytes, i1 i2 i4 i8, u1 u2 u4 u8, f2 f4 f8, c8 c16, or bf16, the upper half of
 * an f4; before it < or > for the byte order, lowest or highest first, | where there is
 * but one byte, or nothing for this machine's. It is committed, and contiguous bytes to
 * MPI; where it is one of C's types, in this machine's byte order, all that this library
 * does with that type it does with this one. Duplicates are numbers of the same kind. The
 * caller frees it with MPI_Type_free.
 * Local. O(1). ARG, MPI. */
REDIST_API redist_err redist_type_create(const char *text, MPI_Datatype *type);

/* Create the plan that moves the section `source` of an array of elements of `type` to
 * the section `target` of another. All processes of `comm` call it, those outside both
 * grids too, and pass the same descriptions (`lead` apart). `type` is any MPI datatype of
 * contiguous bytes, at most 2^30, or of MPI's pairs, MPI_DOUBLE_INT and the like; where
 * the options ask for arithmetic (a conjugating op, or scaled) it is an integer or real
 * number of 4 or 8 bytes or a complex one of 8 or 16, one type for all arrays of a batch.
 * `options` may be NULL. Everything is copied; the communicator is duplicated, and may be
 * an intercommunicator. If MPI cannot duplicate it, as where very many plans exist, that
 * goes to the communicator's own error handler, which by default ends the program. The
 * caller owns the plan.
 *
 * Where the source's grid replicates, one replica of each element is read, in turns;
 * where the target's does, all are filled. What stays on a process is copied without a
 * message.
 * With options.reduction all replicas of the source, of which the arrays of a batch then
 * have equally many, are read, one after the other: the plan is as one plan for each, in
 * a common share of the staging memory, and redist_plan_report adds them up. The type is
 * one of MPI's own, for which MPI defines the operation: Fortran's integers have the
 * logical ones, too, and all integers wrap around. With scaled or a conjugating op it is
 * a SUM, of a type as for other arithmetic.
 * With options.in_place both views must be of their whole arrays, the target's grid must
 * not replicate, options.strategy be NULL, and there be neither a batch nor arithmetic.
 * The staging memory must then be somewhat larger, though far smaller than the array:
 * where it is not, the sentence says what will do.
 * Collective over comm. O(own runs of one period) time and memory, a few reductions; the
 * first plan over a communicator measures for some milliseconds. ARG, MISMATCH, MEMORY,
 * MPI: the same code and sentence on every process, naming the rank. */
REDIST_API redist_err redist_plan_create(MPI_Comm comm, MPI_Datatype type,
                                         const redist_view *source,
                                         const redist_view *target,
                                         const redist_options *options,
                                         redist_plan **plan);

/* One array of a batch: as redist_plan_create takes them. */
typedef struct redist_item {
    MPI_Datatype type;
    const redist_view *source, *target;
} redist_item;

/* Create one plan that moves several arrays at once: `items`[nitems], nitems >= 1, which
 * may differ in everything: type, shape, formats, grids. Between two processes all their
 * elements travel in one message, those of items[0] first. A schedule named in the
 * options is that of items[0]; messages between processes that share nothing of it follow
 * behind.
 * All else is as in redist_plan_create, which makes a batch of one.
 * Collective over comm. As nitems plans, but with the reductions of one. ARG, MISMATCH,
 * MEMORY, MPI: the same code and sentence on every process, naming the rank and the
 * item. */
REDIST_API redist_err redist_plan_create_batch(MPI_Comm comm, int nitems,
                                               const redist_item items[],
                                               const redist_options *options,
                                               redist_plan **plan);

/* Create the plan that moves elements by their indices, 0 .. extent - 1: each process
 * says which it has in its source buffer, and which it is to have in its target buffer,
 * in the order in which they lie there. Every index must be in the source lists once, of
 * all processes together. In target lists it may be as often as one likes, of one process
 * or of several: all places are filled; or nowhere. `type` is as in redist_plan_create,
 * and `options` too, but for in_place; strategies are those without a schedule that start
 * from a process's own messages, and move between lists (docs/irregular.md).
 * No process gets a list of all owners: each keeps the directory of extent / processes
 * indices while the plan is made, and learns of partners and places what its own
 * elements need.
 * Collective over comm, an intracommunicator. O(own lists + requests for the own part of
 * the directory) time and memory; in long runs, of these. ARG, MISMATCH, MEMORY, MPI: the
 * same code and sentence on every process; of an index that several or none have, the
 * index and their ranks. */
REDIST_API redist_err redist_plan_create_indexed(
    MPI_Comm comm, MPI_Datatype type, int64_t extent, const redist_indices *source,
    const redist_indices *target, const redist_options *options, redist_plan **plan);

/* Create the plan that balances what processes have: each passes the `count` (>= 0) of
 * elements that it has, dense in its source buffer, and gets the `*share` that its target
 * buffer must have room for and is filled with, as redist_balance_shares says; which
 * elements these are the `method`, which all pass alike, says in propose.h. `weight`
 * (>= 0) is the process's own: 1 everywhere for equal shares. All else is as in
 * redist_plan_create.
 * Up to 4096 processes have a list of all counts, and the plan can be given any strategy.
 * Of more none has: each finds its partners, and strategies are those without a schedule
 * that start from its own messages (docs/irregular.md).
 * Collective over comm, an intracommunicator. One gather and O(processes), above 4096 a
 * few scans and O(own messages log processes); then as redist_plan_create. ARG, MISMATCH,
 * MEMORY, MPI: the same code and sentence on every process, naming the rank. */
REDIST_API redist_err redist_balance_create(MPI_Comm comm, int64_t count,
                                            MPI_Datatype type,
                                            redist_balance_method method, int64_t weight,
                                            const redist_options *options,
                                            redist_plan **plan, int64_t *share);

/* The same of elements of different sizes: `sizes`[count] (>= 0) are those of this
 * process's elements in units of `type`, which lie one behind the other in its source
 * buffer. The units are balanced: no process has more than its share and the largest
 * element, and no element is cut. The process gets `*count_share` elements, of
 * `*unit_share` units in all.
 * The plan is of two arrays, for redist_execute_batch and redist_start_batch: the sizes,
 * of MPI_INT64_T, and the units. Each process has a list of all counts.
 * Collective over comm, an intracommunicator. Two gathers, a reduction of O(processes)
 * numbers, O(processes + count); then as redist_plan_create_batch. ARG, MISMATCH, MEMORY,
 * MPI: the same code and sentence on every process, naming the rank. */
REDIST_API redist_err redist_balance_create_sized(
    MPI_Comm comm, int64_t count, const int64_t sizes[], MPI_Datatype type,
    redist_balance_method method, int64_t weight, const redist_options *options,
    redist_plan **plan, int64_t *count_share, int64_t *unit_share);

/* Destroy a plan and set `*plan` to NULL. NULL-safe.
 * Collective over the plan's processes. STATE if an exchange is under way: the plan
 * lives on. */
REDIST_API redist_err redist_plan_destroy(redist_plan **plan);

/* Move the elements of `source`, which is only read, to `target`, of which only the
 * section's elements are written. The buffers are those of redist_view_span, must not
 * overlap, and may be NULL where the process takes no part on that side. Same as
 * redist_start and redist_wait.
 *
 * Buffers may lie in the memory of a CUDA device if the process had loaded CUDA when the
 * plan was made (docs/device.md). Plans in place and the exchanges `alltoallw` and
 * `naive` move host memory only.
 *
 * A plan in place (options.in_place) takes one buffer as both, of the larger of the two
 * spans: as the source describes it before, as the target describes it after. Of it, the
 * elements of the target's array are defined afterwards; what is round and between them
 * (halo, leading strides) is not. Any other plan refuses buffers whose spans share memory
 * where the process reads the one and writes the other.
 * Collective. Time of the move. On every process: ARG if one passed NULL where it holds
 * elements, buffers that share memory, two buffers for a plan in place, or, where it uses
 * CUDA, memory that was freed or that its device does not reach; if the plan is of
 * several arrays; and for a number that options.checked refuses. DEVICE if the device of
 * one failed; MEMORY if one found no memory for moves of its device. STATE, MPI. After an
 * error the targets are undefined, but a plan in place that returns ARG has moved
 * nothing. Allocates nothing, but for device memory in the first run, and where as many
 * runs were never in progress before (options.stream). If the library was built with
 * REDIST_OPENMP, as many threads as REDIST_THREADS or else OMP_NUM_THREADS in the
 * environment says copy what is large and local; they call nothing of MPI. */
REDIST_API redist_err redist_execute(redist_plan *plan, const void *source, void *target);

/* Time the few strategies that the library's model finds best, whatever the plan's own
 * is, on these buffers, which are as redist_execute's, and keep the one whose runs have
 * the least median for all later executions. Each run is a full one, from a barrier that
 * processes leave in another order each time: afterwards the target holds what
 * redist_execute would have brought. Where the plan's strategy was left to the library,
 * and the plan is of one array, that is of regular formats or over a network that is
 * known, other orders of the messages are timed too; else their order stays. Of those
 * that are within a hundredth of the fastest it is the one that the model prefers. What
 * the model needs to know of the machine, and the plan doesn't, is measured first. A plan
 * in place, for which there is one strategy only, runs once and stays as it is.
 * Collective. A few runs of each of at most 13, in turns; of large arrays three. ARG as
 * redist_execute, or the plan reduces; STATE (started), MEMORY, MPI: the plan has its old
 * strategy, or, where that cannot be had again, none: then every start returns STATE.
 * After MEMORY the target is untouched or complete. */
REDIST_API redist_err redist_plan_tune(redist_plan *plan, const void *source,
                                       void *target);

/* The same of several arrays, on buffers as redist_execute_batch's.
 * Collective. As redist_plan_tune. */
REDIST_API redist_err redist_plan_tune_batch(redist_plan *plan,
                                             const void *const sources[],
                                             void *const targets[]);

/* Start to move. The plan borrows both buffers until redist_wait has returned, or
 * redist_test has said `*done` = 1: till then the source may only be read and the target
 * not be touched. That a process passed NULL where it holds elements, all processes learn
 * from redist_wait or redist_test, this one too.
 * Collective; returns without waiting for the others. ARG (a plan of several arrays),
 * STATE (already started), MPI. */
REDIST_API redist_err redist_start(redist_plan *plan, const void *source, void *target);

/* Execute, or start, a plan of several arrays: sources[k] and targets[k] are the buffers
 * of item k, under the terms of redist_execute and redist_start; no target may share
 * memory with any other buffer, and one that shares it with a source is refused.
 * `sources` or `targets` may itself be NULL where the process takes no part on that side;
 * the two lists are not needed after the call. redist_execute and redist_start are these
 * for a plan of one array, and refuse others.
 * Collective. As redist_execute and redist_start. */
REDIST_API redist_err redist_execute_batch(redist_plan *plan, const void *const sources[],
                                           void *const targets[]);
REDIST_API redist_err redist_start_batch(redist_plan *plan, const void *const sources[],
                                         void *const targets[]);

/* Execute, or start, a plan that was made with options.scaled: the elements of the
 * target's section become
 *
 *   target = alpha op(source) + beta target
 *
 * where `alpha` and `beta` point to one number each of the arrays' type, and are not
 * needed after the call. As in BLAS, what has a coefficient of 0 is not read: with
 * beta = 0 the target may hold anything, and is overwritten. alpha = 1, beta = 0 is what
 * redist_execute does with such a plan. Integers wrap around.
 * Collective. As redist_execute and redist_start; ARG too if alpha or beta is NULL, or if
 * the plan is not scaled. */
REDIST_API redist_err redist_execute_scaled(redist_plan *plan, const void *alpha,
                                            const void *source, const void *beta,
                                            void *target);
REDIST_API redist_err redist_start_scaled(redist_plan *plan, const void *alpha,
                                          const void *source, const void *beta,
                                          void *target);
/* The same with several arrays, which all have the one alpha and the one beta. */
REDIST_API redist_err redist_execute_batch_scaled(redist_plan *plan, const void *alpha,
                                                  const void *const sources[],
                                                  const void *beta,
                                                  void *const targets[]);
REDIST_API redist_err redist_start_batch_scaled(redist_plan *plan, const void *alpha,
                                                const void *const sources[],
                                                const void *beta, void *const targets[]);

/* Drive what was started without waiting, and another plan that is under way. `*done` is
 * 1 once this process has received all that it is to receive and may reuse its source;
 * then nothing of the plan is under way any more.
 * Local. STATE (not started); ARG, DEVICE and MEMORY as redist_execute, and then, too,
 * nothing is under way any more; MPI. */
REDIST_API redist_err redist_test(redist_plan *plan, int *done);

/* Wait until what was started is done. Other plans that are under way are driven on, so
 * that each process may wait for its plans in an order of its own.
 * Collective. STATE (not started); ARG, DEVICE, MEMORY and MPI as redist_execute. */
REDIST_API redist_err redist_wait(redist_plan *plan);

/* What a plan does on the calling process, its arrays taken together. A message is what
 * one process sends to one other in a run of the plan, however many pieces it travels
 * in. Elements are counted where they start and where they end: a strategy that routes
 * them through other places has fewer messages, and these carry some elements more than
 * once. */
typedef struct redist_report {
    const char *strategy;      /* in use */
    int64_t elements_kept;     /* that stay on the process */
    int64_t elements_sent;     /* that go to other processes */
    int64_t elements_received; /* that come from other processes */
    int64_t messages_sent;
    int64_t messages_received;
    int64_t element_bytes;      /* of the largest */
    int64_t plan_bytes;         /* memory that the plan holds, staging apart */
    int64_t staging_bytes;      /* the peak that is promised, at most the cap */
    int64_t staging_peak_bytes; /* the peak that was measured */
    int arrays;
    int64_t bytes_kept, bytes_sent, bytes_received;
    /* How the strategy came about: "auto", "given" in the options, "REDIST_STRATEGY" in
     * the environment, or "tuned". */
    const char *origin;
} redist_report;

/* Fill in the report of a plan. Strings in it live as long as the plan.
 * Local. O(arrays). ARG. */
REDIST_API redist_err redist_plan_report(const redist_plan *plan, redist_report *report);

/* Allocate memory in which other processes of the node can read: with arrays that lie in
 * it, the exchange "shared" copies each element once, from the source of one process
 * straight to the target of another. `bytes` are this process's own part and may
 * differ, or be 0; they begin at `*memory`, a multiple of 4096, and any number of
 * arrays may lie in them. To be copied once, source arrays need such memory; target
 * arrays may lie anywhere. Parts of 2 MiB or more lie in huge pages, as far as the
 * system has such: these are taken at once, next to the caller. Any other page comes to
 * lie next to whoever first writes to it. More than the node has to give is refused. The
 * caller owns the memory; free it with redist_free, before MPI_Finalize.
 * Collective over comm, an intracommunicator. ARG, MEMORY, MPI: the same on every
 * process. */
REDIST_API redist_err redist_alloc(MPI_Comm comm, size_t bytes, void **memory);

/* Allocate such memory for the local array of a view of elements of `type`, of the size
 * that redist_view_span tells; the grid's ranks are those of comm.
 * Collective over comm, an intracommunicator. ARG, MEMORY, MPI: the same on every
 * process. */
REDIST_API redist_err redist_alloc_view(MPI_Comm comm, MPI_Datatype type,
                                        const redist_view *view, void **memory);

/* Free what redist_alloc or redist_alloc_view has made. NULL-safe. No process may use it
 * any more, and no run that uses it may be under way.
 * Collective over the processes that made it. ARG: `memory` is not what was returned. */
REDIST_API redist_err redist_free(void *memory);

/* Create the dist, and the view, that MPI_Type_create_darray's arguments describe:
 * `gsizes`[ndims], `distribs`[ndims] of MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE,
 * `dargs`[ndims] (or MPI_DISTRIBUTE_DFLT_DARG), `psizes`[ndims]; `order` MPI_ORDER_C or
 * MPI_ORDER_FORTRAN is that of the memory, the grid is row-major in both. The caller
 * owns the dist.
 * Local. O(ndims). ARG, MEMORY. */
REDIST_API redist_err redist_view_from_darray(int ndims, const int gsizes[],
                                              const int distribs[], const int dargs[],
                                              const int psizes[], int order,
                                              redist_dist **dist, redist_view *view);

/* Create the topology of a communicator that has a Cartesian one: a mesh, or torus where
 * it is periodic, whose nodes are the coordinates of MPI_Cart_coords. The caller owns the
 * topology.
 * Local. O(processes). ARG: comm is not of MPI_Cart_create's making; MEMORY, MPI. */
REDIST_API redist_err redist_topology_create_cart(MPI_Comm comm,
                                                  redist_topology **topology);

/* Create the topology of nodes, of processes that share memory, with `links` (>= 1) ways
 * out each, each as fast as a process, into a network that never blocks. The caller owns
 * the topology.
 * Collective over comm, an intracommunicator. O(processes) memory. ARG, MISMATCH, MEMORY,
 * MPI: the same on every process. */
REDIST_API redist_err redist_topology_create_nodes(MPI_Comm comm, int links,
                                                   redist_topology **topology);

#ifdef __cplusplus
}
#endif
#endif
