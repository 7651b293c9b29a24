/* SPDX-License-Identifier: MIT
 *
 * move/device/jobs.h - the moves of a launch, arranged as a device runs them: in windows
 * (device_window.h), in squares (device_square.h), or one by one.
 */
#ifndef REDIST_MOVE_DEVICE_JOBS_H
#define REDIST_MOVE_DEVICE_JOBS_H

#include "move/driver/driver.h"
#include "move/walk/memory.h"

struct jobs {
    struct window_job window[DEVICE_WINDOWS];
    struct window_stream stream[DEVICE_STREAMS];
    struct square_job square[DEVICE_SQUARES];
    struct device_move move[DEVICE_MOVES]; /* in their order in the launch */
};

/* Tell whether a device can combine these elements: its numbers must be aligned, and the
 * arithmetic that of combine_make. `bits`: all that are set in addresses and steps. */
bool jobs_can_combine(const struct combine *combine, int64_t bits);

/* The coefficients of such arithmetic. */
struct device_linear jobs_linear(const struct combine *combine);

/* Let a move combine: `linear` is 1 + the number of its coefficients. */
void jobs_combine(const struct combine *combine, int linear, struct device_move *move);

/* Make the move of a nest of at most DEVICE_LEVELS loops and DEVICE_MOST_UNITS bytes. The
 * blocks of its one loop may lie by lists: those of a side at at[side], where the device
 * reads it; NULL: as the loop says. */
void jobs_make_move(const struct nest *nest, const uint32_t *const at[SIDES], char *to,
                    const char *from, struct device_move *move);

/* Arrange n <= DEVICE_MOVES moves, except what concerns coefficients; `work` refers to
 * `jobs`. O(n DEVICE_WINDOWS). */
void jobs_arrange(const struct device_move moves[], int n, struct jobs *jobs,
                  struct device_work *work);

#endif
