/* SPDX-License-Identifier: MIT
 *
 * peers/missing.c - peers that this build does not have, which say so.
 */
#include "base/error.h"
#include "peer.h"

static inline redist_err missing(MPI_Comm comm, const struct item *item,
                                 const char *strategy, void **state)
{
    (void)comm, (void)item, (void)strategy, (void)state;
    return error_set(REDIST_ERR_ARG, "not built in, as CMake said");
}

#if !defined __SSE2__
const struct peer peer_stream = {"non-temporal copy", true, missing, NULL, NULL};
#endif
#if !defined HAVE_SCALAPACK
const struct peer peer_scalapack = {"ScaLAPACK pdgemr2d", false, missing, NULL, NULL};
#endif
#if !defined HAVE_FFTW
const struct peer peer_fftw = {"FFTW transpose", false, missing, NULL, NULL};
#endif
#if !defined HAVE_COSTA
const struct peer peer_costa = {"COSTA", false, missing, NULL, NULL};
#endif
