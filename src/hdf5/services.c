/* SPDX-License-Identifier: MIT */
#include "hdf5/services.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "files/format/collective.h"

static struct hdf5_services of_library;

void services_set(const struct hdf5_services *services) { of_library = *services; }

redist_err error_set(redist_err err, const char *format, ...)
{
    char sentence[ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return of_library.error_set(err, "%s", sentence);
}

redist_err error_prefix(redist_err err, const char *format, ...)
{
    char prefix[ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    return of_library.error_prefix(err, "%s", prefix);
}

redist_err collective_agree(MPI_Comm comm, redist_err err)
{
    return of_library.collective_agree(comm, err);
}

redist_err collective_share(MPI_Comm comm, redist_err err, char **block, int64_t *size)
{
    return of_library.collective_share(comm, err, block, size);
}

redist_err file_set_layout(redist_file *file, int ndims, const int64_t shape[],
                           const char *type, redist_order order)
{
    return of_library.file_set_layout(file, ndims, shape, type, order);
}

redist_err file_set_codec(redist_file *file, const char *codec)
{
    return of_library.file_set_codec(file, codec);
}

int64_t box_elements(const redist_file *file, const struct box *box)
{
    return of_library.box_elements(file, box);
}

void *services_alloc(int64_t count, size_t size) { return of_library.alloc(count, size); }

void *services_resize(void *block, int64_t count, size_t size)
{
    return of_library.resize(block, count, size);
}

void services_free(void *block) { of_library.free(block); }
