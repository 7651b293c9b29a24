/* SPDX-License-Identifier: MIT
 *
 * redist/files.h - distributed arrays in files: each process reads or writes what a view
 * gives it, all processes together, whatever the distribution.
 *
 *   redist_file_open -> redist_file_read, redist_file_write .. -> redist_file_close
 *
 * The name says the format:
 *
 *   a.npy                    NumPy's file of one array
 *   a.h5:/group/t            a data set of HDF5, in NAME.h5, .hdf5, .he5, .nc or .nc4,
 *                            where the module for HDF5 is installed
 *   a.zarr  a.zarr:/group/t  an array of Zarr, version 2 or 3
 *   a.raw                    the elements alone, in NAME.raw, .bin or .dat
 *
 * The module is libredist_hdf5.so beside the library, or what REDIST_HDF5_MODULE in the
 * environment names. Threads that use several files of HDF5 at a time open, write and
 * close them in the same order on all processes.
 *
 * The file is cut into slabs of whole chunks, or of whole rows. Of each slab every writer
 * has a part that is long in the file: the elements are redistributed between these parts
 * and the caller's distribution by the library's own plans. So cyclic(3) is written like
 * blocks, in bounded memory.
 */
#ifndef REDIST_FILES_H
#define REDIST_FILES_H

#include <redist/redist.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redist_file redist_file;

typedef enum redist_file_mode {
    REDIST_FILE_READ,
    REDIST_FILE_UPDATE, /* read and write an array that exists */
    REDIST_FILE_CREATE  /* write a new array, and read it */
} redist_file_mode;

/* How an array lies in a file. */
typedef struct redist_file_layout {
    size_t size; /* sizeof(redist_file_layout) */
    /* The format's name: "npy", "raw", .. Not looked at when a file is created. */
    const char *format;
    int ndims; /* 0 .. 15; 0: one element */
    int64_t shape[REDIST_MAX_DIMS];
    /* The type of an element in NumPy's notation: <f8, >i4, |u1, <c16, |S10, or a list of
     * fields. */
    const char *type;
    /* Row-major: the last dimension varies fastest. */
    redist_order order;
    /* Elements of a chunk along each dimension; all 0: the format's own choice. A format
     * without chunks does not look at them, and says 1. A chunk is what one process
     * writes at a time: of an array of Zarr with shards it is a shard. */
    int64_t chunk[REDIST_MAX_DIMS];
    /* How a chunk is compressed: "gzip", "zstd" or "blosc", where the library was built
     * with it, and "zlib" in version 2 of Zarr, with a level as in "gzip:5"; NULL or
     * "none": not at all, as in all formats without chunks. "crc32c" adds a checksum in
     * version 3 of Zarr, and stands behind, as in "gzip+crc32c". "sharding:8,8+gzip" in
     * version 3 of Zarr puts inner chunks of 8 x 8 elements into each chunk, each of them
     * compressed by itself. */
    const char *codec;
    /* Raw files only: bytes before the first element. */
    int64_t offset;
    /* Zarr only: version 2 or 3 of the format; 0: that of the group round the array, else
     * 3. */
    int version;
} redist_file_layout;

/* Start from REDIST_FILE_OPTIONS_INIT; fields may be added at the end. All are the same
 * on all processes. */
typedef struct redist_file_options {
    size_t size; /* sizeof(redist_file_options) */
    /* Of the array to be created, or of the raw file. NULL for others, where the file
     * says it. */
    const redist_file_layout *layout;
    /* The format's name, where the end of the file's name does not say it. NULL: it
     * does. */
    const char *format;
    /* Cap on the memory that a process takes for a part of a slab and for staging, in
     * bytes. 0: 64 MiB, or what two chunks take if that is more. */
    size_t staging_bytes;
    /* How many processes read and write. 0: the library chooses. */
    int writers;
    /* Not 0: a number that the other type cannot hold is an error, as with
     * redist_options.checked. */
    int checked;
} redist_file_options;
/* clang-format off */
#define REDIST_FILE_OPTIONS_INIT {sizeof(redist_file_options), NULL, NULL, 0, 0, 0}
/* clang-format on */

