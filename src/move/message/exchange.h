/* SPDX-License-Identifier: MIT
 *
 * move/message/exchange.h - the interface of an exchange: the mechanism that carries the
 * messages of a run. The table of exchanges is move/registry/exchanges.c.
 */
#ifndef REDIST_MOVE_MESSAGE_EXCHANGE_H
#define REDIST_MOVE_MESSAGE_EXCHANGE_H

#include <mpi.h>

#include "move/mpi/extra_request.h"
#include "move/message/effort.h"
#include "move/node/plan_cache.h"
#include "move/message/transfer.h"

/* The parameter of an exchange that chooses its number unless one is given. */
enum { EXCHANGE_CHOOSES = -1 };

/* What to move, and the means. Made by the plan; exchanges only read it. */
struct move {
    MPI_Comm comm; /* the plan's own */
    int rank, nranks;
    bool combines; /* received data are combined, so they are staged first */
    bool converts; /* namely converted to the target's type */
    int64_t grain; /* bytes; a message may be cut after each grain */
    int narrays;
    struct array *array; /* [narrays] */
    struct transfers send, receive;
    int64_t staging; /* bytes of staging memory, which usually stays in a cache */
    int64_t most;    /* the caller's cap on it, if more helps; >= staging */
    int64_t passes;  /* moves that have equal shares of the caller's cap; 0: this one
                        alone */
    int64_t
        chunk; /* bytes of the longest piece of a message, the same on every process */
    struct mem_account *plan_account, *staging_account;
    int parameter; /* the number behind the exchange's name, or EXCHANGE_CHOOSES */
    struct plan_cache *cache; /* reused by plans of a communicator; NULL: none */
    double timeout;  /* seconds without progress after which a wait fails; 0: no limit */
    bool single_use; /* it may run only once: setup that pays later is deferred */
    bool eager;      /* short messages in pieces, see move_piece */
    /* of the run in progress */
    const void *const *sources; /* the caller's buffers, one an array */
    void *const *targets;
    struct memory *memory;         /* of the buffers */
    const struct combine *combine; /* received data with the target; NULL: they replace
                                      it */
    struct extra_request *extra;   /* NULL: none */
    int tag;                       /* of its messages (move_next_tag) */
    /* The caller's buffers are unusable: send empty messages, discard what arrives. */
    bool buffers_invalid;
    /* Lowest rank whose buffers are known to be invalid from its messages; INT64_MAX:
     * none. */
    int64_t invalid_rank;
};

/* Return the bytes of the caller's cap by which the move's share has so many: errors name
 * the cap. */
static inline int64_t move_in_cap(const struct move *move, int64_t bytes)
{
    return move->passes > 1 ? move->passes * bytes : bytes;
}

/* Bytes that an MPI sends eagerly: usually 4 KiB including its header, MPICH over UCX 8
 * KiB. A longer message needs a handshake with a receiver that may not be ready; or the
 * receiver reads it from the sender's memory by a system call, which takes longer than a
 * few short pieces. */
#ifdef MPICH_NUMVERSION
enum { PIECE_AT_ONCE = 8 << 10, PIECE_SHORT = 64 << 10, PIECE_EAGER = 256 << 10 };
#else
enum { PIECE_AT_ONCE = 4000, PIECE_SHORT = 0, PIECE_EAGER = 16 << 10 };
#endif

/* The longest piece, in bytes, of a message of `bytes`. In a single-use plan, whose
 * message rates are unknown, short messages go in pieces that are sent eagerly. With
 * other MPIs than MPICH this is slower where both processes send to each other and are
 * ready. */
static inline int64_t move_piece(const struct move *move, int64_t bytes)
{
    int64_t most = move->eager ? PIECE_EAGER : move->single_use ? PIECE_SHORT : 0;
    bool cut = bytes <= most && move->grain <= PIECE_AT_ONCE;
    return cut ? PIECE_AT_ONCE - PIECE_AT_ONCE % move->grain : move->chunk;
}

/* The tag of the next run. Without a vote, a process may be many runs ahead of one that
 * receives from any source. Tag 0 is for messages of known source. */
static inline int move_next_tag(int tag) { return tag % (1 << 14) + 1; }

