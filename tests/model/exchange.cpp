/* SPDX-License-Identifier: MIT
 *
 * The shared-memory exchange (src/move/shared) under Relacy, as weak.h describes: all of
 * it from a run's start to its end, for processes that are threads here. Only what moves
 * elements is replaced: an element is an int that Relacy sees, and messages interleave
 * element by element in both arrays.
 *
 *   source of s   0 1 2 0 1 2 ..     element j of the message to receiver i is j * n + i
 *   target of r   0 1 0 1 ..         and of the message from sender i, too
 */
#include "weak.h"

enum { GRAIN = sizeof(plain<int>), MOST = 4 /* elements of a message */, RUNS = 4 };

#include "move/shared/throttle.c"
#include "move/shared/shm_places.c"
#include "move/shared/shm_send.c"
#include "move/shared/shm_receive.c"
#include "move/shared/exchange_shared.c"

/* ---- what moves elements ----------------------------------------------------------- */

/* A walk has the number of its message in `offset`, of so many in `inner` and `first`. */
static int64_t place_in(const struct walk *walk, int side, int64_t grain)
{
    int64_t of = side == REDIST_SOURCE ? walk->inner : walk->first;
    return grain * of + walk->offset[side];
}

static plain<int> *grain_at(const void *buffer, int64_t at)
{
    return (plain<int> *)buffer + at;
}

void walk_seek(struct walk *walk, int64_t grain) { walk->done = grain; }

struct place walk_place(struct walk *walk, enum way way, int64_t grain)
{
    return (struct place){place_in(walk, REDIST_SOURCE, grain) * GRAIN,
                          place_in(walk, REDIST_TARGET, grain) * GRAIN};
}

int64_t walk_before(const struct walk *walk, redist_side s, int64_t at)
{
    int64_t n = 0;
    while (n < walk->total && place_in(walk, s, n) * GRAIN < at) n++;
    return n;
}

void walk_combine(struct walk *walk, enum way way, const struct combine *combine,
                  const void *from, void *to, int64_t n)
{
    for (int64_t k = 0; k < n; k++, walk->done++) {
        int64_t at = way == WAY_COPY ? place_in(walk, REDIST_SOURCE, walk->done) : k;
        *grain_at(to, place_in(walk, REDIST_TARGET, walk->done)) =
            (int)*grain_at(from, at);
    }
}

bool interleave_advance(struct interleave *interleave, struct input inputs[], int64_t n,
                        const struct combine *combine, char *to)
{
    int64_t before = interleave->at;
    for (; interleave->at < interleave->end; interleave->at += GRAIN) {
        struct input *input = &inputs[interleave->at / GRAIN % n];
        if (input->ready <= input->walk->done) break;
        walk_combine(input->walk, input->way, combine, input->from, to, 1);
        if (input->way == WAY_SCATTER) input->from += GRAIN;
    }
    return interleave->at > before;
}

void interleave_all(struct input inputs[], int64_t n, const struct combine *combine,
                    void *to)
{
    for (int64_t k = 0; k < n; k++) {
        walk_seek(inputs[k].walk, 0);
        walk_combine(inputs[k].walk, WAY_COPY, combine, inputs[k].from, to,
                     inputs[k].walk->total);
    }
}

void stage_queue_pack(const struct move *move, struct transfer *transfer, int64_t at,
                      int64_t n, char *staging)
{
    for (int64_t k = 0; k < n / GRAIN; k++)
        *grain_at(staging, k) =
            (int)*grain_at(move->sources[0], place_in(&transfer->part->walk,
                                                      REDIST_SOURCE, at / GRAIN + k));
}

void stage_pack_past(const struct move *move, struct transfer *transfer, int64_t at,
                     int64_t n, char *staging)
{
    stage_queue_pack(move, transfer, at, n, staging);
}

void stage_queue_unpack(const struct move *move, struct transfer *transfer, int64_t at,
                        int64_t n, const char *staging)
{
    if (move->buffers_invalid) return;
    walk_seek(&transfer->part->walk, at / GRAIN);
    walk_combine(&transfer->part->walk, WAY_SCATTER, NULL, staging, move->targets[0],
                 n / GRAIN);
}

bool stage_fence(const struct move *move) { return true; }

void source_window_copy(const struct source_window *window, int64_t k, bool past,
                        const struct move *move, char *slot)
{
    int64_t at = k * window->slot, bytes = int_min(window->slot, window->bytes - at);
    for (int64_t j = 0; j < bytes; j += GRAIN)
        *grain_at(slot, j / GRAIN) = (int)*grain_at(move->sources[0], (at + j) / GRAIN);
}

/* ---- redist_alloc: an address is the name of its segment --------------------------- */

/* Of the process that runs, as it chose for the run. */
struct chosen {
    bool shows, reaches;
};
static const struct chosen *chosen_now(void);

