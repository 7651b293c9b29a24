/* SPDX-License-Identifier: MIT
 *
 * move/mpi/persistent.h - collectives that are set up once and started many times: of
 * MPI-4, and before it of Open MPI under names of its own. PERSISTENT_COLLECTIVES says
 * whether this MPI has them. Of a run that takes microseconds, what they save is a
 * twentieth or more.
 */
#ifndef REDIST_MOVE_MPI_PERSISTENT_H
#define REDIST_MOVE_MPI_PERSISTENT_H

#include <mpi.h>

#if MPI_VERSION < 4 && defined(OPEN_MPI) && defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#if MPI_VERSION >= 4
#define PERSISTENT_COLLECTIVES 1
#define persistent_alltoallv MPI_Alltoallv_init
#define persistent_neighbor_alltoallv MPI_Neighbor_alltoallv_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PERSISTENT_COLLECTIVES 1
#define persistent_alltoallv MPIX_Alltoallv_init
#define persistent_neighbor_alltoallv MPIX_Neighbor_alltoallv_init
#else
#define PERSISTENT_COLLECTIVES 0
#endif

#endif
