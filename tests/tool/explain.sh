#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist explain: what it prints, to the letter; and its numbers against those that a few
# lines of awk count element by element.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"

# Leave out of a report which strategy is fastest, which has tests of its own.
looked_at() {
    awk '/^  "strategy": / { sub(/,$/, "", line); print line; print "}"; done = 1; exit }
        /^  strategy / { done = 1; exit }
        NR > 1 { print line } { line = $0 } END { if (!done) print line }'
}

expect a_report_for_people 0 explain \
    '[300,403] (block,*) onto 4' \
    '[300,403] (cyclic(8),cyclic(8)) onto 3x2' <<'END'
source  [300,403] (block,*) onto 4
target  [300,403] (cyclic(8),cyclic(8)) onto 3x2
type    f8, 8 bytes an element

  moved             99544 elements    778 KiB   82.3 %
  kept              21356 elements    167 KiB   17.7 %
  20 messages from 4 sources to 6 targets, 38.9 KiB on average

                          least         most
  source: messages            5            5
          sent          193 KiB      196 KiB
  target: messages            3            4
          received      114 KiB      152 KiB

  Delta    6   most messages of a process, to itself counted
  W        30225   most elements of a process, kept ones counted
  period   - x 16   elements until the pattern repeats
END

expect a_report_for_programs 0 explain \
    '[240] (cyclic(3)) onto 16' \
    '[240] (cyclic(5)) onto 16' --json <<'END'
{
  "source": "[240] (cyclic(3)) onto 16",
  "target": "[240] (cyclic(5)) onto 16",
  "type": "f8",
  "element_bytes": 8,
  "elements": 240,
  "bytes": 1920,
  "elements_moved": 224,
  "elements_kept": 16,
  "bytes_moved": 1792,
  "bytes_kept": 128,
  "sources": 16,
  "targets": 16,
  "pairs": 112,
  "messages": 104,
  "min_messages_sent": 6,
  "max_messages_sent": 7,
  "min_messages_received": 6,
  "max_messages_received": 7,
  "min_sent_bytes": 96,
  "max_sent_bytes": 120,
  "min_received_bytes": 96,
  "max_received_bytes": 120,
  "delta": 7,
  "w_elements": 15,
  "sources_looked_at": 16,
  "targets_looked_at": 16,
  "period": [240]
}
END

expect what_is_where_it_should_be_is_kept 0 explain \
    '[100] (block) onto 4' \
    '[100] (block(25)) onto 4' --type i4 <<'END'
source  [100] (block) onto 4
target  [100] (block(25)) onto 4
type    i4, 4 bytes an element

  moved                 0 elements        0 B    0.0 %
  kept                100 elements      400 B  100.0 %
  0 messages from 4 sources to 4 targets, 0 B on average

                          least         most
  source: messages            0            0
          sent              0 B          0 B
  target: messages            0            0
          received          0 B          0 B

  Delta    1   most messages of a process, to itself counted
  W        25   most elements of a process, kept ones counted
  period   100   elements until the pattern repeats
END

expect one_of_each_is_said_so 0 explain \
    '[8] (block) onto 1' '[8] (block) onto 1 ranks 1' --type u1 <<'END'
source  [8] (block) onto 1
target  [8] (block) onto 1 ranks 1
type    u1, 1 byte an element

  moved                 8 elements        8 B  100.0 %
  kept                  0 elements        0 B    0.0 %
  1 message from 1 source to 1 target, 8 B on average

                          least         most
  source: messages            1            1
          sent              8 B          8 B
  target: messages            1            1
          received          8 B          8 B

  Delta    1   most messages of a process, to itself counted
  W        8   most elements of a process, kept ones counted
  period   1   elements until the pattern repeats
END

