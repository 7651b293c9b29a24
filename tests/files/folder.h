/* SPDX-License-Identifier: MIT
 *
 * tests/files/folder.h - a folder for the files of a test, and errors that all processes
 * get alike.
 */
#ifndef REDIST_TESTS_FILES_FOLDER_H
#define REDIST_TESTS_FILES_FOLDER_H

#include <sys/stat.h>
#include <unistd.h>

#include <redist/files.h>

#include "files/format/temporary_folder.h"
#include "mpi/check.h"

static char folder[64];

/* Make the folder of this run. */
static inline void folder_begin(const char *name)
{
    long id = (long)getpid();
    MPI_Bcast(&id, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(folder, sizeof folder, "%s.%ld", name, id);
    if (world_rank() == 0) CHECK(mkdir(folder, 0700) == 0, "mkdir");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Remove the folder, which must be empty. */
static inline void folder_end(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) CHECK(rmdir(folder) == 0, "something is left");
}

/* Return the path of a file in the folder. It is valid until the fourth call from now. */
static inline const char *in_folder(const char *name)
{
    static char path[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* Write a file on this process. */
static inline void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "%s", name);
}

/* Rank 0 writes a file, or makes a folder if there is no text. */
static inline void put(const char *name, const char *text)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0 && text)
        write_file(name, text, strlen(text));
    else if (world_rank() == 0)
        CHECK(mkdir(in_folder(name), 0700) == 0, "%s", name);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 removes a file, or a folder with all that is in it. */
static inline void remove_all(const char *name)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) CHECK(folder_remove(in_folder(name)) == 0, "%s", name);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline bool exists(const char *name)
{
    struct stat status;
    MPI_Barrier(MPI_COMM_WORLD);
    int there = lstat(in_folder(name), &status) == 0;
    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return there;
}

/* Check that all processes have this code, and a sentence that contains these words. */
static inline void check_error(redist_err err, redist_err expected, const char *words)
{
    int codes[2] = {(int)err, -(int)err};
    CHECK(err == expected && strstr(redist_error_message(), words),
          "expected %d with \"%s\", got %d", (int)expected, words, (int)err);
    MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(codes[0] == -codes[1], "codes differ");
}

#endif
