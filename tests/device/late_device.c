/* SPDX-License-Identifier: MIT */
#include "device/late_device.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MEMORY = 64 << 20,
    PAGES = 4096,
    PINNED = 64,
    STREAMS = 64,
    APART = 64,
    FAILED = 7
};

/* The same pages twice: `shown` is what the library is given. The first are this
 * process's, then come those of others that it has reached. */
static struct pages {
    char *shown, *hidden;
    size_t bytes;
} pages[PAGES];
static int file; /* of this process's pages */
static size_t used;

static struct {
    char *begin, *end;
} pinned[PINNED];

/* A launch that a stream holds. */
struct held {
    struct held *next;
    struct device_work work;
    struct {
        struct device_move move[DEVICE_MOVES];
        struct square_job square[DEVICE_SQUARES];
        struct window_job window[DEVICE_WINDOWS];
        struct window_stream stream[DEVICE_STREAMS];
        struct device_linear linear[DEVICE_LINEARS];
    } jobs;
};

static struct stream {
    bool is_open;
    struct held *first;
} streams[STREAMS];

static bool reaches_all;
static const void *refused;
static int failing;
static struct late_device_counts counts;
static uint64_t shuffle = 1;

static void map_file(int from, size_t bytes, int access, struct pages *to)
{
    to->shown = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, from, 0);
    to->hidden = mmap(NULL, bytes, access, MAP_SHARED, from, 0);
    to->bytes = bytes;
    if (to->shown == MAP_FAILED || to->hidden == MAP_FAILED) abort();
}

static void unmap(struct pages *in)
{
    (void)munmap(in->shown, in->bytes);
    (void)munmap(in->hidden, in->bytes);
    *in = (struct pages){0};
}

/* A file of memory, and where it is mapped. */
static int make_pages(size_t bytes, struct pages *to)
{
    int made = memfd_create("late_device", 0);
    if (made < 0 || ftruncate(made, (off_t)bytes) != 0) abort();
    map_file(made, bytes, PROT_READ | PROT_WRITE, to);
    return made;
}

static struct pages *unused_pages(void)
{
    for (int k = 1; k < PAGES; k++)
        if (!pages[k].shown) return &pages[k];
    abort();
}

void *late_device_alloc(size_t bytes)
{
    if (!pages->shown) file = make_pages(MEMORY, pages);
    if (bytes > MEMORY - used) return NULL;
    char *at = pages->shown + used;
    size_t room = (bytes + APART - 1) / APART * APART;
    used = room < MEMORY - used ? used + room : MEMORY;
    return at;
}

void late_device_reset(void) { used = 0; }

static const struct pages *pages_of(const void *address)
{
    const char *at = address;
    for (int k = 0; k < PAGES; k++)
        if (pages[k].shown && at >= pages[k].shown &&
            at < pages[k].shown + pages[k].bytes)
            return &pages[k];
    return NULL;
}

char *late_device_bytes(const void *address)
{
    const struct pages *in = pages_of(address);
    return in ? in->hidden + ((const char *)address - in->shown)
              : (char *)(uintptr_t)address;
}

void late_device_reach_all(void) { reaches_all = true; }

void late_device_refuse(const void *address) { refused = address; }

void late_device_fail(int n) { failing = n; }

struct late_device_counts late_device_counts(void) { return counts; }

/* ---- the driver -------------------------------------------------------------------- */

static struct device_range place(const void *address)
{
    const char *at = address;
    const struct pages *in = pages_of(address);
    if (in) return (struct device_range){DEVICE_OWN, in->shown, in->shown + in->bytes};
    for (int k = 0; k < PINNED && !reaches_all; k++)
        if (at >= pinned[k].begin && at < pinned[k].end)
            return (struct device_range){DEVICE_PINNED, pinned[k].begin, pinned[k].end};
    return (struct device_range){reaches_all ? DEVICE_PINNED : DEVICE_HOST, at, at + 1};
}

static int pin(void *memory, size_t bytes)
{
    for (int k = 0; k < PINNED; k++) {
        if (pinned[k].begin) continue;
        pinned[k].begin = memory;
        pinned[k].end = pinned[k].begin + bytes;
        counts.pinned++;
        return 0;
    }
    return FAILED;
}

