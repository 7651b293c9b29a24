/* SPDX-License-Identifier: MIT
 *
 * Counts beyond 32 bits, with two processes and 5 GiB of memory: messages of more than
 * 2^31 bytes, an array of more than 2^31 elements, and the end of one of more than
 * 2^35, of which only a section is ever touched. Each element is one byte, a function
 * of its index.
 */
#include <sys/mman.h>

#include "mpi/pair.h"

#define MEMORY_NEEDED (INT64_C(6) << 30)
#define ROW INT64_C(715829249)
#define LONG (3 * ROW) /* 2^31 + 4099 */
#define HUGE_EXTENT ((INT64_C(1) << 35) + 12345)

#ifdef __SANITIZE_ADDRESS__
enum { SLOW = 1 };
#else
enum { SLOW = 0 };
#endif

static const char *const strategies[] = {"nonblocking", "alltoallv"};
enum { BY = sizeof strategies / sizeof *strategies };

/* Whether so much memory can be had without swapping, as Linux tells rank 0. */
static int enough_memory(void)
{
    char line[128];
    long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %ld", &kib) == 1) break;
    if (file) (void)fclose(file);
    int enough = ((int64_t)kib << 10) >= MEMORY_NEEDED;
    MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return enough;
}

/* Memory that takes room only where it is touched. */
static unsigned char *reserve(int64_t bytes)
{
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, how, -1, 0);
    CHECK(memory != MAP_FAILED, "%" PRId64 " bytes of address space", bytes);
    return memory;
}

/* ---- bytes ------------------------------------------------------------------------- */

/* The 256 elements from a multiple of 256 on have all 256 bytes in turn; which comes
 * first, all bits of the index decide (after the finalizer of splitmix64, Steele, Lea
 * and Flood 2014). */
static unsigned first_byte(int64_t index)
{
    uint64_t z = (uint64_t)(index >> 8) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)(z >> 56);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void fill(unsigned char *bytes, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end;) {
        int64_t stop = least((i | 255) + 1, end);
        unsigned base = first_byte(i);
        for (; i < stop; i++) *bytes++ = (unsigned char)(base + (unsigned)i);
    }
}

static void clear(unsigned char *bytes, int64_t begin, int64_t end)
{
    memset(bytes, 0, (size_t)(end - begin));
}

static void check(unsigned char *bytes, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end;) {
        int64_t stop = least((i | 255) + 1, end), from = i;
        unsigned base = first_byte(i), differ = 0;
        for (; i < stop; i++) differ |= *bytes++ ^ (base + (unsigned)i);
        CHECK((differ & 255) == 0, "one of elements %" PRId64 " to %" PRId64 " is wrong",
              from, stop - 1);
    }
}

/* Fill, clear or check what the calling process holds of elements begin to end of a
 * cyclic(m). */
static void each_block(void (*act)(unsigned char *, int64_t, int64_t),
                       unsigned char *bytes, int64_t m, int64_t begin, int64_t end)
{
    int n = world_size(), rank = world_rank();
    for (int64_t i = begin, stop; i < end; i = stop) {
        int64_t block = i / m;
        stop = least((block + 1) * m, end);
        if (block % n == rank) act(bytes + block / n * m + i % m, i, stop);
    }
}

/* ---- the cases --------------------------------------------------------------------- */

/* Execute a pair, in which all processes move `total` elements and the longest message
 * has at least `longest`. */
static void move(const struct pair *pair, const char *strategy, int64_t total,
                 int64_t longest, const void *source, void *target)
{
    redist_plan *plan;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, MPI_BYTE, &pair->view[0], &pair->view[1],
                                &options, &plan));
    CHECK_OK(redist_execute(plan, source, target));
    redist_report report = report_of(plan);
    int64_t most = report.elements_sent, moved = report.elements_kept + most;
    CHECK(report.messages_sent <= 1, "%" PRId64 " messages", report.messages_sent);
    CHECK(report.staging_peak_bytes <= 8 << 20, "staging of %" PRId64,
          report.staging_peak_bytes);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(moved == total, "%" PRId64 " elements moved", moved);
    CHECK(most >= longest, "the longest message has %" PRId64, most);
    CHECK_OK(redist_plan_destroy(&plan));
}

