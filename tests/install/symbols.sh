#!/bin/bash
# SPDX-License-Identifier: MIT
#
# symbols.sh libredist.so libredist_scalapack.so - the library exports exactly what the public
# headers declare, the drop-in exactly ScaLAPACK's routines, all with a version.
set -euo pipefail

library=$1 drop_in=$2
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT

# The name before the first bracket of each declaration that REDIST_API begins.
cat "$REDIST_SOURCE_DIR"/include/redist/*.h | grep -v '^#' | tr '\n' ' ' |
    grep -oE 'REDIST_API [^(;]*\(' | grep -oE '[A-Za-z0-9_]+ *\($' | tr -d ' (' |
    sort -u >"$work/declared"
# The names that a library exports, each with the version; but for the version's own.
exported() { # library, version
    nm --dynamic --defined-only --format=posix "$1" |
        awk '$2 != "A" { print $1 }' | sed -E "s/@@$2\$//" | sort -u
}
exported "$library" 'REDIST_[0-9.]+' >"$work/exported"

[[ -s $work/declared ]] || { echo "no declaration found in include/redist"; exit 1; }
status=0
report() { # title, names
    [[ -z $2 ]] || { printf '%s:\n%s\n' "$1" "$2"; status=1; }
}
report "declared with REDIST_API but not exported" "$(comm -23 "$work/declared" "$work/exported")"
report "exported but not declared in include/redist" "$(comm -13 "$work/declared" "$work/exported")"
report "exported without the prefix redist_" "$(grep -v '^redist_' "$work/exported" || true)"

for type in i s d c z; do
    printf '%s\n' {,C}p${type}{ge,tr}mr2d{,o} | sed -E 's/^p.*/&_/'
    [[ $type == i ]] || printf "p$type%s_\n" geadd tradd
    case $type in
        s | d) echo "p${type}tran_" ;;
        c | z) printf "p$type%s_\n" tranu tranc ;;
    esac
done | sort -u >"$work/routines"
exported "$drop_in" REDIST_SCALAPACK >"$work/drop_in"
report "not in the drop-in" "$(comm -23 "$work/routines" "$work/drop_in")"
report "in the drop-in, but not ScaLAPACK's" "$(comm -13 "$work/routines" "$work/drop_in")"
echo "$(wc -l <"$work/routines") routines of ScaLAPACK"
echo "$(wc -l <"$work/declared") functions declared, $(wc -l <"$work/exported") symbols exported"
exit $status
