/* SPDX-License-Identifier: MIT
 *
 * move/device/device_queue.h - the queue of moves of one run: moves of the device that
 * begin together, and the bounce buffer, with the host's copies that wait for them.
 */
#ifndef REDIST_MOVE_DEVICE_DEVICE_QUEUE_H
#define REDIST_MOVE_DEVICE_DEVICE_QUEUE_H

#include "base/error.h"
#include "base/lengths.h"
#include "move/arith/combine.h"
#include "move/device/jobs.h"

enum {
    COPIES = 256, /* most copies by the host that wait for moves of the device */
    RANGES = 4,   /* that a queue remembers: each nest asks about two addresses */
    ROOM = 16     /* bytes: rooms in the bounce buffer are multiples of it */
};

/* Bytes of the bounce buffer of a queue. */
enum { BOUNCE = LENGTH(4 << 20, 4 << 10) };

/* A copy from the bounce buffer, by the host, when the device is done. */
struct copy {
    struct blocks blocks;
    char *to;
    const char *from;
};

struct queue {
    struct queue *next; /* of those that nobody uses */
    const struct device_driver *driver;
    void *stream;   /* opened by the driver */
    redist_err err; /* the first, with its sentence */
    char sentence[ERROR_MESSAGE_SIZE];
    char *bounce; /* [BOUNCE] pinned */
    int64_t used; /* bytes of it */
    int nmoves, ncopies, nlinear, nranges;
    struct device_range range[RANGES]; /* that were asked for last */
    bool launched;                     /* since the last wait */
    bool settled;                      /* what the stream held at first is done */
    struct device_move move[DEVICE_MOVES];
    struct device_linear linear[DEVICE_LINEARS];
    const struct combine *combine; /* of the last coefficients */
    struct jobs jobs;              /* of a launch */
    struct copy copy[COPIES];
};

/* Open a queue beside a stream. MEMORY, DEVICE. Thread-safe. */
redist_err queue_open(const struct device_driver *driver, void *stream,
                      struct queue **opened);

/* Close it, after all moves are done. Thread-safe. */
void queue_close(struct queue *queue);

/* Keep the first error, with the sentence that error_set has made. */
void queue_keep_error(struct queue *queue, redist_err err);

/* Keep what the driver has returned, unless there is an error. Returns whether there is
 * none. */
bool queue_note(struct queue *queue, int code);

/* Begin the moves so far; moves that follow then run after them. */
void queue_launch(struct queue *queue);

/* Wait for the moves so far. Returns whether they are done. */
bool queue_wait(struct queue *queue);

/* Wait until all is done, the host's copies too; the bounce buffer is then empty. */
void queue_finish(struct queue *queue);

/* Take room for `bytes` <= BOUNCE, and for one more copy of the host. */
char *queue_take_room(struct queue *queue, int64_t bytes);

/* Tell whether the device reaches an address. */
bool queue_reaches(struct queue *queue, const void *address);

/* Take room for one more move between places that the device reaches. */
struct device_move *queue_take_move(struct queue *queue);

/* Make room for a move that combines, after what may meet it in the same elements, and
 * for its coefficients. Returns 1 + their number. */
int queue_take_linear(struct queue *queue, const struct combine *combine);

#endif