expect irregular_patterns_never_repeat 0 explain \
    '[9,8] (gen_block(2,7),cyclic) onto 2x2' \
    '[9,8] (block,block) onto 2x2' --json --type b24 <<'END'
{
  "source": "[9,8] (gen_block(2,7),cyclic) onto 2x2",
  "target": "[9,8] (block,block) onto 2x2",
  "type": "b24",
  "element_bytes": 24,
  "elements": 72,
  "bytes": 1728,
  "elements_moved": 48,
  "elements_kept": 24,
  "bytes_moved": 1152,
  "bytes_kept": 576,
  "sources": 4,
  "targets": 4,
  "pairs": 12,
  "messages": 8,
  "min_messages_sent": 1,
  "max_messages_sent": 3,
  "min_messages_received": 1,
  "max_messages_received": 3,
  "min_sent_bytes": 96,
  "max_sent_bytes": 480,
  "min_received_bytes": 192,
  "max_received_bytes": 384,
  "delta": 4,
  "w_elements": 28,
  "sources_looked_at": 4,
  "targets_looked_at": 4,
  "period": [null, 8]
}
END

expect numbers_of_dimensions_must_agree 1 explain \
    '[12] (block) onto 2' \
    '[12,6] (*,block) onto 3 section [0:11,5:5] axes (0,1)' --type c16 <<'END'
redist: the source has 1 dimensions, the target 2
END

expect replicas_of_the_target_count 0 explain \
    '[12] (block) onto 3' \
    '[12] (block) onto 2x2' --type c16 <<'END'
source  [12] (block) onto 3
target  [12] (block) onto 2x2
type    c16, 16 bytes an element

  moved                14 elements      224 B   58.3 %
  kept                 10 elements      160 B   41.7 %
  5 messages from 3 sources to 4 targets, 45 B on average

                          least         most
  source: messages            1            3
          sent             64 B         96 B
  target: messages            1            2
          received         32 B         96 B

  Delta    4   most messages of a process, to itself counted
  W        8   most elements of a process, kept ones counted
  period   12   elements until the pattern repeats
END

expect sections_pair_up 0 explain \
    '[100] (block) onto 4 section [0:98:2]' \
    '[50] (cyclic(5)) onto 5' --type u1 <<'END'
source  [100] (block) onto 4 section [0:98:2]
target  [50] (cyclic(5)) onto 5
type    u1, 1 byte an element

  moved                37 elements       37 B   74.0 %
  kept                 13 elements       13 B   26.0 %
  9 messages from 4 sources to 5 targets, 4 B on average

                          least         most
  source: messages            2            3
          sent              7 B         12 B
  target: messages            1            3
          received          5 B         10 B

  Delta    4   most messages of a process, to itself counted
  W        13   most elements of a process, kept ones counted
  period   50   elements until the pattern repeats
END

expect extents_must_agree 1 explain \
    '[9] (block) onto 3' \
    '[8] (block) onto 3' <<'END'
redist: dim 0: the source's extent is 9, the target's 8
END

expect the_side_of_a_mistake_is_named 1 explain \
    '[9] (block) onto 3' \
    '[9] (cyclic(0)) onto 3' <<'END'
redist: target: column 6: dim 0: cyclic block is 0, must be >= 1
END

expect two_specifications_are_needed 2 explain \
    '[9] (block) onto 3' <<'END'
redist explain: 1 argument beside the options, must be two; a text with brackets needs quotes
redist explain --help says what there is.
END

expect an_unknown_letter_is_named 2 explain '[9] (block) onto 3' '[9] (cyclic) onto 3' --json -xy <<'END'
redist explain: there is no option -x
redist explain --help says what there is.
END

expect an_unknown_type_is_misuse 2 explain \
    '[9] (block) onto 3' \
    '[9] (block) onto 2' --type f3 <<'END'
redist explain: --type is "f3", must be a dtype of NumPy such as f8, or bN for elements of N bytes
redist explain --help says what there is.
END

expect a_type_of_no_bytes_is_misuse 2 explain \
    '[9] (block) onto 3' \
    '[9] (block) onto 2' --type b0 <<'END'
