#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh [FLAG..]  - check the flags of the node path, see README.md: with the checkers that
# are installed, and an MPI that these flags of the compiler name. In a long run also with
# each fault of faults.txt in the sources, which must be found.
. "${REDIST_SOURCE_DIR:?the source tree}/tests/checks.sh"
models=$REDIST_SOURCE_DIR/tests/model
sources=$REDIST_SOURCE_DIR/src
flags=(-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX "$@")

# Senders, receivers, runs, pieces, slots, first offer, window.
usual=("1 2 3 1 2 0 0" "2 1 3 2 3 0 0" "1 2 2 2 2 4 1")
long=("1 2 3 2 2 4 1" "1 2 3 2 2 0 0" "1 2 3 3 2 3 0" "1 2 3 1 2 1 0" "1 2 3 4 2 1 1"
      "2 1 3 2 2 1 0" "2 1 3 1 2 4 0" "2 2 1 2 2 0 0" "2 2 2 1 1 0 0")
times=2000
if [ -n "${REDIST_TEST_LONG:-}" ]; then
    usual+=("${long[@]}")
    times=100000
fi

# Spin, over src/move of a folder.
check_channels() { # folder, cases..
    local case folder=$1
    shift
    (cd "$scratch" && spin -a "$models/channels.pml" &&
        cc -std=gnu11 -O1 -w -DSAFETY -DCOLLAPSE -DNOREDUCE -DVECTORSZ=2048 -I "$folder" \
            pan.c -o pan) || return 2
    for case; do
        MODEL=$case "$scratch/pan" -w20 -m20000 >"$scratch/said" 2>&1 </dev/null
        grep -q 'errors: 0' "$scratch/said" || return 1
        ! grep -q 'not completed' "$scratch/said" || return 1
        echo "channels $case: $(sed -n 's/^ *\([0-9]*\) states, stored$/\1/p' \
            "$scratch/said") states"
    done
}

# Relacy, over the same.
check_exchange() { # folder, times
    local file weak=$scratch/weak
    mkdir -p "$weak"/move/{node,shared,kernel,runs,arith}
    for file in "$1"/move/node/*.h "$1"/move/shared/*.[hc]; do
        sed -E -f "$models/weak.sed" "$file" >"$weak/${file#"$1/"}"
    done
    # What moves elements, in ways that C++ does not take, and C's atomics.
    : >"$weak/stdatomic.h" >"$weak/move/kernel/stream.h"
    printf '%s\n' '#pragma once' 'enum { LINE_BUFFER_LINE = 64 };' \
        >"$weak/move/runs/line_buffer.h"
    echo 'struct combine { bool replaces; };' >"$weak/move/arith/combine.h"
    c++ -std=gnu++20 -O0 -fpermissive -w -I "$weak" -I "$models" -I "$sources" \
        -I "$REDIST_SOURCE_DIR/include" "$models/exchange.cpp" "${flags[@]}" \
        -o "$scratch/exchange" || return 2
    "$scratch/exchange" "$2" >"$scratch/said" || return 1
    echo "exchange: $2 cases"
}

# Say which checker finds a fault, if it is the one that must.
check_fault() { # checkers, file, expression, what
    local checker found= folder=$scratch/faulty
    rm -rf "$folder"
    mkdir -p "$folder"
    cp -r "$sources/move" "$folder/move"
    sed -E "$3" "$sources/move/$2" >"$folder/move/$2"
    ! cmp -s "$sources/move/$2" "$folder/move/$2" || fail "$4: has no place any more"
    if has_channels; then
        check_channels "$folder" "${usual[@]}" >/dev/null
        [ $? -ne 1 ] || found=' channels'
    fi
    if has_exchange; then
        check_exchange "$folder" 3000 >/dev/null
        [ $? -ne 1 ] || found+=" exchange: $(sed -n 2p "$scratch/said")"
    fi
    echo "$4: found by${found:- none}"
    for checker in channels exchange; do
        [[ $1 != "$checker" && $1 != both || $found == *$checker* ]] ||
            ! has_$checker || fail "$4: $checker does not find it"
    done
}

has_channels() { command -v spin >/dev/null; }
has_exchange() { [ -e /usr/include/relacy/relacy.hpp ]; }

if has_channels; then
    check_channels "$sources" "${usual[@]}" || fail "channels: $(cat "$scratch/said")"
else
    echo "spin is not installed"
fi
if has_exchange; then
    check_exchange "$sources" $times || fail "exchange: $(head -n 100 "$scratch/said")"
else
    echo "relacy-dev is not installed"
fi
if [ -n "${REDIST_TEST_LONG:-}" ]; then
    while IFS='|' read -r checkers file expression what; do
        [[ $checkers == '#'* ]] || check_fault "$checkers" "$file" "$expression" "$what"
    done <"$models/faults.txt"
fi
conclude
