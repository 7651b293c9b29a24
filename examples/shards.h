/* SPDX-License-Identifier: MIT
 *
 * shards.h - a checkpoint of a matrix of doubles, one NumPy file a process, as
 * `redist run` reads and writes it:
 *
 *   DIR/shard-00000.npy ..   a header of 128 bytes, the local array in row-major order,
 *                            and 32 bytes that name the run and the rank
 *   DIR/manifest.json        the distribution; written when all shards are there
 *
 * So a job of N processes stops, `redist run` makes shards for M, and a job of M goes on.
 * On little-endian machines.
 */
#ifndef REDIST_EXAMPLES_SHARDS_H
#define REDIST_EXAMPLES_SHARDS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <redist/redist.h>

/* A local array: `rows` of `columns` numbers, each row `lead` behind the one before. */
struct shard {
    double *first;
    int64_t rows, columns, lead;
};

enum { SHARD_HEADER = 128, SHARD_TRAILER = 32 };

static inline _Noreturn void shard_stop(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, errno ? strerror(errno) : "not the shard expected");
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static inline void shard_header(const struct shard *shard, char header[SHARD_HEADER])
{
    char text[SHARD_HEADER + 1];
    (void)snprintf(text, sizeof text,
                   "\x93NUMPY\x01%c%c%c{'descr': '<f8', 'fortran_order': False, "
                   "'shape': (%lld, %lld), }",
                   0, SHARD_HEADER - 10, 0, (long long)shard->rows,
                   (long long)shard->columns);
    memset(header, ' ', SHARD_HEADER);
    memcpy(header, text, 10 + strlen(text + 10));
    header[SHARD_HEADER - 1] = '\n';
}

static inline void shard_trailer(uint64_t run, int rank, char trailer[SHARD_TRAILER + 1])
{
    (void)snprintf(trailer, SHARD_TRAILER + 1, "rds %016llx %010d\n",
                   (unsigned long long)run, rank);
}

static inline FILE *shard_open(const char *directory, int rank, const char *mode,
                               char path[], size_t size)
{
    (void)snprintf(path, size, "%s/shard-%05d.npy", directory, rank);
    errno = 0;
    FILE *file = fopen(path, mode);
    if (!file) shard_stop(path);
    return file;
}

/* Write all shards, then the manifest. `run` is a number that no other checkpoint has, so
 * that shards of two are never taken for one. Collective over comm. */
static inline void shards_write(MPI_Comm comm, const char *directory,
                                const redist_dist *dist, const struct shard *shard,
                                uint64_t run)
{
    int rank = 0, nranks = 0;
    char path[4096], header[SHARD_HEADER], trailer[SHARD_TRAILER + 1], text[512];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    (void)snprintf(path, sizeof path, "%s/manifest.json", directory);
    if (rank == 0 && mkdir(directory, 0777) && errno != EEXIST) shard_stop(directory);
    if (rank == 0 && remove(path) && errno != ENOENT) shard_stop(path);
    MPI_Barrier(comm);

    FILE *file = shard_open(directory, rank, "wb", path, sizeof path);
    shard_header(shard, header);
    fwrite(header, 1, sizeof header, file);
    for (int64_t i = 0; i < shard->rows; i++)
        fwrite(shard->first + i * shard->lead, sizeof(double), (size_t)shard->columns,
               file);
    shard_trailer(run, rank, trailer);
    fwrite(trailer, 1, SHARD_TRAILER, file);
    if (ferror(file) | fclose(file)) shard_stop(path);
    MPI_Barrier(comm);

    if (rank != 0) return;
    if (redist_dist_print(dist, text, sizeof text, NULL)) shard_stop(directory);
    (void)snprintf(path, sizeof path, "%s/manifest.json", directory);
    file = fopen(path, "w");
    if (!file) shard_stop(path);
    fprintf(file,
            "{\"format\":\"redist-shards\",\"version\":1,\"run\":\"%016llx\","
            "\"descr\":\"<f8\",\"fortran_order\":false,\"distribution\":\"%s\","
            "\"shards\":%d}\n",
            (unsigned long long)run, text, nranks);
    if (ferror(file) | fclose(file)) shard_stop(path);
}

/* Read this process's shard, which must be of the shape that is expected. Local. */
static inline void shard_read(const char *directory, int rank, const struct shard *shard)
{
    char path[4096], header[SHARD_HEADER], expected[SHARD_HEADER];
    FILE *file = shard_open(directory, rank, "rb", path, sizeof path);
    shard_header(shard, expected);
    size_t got = fread(header, 1, sizeof header, file), all = sizeof header;
    int same = got == all && memcmp(header, expected, all) == 0;
    for (int64_t i = 0; i < shard->rows; i++, all += (size_t)shard->columns)
        got += fread(shard->first + i * shard->lead, sizeof(double),
                     (size_t)shard->columns, file);
    (void)fclose(file);
    if (!same || got != all) shard_stop(path);
}

#endif
