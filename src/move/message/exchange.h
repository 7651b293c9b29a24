/* SPDX-License-Identifier: MIT
 *
 * move/message/exchange.h - the mechanisms that carry messages. Each is one file and one
 * line in the table of exchange.c.
 */
#ifndef REDIST_MOVE_MESSAGE_EXCHANGE_H
#define REDIST_MOVE_MESSAGE_EXCHANGE_H

#include <mpi.h>

#include "move/mpi/extra_request.h"
#include "move/message/effort.h"
#include "move/node/plan_cache.h"
#include "move/message/transfer.h"

/* The parameter of an exchange that takes one and chooses it if none is given. */
enum { EXCHANGE_CHOOSES = -1 };

/* What is to be moved, and with what. Made by the plan; an exchange only reads it. */
struct move {
    MPI_Comm comm; /* the plan's own */
    int rank, nranks;
    bool combines; /* what comes with the targets: nothing is received straight there */
    int64_t grain; /* bytes: a message may be cut after each */
    int narrays;
    struct array *array; /* [narrays] */
    struct transfers send, receive;
    int64_t staging; /* bytes of staging memory: as a rule what stays in a cache */
    int64_t most;    /* the caller's cap on it, for who gains from more; >= staging */
    int64_t
        chunk; /* bytes of the longest piece of a message, the same on every process */
    struct mem_account *plan_account, *staging_account;
    int parameter; /* the number behind the exchange's name, or EXCHANGE_CHOOSES */
    struct plan_cache
        *cache;      /* what the plans of its communicator leave; NULL: nothing */
    double timeout;  /* seconds without progress that end a wait; 0: none do */
    bool single_use; /* it may run but once: what pays with the second run is made then */
    bool eager;      /* short messages in pieces, see move_piece */
    /* of the run that is under way */
    const void *const *sources; /* the caller's buffers, one an array */
    void *const *targets;
    const struct memory_kind *memory; /* of them, if any is not in host memory */
    const struct combine
        *combine;                /* what comes with the targets; NULL: it replaces them */
    struct extra_request *extra; /* NULL: there is never anything */
    int tag;                     /* of its messages: see move_next_tag */
    /* The caller's buffers are unusable: send nothing, put what comes nowhere. */
    bool buffers_invalid;
    /* The lowest rank that is known to be mute by what has come; INT64_MAX: none. */
    int64_t invalid_rank;
};

/* What an MPI sends at once, in bytes: as a rule 4 KiB with what it puts before, MPICH
 * over UCX 8 KiB. Of a longer message it asks the receiver first, and who sends waits for
 * whom may not be there yet; or the receiver reads it from the sender's memory, by the
 * system, which takes longer than a few pieces do. */
#ifdef MPICH_NUMVERSION
enum { PIECE_AT_ONCE = 8 << 10, PIECE_SHORT = 64 << 10, PIECE_EAGER = 256 << 10 };
#else
enum { PIECE_AT_ONCE = 4000, PIECE_SHORT = 0, PIECE_EAGER = 16 << 10 };
#endif

/* The longest piece, in bytes, of a message of so many. In a single-use plan, which does
 * not know what its messages take, short ones go in pieces that go off at once: for MPIs
 * but MPICH it takes longer where both send to each other and are there. */
static inline int64_t move_piece(const struct move *move, int64_t bytes)
{
    int64_t most = move->eager ? PIECE_EAGER : move->single_use ? PIECE_SHORT : 0;
    bool cut = bytes <= most && move->grain <= PIECE_AT_ONCE;
    return cut ? PIECE_AT_ONCE - PIECE_AT_ONCE % move->grain : move->chunk;
}

/* The tag of the next run: where no vote keeps processes together, one may be many runs
 * ahead of another that takes messages from whoever sends. Not 0, which is that of
 * messages whose source is known. */
static inline int move_next_tag(int tag) { return tag % (1 << 14) + 1; }

/* What a run takes of this process. */
struct usage {
    int64_t messages[SIDES]; /* sent, received, however many pieces they travel in */
    bool buffer[SIDES];      /* if carries_kept: it reads the source, writes the target */
    bool reports_status;     /* see struct exchange */
};

struct exchange {
    const char *name;
    const char *what; /* one line for people */
    /* It takes a number in parentheses, such as window(4): what it is if none is given,
     * or EXCHANGE_CHOOSES. 0: it takes none. */
    int parameter;
    /* Whether it goes through the messages in the order of a schedule. */
    bool ordered;
    /* Whether a process learns from a message that its sender is mute
     * (move->invalid_rank). */
    bool reports_status;
    /* What it needs of MPI and this one has not (move/mpi/lacks.h): it is neither chosen
     * nor to be had. NULL: nothing. */
    const char *lacks;
    /* Every process must take part with true counts: agree before starting. */
    bool collective;
    /* It gives arrays to MPI or to other processes, or moves them past the functions of
     * their memory (move/walk/memory.h): a run with others than in host memory fails. */
    bool host_only;
    /* Count what a run asks of the busiest process, its vote apart, so that the library
     * can choose; false: it cannot be done, or not with this much staging memory. Pure.
     * NULL: it is never chosen, only asked for by name. */
    bool (*effort)(const struct load *load, int parameter, struct effort *effort);
    /* It also moves what stays on the process. Elsewhere the plan does. If it has
     * `usage`, which then says which buffers it touches, it is of one array only. */
    bool carries_kept;
    /* Its make looks at the arrays' dists: it can be made with the plan only. */
    bool needs_dists;
    /* Allocate all that a run needs.
     * Collective: called by every process of the plan, and may communicate. ARG,
     * MEMORY, MPI. */
    redist_err (*make)(const struct move *move, void **state);
    /* Begin a run. MPI. */
    redist_err (*start)(struct move *move, void *state);
    /* Drive it on; if `wait`, to its end. MPI. */
    redist_err (*progress)(struct move *move, void *state, bool wait, bool *done);
    /* Say what a run takes, where it is not what the plan's transfers say; may be NULL.
     * Local. */
    void (*usage)(const void *state, struct usage *usage);
    /* From now on tell in each run of every process whether it is mute
     * (move->invalid_rank), be there a message from it or not. Returns whether it does
     * so, the same on all processes: then a vote is not needed. NULL: it cannot. Called
     * by all processes, before the first run. */
    bool (*vote)(void *state);
    /* Free the state of a make that returned, or NULL.
     * Collective: called by all processes at the same time, when no run is under way. */
    void (*destroy)(void *state);
};

extern const struct exchange exchange_nonblocking, exchange_window, exchange_sendrecv,
    exchange_synchronous, exchange_ready, exchange_alltoallv, exchange_neighbor,
    exchange_alltoallw, exchange_onesided, exchange_multiphase, exchange_lcm_phases,
    exchange_aggregated, exchange_multicast, exchange_replicate, exchange_shared,
    exchange_naive;

/* Refuse, in the name of an exchange that cannot do it, to move several arrays at once;
 * to combine; to go by index lists. ARG. */
redist_err exchange_of_one_array(const struct move *move, const char *name);
redist_err exchange_of_bytes(const struct move *move, const char *name);
redist_err exchange_of_views(const struct move *move, const char *name);

#endif
