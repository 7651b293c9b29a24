/* SPDX-License-Identifier: MIT
 *
 * How links serve, as a plan finds it: one message at a time, or all alike. It is the
 * same on all processes, and not looked for where all live on one node. Simulated
 * machines do the one, or with --cfg=maxmin/concurrency-limit:1 the other.
 */
#include "move/mpi/lacks.h"
#include "mpi/pair.h"
#include "plan/object/plan.h"

/* As found over a new communicator; -1: not the same everywhere. */
static double find_fairness(const struct pair *pair)
{
    redist_plan *plan = NULL;
    MPI_Comm comm;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK_OK(redist_plan_create(comm, MPI_INT64_T, &pair->view[0], &pair->view[1], NULL,
                                &plan));
    double fairness = plan->rates.fairness, least = 0, most = 0;
    MPI_Allreduce(&fairness, &least, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(&fairness, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    CHECK_OK(redist_plan_destroy(&plan));
    PMPI_Comm_free(&comm);
    return least == most ? fairness : -1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    unsetenv("REDIST_STRATEGY");
    unsetenv("REDIST_RATES");
    unsetenv("REDIST_NODE_SIZE");
    struct pair pair = pair_parse("[16] (cyclic(1)) onto 1", "[16] (block) onto 1");
    const char *simulation = getenv("REDIST_SIMULATION");
    bool simulated = LACKS_SHARED_WINDOWS, few = world_size() < 3;
    bool in_turns = simulation && strstr(simulation, "maxmin/concurrency-limit:1");
    double found = find_fairness(&pair);
    if (few || !simulated)
        CHECK(found == 0, "%g", found);
    else
        CHECK(found == (in_turns ? 0 : 1), "%g", found);
    setenv("REDIST_NODE_SIZE", "1", 1);
    found = find_fairness(&pair);
    CHECK(found == 0 || found == 1, "%g", found);
    unsetenv("REDIST_NODE_SIZE");
    pair_free(&pair);
    if (world_rank() == 0) printf("PASS: how links serve\n");
    MPI_Finalize();
    return 0;
}
