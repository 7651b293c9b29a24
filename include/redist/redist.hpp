/* SPDX-License-Identifier: MIT
 *
 * redist/redist.hpp - the library in C++17, header only. The C headers are the reference;
 * docs/cxx.md shows all by example.
 *
 *   redist::plan<double> p(comm, "[64] (block) onto 4", "[64] (cyclic) onto 4");
 *   p(a, b);
 */
#ifndef REDIST_REDIST_HPP
#define REDIST_REDIST_HPP

#include <redist/batch.hpp>
#include <redist/buffer.hpp>
#include <redist/describe.hpp>
#include <redist/files.hpp>
#include <redist/memory.hpp>
#include <redist/plan.hpp>
#include <redist/propose.hpp>
#include <redist/span.hpp>
#include <redist/topology.hpp>

#endif
