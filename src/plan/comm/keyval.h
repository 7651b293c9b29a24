/* SPDX-License-Identifier: MIT
 *
 * plan/comm/keyval.h - keys of attributes of MPI's objects, which are made when they are
 * first needed and freed when MPI ends.
 */
#ifndef REDIST_PLAN_COMM_KEYVAL_H
#define REDIST_PLAN_COMM_KEYVAL_H

#include <mpi.h>
#include <stdatomic.h>

#include "base/error.h"

struct keyval {
    atomic_int key;               /* MPI_KEYVAL_INVALID: none yet */
    redist_err (*make)(int *key); /* MPI */
    int (*free)(int *key);        /* one of MPI's functions */
};

/* Return the key. Of several threads that come here first, one makes it. MPI. */
redist_err keyval_find(struct keyval *keyval, int *key);

#endif