static void unpin(void *memory)
{
    for (int k = 0; k < PINNED; k++) {
        if (pinned[k].begin != memory) continue;
        pinned[k].begin = pinned[k].end = NULL;
        counts.pinned--;
        return;
    }
    abort();
}

static void *alloc_pinned(size_t bytes)
{
    char *memory = malloc(bytes);
    if (memory && pin(memory, bytes) == 0) return memory;
    free(memory);
    return NULL;
}

void late_device_free_pinned(void *memory)
{
    unpin(memory);
    free(memory);
}

static int check(const void *address) { return address == refused ? FAILED : 0; }

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

static int launch(void *opened, const struct device_work *work)
{
    struct stream *stream = opened;
    struct held **last = &stream->first;
    int n = work->nmoves;
    if (failing > 0 && --failing == 0) return FAILED;
    if (n < 1 || n > DEVICE_MOVES) return FAILED;
    counts.launches++;
    counts.moves += n;
    counts.windows += work->nwindows;
    counts.squares += work->nsquares;
    counts.linears += work->nlinear;
    while (*last) last = &(*last)->next;
    struct held *held = malloc(sizeof *held);
    if (!held) abort();
    *last = held;
    held->next = NULL;
    held->work = *work;
    memcpy(held->jobs.move, work->move, (size_t)n * sizeof *work->move);
    memcpy(held->jobs.square, work->square,
           (size_t)work->nsquares * sizeof *work->square);
    memcpy(held->jobs.window, work->window,
           (size_t)work->nwindows * sizeof *work->window);
    memcpy(held->jobs.linear, work->linear, (size_t)work->nlinear * sizeof *work->linear);
    memcpy(held->jobs.stream, work->stream,
           (size_t)work->nstreams * sizeof *work->stream);
    for (int k = 0; k < n; k++) {
        struct device_move *move = &held->jobs.move[k];
        move->to = late_device_bytes(move->to);
        move->from = late_device_bytes(move->from);
        for (int side = 0; side < 2; side++)
            if (move->place[side])
                move->place[side] = (const void *)late_device_bytes(move->place[side]);
    }
    for (int k = 0; k < work->nwindows; k++)
        held->jobs.window[k].at = late_device_bytes(held->jobs.window[k].at);
    for (int k = 0; k < work->nstreams; k++)
        held->jobs.stream[k].at = late_device_bytes(held->jobs.stream[k].at);
    return 0;
}

static size_t draw(size_t n)
{
    shuffle = shuffle * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(shuffle >> 33) % n;
}

/* Threads run one after the other, from a random one on.
 * NOLINTBEGIN(bugprone-macro-parentheses): the macro declares its argument. */
#define EACH_THREAD(thread)                                                              \
    for (uint32_t turn_ = 0, from_ = (uint32_t)draw(DEVICE_THREADS), thread = from_;     \
         turn_ < DEVICE_THREADS; turn_++, thread = (turn_ + from_) % DEVICE_THREADS)
/* NOLINTEND(bugprone-macro-parentheses) */

static void run_single(const struct held *held, const struct device_move *move)
{
    for (uint32_t tile = move->tiles; tile-- > 0;)
        EACH_THREAD (t) device_move_tile(move, held->jobs.linear, tile, t);
}

static void run_square(const struct held *held, const struct square_job *job)
{
    static struct window_state state;
    const struct device_move *move = &held->jobs.move[job->move];
    for (uint32_t tile = job->tiles; tile-- > 0;)
        for (int s = 0; s < 2; s++)
            EACH_THREAD (t)
                square_copy(job, move, tile, (uint32_t)move->unit, s, &state, t);
}

