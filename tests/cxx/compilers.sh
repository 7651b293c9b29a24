#!/bin/bash
# SPDX-License-Identifier: MIT
#
# compilers.sh c++ flags.. - that compiler as C++20, and clang++, where it is installed, as
# C++17 too, take the tests of the C++ headers without a warning; each header stands by
# itself; and what must not compile does not.
set -euo pipefail

compiler=$1
flags=(-Werror "${@:2}" -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -I "$REDIST_SOURCE_DIR/include"
       -fsyntax-only)

ways=("$compiler -std=c++20")
if command -v clang++ >/dev/null; then ways+=("clang++ -std=c++17" "clang++ -std=c++20"); fi
for way in "${ways[@]}"; do
    for source in "$REDIST_SOURCE_DIR"/tests/cxx/*.cpp; do
        # shellcheck disable=SC2086 # words are wanted
        $way "${flags[@]}" "$source"
    done
done
for header in "$REDIST_SOURCE_DIR"/include/redist/*.hpp; do
    "$compiler" "${flags[@]}" -std=c++17 -x c++ - <<<"#include <redist/${header##*/}>"
done

# What must not compile: a buffer of another type.
echo '#include <redist/redist.hpp>
void f(redist::plan<double> &p, std::vector<float> &a, std::vector<double> &b) { p(a, b); }' \
    >wrong.cpp
if "$compiler" "${flags[@]}" -std=c++17 wrong.cpp 2>wrong.txt; then
    echo "a plan of double takes a vector of float"
    exit 1
fi
grep -q 'no match for call\|no matching function' wrong.txt || { cat wrong.txt; exit 1; }
rm wrong.cpp wrong.txt
printf '%s\n' "${ways[@]}"