/* All from rank 0 to rank 1, three rows: contiguous, or kept apart by the target's
 * halo. */
static void messages_of_more_than_2_to_the_31_bytes_arrive(unsigned char *memory)
{
    static const int halos[] = {0, 5, 5};
    int receives = world_rank() == 1;
    if (!receives) fill(memory, 0, LONG);
    for (int k = 0; k < 3; k++) {
        int halo = halos[k];
        struct pair pair = pair_parse("[3,715829249] (*,block) onto 1",
                                      "[3,715829249] (*,block) onto 1 ranks 1");
        pair.view[REDIST_TARGET].halo_low[1] = pair.view[REDIST_TARGET].halo_high[1] =
            halo;
        if (receives) memset(memory, 0, LONG + 6 * 5);
        move(&pair, strategies[k / 2], LONG, LONG, receives ? NULL : memory,
             receives ? memory : NULL);
        for (int64_t i = 0; receives && i < 3; i++)
            check(memory + i * (ROW + 2 * halo) + halo, i * ROW, (i + 1) * ROW);
        pair_free(&pair);
    }
}

static void an_array_of_more_than_2_to_the_31_elements_arrives(unsigned char *memory)
{
    struct pair pair = pair_parse("[2147487747] (cyclic(1000003)) onto 2",
                                  "[2147487747] (block) onto 2");
    int64_t span[2];
    for (int s = 0; s < 2; s++) span[s] = pair_span(&pair, (redist_side)s, world_rank());
    unsigned char *source = memory, *target = memory + span[0];
    each_block(fill, source, 1000003, 0, LONG);
    memset(target, 0, (size_t)span[1]);
    move(&pair, strategies[0], LONG, LONG / 5, source, target);
    each_block(check, target, (LONG + 1) / 2, 0, LONG);
    pair_free(&pair);
}

static void the_end_of_an_array_of_more_than_2_to_the_35_elements_arrives(void)
{
    const int64_t begin = HUGE_EXTENT - 20000003;
    struct pair pair = pair_parse("[34359750713] (cyclic(100003)) onto 2",
                                  "[34359750713] (cyclic(7777)) onto 2");
    for (int s = 0; s < 2; s++) {
        pair.view[s].start[0] = begin;
        pair.view[s].extent[0] = HUGE_EXTENT - begin;
    }
    int64_t span[2];
    for (int s = 0; s < 2; s++) span[s] = pair_span(&pair, (redist_side)s, world_rank());
    unsigned char *source = reserve(span[0]), *target = reserve(span[1]);
    each_block(fill, source, 100003, begin, HUGE_EXTENT);
    for (int k = 0; k < BY; k++) {
        move(&pair, strategies[k], HUGE_EXTENT - begin, 1, source, target);
        each_block(check, target, 7777, begin, HUGE_EXTENT);
        each_block(clear, target, 7777, begin, HUGE_EXTENT);
    }
    (void)munmap(source, (size_t)span[0]);
    (void)munmap(target, (size_t)span[1]);
    pair_free(&pair);
}

static void long_messages_and_arrays_arrive(void)
{
    const int64_t bytes = LONG + 2 * 1000003; /* two halves, each of whole blocks */
    unsigned char *memory = reserve(bytes);
    messages_of_more_than_2_to_the_31_bytes_arrive(memory);
    an_array_of_more_than_2_to_the_31_elements_arrives(memory);
    (void)munmap(memory, (size_t)bytes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *result = "PASS: counts beyond 32 bits";
    if (world_size() != 2) {
        result = "SKIP: it takes 2 processes";
    } else {
        the_end_of_an_array_of_more_than_2_to_the_35_elements_arrives();
        if (SLOW)
            result = "PASS: places beyond 32 bits; SKIP: long messages, too slow for "
                     "the sanitizers";
        else if (!enough_memory())
            result = "PASS: places beyond 32 bits; SKIP: long messages take 6 GiB";
        else
            long_messages_and_arrays_arrive();
    }
    if (world_rank() == 0) printf("%s\n", result);
    MPI_Finalize();
    return 0;
}
