#!/bin/bash
# SPDX-License-Identifier: MIT
#
# abi.sh libredist.so [dump FILE] - the library still has the binary interface of the last
# release, abi/libredist.abi: what has been added may differ, nothing else. Or write its own to
# FILE. The library is made with Open MPI, and with -g.
set -euo pipefail

library=$1
CDPATH='' cd "$(dirname "$0")/../.."

# What abidw sees of a library, without what differs from machine to machine.
dump() { # library, file
    abidw --exported-interfaces-only --headers-dir include/redist --drop-private-types \
        --suppressions abi/private.ini --no-corpus-path --no-comp-dir-path --no-show-locs \
        --no-architecture --no-elf-needed --no-parameter-names --type-id-style hash \
        --out-file "$2" "$1"
}
if [[ ${2:-} == dump ]]; then
    dump "$library" "$3"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compatible() { # library, its dump
    abidiff --no-added-syms "$1" "$2" >"$work/report" 2>&1 &&
        ! grep -q error "$work/report" # of a file that it cannot read its exit status is 0
}
dump "$library" "$work/now"
if ! compatible abi/libredist.abi "$work/now"; then
    cat "$work/report"
    echo "$library: the binary interface is not that of the last release; see abi/README.md"
    exit 1
fi

# A function that is gone, and a struct that has grown, would be found.
gone=redist_plan_destroy
sed "/<elf-symbol name='$gone'/d; /<function-decl name='$gone'/,/<.function-decl>/d" \
    "$work/now" >"$work/removed"
sed -E "/class-decl name='redist_view'/s/size-in-bits='[0-9]+'/size-in-bits='8'/" \
    "$work/now" >"$work/changed"
for other in removed changed; do
    if compatible "$work/now" "$work/$other" || grep -q error "$work/report"; then
        cat "$work/report"
        echo "abidiff does not see what is $other"
        exit 1
    fi
done
