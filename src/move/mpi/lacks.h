/* SPDX-License-Identifier: MIT
 *
 * move/mpi/lacks.h - what this MPI declares and has not, so that it compiles and links
 * and then ends the program or answers wrongly: the call's name, or NULL if it is there.
 * The build finds it out by running a small program for each (cmake/lacks.cmake).
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

#ifndef LACKS_REDUCTIONS /* it has one, of messages from each to each */
#define LACKS_REDUCTIONS NULL
#endif

#ifndef LACKS_INTERCOMMS /* the library is content with those that it is given */
#define LACKS_INTERCOMMS NULL
#endif

#endif