redist explain: the number in --type: 0, must be 1 .. 2147483647
redist explain --help says what there is.
END

expect staging_must_be_bytes 2 explain \
    '[9] (block) onto 3' \
    '[9] (block) onto 2' --staging lots <<'END'
redist explain: --staging lots: column 1: expected a number of bytes such as 65536 or 8MiB, at least 1, found "lots"
redist explain --help says what there is.
END

expect sizes_must_fit_64_bits 1 explain \
    '[4000000000,2000000000] (*,block) onto 2' \
    '[4000000000,2000000000] (block,*) onto 2' <<'END'
redist: the section takes more than 2^63 - 1 bytes
END

# ---- the strategy ------------------------------------------------------------------------

from='[2000,300] (cyclic(3),cyclic(5)) onto 4x2'
to='[2000,300] (cyclic(5),cyclic(2)) onto 2x4'

# says NAME PYTHON ARGUMENT..  - the report `r` of a redistribution must be as PYTHON says.
says() {
    local name=$1 condition=$2
    shift 2
    "$tool" explain "$from" "$to" --json "$@" >"$scratch/json" &&
        python3 - "$scratch/json" <<END || fail "$name: $(cat "$scratch/json")"
import json, sys
r = json.load(open(sys.argv[1]))
first = r["candidates"][0]
for c in r["candidates"]:
    terms = sum(c[t] for t in ("startups", "handshakes", "waits", "wire", "packing", "spill",
                                "calls", "votes", "blocks", "typed", "gets", "flags", "rings"))
    assert abs(terms - c["seconds"]) <= 1e-6 * terms, c
assert ($condition)
END
}

says the_fastest_is_chosen 'r["origin"] == "auto" and r["strategy"] == first["strategy"] and
    all(c["seconds"] > 0.95 * r["seconds"] for c in r["candidates"])'
says where_startups_are_dear_fewest_win \
    'r["alpha"] == 1 and first["startups"] + first["waits"] + first["calls"] + first["votes"] ==
    min(c["startups"] + c["waits"] + c["calls"] + c["votes"] for c in r["candidates"])' --alpha 1s
says where_packing_is_dear_it_takes_longest \
    'first["packing"] > max(first[t] for t in ("startups", "waits", "wire", "calls"))' \
    --gamma 1us
says a_strategy_can_be_asked_for \
    'r["strategy"] == "alltoallv" and r["origin"] == "given" and
    [c["seconds"] for c in r["candidates"] if c["strategy"] == "alltoallv"] == [r["seconds"]]' \
    --strategy alltoallv
REDIST_STRATEGY='shifted/sendrecv' says the_environment_overrides \
    'r["strategy"] == "shifted/sendrecv" and r["origin"] == "REDIST_STRATEGY"' --strategy ready
says staging_is_capped 'all(0 <= c["staging_bytes"] <= 65536 for c in r["candidates"]) and
    r["staging_peak_bytes"] == 65536' --strategy nonblocking --staging 64KiB
says a_node_shares_memory 'r["strategy"] == "shared" and first["wire"] == 0' --node 8
says each_process_may_have_a_node_of_its_own \
    'all(c["wire"] + c["gets"] > 0 for c in r["candidates"])'
says what_does_not_fit_is_not_predicted 'r["strategy"] == "ready" and r["seconds"] is None' \
    --strategy ready --staging 64
"$tool" explain "$from" "$to" --strategy nix >"$scratch/said" 2>&1
[ $? -eq 1 ] && grep -q '^redist: unknown strategy "nix", there are: ' "$scratch/said" ||
    fail "a_strategy_that_is_not_there: $(cat "$scratch/said")"
"$tool" explain "$from" "$to" >"$scratch/said"
grep -qE '^  strategy [^ ]+: (faster than [^ ]+, most in [a-z]+|no other is faster by a twentieth)$' \
    "$scratch/said" && grep -qE '^  \* [^ ]+ +[0-9.]+ [mun]?s +[a-z]+ +[0-9.]+ [KM]?i?B$' "$scratch/said" ||
    fail "the_reason_is_given: $(tail -n 7 "$scratch/said")"