bool segments_place(const void *address, struct segment_place *place)
{
    *place = (struct segment_place){(uint64_t)address, 0, 0};
    return chosen_now()->shows;
}

const char *segments_address(struct segment_place place)
{
    return chosen_now()->reaches ? (const char *)place.name : NULL;
}

/* ---- what is not reached, or does nothing here ------------------------------------- */

static const struct memory_kind host = {.name = "host"};
struct memory memory_host = {&host, NULL};
static struct memory memory = {&host, NULL};

redist_err error_set(redist_err err, const char *format, ...) { return err; }
redist_err mpi_check(int code, const char *call) { return REDIST_OK; }
bool mpi_waits_too_long(struct wait_time *wait, double limit) { return false; }

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    return MPI_SUCCESS;
}

redist_err mpi_all_well(MPI_Comm comm, redist_err err, bool *well) { return err; }
void *mem_alloc(struct mem_account *account, int64_t n, size_t size) { return NULL; }
void mem_free(void *memory) {}
redist_err shm_peers_make(const struct move *move, struct shm_peers *peers)
{
    return REDIST_OK;
}
void shm_peers_free(struct shm_peers *peers) {}
bool shm_effort(const struct load *load, const struct pipeline_policy *policy,
                struct effort *effort)
{
    return false;
}
bool interleave_make(const struct input inputs[], int64_t n,
                     struct interleave *interleave)
{
    return false;
}
redist_err run_table_make(struct mem_account *account,
                          const struct table_input table_inputs[], int64_t n,
                          struct run_table *table)
{
    return REDIST_OK;
}
void run_table_free(struct run_table *table) {}
redist_err pipeline_make(const struct move *move, const struct pipeline_policy *policy,
                         void **state)
{
    return REDIST_OK;
}
redist_err pipeline_start(struct move *move, void *state) { return REDIST_OK; }
redist_err pipeline_progress(struct move *move, void *state, bool wait, bool *done)
{
    return REDIST_OK;
}
void pipeline_destroy(void *state) {}

/* ---- the processes ----------------------------------------------------------------- */

/* Which way a message goes in all runs. */
enum kind { RINGS, INTERLEAVED, WINDOW, WINDOW_INTERLEAVED, LISTS, KINDS };

/* A process's own memory. */
struct process {
    struct move move;
    struct array array;
    struct state state;
    struct source_window window;
    struct outgoing outgoing[4];
    struct incoming incoming[4];
    struct part sent[4], received[4];
    struct direct_read direct[4];
    struct input inputs[5];
    struct silent_peer silent[4];
    const void *sources[1];
    void *targets[1];
    struct chosen chosen[RUNS];
    bool invalid[RUNS];
    int run;
};

static struct process *now[4];

static const struct chosen *chosen_now(void)
{
    const struct process *process = now[rl::thread_index()];
    return &process->chosen[process->run];
}

static int value(int run, int from, int64_t place)
{
    return run * 1000 + from * 100 + (int)place;
}

/* Of n processes those below `senders` send to those from `receivers` on, also to
 * themselves. */
struct shape {
    int n, senders, receivers;
};

