/* SPDX-License-Identifier: MIT
 *
 * move/driver/driver.h - what the library needs of a device. The module for a make of
 * device offers it (src/cuda), and tests offer a device without one.
 */
#ifndef REDIST_MOVE_DRIVER_DRIVER_H
#define REDIST_MOVE_DRIVER_DRIVER_H

#include <stddef.h>

#include "move/driver/device_square.h"
#include "move/walk/memory_place.h"

/* The version of this interface: a module has that of its library. */
enum { DEVICE_DRIVER_VERSION = 3 };

/* At most, in a launch. */
enum {
    DEVICE_WINDOWS = 32,
    DEVICE_STREAMS = 256,
    DEVICE_SQUARES = 64,
    DEVICE_LINEARS = 8
};

/* Where an address lies. */
enum device_place {
    DEVICE_HOST,   /* memory of the host that the device does not reach */
    DEVICE_PINNED, /* memory of the host that it reaches at the same address */
    DEVICE_OWN     /* memory of the device */
};

/* The moves of a launch. Those of squares and windows come first; the others, from move
 * `first` on, run one by one. */
struct device_work {
    const struct device_move *move;     /* [nmoves] */
    const struct square_job *square;    /* [nsquares] */
    const struct window_job *window;    /* [nwindows] */
    const struct window_stream *stream; /* [nstreams] of all windows */
    const struct device_linear *linear; /* [nlinear] coefficients of single moves */
    int nmoves, first, nsquares, nwindows, nstreams, nlinear;
};

/* Addresses begin .. end - 1, which lie in one place. */
struct device_range {
    enum device_place place;
    const char *begin, *end;
};

/* Functions that return int return 0 or a code for `message`. */
struct device_driver {
    int version;
    const char *name; /* of the memory, as in "the source is in CUDA memory" */
    struct device_range (*place)(const void *address);
    /* Check that moves can use memory of the device. */
    int (*check)(const void *address);
    /* Allocate pinned memory, which is never freed. NULL: there is none. */
    void *(*alloc)(size_t bytes);
    /* Let the device reach memory of the host, whole pages, at the same address. */
    int (*pin)(void *memory, size_t bytes);
    void (*unpin)(void *memory);
    /* Copy data to memory of the device, where moves can read them; and free that. */
    int (*store)(const void *data, size_t bytes, void **there);
    void (*drop)(void *there);
    /* Open a stream of moves beside the caller's `stream`; NULL: the default one. */
    int (*open)(void *stream, void **opened);
    /* Begin moves after all that the stream holds. They may run in any order, and are
     * read before it returns. */
    int (*launch)(void *opened, const struct device_work *work);
    /* Wait until all moves of the stream are done. */
    int (*wait)(void *opened);
    void (*close)(void *opened);
    /* Find the allocation of an address in its memory, which another process can reach;
     * and there its begin, until it leaves it. */
    int (*show)(const void *address, struct memory_place *place);
    int (*reach)(const struct memory_place *place, void **begin);
    void (*leave)(void *begin);
    const char *(*message)(int code);
};

#endif
