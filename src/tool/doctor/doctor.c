/* SPDX-License-Identifier: MIT
 *
 * tool/doctor/doctor.c - `redist doctor`: what this build and this machine have, with
 * advice where something costs speed or fails.
 *
 * The first process of each node looks at its node. Rank 0 prints what its own has, and
 * where other nodes differ.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "move/mpi/check.h"
#include "tool/common/arguments.h"
#include "tool/common/terminal.h"
#include "tool/common/tool.h"
#include "tool/doctor/probes.h"

static int tool_doctor(int argc, char **argv);

static struct arguments {
    bool json;
} given;

static const struct argument option_table[] = {
    {"json", NULL, "one JSON object, for programs", .flag = &given.json}, {.name = NULL}};

/* What one node found. */
struct report {
    char host[MPI_MAX_PROCESSOR_NAME];
    struct findings findings;
};

/* ---- the output -------------------------------------------------------------------- */

/* Whether the finding of a node has to be named beside the first one's. */
static bool differs(const struct finding *first, const struct finding *other)
{
    return first->state != other->state ||
           (!first->varies && strcmp(first->value, other->value) != 0);
}

static enum finding_state worst(int n, const struct report reports[], int k)
{
    enum finding_state state = FINDING_OK;
    for (int i = 0; i < n; i++)
        if (reports[i].findings.list[k].state > state)
            state = reports[i].findings.list[k].state;
    return state;
}

static void print_finding(const char *name, const struct finding *finding)
{
    enum { INDENT = 28 };
    (void)printf("  %-8s %-16s ", finding_state_name(finding->state), name);
    terminal_print_wrapped(INDENT, finding->value);
    if (!*finding->advice) return;
    (void)printf("%*s", INDENT, "");
    terminal_print_wrapped(INDENT, finding->advice);
}

static void print_text(int n, const struct report reports[])
{
    enum { MOST_NODES = 8 };
    const struct findings *first = &reports[0].findings;
    for (int k = 0; k < first->n; k++) {
        int different = 0;
        print_finding(first->list[k].name, &first->list[k]);
        for (int i = 1; i < n; i++) {
            const struct finding *other = &reports[i].findings.list[k];
            if (!differs(&first->list[k], other) || ++different > MOST_NODES) continue;
            print_finding(reports[i].host, other);
        }
        if (different > MOST_NODES)
            (void)printf("%27s %d more nodes differ\n", "", different - MOST_NODES);
    }
}

static void print_json_finding(const struct finding *finding)
{
    (void)printf("\"state\": \"%s\", \"value\": ", finding_state_name(finding->state));
    tool_print_json_string(stdout, finding->value);
    (void)printf(", \"advice\": ");
    if (*finding->advice)
        tool_print_json_string(stdout, finding->advice);
    else
        (void)printf("null");
}

static void print_json(int n, const struct report reports[], int problems)
{
    const struct findings *first = &reports[0].findings;
    (void)printf("{\"problems\": %d, \"findings\": [", problems);
    for (int k = 0; k < first->n; k++) {
        int different = 0;
        (void)printf("%s\n  {\"name\": \"%s\", ", k ? "," : "", first->list[k].name);
        print_json_finding(&first->list[k]);
        (void)printf(", \"nodes\": [");
        for (int i = 1; i < n; i++) {
            const struct finding *other = &reports[i].findings.list[k];
            if (!differs(&first->list[k], other)) continue;
            (void)printf("%s{\"host\": ", different++ ? ", " : "");
            tool_print_json_string(stdout, reports[i].host);
            (void)printf(", ");
            print_json_finding(other);
            (void)printf("}");
        }
        (void)printf("]}");
    }
    (void)printf("\n]}\n");
}

/* Print all, and count the problems. */
static redist_err print(int n, const struct report reports[], int *problems)
{
    *problems = 0;
    for (int k = 0; k < reports[0].findings.n; k++)
        *problems += worst(n, reports, k) == FINDING_PROBLEM;
    if (given.json)
        print_json(n, reports, *problems);
    else
        print_text(n, reports);
    return tool_flush();
}

/* ---- the processes ----------------------------------------------------------------- */

/* Look at everything, and send it from the first process of each node, of which `first`
 * are, to rank 0. */
static redist_err examine(const struct node *node, MPI_Comm first, int nnodes,
                          struct report *own, struct report reports[])
{
    int length = 0;
    (void)MPI_Get_processor_name(own->host, &length);
    probe_build(&own->findings);
    TRY(probe_processes(MPI_COMM_WORLD, nnodes, &own->findings));
    probe_system(node, &own->findings);
    TRY(probe_node(MPI_COMM_WORLD, node, &own->findings));
    if (first == MPI_COMM_NULL) return REDIST_OK;
    return mpi_call(
        MPI_Gather(own, sizeof *own, MPI_BYTE, reports, sizeof *own, MPI_BYTE, 0, first));
}

static redist_err doctor(int rank, int *problems)
{
    struct node node;
    MPI_Comm first = MPI_COMM_NULL;
    int nnodes = 0;
    TRY(node_make(MPI_COMM_WORLD, &node));
    int leads = node.rank == 0;
    redist_err err =
        mpi_call(MPI_Comm_split(MPI_COMM_WORLD, leads ? 0 : MPI_UNDEFINED, rank, &first));
    if (!err)
        err =
            mpi_call(MPI_Allreduce(&leads, &nnodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    struct report *own = NULL, *reports = NULL;
    if (!err) own = mem_alloc(NULL, 1, sizeof *own);
    if (!err) reports = mem_alloc(NULL, nnodes, sizeof *reports);
    if (!err && (!own || !reports)) err = REDIST_ERR_MEMORY;
    err = collective_agree(MPI_COMM_WORLD, err);
    if (!err) err = examine(&node, first, nnodes, own, reports);
    if (!err && rank == 0) err = print(nnodes, reports, problems);
    mem_free(own);
    mem_free(reports);
    if (first != MPI_COMM_NULL) (void)MPI_Comm_free(&first);
    node_free(&node);
    return err;
}

static int tool_doctor(int argc, char **argv)
{
    given = (struct arguments){0};
    int rank, problems = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = arguments_take(argc, argv, rank == 0, &command_doctor, NULL);
    if (!status && doctor(rank, &problems)) {
        status = TOOL_FAILED;
        if (rank == 0) (void)tool_fail_last();
    }
    (void)MPI_Bcast(&problems, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!status && problems > 0) status = TOOL_FAILED;
    MPI_Finalize();
    return status;
}

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "say what the build and the machine have",
    .options = option_table,
    .notes =
        "Each line is ok, a note or a problem, with advice. Under mpirun it looks at "
        "all\n"
        "nodes, and says where they differ. The exit status is 1 if there is a "
        "problem.\n",
    .run = tool_doctor};
