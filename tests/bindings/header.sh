#!/bin/bash
# SPDX-License-Identifier: MIT
#
# header.sh mpicc mpifort modules python - the bindings know all that the public headers
# declare: functions, constants, structs field by field; those for C++ all functions.
# `mpifort` or `python` is `none` where the one or the other binding is left out.
set -euo pipefail

mpicc=$1 mpifort=$2 modules=$3 python=$4
here=$(dirname "$(realpath "$0")")
header() { /usr/bin/env python3 -B "$here/header.py" "$@"; }
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT

failed() { echo "$1"; exit 1; }

header api >"$work/api.h"
diff "$work/api.h" "$REDIST_SOURCE_DIR/python/redist/api.h" ||
    failed "python/redist/api.h is not the headers; make it by tests/bindings/header.py api"

header c >"$work/header.c"
"$mpicc" -I "$REDIST_SOURCE_DIR/include" "$work/header.c" -o "$work/c"
"$work/c" >"$work/c.txt"
[[ $(grep -c . "$work/c.txt") -gt 50 ]] || failed "header.py finds too little"

if [[ $mpifort != none ]]; then
    header fortran >"$work/header.f90"
    "$mpifort" -I "$modules" -c "$work/header.f90" -o "$work/header.o"
    "$mpifort" "$work/header.o" -o "$work/fortran"
    "$work/fortran" | diff "$work/c.txt" - || failed "the module redist differs so"
    # Each function has its test, and an example in docs/fortran.md.
    sed -n '/^```fortran/,/^```/p' "$REDIST_SOURCE_DIR/docs/fortran.md" >"$work/page.f90"
    for name in $(header names); do
        grep -qiE "\b$name\b *\(" "$REDIST_SOURCE_DIR"/tests/fortran/*.f90 ||
            failed "no test of the module calls $name"
        grep -qiE "\b$name\b" "$work/page.f90" || failed "docs/fortran.md does not call $name"
    done
fi

# Each function is called by the headers for C++, but for what they say in another way.
declare -A said=(
    [redist_execute]="a batch of one" [redist_start]="a batch of one"
    [redist_execute_scaled]="a batch of one" [redist_start_scaled]="a batch of one"
    [redist_plan_tune]="a batch of one"
)
for name in $(header names); do
    calls=$(grep -hE "\b$name\b" "$REDIST_SOURCE_DIR"/include/redist/*.hpp | grep -cvE '^ *(/?\*)' || true)
    if [[ -n ${said[$name]:-} ]]; then
        ((calls == 0)) || failed "the headers for C++ call $name"
    else
        ((calls > 0)) || failed "the headers for C++ do not call $name"
    fi
done

if [[ $python != none ]]; then
    export REDIST_LIBRARY=$REDIST_BUILD_DIR/lib/libredist.so
    PYTHONPATH=$REDIST_SOURCE_DIR/python "$python" -B "$here/header.py" python \
        >"$work/python.txt"
    diff "$work/c.txt" "$work/python.txt" || failed "the package redist differs so"
fi
echo "$(header names | wc -l) functions, $(wc -l <"$work/c.txt") constants, structs, fields"