COLUMNS=80 "$tool" explain "$from" "$to" >"$scratch/said"
awk 'length($0) > 80 { exit 1 }' "$scratch/said" || fail "the_report_keeps_to_the_columns"

# ---- other places ------------------------------------------------------------------------

from='[800,800] (cyclic(100),cyclic(100)) onto 2x4'
to='[800,800] (cyclic(100),cyclic(100)) onto 4x2'

# relabelled NAME ARGUMENT..  - what is printed behind everything else must be what stdin holds.
relabelled() {
    local name=$1
    shift
    cat >"$scratch/expected"
    "$tool" explain "$from" "$to" --relabel "$@" | sed -n '/^relabel /,$p' >"$scratch/actual"
    diff -u "$scratch/expected" "$scratch/actual" || fail "$name: printed something else"
}

relabelled a_turned_grid_moves_a_third_less <<'END'
relabel [800,800] (cyclic(100),cyclic(100)) onto 4x2 ranks 0,1,4,5,2,3,6,7
  moved          2.44 MiB instead of 3.66 MiB, 33.3 % less
END

relabelled a_move_within_a_node_costs_less --node 4 --within 0 --type b1 <<'END'
relabel [800,800] (cyclic(100),cyclic(100)) onto 4x2 ranks 0,1,4,5,2,3,6,7
  moved          312 KiB instead of 469 KiB, 33.3 % less
  between nodes  0 B instead of 312 KiB, 100.0 % less
END

"$tool" explain "$from" "$to" --relabel --json >"$scratch/json"
proposed=$(sed -n 's/^    "target": "\(.*\)",/\1/p' "$scratch/json")
"$tool" explain "$from" "$proposed" --json | grep -q '^  "elements_moved": 320000,' &&
    grep -q '^    "elements_moved": 320000$' "$scratch/json" ||
    fail "what is proposed moves something else"

"$tool" explain "$from" "$to" --node 4 --within 0 >"$scratch/said" 2>&1
[ $? -eq 2 ] && grep -q 'within is given, needs --relabel and --node$' "$scratch/said" ||
    fail "--within without --relabel: $(cat "$scratch/said")"

# ---- against counting --------------------------------------------------------------------

# number JSON KEY  - the number of a key.
number() {
    sed -n "s/^  \"$2\": \([0-9]*\).*/\1/p" "$1"
}

# numbers JSON KEY..  - those of several, each behind a space.
numbers() {
    awk -F '[ ":,]+' -v keys="${*:2}" '
    /^  "/ { value[$2] = $3 }
    END { n = split(keys, key); for (k = 1; k <= n; k++) printf " %s", value[key[k]] }' "$1"
}

keys="elements_moved elements_kept pairs messages min_messages_sent max_messages_sent
    min_messages_received max_messages_received min_sent_bytes max_sent_bytes
    min_received_bytes max_received_bytes delta w_elements staging_peak_bytes"

