/* SPDX-License-Identifier: MIT
 *
 * base/lengths.h - lengths from which on loops or memory are handled in another way. Only
 * large arrays reach several of them. A build for tests (-DREDIST_SHORT_LENGTHS) makes
 * them short, so that small random cases cross each boundary.
 */
#ifndef REDIST_BASE_LENGTHS_H
#define REDIST_BASE_LENGTHS_H

#ifdef REDIST_SHORT_LENGTHS
#define LENGTH(usual, tested) (tested)
#else
#define LENGTH(usual, tested) (usual)
#endif

#endif
