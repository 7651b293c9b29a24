#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The pictures of docs/schedules.md are those that the tool draws today (script/pictures), each
# is shown there, and each is well-formed; and the NS/TC that its table lists are those that the
# tool prints.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
root=${REDIST_SOURCE_DIR:?the folder of the sources}

"$root/script/pictures" "$scratch" || fail "script/pictures fails"
diff -rq "$root/docs/schedules" "$scratch" ||
    fail "docs/schedules is not what the tool draws: run script/pictures"

# What the document shows, and what there is.
grep -o '(schedules/[a-z0-9-]*\.svg)' "$root/docs/schedules.md" | tr -d '()' |
    sort >"$scratch/shown"
(cd "$root/docs" && printf '%s\n' schedules/*.svg | sort) >"$scratch/there"
[ -s "$scratch/shown" ] || fail "docs/schedules.md shows no picture"
diff "$scratch/shown" "$scratch/there" || fail "docs/schedules.md does not show each picture once"

if command -v xmllint >/dev/null; then
    xmllint --noout "$root"/docs/schedules/*.svg || fail "a picture is no XML"
fi

# ---- the table ---------------------------------------------------------------------------

gcd() { if [ "$2" -eq 0 ]; then echo "$1"; else gcd "$2" $(($1 % $2)); fi; }

# Rows of a Markdown table that begins with `| NS/TC |`, its cells without bars and quotes.
sed -n '/^| NS\/TC/,/^$/p' "$root/docs/schedules.md" | tr -d '|`' | sed '2d;$d' >"$scratch/table"
[ "$(wc -l <"$scratch/table")" -gt 15 ] || fail "docs/schedules.md has no table"
column=1
for problem in $(head -n 1 "$scratch/table" | cut -d' ' -f3-); do
    column=$((column + 1))
    read -r P r Q s <<<"$(tr -cs '0-9' ' ' <<<"$problem")"
    N=$((P * r * Q * s / $(gcd $((P * r)) $((Q * s)))))
    sed 1d "$scratch/table" | awk -v c=$column '{ print $1, $c }' >"$scratch/listed"
    "$REDIST_TOOL" schedule "[$N] (cyclic($r)) onto $P" "[$N] (cyclic($s)) onto $Q" \
        --schedule all | sed -e '1,5d' -e '/^ *$/,$d' -e '/needs several dimensions/d' \
        -e '/needs a topology/d' |
        awk '{ print $1, $2 == "not" ? "-" : $2 "/" $3 }' >"$scratch/printed"
    diff "$scratch/printed" "$scratch/listed" || fail "$problem: the table lists something else"
done
[ $column -gt 4 ] || fail "the table has too few problems"

conclude