# count N P R Q S  - the numbers of those keys, for N elements of a byte, from cyclic(R) onto P
# to cyclic(S) onto Q, one element after the other.
count() {
    awk -v n="$1" -v P="$2" -v r="$3" -v Q="$4" -v s="$5" '
    function most(a, b) { return a > b ? a : b }
    function least(a, b) { return a == "" || b < a ? b : a }
    BEGIN {
        for (i = 0; i < n; i++) {
            p = int(i / r) % P; q = int(i / s) % Q
            # a message is packed unless its elements lie side by side in local memory
            if (grid[p, q]++ > 0) {
                if (held_p[p] != last_p[p, q] + 1) packs_p[p, q] = 1
                if (held_q[q] != last_q[p, q] + 1) packs_q[p, q] = 1
            }
            last_p[p, q] = held_p[p]++ + 0; last_q[p, q] = held_q[q]++ + 0
        }
        for (p = 0; p < P; p++) for (q = 0; q < Q; q++) {
            m = grid[p, q] + 0
            if (m == 0) continue
            pairs++; out[p]++; into[q]++; all_out[p] += m; all_into[q] += m
            if (p == q) { kept += m; continue }
            moved += m; messages++
            sends[p]++; receives[q]++; sent[p] += m; received[q] += m
            if (packs_p[p, q]) packed_p[p] += m
            if (packs_q[p, q]) packed_q[q] += m
            longest_p[p] = most(longest_p[p] + 0, m); longest_q[q] = most(longest_q[q] + 0, m)
        }
        for (p = 0; p < P; p++) {
            min_sends = least(min_sends, sends[p] + 0); max_sends = most(max_sends, sends[p] + 0)
            min_sent = least(min_sent, sent[p] + 0); max_sent = most(max_sent, sent[p] + 0)
            delta = most(delta, out[p] + 0); w = most(w, all_out[p] + 0)
        }
        for (q = 0; q < Q; q++) {
            min_gets = least(min_gets, receives[q] + 0); max_gets = most(max_gets, receives[q] + 0)
            min_got = least(min_got, received[q] + 0); max_got = most(max_got, received[q] + 0)
            delta = most(delta, into[q] + 0); w = most(w, all_into[q] + 0)
        }
        for (p = 0; p < P || p < Q; p++) {
            packs = most(packs, packed_p[p] + 0); unpacks = most(unpacks, packed_q[p] + 0)
            longest = most(longest, longest_p[p] + 0)
        }
        peak = most(packs, longest) + most(unpacks, longest)
        print moved + 0, kept + 0, pairs, messages + 0, min_sends, max_sends, min_gets, max_gets,
            min_sent, max_sent, min_got, max_got, delta, w, peak
    }'
}

compared=0
for P in 1 2 4 5; do for Q in 1 3 4; do for r in 1 2 5; do for s in 1 3 4; do
    for n in 7 61; do
        "$tool" explain "[$n] (cyclic($r)) onto $P" "[$n] (cyclic($s)) onto $Q" --type b1 \
            --strategy nonblocking --json >"$scratch/json" || fail "explain fails for $n elements, $P $r $Q $s"
        # shellcheck disable=SC2086 # keys are wanted
        said=$(numbers "$scratch/json" $keys)
        counted=" $(count $n $P $r $Q $s)"
        [ "$said" = "$counted" ] ||
            fail "$n elements, cyclic($r) onto $P to cyclic($s) onto $Q: $said, counted $counted"
        compared=$((compared + 1))
    done
done; done; done; done
[ $compared -eq 216 ] || fail "only $compared cases were compared"

# ---- large ones ---------------------------------------------------------------------------

# Many processes: no table of all pairs is ever made.
within 60 "$tool" explain '[3000000] (cyclic(3)) onto 20000' \
    '[3000000] (cyclic(5)) onto 19999' --json >"$scratch/json"
[ "$(number "$scratch/json" elements_moved)" -gt 2900000 ] ||
    fail "20000 processes: not explained within a minute of processor time"

# Very many runs: of few processes all are looked at, and the numbers are exact all the same.
# What is kept has been counted block by block.
within 60 "$tool" explain '[100000000000000] (cyclic(997)) onto 1000' \
    '[100000000000000] (cyclic(1009)) onto 999' --json >"$scratch/json"
[ "$(number "$scratch/json" elements_kept)" = 99999955193 ] &&
    [ "$(number "$scratch/json" elements_moved)" = 99900000044807 ] &&
    [ "$(number "$scratch/json" messages)" = 998001 ] &&
    [ "$(number "$scratch/json" delta)" = 1000 ] &&
    [ "$(number "$scratch/json" sources_looked_at)" -lt 100 ] ||
    fail "10^14 elements in very many runs: $(head -30 "$scratch/json")"

conclude
