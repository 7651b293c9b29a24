/* SPDX-License-Identifier: MIT */
#include "plan/comm/keyval.h"

#include "move/mpi/check.h"

/* MPI_Finalize begins by freeing MPI_COMM_SELF: the last moment to free our keys. */
static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    struct keyval *keyval = extra;
    int ours = atomic_exchange(&keyval->key, MPI_KEYVAL_INVALID);
    return ours == MPI_KEYVAL_INVALID ? MPI_SUCCESS : keyval->free(&ours);
}

static redist_err free_at_the_end(struct keyval *keyval)
{
    int key = MPI_KEYVAL_INVALID;
    TRY(mpi_call(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, keyval)));
    redist_err err = mpi_call(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
    (void)MPI_Comm_free_keyval(&key); /* lives as long as the attribute */
    return err;
}

redist_err keyval_find(struct keyval *keyval, int *key)
{
    *key = atomic_load(&keyval->key);
    if (*key != MPI_KEYVAL_INVALID) return REDIST_OK;
    int ours = MPI_KEYVAL_INVALID, none = MPI_KEYVAL_INVALID;
    TRY(keyval->make(&ours));
    *key = ours;
    if (atomic_compare_exchange_strong(&keyval->key, &none, ours))
        return free_at_the_end(keyval);
    *key = none;
    return mpi_check(keyval->free(&ours), "MPI's free of a keyval");
}
