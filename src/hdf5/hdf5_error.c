/* SPDX-License-Identifier: MIT */
#include "hdf5/hdf5_error.h"

#include <pthread.h>
#include <stdio.h>

#include "base/error.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* What the program has set, under the mutex. */
static H5E_auto2_t handler;
static void *handler_data;
static bool known;

void hdf5_begin(void)
{
    (void)pthread_mutex_lock(&mutex);
    known = H5Eget_auto2(H5E_DEFAULT, &handler, &handler_data) >= 0;
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hdf5_end(void)
{
    if (known) (void)H5Eset_auto2(H5E_DEFAULT, handler, handler_data);
    (void)pthread_mutex_unlock(&mutex);
}

struct sentence {
    char text[ERROR_MESSAGE_SIZE];
};

static herr_t take_first(unsigned n, const H5E_error2_t *error, void *context)
{
    struct sentence *sentence = context;
    if (n == 0) (void)snprintf(sentence->text, sizeof sentence->text, "%s", error->desc);
    return 0;
}

redist_err hdf5_error(const char *name)
{
    struct sentence sentence = {""};
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &sentence);
    return error_set(REDIST_ERR_IO, "%s: HDF5: %s", name,
                     *sentence.text ? sentence.text : "failed without a reason");
}
