/* SPDX-License-Identifier: MIT
 *
 * move/mpi/persistent.h - persistent collectives: set up once, started many times. MPI-4
 * has them; Open MPI had them earlier under names of its own. PERSISTENT_COLLECTIVES
 * tells whether this MPI has them; else they are NULL. They save a twentieth or more of a
 * run that takes microseconds.
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
#define persistent_alltoallv NULL
#define persistent_neighbor_alltoallv NULL
#endif

#endif
