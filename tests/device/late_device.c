/* SPDX-License-Identifier: MIT */
#include "device/late_device.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY = 64 << 20, PINNED = 64, STREAMS = 64, APART = 64, FAILED = 7 };

/* The same pages twice: `shown` is what the library is given. */
static char *shown, *hidden;
static size_t used;

static struct {
    char *begin, *end;
} pinned[PINNED];

/* The moves that a stream holds. */
static struct stream {
    bool is_open;
    size_t n, room;
    struct device_move *move;
} streams[STREAMS];

static bool reaches_all;
static int failing;
static struct late_device_counts counts;
static uint64_t shuffle = 1;

static void map_memory(void)
{
    int file = memfd_create("late_device", 0);
    if (file < 0 || ftruncate(file, MEMORY) != 0) abort();
    shown = mmap(NULL, MEMORY, PROT_NONE, MAP_SHARED, file, 0);
    hidden = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (shown == MAP_FAILED || hidden == MAP_FAILED) abort();
}

void *late_device_alloc(size_t bytes)
{
    if (!shown) map_memory();
    if (bytes > MEMORY - used) return NULL;
    char *at = shown + used;
    size_t room = (bytes + APART - 1) / APART * APART;
    used = room < MEMORY - used ? used + room : MEMORY;
    return at;
}

void late_device_reset(void) { used = 0; }

static bool is_own(const void *address)
{
    const char *at = address;
    return shown && at >= shown && at < shown + MEMORY;
}

char *late_device_bytes(const void *address)
{
    return is_own(address) ? hidden + ((const char *)address - shown)
                           : (char *)(uintptr_t)address;
}

void late_device_reach_all(void) { reaches_all = true; }

void late_device_fail(int n) { failing = n; }

struct late_device_counts late_device_counts(void) { return counts; }

/* ---- the driver -------------------------------------------------------------------- */

static enum device_place place(const void *address)
{
    const char *at = address;
    if (is_own(address)) return DEVICE_OWN;
    if (reaches_all) return DEVICE_PINNED;
    for (int k = 0; k < PINNED; k++)
        if (at >= pinned[k].begin && at < pinned[k].end) return DEVICE_PINNED;
    return DEVICE_HOST;
}

static void *alloc_pinned(size_t bytes)
{
    char *memory = malloc(bytes);
    for (int k = 0; memory && k < PINNED; k++) {
        if (pinned[k].begin) continue;
        pinned[k].begin = memory;
        pinned[k].end = memory + bytes;
        return memory;
    }
    free(memory);
    return NULL;
}

void late_device_free_pinned(void *memory)
{
    for (int k = 0; k < PINNED; k++)
        if (pinned[k].begin == memory) pinned[k].begin = pinned[k].end = NULL;
    free(memory);
}

static int open_stream(void *stream, void **opened)
{
    (void)stream;
    for (int k = 0; k < STREAMS; k++) {
        if (streams[k].is_open) continue;
        streams[k].is_open = true;
        *opened = &streams[k];
        return 0;
    }
    return FAILED;
}

static int launch(void *opened, const struct device_move moves[], int n)
{
    struct stream *stream = opened;
    if (failing > 0 && --failing == 0) return FAILED;
    if (n < 1 || n > DEVICE_MOVES) return FAILED;
    counts.launches++;
    counts.moves += n;
    while (stream->n + (size_t)n + 1 > stream->room) {
        stream->room = 2 * stream->room + DEVICE_MOVES;
        stream->move = realloc(stream->move, stream->room * sizeof *moves);
        if (!stream->move) abort();
    }
    memcpy(stream->move + stream->n, moves, (size_t)n * sizeof *moves);
    stream->n += (size_t)n;
    stream->move[stream->n++] = (struct device_move){.n = -1}; /* the launch's end */
    return 0;
}

/* Run one move, its units in another order than the nest's. */
static void run(struct device_move move)
{
    move.to = late_device_bytes(move.to);
    move.from = late_device_bytes(move.from);
    for (uint32_t u = move.units; u-- > 0;) device_move_unit(&move, u);
}

/* Run the moves of one launch in a random order. */
static void run_launch(struct device_move moves[], size_t n)
{
    for (; n > 0; n--) {
        shuffle = shuffle * 6364136223846793005u + 1442695040888963407u;
        size_t k = (size_t)(shuffle >> 33) % n;
        run(moves[k]);
        moves[k] = moves[n - 1];
    }
}

static int wait_stream(void *opened)
{
    struct stream *stream = opened;
    for (size_t k = 0, end = 0; k < stream->n; k = end + 1) {
        for (end = k; stream->move[end].n >= 0;) end++;
        run_launch(stream->move + k, end - k);
    }
    stream->n = 0;
    return 0;
}

static void close_stream(void *opened)
{
    struct stream *stream = opened;
    if (stream->n > 0) abort(); /* nobody has waited for them */
    free(stream->move);
    *stream = (struct stream){0};
}

static const char *message(int code)
{
    return code == FAILED ? "a launch that was to fail" : "an unknown code";
}

const struct device_driver late_device = {.version = DEVICE_DRIVER_VERSION,
                                          .name = "late device",
                                          .place = place,
                                          .alloc = alloc_pinned,
                                          .open = open_stream,
                                          .launch = launch,
                                          .wait = wait_stream,
                                          .close = close_stream,
                                          .message = message};