static const struct shape shapes[] = {{4, 2, 2}, {2, 2, 0}, {3, 3, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes, N = 4 /* processes at most */ };

struct exchanges : rl::test_suite<exchanges, N> {
    /* shared */
    struct channel channel[N][N];
    struct status_flag flag[N];
    struct shown_place place[N];
    plain<int> slots[N][N][MOST * N], source[N][MOST * N], target[N][MOST * N];
    /* each of its own process */
    struct process process[N];

    int n, senders, receivers, in, out;
    enum kind mode;
    int64_t elements, slot, nslots;
    bool flags;

    void before()
    {
        struct shape shape = shapes[draw(SHAPES)];
        n = shape.n;
        in = senders = shape.senders;
        receivers = shape.receivers;
        out = n - receivers;
        mode = (enum kind)draw(KINDS);
        elements = 1 + draw(MOST);
        slot = 1 + draw(2);
        nslots = 2 + draw(2);
        flags = draw(2);
        memset((void *)process, 0, sizeof process);
        for (int p = 0; p < n; p++) {
            zero(&flag[p]);
            now[p] = &process[p];
            for (int q = 0; q < n; q++) zero(&channel[p][q]);
            for (int run = 0; run < RUNS; run++) {
                process[p].chosen[run].shows = draw(3) == 0;
                process[p].chosen[run].reaches = draw(2);
                process[p].invalid[run] = flags && draw(8) == 0;
            }
            connect(p, &process[p]);
        }
    }

    bool sends(int p) { return p < senders; }
    bool receives(int p) { return p >= receivers; }
    bool by_window() { return mode == WINDOW || mode == WINDOW_INTERLEAVED; }

    struct walk walk_between(int s, int r)
    {
        struct walk walk = {.grain = GRAIN, .inner = out, .total = elements};
        walk.first = in;
        walk.offset[REDIST_SOURCE] = r - receivers;
        walk.offset[REDIST_TARGET] = s;
        return walk;
    }

    struct channel_end end_between(int s, int r)
    {
        struct channel_end end = {.channel = &channel[s][r]};
        end.slots = (char *)slots[s][by_window() ? s : r];
        end.slot = slot * GRAIN;
        end.nslots = nslots;
        end.all = by_window() ? process[s].window.n : int_ceil_div(elements, slot);
        return end;
    }

    struct transfer transfer_with(int rank, struct part *part, int s, int r)
    {
        *part = (struct part){.walk = walk_between(s, r)};
        return (struct transfer){
            .rank = rank, .bytes = elements * GRAIN, .nparts = 1, .part = part};
    }

    void connect(int p, struct process *own)
    {
        struct shm_peers *peers = &own->state.peers;
        for (int s = 0; s < senders && by_window(); s++) {
            int64_t parts = int_ceil_div(elements * out, slot);
            process[s].window =
                (struct source_window){.bytes = elements * out * GRAIN,
                                       .slot = slot * GRAIN,
                                       .nslots = nslots,
                                       .n = int_ceil_div(parts, nslots) * nslots};
        }
        peers->by_window = by_window();
        peers->window = &own->window;
        peers->node.sharing = 1;
        peers->outgoing = own->outgoing;
        peers->incoming = own->incoming;
        peers->place = &place[p];
        peers->flag = &flag[p];
        peers->silent = own->silent;
        for (int r = receivers; r < n && sends(p); r++) {
            if (r == p) continue;
            struct outgoing *to = &own->outgoing[peers->noutgoing];
            to->transfer = transfer_with(r, &own->sent[peers->noutgoing++], p, r);
            to->end = end_between(p, r);
            to->distance.votes = &to->distance.own;
        }
        for (int s = 0; s < senders && receives(p); s++) {
            if (s == p) continue;
            int64_t k = peers->nincoming++;
            struct incoming *from = &own->incoming[k];
            from->transfer = transfer_with(s, &own->received[k], s, p);
            from->end = end_between(s, p);
            from->place = &place[s];
            from->direct = &own->direct[k];
            own->direct[k].walk = walk_between(s, p);
            if (by_window()) from->window = &process[s].window;
        }
        for (int q = 0; q < n && flags; q++)
            if (q != p && !(sends(q) && receives(p)))
                peers->silent[peers->nsilent++] = (struct silent_peer){q, &flag[q]};
        own->state.receiving.inputs = own->inputs;
        own->state.in_step = mode == LISTS;
        own->state.nsilent = peers->nsilent;
        if ((mode == INTERLEAVED || mode == WINDOW_INTERLEAVED) && receives(p))
            own->state.receiving.whole.end = elements * in * GRAIN;
        own->array.known = true;
        own->array.listed = mode == LISTS;
        own->array.kept = walk_between(p, p);
        if (!sends(p) || !receives(p)) own->array.kept.total = 0;
        own->sources[0] = source[p];
        own->targets[0] = target[p];
        own->move.rank = p;
        own->move.nranks = n;
        own->move.narrays = 1;
        own->move.array = &own->array;
        own->move.sources = own->sources;
        own->move.targets = own->targets;
        own->move.memory = &memory;
    }

    /* What arrived in a run is the sources' of the same run. */
    void check(int p, int run, int64_t invalid_rank)
    {
        int64_t invalid = INT64_MAX;
        for (int q = n - 1; q >= 0; q--)
            if (q != p && process[q].invalid[run]) invalid = q;
        if (flags) RL_ASSERT(invalid_rank == invalid);
        for (int64_t k = 0; k < elements * in; k++) {
            int s = (int)(k % in);
            if (!receives(p) || process[p].invalid[run] || process[s].invalid[run])
                continue;
            RL_ASSERT(target[p][k] == value(run, s, k / in * out + p - receivers));
        }
    }

    void thread(unsigned index)
    {
        int p = (int)index;
        if (p >= n) return;
        struct process *own = &process[p];
        struct move *move = &own->move;
        for (own->run = 0; own->run < RUNS; own->run++) {
            bool done = false, waits = draw(2);
            for (int64_t k = 0; k < elements * out && sends(p); k++)
                source[p][k] = value(own->run, p, k);
            for (int64_t k = 0; k < elements * in && receives(p); k++) target[p][k] = -1;
            move->buffers_invalid = own->invalid[own->run];
            move->invalid_rank = INT64_MAX;
            (void)start(move, &own->state);
            for (; !done; rl::yield(1, $))
                (void)progress(move, &own->state, waits, &done);
            check(p, own->run, move->invalid_rank);
        }
    }
};

int main(int argc, char **argv)
{
    std::ostringstream progress;
    rl::test_params params;
    params.iteration_count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    params.execution_depth_limit = 6000;
    params.progress_stream = &progress;
    return !rl::simulate<exchanges>(params);
}
