#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist bench: every strategy is verified, what it prints can be read, and agrees with what
# `redist explain` and `redist run` say of the same work. Times are only looked at for order.
# `$REDIST_MPIEXEC -n 4 program` runs a program.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
cd "$scratch" || exit 1

# bench NPROCS ARGUMENT..
bench() {
    local nprocs=$1
    shift
    "$mpiexec" -n "$nprocs" "$tool" bench "$@" >stdout 2>stderr
}

# works NAME NPROCS ARGUMENT..
works() {
    local name=$1
    shift
    bench "$@" || { fail "$name: failed"; cat stdout stderr; }
}

# refused NAME STATUS SENTENCE NPROCS ARGUMENT..  - the first line that the tool says.
refused() {
    local name=$1 status=$2 sentence=$3
    shift 3
    bench "$@"
    local actual=$?
    [ $actual -eq "$status" ] || fail "$name: exit status $actual, expected $status"
    grep -a '^redist[: ]' stderr | grep -v -- '--help says' >said
    [ "$(cat said)" = "$sentence" ] ||
        fail "$name: said \"$(cat said stderr)\", expected \"$sentence\""
    [ -s stdout ] && fail "$name: printed something all the same"
}

source='[120,77] (cyclic(3),cyclic(4)) onto 2x2'
target='[120,77] (cyclic(5),*) onto 3'

# ---- the table

works a_table 4 "$source" "$target" --reps 3
holds the_specifications_are_shown grep -qF "source    $source" stdout
holds the_copy_has_a_line grep -qE '^  memcpy +[0-9.]+ .* 1\.00$' stdout
holds the_choice_has_a_star [ "$(grep -c '^\* [a-z]' stdout)" -eq 1 ]
holds the_choice_is_a_strategy grep -qE '^  \* the library.s choice: [a-z]' stdout
holds auto_is_compared grep -qE '^  auto over the fastest other: [0-9]+\.[0-9]{3}$' stdout

COLUMNS=80 works a_narrow_table 4 "$source" "$target" --reps 3
holds the_table_keeps_to_the_columns awk 'length($0) > 80 { wide = 1 } END { exit wide }' stdout
holds the_quartiles_are_left_out [ -z "$(grep quartile stdout)" ]

# ---- JSON

works a_json_object 4 "$source" "$target" --reps 3 --json
cp stdout all.json
"$tool" explain "$source" "$target" --json >explain.json
"$mpiexec" -n 4 "$tool" run "$source" "$target" --strategy nix 2>&1 |
    sed -n 's/.*there are: //p' | head -n 1 >names
cat >read.py <<'END'
import json
import sys

bench = json.load(open("all.json"))
explain = json.load(open("explain.json"))
names = open("names").read().split(";")[0].split(", ")
for key in "source", "target", "element_bytes", "elements", "bytes", "bytes_moved", "bytes_kept":
    assert bench[key] == explain[key], key
assert bench["processes"] == 4 and bench["repetitions"] == 3
strategies = bench["strategies"]
assert {s["strategy"].split("(")[0] for s in strategies} >= {n.split("(")[0] for n in names}, names
assert any(s["available"] for s in strategies)
assert bench["choice"].split("/")[-1].split("(")[0] in {n.split("(")[0] for n in names}
others = [s["median_seconds"] for s in strategies if s["available"] and s["strategy"] != "auto"]
auto = [s["median_seconds"] for s in strategies if s["strategy"] == "auto"]
assert abs(bench["auto_over_fastest"] / (auto[0] / min(others)) - 1) < 1e-6
order = ["min_seconds", "quartile_1_seconds", "median_seconds", "quartile_3_seconds", "max_seconds"]
medians = []
for s in strategies:
    if not s["available"]:
        assert s["why"] and "median_seconds" not in s
        medians.append(float("inf"))
        continue
    assert s["verified"] is True and s["why"] is None
    assert s["plan_seconds"] > 0 and s["messages"] > 0
    assert 0 <= s["staging_peak_bytes"] <= s["staging_promised_bytes"] <= bench["staging_cap_bytes"]
    medians.append(s["median_seconds"])
    if s["strategy"] in ("nonblocking", "alltoallv"):
        assert s["messages"] == explain["messages"]
assert medians == sorted(medians)
for s in [s for s in strategies if s["available"]] + [bench["copy"]]:
    times = [s[key] for key in order]
    assert times == sorted(times) and times[0] > 0
    assert s["repetitions"] == 3 # however slow
    rate = bench["bytes"] / s["median_seconds"] / 1e9
    assert abs(s["gb_per_second"] / rate - 1) < 1e-6
    ratio = s["median_seconds"] / bench["copy"]["median_seconds"]
    assert abs(s["times_copy"] / ratio - 1) < 1e-6
END
holds the_object_says_what_others_say python3 read.py

# ---- some strategies, any type, any work

works one_strategy 2 '[50] (block) onto 2' '[50] (cyclic) onto 2' --strategy alltoallv \
    --reps 1 --json
