/* SPDX-License-Identifier: MIT
 *
 * files/format/window.h - read a file from begin to end, by one process, through a buffer
 * of a few MiB.
 *
 * It reads ahead more and more while requests are close together, and little after a
 * jump: dense data are read in large blocks, sparse data without the gaps.
 */
#ifndef REDIST_FILES_FORMAT_WINDOW_H
#define REDIST_FILES_FORMAT_WINDOW_H

#include <redist/describe.h>

struct window {
    const char *path; /* borrowed */
    int descriptor;
    int64_t file_bytes;
    int64_t ahead;      /* bytes to read ahead next time */
    int64_t begin, end; /* range of the file in the buffer */
    char *buffer;
    int64_t room; /* of the buffer */
};

/* The most bytes that a window reads at a time, unless more are requested at once. */
enum { WINDOW_BYTES = 4 << 20 };

/* Open a regular file; anything else is refused at once. Close with window_close, which
 * is safe on a window of {.descriptor = -1}. IO. */
redist_err window_open(const char *path, struct window *window);
void window_close(struct window *window);

/* Find the `size` bytes at `offset`; *bytes is valid until the next call. MEMORY, IO: the
 * file is too short. */
redist_err window_get(struct window *window, int64_t offset, int64_t size,
                      const char **bytes);

/* Read the header of an .npy file, a block of *size bytes that the caller frees with
 * mem_free, and find the size of the file. MEMORY, IO. */
redist_err window_read_header(const char *path, char **header, int64_t *size,
                              int64_t *file_bytes);

/* Read a whole file, of `most` bytes at the most: *size bytes and a 0 behind them, a
 * block that the caller frees with mem_free. MEMORY, IO. */
redist_err window_read_all(const char *path, int64_t most, char **text, int64_t *size);

/* Read all `size` bytes at `offset`. `name` is for messages. IO: truncated, .. */
redist_err read_fully(int descriptor, const char *name, void *bytes, int64_t size,
                      int64_t offset);

#endif
