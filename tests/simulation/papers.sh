#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The papers' experiments: claims are judged as they should be; the verdicts of one of them
# are the recorded ones; both pages and the charts are made from the record; and any
# difference is noticed.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
sources=$REDIST_SOURCE_DIR

python3 "$sources/tests/simulation/judge.py" "$sources/simulation" >"$scratch/judged" 2>&1 ||
    { fail "claims are misjudged"; cat "$scratch/judged"; }

# papers ARGUMENT.. - leaves what is printed in the file stdout.
papers() { python3 "$1/simulation/papers.py" --check "${@:2}" >"$scratch/stdout"; }

papers "$sources" 002-figure-7 ||
    { fail "not as recorded"; tail -n 5 "$scratch/stdout"; }
papers "$sources" --recorded ||
    { fail "the document is not of the record"; grep ' is not ' "$scratch/stdout"; }

mkdir "$scratch/docs"
cp -r "$sources/simulation" "$scratch"
cp -r "$sources"/docs/papers{,.md,_tables.md} "$scratch/docs"
# The other way round: what was faster is slower.
sed -i '/"align_message"/{s/"alltoallv"/"later"/;s/"align_message"/"alltoallv"/;s/"later"/"align_message"/}' \
    "$scratch/simulation/papers/results.json"
papers "$scratch" 002-figure-7 &&
    fail "another verdict, document and chart are as recorded"
for sign in 'The aligned schedule .* other than recorded' 'docs/papers_tables.md is not' \
    '002-figure-7.svg is not'; do
    grep -q "$sign" "$scratch/stdout" || fail "nothing is said of: $sign"
done

conclude
