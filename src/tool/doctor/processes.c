/* SPDX-License-Identifier: MIT
 *
 * tool/doctor/processes.c - what the processes of a run have together.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "move/mpi/check.h"
#include "tool/doctor/probes.h"

enum { PAGE = 2 << 20 };

/* ---- the launcher ------------------------------------------------------------------ */

/* Variables by which launchers tell a process how many it is one of. */
static const struct {
    const char *variable, *launcher;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI"},
                 {"SLURM_STEP_NUM_TASKS", "srun of Slurm"},
                 {"PMI_SIZE", "a launcher with PMI, such as MPICH's mpiexec"}};

static int find_launcher(const char **launcher)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
        const char *told = secure_getenv(launchers[k].variable);
        if (!told) continue;
        *launcher = launchers[k].launcher;
        return (int)strtol(told, NULL, 10);
    }
    *launcher = "no launcher";
    return 0;
}

/* FNV-1a. */
static uint64_t hash(uint64_t seed, const char *text)
{
    for (; *text; text++) seed = (seed ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return seed;
}

redist_err probe_processes(MPI_Comm comm, int nnodes, struct findings *findings)
{
    int size = 0, length = 0;
    const char *launcher;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    (void)MPI_Comm_size(comm, &size);
    (void)MPI_Get_library_version(library, &length);
    uint64_t own = hash(hash(UINT64_C(14695981039346656037), REDIST_VERSION), library);
    uint64_t least = own, most = own;
    TRY(mpi_call(MPI_Allreduce(&own, &least, 1, MPI_UINT64_T, MPI_MIN, comm)));
    TRY(mpi_call(MPI_Allreduce(&own, &most, 1, MPI_UINT64_T, MPI_MAX, comm)));
    int told = find_launcher(&launcher);
    struct finding *finding = finding_add(findings, "processes", "%d on %d node%s, %s",
                                          size, nnodes, nnodes > 1 ? "s" : "", launcher);
    if (least != most)
        finding_advise(finding, FINDING_PROBLEM,
                       "They run different versions of redist or of MPI. Install the "
                       "same on all nodes.");
    else if (told > size)
        finding_advise(finding, FINDING_PROBLEM,
                       "The launcher has started %d, which do not know each other: it is "
                       "that of another MPI. Start them by the mpirun of the MPI above.",
                       told);
    return REDIST_OK;
}

/* ---- shared memory ----------------------------------------------------------------- */

/* Return the bytes of huge pages in the mapping of an address; -1: unknown. */
static int64_t huge_bytes(const void *memory)
{
    char line[256];
    uintptr_t begin = 0, end = 0, here = (uintptr_t)memory;
    int64_t kib = -1;
    FILE *file = fopen("/proc/self/smaps", "r");
    if (!file) return -1;
    while (fgets(line, sizeof line, file)) {
        char *after = NULL, *last = NULL;
        uintptr_t first = strtoul(line, &after, 16);
        if (*after == '-' && after > line) {
            begin = first;
            end = strtoul(after + 1, &last, 16);
            continue;
        }
        if (here < begin || here >= end) continue;
        if (kib < 0) kib = 0;
        if (strstr(line, "HugePages:") || strstr(line, "PmdMapped:") ||
            strstr(line, "_Hugetlb:"))
            kib += strtoll(strchr(line, ':') + 1, NULL, 10);
    }
    (void)fclose(file);
    return kib < 0 ? -1 : kib * 1024;
}

/* Allocate what the library allocates for arrays that a node shares. */
static redist_err probe_alloc(MPI_Comm comm, struct findings *findings)
{
    void *memory = NULL;
    struct finding *finding;
    if (redist_alloc(comm, 2 * PAGE, &memory)) {
        finding = finding_add(findings, "redist_alloc", "fails");
        finding_advise(finding, FINDING_PROBLEM, "%.220s", redist_error_message());
        return REDIST_OK; /* on all processes */
    }
    memset(memory, 1, 2 * PAGE);
    int64_t huge = huge_bytes(memory);
    finding = finding_add(findings, "redist_alloc", "%s",
                          huge < 0       ? "pages of unknown size"
                          : huge >= PAGE ? "huge pages"
                                         : "small pages");
    if (huge >= 0 && huge < PAGE)
        finding_advise(finding, FINDING_NOTE,
                       "Copies within a node are slower than from huge pages. As root: "
                       "echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    return redist_free(memory);
}

/* Let the first process of the node read the memory of the second, or its own. */
static redist_err probe_reading(const struct node *node, struct findings *findings)
{
    volatile int64_t word = 42;
    int64_t place[2] = {getpid(), (int64_t)(intptr_t)&word}, copy = 0;
    int from = node->nranks > 1 ? 1 : 0, failed = 0;
    TRY(mpi_call(MPI_Bcast(place, 2, MPI_INT64_T, from, node->comm)));
    struct iovec to = {&copy, sizeof copy},
                 of = {(void *)(intptr_t)place[1], sizeof copy}; // NOLINT
    if (node->rank == 0 &&
        process_vm_readv((pid_t)place[0], &to, 1, &of, 1, 0) != sizeof copy)
        failed = errno ? errno : EIO;
    TRY(mpi_call(MPI_Bcast(&failed, 1, MPI_INT, 0, node->comm)));
    struct finding *finding = finding_add(
        findings, "process_vm_readv", "%s%s", failed ? strerror(failed) : "allowed",
        node->nranks > 1 ? "" : " (of the own process: run two on a node)");
    if (failed)
        finding_advise(finding, FINDING_NOTE,
                       "MPI copies long messages within a node twice. Allow it by "
                       "kernel.yama.ptrace_scope=0, and in containers by "
                       "--cap-add=SYS_PTRACE.");
    return REDIST_OK;
}

redist_err probe_node(MPI_Comm comm, const struct node *node, struct findings *findings)
{
    TRY(probe_alloc(comm, findings));
    return probe_reading(node, findings);
}