/* Run the windows first, first + groups, .. of a job. */
static void run_group(const struct held *held, const struct window_job *job,
                      uint32_t first, uint32_t groups)
{
    static struct window_state state;
    const struct window_stream *stream = held->jobs.stream + job->stream;
    const struct device_move *moves = held->jobs.move;
    memset(&state, 0x5a, sizeof state);
    EACH_THREAD (t) window_clear(&state, t);
    EACH_THREAD (t) window_make_round(job, stream, moves, &state, t);
    EACH_THREAD (t) window_make_table(job, stream, &state, t);
    for (uint32_t tile = first; tile < job->tiles; tile += groups) {
        struct window window[DEVICE_THREADS];
        EACH_THREAD (t) window[t] = window_aim(job, stream, tile, &state, t);
        EACH_THREAD (t) {
            if (job->home)
                window_copy_streams(job, window[t], (uint32_t)job->unit, true, &state, t);
            else
                window_copy_home(job, window[t], (uint32_t)job->unit, true, &state, t);
        }
        EACH_THREAD (t) {
            if (job->home)
                window_copy_home(job, window[t], (uint32_t)job->unit, false, &state, t);
            else
                window_copy_streams(job, window[t], (uint32_t)job->unit, false, &state,
                                    t);
        }
    }
}

static void run_window(const struct held *held, const struct window_job *job)
{
    uint32_t groups = 1 + (uint32_t)draw(3);
    for (uint32_t first = 0; first < groups; first++) run_group(held, job, first, groups);
}

/* Run the jobs of a launch in a random order. */
static void run_launch(const struct held *held)
{
    const struct device_work *work = &held->work;
    int singles = work->nmoves - work->first, squares = singles + work->nsquares;
    int n = squares + work->nwindows, order[DEVICE_MOVES];
    for (int k = 0; k < n; k++) order[k] = k;
    for (; n > 0; n--) {
        size_t k = draw((size_t)n);
        int job = order[k];
        order[k] = order[n - 1];
        if (job < singles)
            run_single(held, &held->jobs.move[work->first + job]);
        else if (job < squares)
            run_square(held, &held->jobs.square[job - singles]);
        else
            run_window(held, &held->jobs.window[job - squares]);
    }
}

static int wait_stream(void *opened)
{
    struct stream *stream = opened;
    while (stream->first) {
        struct held *held = stream->first;
        run_launch(held);
        stream->first = held->next;
        free(held);
    }
    return 0;
}

static void close_stream(void *opened)
{
    struct stream *stream = opened;
    if (stream->first) abort(); /* nobody has waited for it */
    *stream = (struct stream){0};
}

/* ---- arrays of other processes ----------------------------------------------------- */

/* A device that reaches all memory of the host shows nothing of its own. */
static int show(const void *address, struct memory_place *place)
{
    if (reaches_all || pages_of(address) != pages) return FAILED;
    *place =
        (struct memory_place){.id = 1, .offset = (const char *)address - pages->shown};
    (void)snprintf(place->handle, sizeof place->handle, "/proc/%ld/fd/%d", (long)getpid(),
                   file);
    return 0;
}

static int reach(const struct memory_place *place, void **begin)
{
    int other = open(place->handle, O_RDWR);
    if (other < 0) return FAILED;
    struct pages *to = unused_pages();
    map_file(other, MEMORY, PROT_READ, to);
    (void)close(other);
    *begin = to->shown;
    counts.reached++;
    return 0;
}

/* The pages of what was reached or kept. */
static struct pages *pages_from(const void *begin)
{
    for (int k = 1; k < PAGES; k++)
        if (pages[k].shown == begin) return &pages[k];
    abort();
}

static void leave(void *begin)
{
    unmap(pages_from(begin));
    counts.reached--;
}

/* ---- lists ------------------------------------------------------------------------- */

static int store(const void *data, size_t bytes, void **there)
{
    struct pages *to = unused_pages();
    (void)close(make_pages(bytes, to));
    memcpy(to->hidden, data, bytes);
    *there = to->shown;
    counts.lists++;
    return 0;
}

static void drop(void *there)
{
    unmap(pages_from(there));
    counts.lists--;
}

static const char *message(int code)
{
    return code == FAILED ? "a launch that was to fail" : "an unknown code";
}

const struct device_driver late_device = {.version = DEVICE_DRIVER_VERSION,
                                          .name = "late device",
                                          .place = place,
                                          .check = check,
                                          .alloc = alloc_pinned,
                                          .pin = pin,
                                          .unpin = unpin,
                                          .store = store,
                                          .drop = drop,
                                          .open = open_stream,
                                          .launch = launch,
                                          .wait = wait_stream,
                                          .close = close_stream,
                                          .show = show,
                                          .reach = reach,
                                          .leave = leave,
                                          .message = message};
