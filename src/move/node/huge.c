/* SPDX-License-Identifier: MIT */
#include "move/node/huge.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/mpi/check.h"

enum { PAGE = 2 << 20 }; /* bytes of a huge page, on most machines */

/* Make pages huge at once, whatever the system's setting: since Linux 6.1. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* An open file that another process can find: 0 bytes if none. Process numbers may mean
 * other processes there, but the last two members identify the file. */
struct file {
    int64_t available; /* to the first process: find_available, find_allowed */
    int64_t allowed;
    int64_t bytes, process, descriptor, device, inode;
};
enum { FILE_INTS = sizeof(struct file) / sizeof(int64_t) };

static bool is_wanted(void)
{
    const char *pages = secure_getenv("REDIST_PAGES");
    return !pages || strcmp(pages, "small") != 0;
}

/* Find the begin of all parts, and the bytes of the longest. Returns their sum, or about
 * as many. */
static int64_t place_parts(int nranks, int64_t begin[], int64_t *longest)
{
    int64_t all = 0;
    *longest = 0;
    for (int k = 0; k < nranks; k++) {
        int128 bytes = begin[k], most = INT64_MAX / PAGE - 1;
        *longest = int_max(*longest, begin[k]);
        begin[k] = all;
        bytes = (all + bytes + PAGE - 1) / PAGE;
        all = (int64_t)(bytes < most ? bytes : most) * PAGE;
    }
    return all;
}

/* Bytes of memory that the system has available; 0: unknown. */
static int64_t find_available(void)
{
    char line[128];
    int64_t kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return 0;
    while (kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "MemAvailable:", 13) == 0) kib = strtoll(line + 13, NULL, 10);
    (void)fclose(file);
    return kib * 1024;
}

/* The most bytes of a file that this process may make longer: more would end it. */
static int64_t find_allowed(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur > INT64_MAX) return INT64_MAX;
    return (int64_t)limit.rlim_cur;
}

static int make_file(int64_t bytes, struct file *file)
{
    struct stat stat;
    int fd = memfd_create("redist", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, bytes) == 0 && fstat(fd, &stat) == 0)
        *file = (struct file){.available = file->available,
                              .allowed = file->allowed,
                              .bytes = bytes,
                              .process = getpid(),
                              .descriptor = fd,
                              .device = (int64_t)stat.st_dev,
                              .inode = (int64_t)stat.st_ino};
    return fd;
}

static bool is_file(const struct file *file, const struct stat *found)
{
    return (int64_t)found->st_dev == file->device &&
           (int64_t)found->st_ino == file->inode;
}

/* What is found is examined before it is opened, as to open a device can change it. */
static int find_file(const struct file *file)
{
    char path[64];
    struct stat found;
    (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId64, file->process,
                   file->descriptor);
    if (stat(path, &found) || !is_file(file, &found)) return -1;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &found) == 0 && is_file(file, &found)) return fd;
    if (fd >= 0) (void)close(fd);
    return -1;
}

/* Map a file where huge pages are possible: NULL if there is no room. */
static char *map(int fd, size_t bytes)
{
    char *room = mmap(NULL, bytes + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return NULL;
    size_t before = (PAGE - (uintptr_t)room % PAGE) % PAGE;
    char *base =
        mmap(room + before, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    (void)munmap(room, before);
    (void)munmap(room + before + bytes, PAGE - before);
    if (base != MAP_FAILED) return base;
    (void)munmap(room + before, bytes);
    return NULL;
}

/* Allocate the huge pages of a part. A page without any memory would otherwise stay
 * so. */
static void take(char *part, int64_t bytes)
{
    size_t whole = (size_t)(bytes - bytes % PAGE);
    (void)madvise(part, whole, MADV_HUGEPAGE);
    for (size_t at = 0; at < whole; at += PAGE) *(volatile char *)(part + at) = 0;
    (void)madvise(part, whole, MADV_COLLAPSE);
}

redist_err huge_make(const struct node *node, int64_t bytes, int64_t begin[],
                     struct huge *huge)
{
    struct file file = {0};
    int fd = -1, well = 0;
    *huge = (struct huge){0};
    TRY(mpi_call(
        MPI_Allgather(&bytes, 1, MPI_INT64_T, begin, 1, MPI_INT64_T, node->comm)));
    int64_t longest = 0, all = place_parts(node->nranks, begin, &longest);
    if (longest < PAGE) return REDIST_OK;
    if (node->rank == 0) file.available = find_available();
    if (node->rank == 0) file.allowed = find_allowed();
    if (node->rank == 0 && is_wanted() && all <= int_min(file.available, file.allowed))
        fd = make_file(all, &file);
    redist_err err = mpi_call(MPI_Bcast(&file, FILE_INTS, MPI_INT64_T, 0, node->comm));
    /* MPI may hang in that case, or return memory that does not exist. */
    if (!err && file.available > 0 && all > file.available)
        return error_set(REDIST_ERR_MEMORY,
                         "out of memory: %" PRId64 " bytes, while the node has %" PRId64,
                         all, file.available);
    if (!err && all > file.allowed)
        return error_set(REDIST_ERR_MEMORY,
                         "out of memory: %" PRId64 " bytes that the node shares, while a "
                         "file may have %" PRId64 " (RLIMIT_FSIZE)",
                         all, file.allowed);
    if (!err && node->rank > 0 && file.bytes > 0 && is_wanted()) fd = find_file(&file);
    if (!err && file.bytes > 0 && fd >= 0) huge->base = map(fd, (size_t)all);
    huge->bytes = (size_t)all;
    well = huge->base != NULL;
    if (!err) /* after this no process looks for the file */
        err =
            mpi_call(MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, node->comm));
    if (fd >= 0) (void)close(fd);
    if (err || !well)
        huge_free(huge);
    else
        take(huge->base + begin[node->rank], bytes);
    return err;
}

void huge_free(struct huge *huge)
{
    if (huge->base) (void)munmap(huge->base, huge->bytes);
    huge->base = NULL;
}
