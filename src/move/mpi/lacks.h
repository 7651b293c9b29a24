/* SPDX-License-Identifier: MIT
 *
 * move/mpi/lacks.h - calls that this MPI declares but lacks: they compile and link, and
 * then abort or give wrong results. Each macro is the call's name, or NULL if it works.
 * The build runs a small program for each (cmake/lacks.cmake).
 */
#ifndef REDIST_MOVE_MPI_LACKS_H
#define REDIST_MOVE_MPI_LACKS_H

#include <stddef.h>

#ifndef LACKS_GRAPHS
#define LACKS_GRAPHS NULL
#endif

#ifndef LACKS_SHARED_WINDOWS
#define LACKS_SHARED_WINDOWS NULL
#endif

#ifndef LACKS_TRUE_EXTENTS
#define LACKS_TRUE_EXTENTS NULL
#endif

#ifndef LACKS_PERSISTENT /* without them each run posts its messages anew */
#define LACKS_PERSISTENT NULL
#endif

#ifndef LACKS_REDUCTIONS /* MPI_Allreduce exists, but sends a message from each process to
                            each */
#define LACKS_REDUCTIONS NULL
#endif

#ifndef LACKS_INTERCOMMS /* the library uses intercommunicators only if it is given one */
#define LACKS_INTERCOMMS NULL
#endif

#endif