/* Open the array `name`. One that is created takes the place of what has its name when it
 * is closed, where the format is one file or one folder; a data set is added to a file of
 * HDF5 that exists, and an array to a group of Zarr. Only one program at a time can
 * create an array of a name. `options` may be NULL. Everything is copied. The
 * communicator is no intercommunicator and must live as long as the file: plans keep with
 * it what they measure of the machine. The caller owns the file.
 * Collective over comm. ARG, IO, MISMATCH, MEMORY, MPI: the same code and sentence on
 * every process. */
REDIST_API redist_err redist_file_open(MPI_Comm comm, const char *name,
                                       redist_file_mode mode,
                                       const redist_file_options *options,
                                       redist_file **file);

/* Say how the array lies in the file. The texts live as long as the file does.
 * Local. O(ndims). ARG. */
REDIST_API redist_err redist_file_describe(const redist_file *file,
                                           redist_file_layout *layout);

/* Let each process call `progress` after each slab that was read or written, `done` of
 * `total`. NULL: not.
 * Local. O(1). ARG. */
REDIST_API redist_err redist_file_set_progress(
    redist_file *file, void (*progress)(void *context, int64_t done, int64_t total),
    void *context);

/* Read the whole array into the section of `view` in `buffer`: dimension j of the file is
 * dimension view->axes[j] of the array, and the section's extents are the file's shape.
 * `type` is as in redist_plan_create. Numbers are converted from the file's type to it
 * (docs/operations.md); otherwise it has the size of the file's type, and bytes are
 * moved. Every replica is filled. The buffer is that of redist_view_span.
 * Collective. O(elements), in rounds of the slabs' number. ARG, IO, MISMATCH, MEMORY,
 * MPI: the same code and sentence on every process; the section is then undefined. */
REDIST_API redist_err redist_file_read(redist_file *file, const redist_view *view,
                                       MPI_Datatype type, void *buffer);

/* Write the section of `view` in `buffer`, of which one replica is read, as the whole
 * array. All else is as in redist_file_read; after an error the array in the file is
 * undefined. */
REDIST_API redist_err redist_file_write(redist_file *file, const redist_view *view,
                                        MPI_Datatype type, const void *buffer);

/* The same of a part of the array in the file: elements start, start + stride, .. along
 * each dimension, as many as the section of `view` has. `stride` may be NULL: 1. What is
 * round and between them stays as it is. */
REDIST_API redist_err redist_file_read_section(redist_file *file, const int64_t start[],
                                               const int64_t stride[],
                                               const redist_view *view, MPI_Datatype type,
                                               void *buffer);
REDIST_API redist_err redist_file_write_section(redist_file *file, const int64_t start[],
                                                const int64_t stride[],
                                                const redist_view *view,
                                                MPI_Datatype type, const void *buffer);

/* Copy the whole array of a file to that of another, which is open on the same
 * processes, has the same shape: from format to format, into other chunks, and into
 * numbers of another type. Other elements must have as many bytes. The memory of a
 * process is the staging_bytes of both, whatever the array. Where the chunks of both lie
 * across each other and chunks would be read again and again, the elements go by way of
 * an unnamed array of Zarr beside the target, which needs as much of the disk as the
 * source has bytes, if it can be made there.
 * Collective. As redist_file_read and redist_file_write. */
REDIST_API redist_err redist_file_copy(redist_file *from, redist_file *to);

/* Close the file and set `*file` to NULL. NULL-safe. A created array gets its name now;
 * after an error while it was written nothing is left of it.
 * Collective over the file's processes. IO, MPI: the same on every process; the file is
 * closed. */
REDIST_API redist_err redist_file_close(redist_file **file);

#ifdef __cplusplus
}
#endif
#endif
