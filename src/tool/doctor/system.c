/* SPDX-License-Identifier: MIT
 *
 * tool/doctor/system.c - processors, caches, pages, limits.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "move/kernel/machine.h"
#include "move/kernel/threads.h"
#include "tool/common/tool.h"
#include "tool/doctor/probes.h"

static void probe_processor(struct findings *findings)
{
    const char *kernels = "portable";
    bool could = false;
#if defined __x86_64__
    enum machine here = machine_here();
    kernels = here == AVX512 ? "AVX-512" : here == AVX2 ? "AVX2" : "portable";
    could = (here < AVX512 && __builtin_cpu_supports("avx512f")) ||
            (here < AVX2 && __builtin_cpu_supports("avx2"));
#endif
    struct finding *finding = finding_add(findings, "kernels", "%s", kernels);
    if (could)
        finding_advise(finding, FINDING_NOTE,
                       "REDIST_KERNELS excludes instructions that this processor has.");
}

static void probe_caches(const struct node *node, struct findings *findings)
{
    char second[TOOL_BYTES_SIZE] = "unknown", third[TOOL_BYTES_SIZE] = "unknown";
    long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    if (node->cache < INT64_MAX) (void)tool_format_bytes((double)node->cache, second);
    if (size > 0) (void)tool_format_bytes((double)size, third);
    (void)finding_add(findings, "caches", "second level %s, third level %s", second,
                      third);
}

static void probe_cores(const struct node *node, struct findings *findings)
{
    cpu_set_t allowed;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int usable = sched_getaffinity(0, sizeof allowed, &allowed) ? 0 : CPU_COUNT(&allowed);
    int threads = threads_for(INT64_MAX);
    struct finding *finding = finding_add(
        findings, "cores", "%ld, of which a process may use %d", cores, usable);
    if (node->sharing > 1)
        finding_advise(finding, FINDING_NOTE,
                       "%d processes share them: a process that waits gives up its core, "
                       "and times are not those of free cores.",
                       node->nranks);
    else if (usable > 0 && threads > usable)
        finding_advise(finding, FINDING_NOTE,
                       "%d threads are asked for. Bind processes to more cores, such as "
                       "by mpirun --bind-to none, or ask for fewer.",
                       threads);
}

/* Read the first line of a file; "" if it cannot be read. */
static void read_line(const char *path, char line[], int size)
{
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, size, file)) line[0] = 0;
    if (file) (void)fclose(file);
    line[strcspn(line, "\n")] = 0;
}

/* Return the choice that a line of the kernel marks: "always [madvise] never". */
static const char *chosen(char line[])
{
    char *begin = strchr(line, '['), *end = begin ? strchr(begin, ']') : NULL;
    if (!end) return *line ? line : "unknown";
    *end = 0;
    return begin + 1;
}

static int64_t reserved_pages(void)
{
    char line[32];
    read_line("/proc/sys/vm/nr_hugepages", line, sizeof line);
    return strtoll(line, NULL, 10);
}

static void probe_pages(struct findings *findings)
{
    static const char folder[] = "/sys/kernel/mm/transparent_hugepage/";
    char path[100], own[64], shared[64];
    (void)snprintf(path, sizeof path, "%senabled", folder);
    read_line(path, own, sizeof own);
    (void)snprintf(path, sizeof path, "%sshmem_enabled", folder);
    read_line(path, shared, sizeof shared);
    const char *of_own = chosen(own);
    struct finding *finding = finding_add(
        findings, "huge pages", "transparent %s, shared %s, %" PRId64 " reserved", of_own,
        chosen(shared), reserved_pages());
    if (strcmp(of_own, "never") == 0)
        finding_advise(finding, FINDING_NOTE,
                       "Staging memory has small pages, which costs speed. As root: "
                       "echo madvise >%senabled",
                       folder);
}

static void probe_shared_folder(struct findings *findings)
{
    struct statvfs of;
    char all[TOOL_BYTES_SIZE], left[TOOL_BYTES_SIZE];
    if (statvfs("/dev/shm", &of)) {
        finding_advise(finding_add(findings, "/dev/shm", "missing"), FINDING_NOTE,
                       "MPI may have no shared memory without it.");
        return;
    }
    double bytes = (double)of.f_bsize * (double)of.f_bavail;
    struct finding *finding =
        finding_add(findings, "/dev/shm", "%s, free %s",
                    tool_format_bytes((double)of.f_frsize * (double)of.f_blocks, all),
                    tool_format_bytes(bytes, left));
    finding->varies = true;
    if (bytes < (1 << 20))
        finding_advise(finding, FINDING_PROBLEM,
                       "It is full: remove what ended programs left in it.");
    else if (bytes < (256 << 20))
        finding_advise(finding, FINDING_NOTE,
                       "MPI has its shared memory there. Containers get more by "
                       "--shm-size=1g.");
}

/* Print a limit; `bytes` with their unit. */
static const char *limit_text(rlim_t limit, bool bytes, char text[TOOL_BYTES_SIZE])
{
    if (limit == RLIM_INFINITY)
        (void)snprintf(text, TOOL_BYTES_SIZE, "unlimited");
    else if (bytes)
        (void)tool_format_bytes((double)limit, text);
    else
        (void)snprintf(text, TOOL_BYTES_SIZE, "%" PRIu64, (uint64_t)limit);
    return text;
}

static void probe_limits(struct findings *findings)
{
    struct rlimit locked = {0}, files = {0}, size = {0};
    char text[3][TOOL_BYTES_SIZE];
    (void)getrlimit(RLIMIT_MEMLOCK, &locked);
    (void)getrlimit(RLIMIT_NOFILE, &files);
    (void)getrlimit(RLIMIT_FSIZE, &size);
    struct finding *finding = finding_add(findings, "locked memory", "%s",
                                          limit_text(locked.rlim_cur, true, text[0]));
    if (locked.rlim_cur < 64 << 10)
        finding_advise(finding, FINDING_NOTE,
                       "Networks with RDMA lock more: ulimit -l unlimited");
    finding = finding_add(findings, "open files", "%s",
                          limit_text(files.rlim_cur, false, text[1]));
    if (files.rlim_cur < 1024)
        finding_advise(finding, FINDING_NOTE,
                       "MPI opens several files for each process of the node, and a file "
                       "of Zarr one for each chunk: ulimit -n 4096");
    finding = finding_add(findings, "file size", "%s",
                          limit_text(size.rlim_cur, true, text[2]));
    if (size.rlim_cur != RLIM_INFINITY)
        finding_advise(finding, FINDING_NOTE,
                       "It caps files, and the memory of redist_alloc on a node: "
                       "ulimit -f unlimited");
}

void probe_system(const struct node *node, struct findings *findings)
{
    probe_processor(findings);
    probe_caches(node, findings);
    probe_cores(node, findings);
    probe_pages(findings);
    probe_shared_folder(findings);
    probe_limits(findings);
}