/* The bytes of a message in one of several rounds, in each of which it advances by a
 * quota; 0 after its end. */
static inline int64_t round_bytes(int64_t bytes, int64_t quota, int64_t round)
{
    int64_t left = bytes - round * quota;
    return left <= 0 ? 0 : left < quota ? left : quota;
}

/* Send to a process (side REDIST_SOURCE), or receive from it, with the run's tag; then
 * complete `*request`. MPI. */
redist_err move_post(const struct move *move, redist_side side, char *data, int64_t bytes,
                     int rank, MPI_Request *request);

/* What a run uses of this process. */
struct usage {
    int64_t messages[SIDES]; /* sent, received; pieces are not counted */
    bool buffer[SIDES];      /* if carries_kept: it reads the source, writes the target */
    bool reports_status;     /* see struct exchange */
};

struct exchange {
    const char *name;
    /* The default of the number in parentheses, as in window(4), or EXCHANGE_CHOOSES. 0:
     * it takes no number. */
    int parameter;
    /* It sends the messages in the order of a schedule. */
    bool ordered;
    /* A message tells whether its sender's buffers are invalid (move->invalid_rank). */
    bool reports_status;
    /* The MPI call that this MPI lacks (move/mpi/lacks.h), so that it cannot be used; or
     * NULL. */
    const char *lacks;
    /* Every process must take part with true counts: agree before starting. */
    bool collective;
    /* It passes arrays to MPI or to other processes, or accesses them without the
     * functions of their memory (move/walk/memory.h): a run with other than host memory
     * fails. */
    bool host_only;
    /* Count what a run asks of the busiest process, without its vote, so that the library
     * can choose. Returns false if the exchange is impossible, or needs more staging
     * memory. Pure. NULL: it is never chosen, only used by name. */
    bool (*effort)(const struct load *load, int parameter, struct effort *effort);
    /* It also moves the elements that stay on the process; else the plan does. If it has
     * `usage` as well, which tells the buffers it touches, it moves one array only. */
    bool carries_kept;
    /* Its make reads the arrays' dists, so it is made together with the plan. */
    bool needs_dists;
    /* Allocate all that a run needs.
     * Collective: called by every process of the plan, and may communicate. ARG, MEMORY,
     * MPI. */
    redist_err (*make)(const struct move *move, void **state);
    /* Begin a run. MPI. */
    redist_err (*start)(struct move *move, void *state);
    /* Advance it; with `wait`, to its end. MPI. */
    redist_err (*progress)(struct move *move, void *state, bool wait, bool *done);
    /* Tell what a run uses, if it differs from the plan's transfers; may be NULL.
     * Local. */
    void (*usage)(const void *state, struct usage *usage);
    /* From now on report in each run, of every process, whether its buffers are invalid
     * (move->invalid_rank), with or without a message from it. Returns whether it does
     * so, the same on all processes: then no vote is needed. NULL: it cannot. Called by
     * all processes, before the first run. */
    bool (*vote)(void *state);
    /* Free the state of a make that returned, or NULL.
     * Collective: called by all processes at the same time, when no run is in
     * progress. */
    void (*destroy)(void *state);
};

extern const struct exchange exchange_nonblocking, exchange_window, exchange_sendrecv,
    exchange_synchronous, exchange_ready, exchange_alltoallv, exchange_neighbor,
    exchange_alltoallw, exchange_onesided, exchange_multiphase, exchange_lcm_phases,
    exchange_aggregated, exchange_multicast, exchange_replicate, exchange_shared,
    exchange_naive;

/* Refuse, in the name of an exchange, a move that is not as it needs: of one array; of
 * bytes, which are not combined; of views, not of index lists. ARG. */
enum { NEEDS_ONE_ARRAY = 1, NEEDS_BYTES = 2, NEEDS_VIEWS = 4 };
redist_err exchange_check(const struct move *move, int needs, const char *name);

/* Refuse, in the name of an exchange, a move for which a process holds at least `least`
 * bytes, an element of each message, named `messages`: more than its staging memory, or
 * than `most`, which MPI's int counts allow. ARG. */
redist_err exchange_check_room(const struct move *move, int64_t least, int64_t most,
                               const char *name, const char *messages);

#endif