holds one_strategy [ "$(python3 -c 'import json, sys
print([s["strategy"] for s in json.load(sys.stdin)["strategies"]])' <stdout)" = "['alltoallv']" ]
cp stdout one.json
works in_any_order 2 '[50] (block) onto 2' '[50] (cyclic) onto 2' \
    --strategy alltoallv,nonblocking,alltoallv --reps 1
holds in_any_order [ "$(grep -cE '^[* ] (alltoallv|nonblocking) +[0-9]' stdout)" -eq 3 ]
for type in b1 i2 b3 f4 c16 b21; do
    works "elements_of_$type" 3 "[40,30] (cyclic(3),*) onto 3 section [1:39:2,0:29]" \
        '[20,30] (*,cyclic(4)) onto 2' --type $type --reps 1
    holds "elements_of_$type" grep -qF "elements  600 of $type, " stdout
done
works a_small_cap 2 '[5000] (block) onto 2' '[5000] (cyclic) onto 2' --staging 64 --reps 1 --json
holds a_small_cap python3 -c 'import json
for s in json.load(open("stdout"))["strategies"]:
    assert not s["available"] or s["staging_peak_bytes"] <= 64'
holds without_auto_nothing_is_compared grep -q '"auto_over_fastest": null' one.json
works nothing_at_all 2 '[0] (block) onto 2' '[0] (cyclic) onto 2' --reps 1 --json
holds nothing_at_all python3 -m json.tool stdout /dev/null
works disjoint_processes 4 '[60] (block) onto 2' '[60] (cyclic) onto 2 ranks 2:3' --reps 2

# ---- an exact clock, elements without values

works an_exact_clock 3 '[5000] (block) onto 3' '[5000] (cyclic) onto 3' --exact --reps 2 --json
holds an_exact_clock python3 -c 'import json
bench = json.load(open("stdout"))
assert "copy" not in bench
for s in bench["strategies"]:
    assert not s["available"] or (s["verified"] and "times_copy" not in s and s["min_seconds"] > 0)'
works hollow_elements 3 '[90000] (block) onto 3' '[90000] (cyclic) onto 3' --hollow --reps 1 \
    --svg chart.svg --exact
holds hollow_elements grep -q '^  Only the sizes counted: nothing was verified.$' stdout
holds no_copy_without_its_time [ "$(cat stdout chart.svg | grep -c memcpy)" -eq 0 ]
works bare_runs 3 '[60] (cyclic) onto 3' '[60] (cyclic(2)) onto 3' --bare --reps 1 --strategy \
    nonblocking,alltoallv,optimal/sendrecv --json
holds bare_runs python3 -c 'import json
for s in json.load(open("stdout"))["strategies"]:
    assert s["verified"]'

# ---- the chart

works a_chart_and_a_table 2 '[50] (block) onto 2' '[50] (cyclic) onto 2' --reps 1 --svg chart.svg
holds a_chart_and_a_table grep -q '^  memcpy ' stdout
holds a_chart_is_xml python3 -c 'import xml.dom.minidom
xml.dom.minidom.parse("chart.svg")'
# in the table there is a line more, the copy's
holds a_bar_for_each_strategy [ "$(($(grep -c '<title>median' chart.svg) + 1))" -eq \
    "$(grep -cE '^[* ] [a-z][^ ]* +[0-9]+ +[0-9]+\.[0-9]{3} ' stdout)" ]
works a_chart_alone 2 '[50] (block) onto 2' '[50] (cyclic) onto 2' --reps 1 --svg -
holds a_chart_alone [ "$(head -c 4 stdout)" = '<svg' ]

# ---- refusals

refused too_few_processes 1 \
    'redist: rank 0: source: the grid has rank 3, the communicator only 0 to 2' 3 \
    "$source" "$target"
refused a_spec_that_cannot_be_read 1 \
    'redist: target: column 7: expected *, block, cyclic, gen_block or indirect, found "blok" (did you mean block?)' \
    2 '[12] (block) onto 2' '[12] (blok) onto 2'
refused a_network_that_cannot_be_read 1 \
    'redist: --topology: column 1: expected mesh, torus or tree, found "ring"' 2 \
    '[12] (block) onto 2' '[12] (block) onto 2' --topology 'ring(2)'
refused no_repetitions 2 'redist bench: --reps: 0, must be 1 .. 10000' 2 \
    "$source" "$target" --reps 0
refused one_specification 2 \
    'redist bench: 1 argument beside the options, must be two; a text with brackets needs quotes' 2 "$source"
refused two_forms_on_stdout 2 'redist bench: --json and --svg - exclude each other' 2 \
    "$source" "$target" --json --svg -
refused an_unknown_option 2 'redist bench: there is no option --nix' 2 --nix
refused a_strategy_that_is_not_there 1 \
    "redist: unknown strategy \"nix\", there are: $(cat names)" 2 \
    "$source" "$target" --strategy nonblocking,nix
refused a_cap_for_no_element 1 \
    'redist: rank 0: options: staging_bytes is 8, must hold two elements of 8 bytes' 4 \
    "$source" "$target" --staging 8
bench 2 '[50] (block) onto 2' '[50] (cyclic) onto 2' --reps 1 --svg no/chart.svg
holds no_such_folder [ $? -eq 1 ]
holds no_such_folder_is_said grep -qx \
    'redist: no/chart.svg: cannot be written: No such file or directory' stderr
holds the_table_is_printed_all_the_same grep -q '^  memcpy ' stdout

bench 2 --help
holds help_is_said_once [ "$(grep -c 'mpirun -n N redist bench' stdout)" -eq 1 ]

conclude
