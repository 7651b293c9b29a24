/* SPDX-License-Identifier: MIT
 *
 * What the exchanges that move in rounds, and the one that packs nothing, ask of MPI: as
 * few rounds as the staging memory admits, the bytes that the plan promises, one call
 * where one round does; and an MPI that packs wrongly is found out.
 */
#include "mpi/pair.h"

#include "move/collective/datatype.h"
#include "move/mpi/persistent.h"

/* Of the runs since the last clear. */
static struct counted {
    int collectives; /* begun, anew or again */
    int gets, datatypes;
    int64_t sent, read; /* bytes */
} counted;
static int spoil_pack;

static int64_t bytes_of(int n, const int counts[])
{
    int64_t bytes = 0;
    for (int k = 0; k < n; k++) bytes += counts[k];
    return bytes;
}

int MPI_Ialltoallv(const void *from, const int counts[], const int places[],
                   MPI_Datatype type, void *to, const int to_counts[],
                   const int to_places[], MPI_Datatype to_type, MPI_Comm comm,
                   MPI_Request *request)
{
    counted.collectives++;
    counted.sent += bytes_of(world_size(), counts);
    return PMPI_Ialltoallv(from, counts, places, type, to, to_counts, to_places, to_type,
                           comm, request);
}

int MPI_Ineighbor_alltoallv(const void *from, const int counts[], const int places[],
                            MPI_Datatype type, void *to, const int to_counts[],
                            const int to_places[], MPI_Datatype to_type, MPI_Comm comm,
                            MPI_Request *request)
{
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    counted.collectives++;
    counted.sent += bytes_of(out, counts);
    return PMPI_Ineighbor_alltoallv(from, counts, places, type, to, to_counts, to_places,
                                    to_type, comm, request);
}

int MPI_Ialltoallw(const void *from, const int counts[], const int places[],
                   const MPI_Datatype types[], void *to, const int to_counts[],
                   const int to_places[], const MPI_Datatype to_types[], MPI_Comm comm,
                   MPI_Request *request)
{
    counted.collectives++;
    for (int rank = 0; rank < world_size(); rank++) {
        MPI_Count size = 0;
        PMPI_Type_size_x(types[rank], &size);
        counted.sent += counts[rank] * (int64_t)size;
    }
    return PMPI_Ialltoallw(from, counts, places, types, to, to_counts, to_places,
                           to_types, comm, request);
}

int MPI_Start(MPI_Request *request)
{
    counted.collectives++;
    return PMPI_Start(request);
}

int MPI_Rget(void *to, int n, MPI_Datatype type, int rank, MPI_Aint place, int from_n,
             MPI_Datatype from_type, MPI_Win window, MPI_Request *request)
{
    counted.gets++;
    counted.read += n;
    return PMPI_Rget(to, n, type, rank, place, from_n, from_type, window, request);
}

int MPI_Type_commit(MPI_Datatype *type)
{
    counted.datatypes++;
    return PMPI_Type_commit(type);
}

int MPI_Pack(const void *from, int n, MPI_Datatype type, void *to, int size,
             int *position, MPI_Comm comm)
{
    int begin = *position, code = PMPI_Pack(from, n, type, to, size, position, comm);
    if (spoil_pack && *position > begin) ((char *)to)[begin] ^= 1;
    return code;
}

/* ---- counted ----------------------------------------------------------------------- */

static struct pair make_pair(void)
{
    char text[2][64];
    for (int s = 0; s < 2; s++)
        (void)snprintf(text[s], sizeof text[s], "[997] (cyclic(%d)) onto %d", s ? 5 : 3,
                       world_size());
    return pair_parse(text[0], text[1]);
}

/* The longest message of all, in elements. */
static int64_t longest_message(void)
{
    int n = world_size();
    int64_t *length = calloc((size_t)n * (size_t)n, sizeof *length), longest = 0;
    for (int e = 0; e < 997; e++) {
        int from = e / 3 % n, to = e / 5 % n;
        int64_t now = from == to ? 0 : ++length[from * n + to];
        if (now > longest) longest = now;
    }
    free(length);
    return longest;
}

/* Run a plan three times and return what it has asked of MPI in one. A word of the vote
 * comes from each of the others, by a request that is started too. */
static struct counted count_run(redist_plan *plan, const struct pair *pair)
{
    for (int run = 0; run < 3; run++) {
        counted = (struct counted){0};
        pair_execute(plan, pair, world_rank(), world_rank());
        counted.collectives -= world_size() - 1;
    }
    return counted;
}

