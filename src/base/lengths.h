/* SPDX-License-Identifier: MIT
 *
 * base/lengths.h - how long a loop goes on at a time, and from what size on memory is
 * treated another way: lengths of which only large arrays have several. A build for tests
 * (-DREDIST_SHORT_LENGTHS) has short ones, so that small random cases come by every seam.
 */
#ifndef REDIST_BASE_LENGTHS_H
#define REDIST_BASE_LENGTHS_H

#ifdef REDIST_SHORT_LENGTHS
#define LENGTH(usual, tested) (tested)
#else
#define LENGTH(usual, tested) (usual)
#endif

#endif
