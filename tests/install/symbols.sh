#!/bin/bash
# SPDX-License-Identifier: MIT
#
# symbols.sh libredist.so - the library exports exactly what the public headers declare.
set -euo pipefail

library=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The name before the first bracket of each declaration that REDIST_API begins.
cat "$REDIST_SOURCE_DIR"/include/redist/*.h | grep -v '^#' | tr '\n' ' ' |
    grep -oE 'REDIST_API [^(;]*\(' | grep -oE '[A-Za-z0-9_]+ *\($' | tr -d ' (' |
    sort -u >"$work/declared"
nm --dynamic --defined-only --format=posix "$library" | cut -d' ' -f1 |
    grep -vE '^__(asan|odr_asan|ubsan)' | sort -u >"$work/exported"

[[ -s $work/declared ]] || { echo "no declaration found in include/redist"; exit 1; }
status=0
report() { # title, names
    [[ -z $2 ]] || { printf '%s:\n%s\n' "$1" "$2"; status=1; }
}
report "declared with REDIST_API but not exported" "$(comm -23 "$work/declared" "$work/exported")"
report "exported but not declared in include/redist" "$(comm -13 "$work/declared" "$work/exported")"
report "exported without the prefix redist_" "$(grep -v '^redist_' "$work/exported" || true)"
echo "$(wc -l <"$work/declared") functions declared, $(wc -l <"$work/exported") symbols exported"
exit $status