/* All at once, a part of each message, an element of each in two buffers, and in one. */
static void rounds_are_as_many_as_the_memory_asks_for(const char *strategy)
{
    struct pair pair = make_pair();
    int64_t longest = longest_message(), n = world_size();
    size_t caps[] = {0, 0, (size_t)(32 * (n - 1)), (size_t)(16 * (n - 1))};
    for (int k = 0; k < 4; k++) {
        if (n == 1 && k > 0) break;
        caps[1] = (size_t)(32 * (n - 1) * (longest / 8));
        redist_plan *plan = pair_plan(&pair, strategy, caps[k]);
        redist_report report = report_of(plan);
        struct counted got = count_run(plan, &pair);
        int64_t rounds = k == 0 ? n > 1 : k > 1 ? longest : got.collectives;
        int own = strcmp(strategy, "onesided") != 0;
        CHECK(!own || got.collectives == rounds, "%s: %d rounds, not %" PRId64, strategy,
              got.collectives, rounds);
        CHECK(!own || k != 1 || (got.collectives > 1 && got.collectives < longest),
              "%s: %d", strategy, got.collectives);
        int64_t bytes = own ? 8 * report.elements_sent : 8 * report.elements_received;
        int64_t moved = own ? got.sent : got.read;
        int again = PERSISTENT_COLLECTIVES && strcmp(strategy, "naive") && k == 0;
        CHECK((own && again) || moved == bytes, "%s: %" PRId64 " bytes, not %" PRId64,
              strategy, moved, bytes);
        CHECK(report.staging_peak_bytes <= (int64_t)(k ? caps[k] : 8 << 20), "peak");
        CHECK(report.staging_peak_bytes == report.staging_bytes, "promise");
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

static void too_little_memory_is_refused(const char *strategy)
{
    struct pair pair = make_pair();
    long least = 16L * (world_size() - 1);
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.staging_bytes = (size_t)least - 1;
    redist_plan *plan = NULL;
    redist_err err = pair_create(&pair, MPI_INT64_T, &options, &plan);
    check_everywhere(err, REDIST_ERR_ARG, 1,
                     "rank 0: staging_bytes is %ld, %s needs %ld to hold an element of "
                     "each message of a process, both ways",
                     least - 1, strategy, least);
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

/* ---- datatypes --------------------------------------------------------------------- */

static void alltoallw_packs_nothing(void)
{
    struct pair pair = make_pair();
    redist_plan *plan = pair_plan(&pair, "alltoallw", 16);
    redist_report report = report_of(plan);
    CHECK(report.staging_peak_bytes == 0, "%" PRId64, report.staging_peak_bytes);
    struct counted got = count_run(plan, &pair);
    CHECK(got.collectives == 1 && got.datatypes == 0, "%d calls, %d datatypes",
          got.collectives, got.datatypes);
    CHECK(got.sent == 8 * report.elements_sent, "%" PRId64 " bytes", got.sent);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* One process's MPI packs the first byte wrongly: all refuse, with its reason. */
static void an_mpi_that_packs_wrongly_is_found_out(void)
{
    struct pair pair = make_pair();
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "alltoallw";
    redist_plan *plan = NULL;
    spoil_pack = world_rank() == world_size() - 1;
    redist_err err = pair_create(&pair, MPI_INT64_T, &options, &plan);
    spoil_pack = 0;
    check_everywhere(err, REDIST_ERR_MPI, 0,
                     "rank %d: alltoallw: this MPI packs a sample of ", world_size() - 1);
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

/* Counts and lengths that no int holds: MPI knows as many bytes in as large an extent. */
static void counts_beyond_31_bits_are_nested(void)
{
    static const struct run shapes[] = {
        {.count = (INT64_C(1) << 31) + 5, .length = 1, .local_step = {2, 2}},
        {.count = 3, .length = (INT64_C(1) << 33) + 3, .local_step = {INT64_C(1) << 34}},
    };
    for (int k = 0; k < 2; k++) {
        struct run run = shapes[k];
        int64_t elements = run.count * run.length;
        struct runs runs = {elements, elements, 1, {0}, 1, 0, &run};
        struct axis axis = {.runs = &runs, .scale = {8, 8}, .unit = {8, 8}};
        struct walk walk = {
            .grain = 8, .inner = 1, .total = elements, .naxes = 1, .axis = &axis};
        struct datatype datatype;
        CHECK_OK(datatype_make(&walk, REDIST_SOURCE, &datatype));
        CHECK_OK(datatype_check(&datatype, &walk, REDIST_SOURCE, MPI_COMM_SELF));
        walk.total++;
        CHECK(datatype_check(&datatype, &walk, REDIST_SOURCE, MPI_COMM_SELF) ==
                  REDIST_ERR_MPI,
              "one element more is not noticed");
        datatype_free(&datatype);
    }
}

int main(int argc, char **argv)
{
    static const char *const in_rounds[] = {"alltoallv", "neighbor", "naive", "onesided"};
    MPI_Init(&argc, &argv);
    for (int k = 0; k < 4; k++) {
        if (lacking(in_rounds[k])) continue;
        rounds_are_as_many_as_the_memory_asks_for(in_rounds[k]);
        if (world_size() > 2) too_little_memory_is_refused(in_rounds[k]);
    }
    if (!lacking("alltoallw")) alltoallw_packs_nothing();
    counts_beyond_31_bits_are_nested();
    if (world_size() > 1 && !lacking("alltoallw"))
        an_mpi_that_packs_wrongly_is_found_out();
    return passed("rounds and datatypes are as promised");
}
