/* SPDX-License-Identifier: MIT
 *
 * peers/peer.h - whoever can redistribute a two-dimensional block-cyclic array of
 * doubles: this library, other libraries, and what one writes by hand. Each is a file and
 * a line in the table of bench_peers.c.
 *
 * Local arrays are row-major unless an item says otherwise; the processes of a grid are
 * ranks 0, 1, .., row by row.
 */
#ifndef REDIST_BENCH_PEER_H
#define REDIST_BENCH_PEER_H

#include <mpi.h>
#include <redist/redist.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One side of an item: cyclic(block[j]) over grid[j] coordinates in dimension j. */
struct layout2d {
    int grid[2];
    int64_t block[2];
};

/* A piece of work. A one-dimensional array is one row. */
struct item {
    int64_t extent[2];
    struct layout2d side[2]; /* source, target */
    bool transposed;         /* the target is column-major, on one process */
};

/* ARG if it is, for a peer that cannot do that. */
redist_err item_check_order(const struct item *item);

/* Elements of dimension j that a coordinate holds. */
int64_t item_local(const struct item *item, int side, int j, int coordinate);

/* The processes of a side; the coordinates of a rank, false if it has none. */
int item_processes(const struct item *item, int side);
bool item_coordinates(const struct item *item, int side, int rank, int coordinate[2]);

/* The text of a side, as the library reads it. Returns `text`. */
enum { ITEM_TEXT_SIZE = 160 };
const char *item_text(const struct item *item, int side, char text[ITEM_TEXT_SIZE]);

/* That of both sides, `[extents] source -> target`. Returns `text`. */
enum { ITEM_BOTH_SIZE = 2 * ITEM_TEXT_SIZE };
const char *item_both(const struct item *item, char text[ITEM_BOTH_SIZE]);

/* Of the whole array. */
double item_bytes(const struct item *item);

/* Print both as a line. */
void item_print(const struct item *item);

/* List the items for `p` processes: n x n arrays, those of `length` elements in one
 * dimension, and small ones, of 64 KiB. Returns how many there are. */
enum { ITEM_MOST = 16 };
int item_list(int64_t n, int64_t length, int p, struct item items[ITEM_MOST]);
bool item_is_small(const struct item *item);

struct peer {
    const char *name;
    /* It moves as many bytes, but not to where they belong: not verified. */
    bool reference;
    /* Plan. `strategy` is the library's, NULL its choice; others ignore it.
     * Collective over comm. ARG, on every process: why this item is not for it. */
    redist_err (*make)(MPI_Comm comm, const struct item *item, const char *strategy,
                       void **state);
    /* Redistribute once. Collective. */
    redist_err (*run)(void *state, const double *source, double *target);
    /* Collective. NULL-safe. */
    void (*free)(void *state);
};

extern const struct peer peer_redist;
extern const struct peer peer_alltoallv, peer_isend; /* by hand */
extern const struct peer peer_bare_alltoallv;        /* packs nothing */
extern const struct peer peer_memcpy, peer_stream;   /* copy a share of the bytes */
extern const struct peer peer_scalapack, peer_fftw, peer_costa;

#ifdef __cplusplus
}
#endif
#endif
