#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist balance: what it prints, to the letter; and its messages against those that a few
# lines of awk deal out element by element.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"

# Bader's Figure 2: p = 8, n = 63.
expect method_a_keeps_the_order 0 balance --counts 14,3,0,21,9,2,6,8 <<'END'
source  [63] (gen_block(14,3,0,21,9,2,6,8)) onto 8
target  [63] (gen_block(7*8,7)) onto 8
method  A: the order is kept

  moved                29 elements   46.0 %
  kept                 34 elements
  7 messages; by the staircase all is over at 21, the time of an element being 1, of one that stays too

  process         before          after           kept   sends
        0             14              8              8   6 to 1 at 0
        1              3              8              2   1 to 2 at 0
        2              0              8              0
        3             21              8              8   6 to 4 at 0, 7 to 2 at 14
        4              9              8              2   7 to 5 at 0
        5              2              8              1   1 to 6 at 0
        6              6              8              6
        7              8              7              7   1 to 6 at 20
END

expect method_b_moves_the_surplus 0 balance --counts 14,3,0,21,9,2,6,8 --method B <<'END'
source  [63] (indirect(8*0,3*1,8*3,8*4,2*5,6*6,8*7,6*0,13*3,4)) onto 8
target  [63] (indirect(8*0,3*1,8*3,8*4,2*5,6*6,8*7,5*1,8*2,6*5,6)) onto 8
method  B: only the surplus moves

  moved                20 elements   31.7 %
  kept                 43 elements
  5 messages; by the staircase all is over at 13, the time of an element being 1

  process         before          after           kept   sends
        0             14              8              8   1 to 2 at 0, 5 to 1 at 1
        1              3              8              3
        2              0              8              0
        3             21              8              8   6 to 5 at 0, 7 to 2 at 6
        4              9              8              8   1 to 6 at 0
        5              2              8              2
        6              6              7              6
        7              8              8              8
END

# Bader's q = ceil(n/p) where it differs from shares that are rounded up or down.
expect method_a_with_ceilings 0 balance --counts 9,7*0 --method a-ceiling <<'END'
source  [9] (gen_block(9,7*0)) onto 8
target  [9] (gen_block(4*2,1,3*0)) onto 8
method  A-ceiling: the order is kept, all shares are rounded up

  moved                 7 elements   77.8 %
  kept                  2 elements
  4 messages; by the staircase all is over at 9, the time of an element being 1, of one that stays too

  process         before          after           kept   sends
        0              9              2              2   2 to 1 at 2, 2 to 2 at 4, 2 to 3 at 6, 1 to 4 at 8
        1              0              2              0
        2              0              2              0
        3              0              2              0
        4              0              1              0
        5              0              0              0
        6              0              0              0
        7              0              0              0
END

expect all_on_one_process_for_programs 0 balance --counts 2*0,12,0 --weights 1,2,0,3 --json <<'END'
{
  "method": "A",
  "source": "[12] (gen_block(2*0,12,0)) onto 4",
  "target": "[12] (gen_block(2,4,0,6)) onto 4",
  "elements": 12,
  "elements_moved": 12,
  "messages": 3,
  "makespan": 12,
  "processes": [
    {"rank": 0, "before": 0, "after": 2, "kept": 0, "sends": []},
    {"rank": 1, "before": 0, "after": 4, "kept": 0, "sends": []},
    {"rank": 2, "before": 12, "after": 0, "kept": 0, "sends": [{"to": 0, "elements": 2, "at": 0}, {"to": 1, "elements": 4, "at": 2}, {"to": 3, "elements": 6, "at": 6}]},
    {"rank": 3, "before": 0, "after": 6, "kept": 0, "sends": []}
  ]
}
END

expect nothing_is_balanced_too 0 balance --counts 3*0 --method b <<'END'
source  [0] (gen_block(3*0)) onto 3
target  [0] (gen_block(3*0)) onto 3
method  B: only the surplus moves

  moved                 0 elements
  kept                  0 elements
  no messages: nothing moves

  process         before          after           kept   sends
        0              0              0              0
        1              0              0              0
        2              0              0              0
END

expect one_process_has_its_share 0 balance --counts 5 <<'END'
source  [5] (gen_block(5)) onto 1
target  [5] (gen_block(5)) onto 1
method  A: the order is kept

  moved                 0 elements    0.0 %
  kept                  5 elements
  no messages: nothing moves

  process         before          after           kept   sends
        0              5              5              5
END

expect fewer_elements_than_processes 0 balance --counts 2,2*0 <<'END'
source  [2] (gen_block(2,2*0)) onto 3
target  [2] (gen_block(2*1,0)) onto 3
method  A: the order is kept

  moved                 1 elements   50.0 %
  kept                  1 elements
  1 message; by the staircase all is over at 2, the time of an element being 1, of one that stays too

  process         before          after           kept   sends
        0              2              1              1   1 to 1 at 1
        1              0              1              0
        2              0              0              0
END

# ---- against dealing out -----------------------------------------------------------------

# deal METHOD COUNT..  - "moved messages busiest": of equal shares, by the one that has or gets
# most elements, with B of those that move.
deal() {
    awk -v method="$1" -v counts="${*:2}" 'BEGIN {
        p = split(counts, count, " ")
        for (k = 1; k <= p; k++) n += count[k]
        left = n % p
        for (k = 1; k <= p; k++) share[k] = int(n / p)
        if (method == "A") {
            for (k = 1; k <= p; k++) share[k] = ceil(n * k / p) - ceil(n * (k - 1) / p)
        } else {
            for (k = 1; k <= p; k++) if (left > 0 && count[k] > share[k]) { share[k]++; left-- }
            for (k = 1; k <= p; k++)
                if (left > 0 && share[k] == int(n / p)) { share[k]++; left-- }
        }
        for (k = 1; k <= p; k++) {
            stays = method == "A" ? 0 : count[k] < share[k] ? count[k] : share[k]
            room[k] = share[k] - stays; gives[k] = count[k] - stays
        }
        for (to = k = 1; k <= p; k++) for (l = 0; l < gives[k]; l++) {
            while (room[to] == 0) to++
            room[to]--; sent[k]++; got[to]++
            if (k == to) continue
            moved++
            if (!((k, to) in pair)) { pair[k, to]; messages++ }
        }
        for (k = 1; k <= p; k++) {
            if (sent[k] > busiest) busiest = sent[k]
            if (got[k] > busiest) busiest = got[k]
        }
        print moved + 0, messages + 0, (messages > 0 ? busiest : 0)
    }
    function ceil(x) { return int(x) < x ? int(x) + 1 : int(x) }'
}

compared=0
RANDOM=7
while [ $compared -lt 60 ]; do
    counts=()
    for ((k = RANDOM % 9; k >= 0; k--)); do
        counts+=($((RANDOM % 3 == 0 ? 0 : RANDOM % 20)))
    done
    for method in A B; do
        list=$(IFS=, && echo "${counts[*]}")
        "$tool" balance --counts "$list" --method $method --json >"$scratch/json" ||
            fail "balance fails for $list"
        said=$(sed -n 's/^  "\(elements_moved\|messages\|makespan\)": \([0-9]*\),/\2/p' \
            "$scratch/json" | xargs)
        dealt=$(deal $method "${counts[@]}")
        [ "$said" = "$dealt" ] || fail "$method of $list: $said, dealt out $dealt"
        compared=$((compared + 1))
    done
done

# What is printed can be planned: the staircase is done at the same time.
"$tool" balance --counts 5,0,31,2,9 --json >"$scratch/json"
source=$(sed -n 's/^  "source": "\(.*\)",/\1/p' "$scratch/json")
target=$(sed -n 's/^  "target": "\(.*\)",/\1/p' "$scratch/json")
"$tool" schedule "$source" "$target" --schedule staircase | grep -qE '^  TC +31 ' ||
    fail "the staircase of what was printed is another"

# A million processes are no trouble.
echo "0:1048575" >"$scratch/list"
within 60 "$tool" balance --counts "@$scratch/list" --method B >"$scratch/said"
[ "$(wc -l <"$scratch/said")" -eq $((1048576 + 9)) ] || fail "a million processes are too many"

# ---- what is wrong -----------------------------------------------------------------------

expect counts_are_needed 2 balance <<'END'
redist balance: --counts is missing
redist balance --help says what there is.
END

expect other_arguments_are_misuse 2 balance --counts 5 6 <<'END'
redist balance: 6: there are only options
redist balance --help says what there is.
END

expect a_method_that_is_not_there_is_misuse 2 balance --counts 5 --method C <<'END'
redist balance: --method is "C", must be A, B or A-ceiling
redist balance --help says what there is.
END

expect a_list_that_cannot_be_read_is_a_failure 1 balance --counts 5,x <<'END'
redist: --counts: column 3: expected an integer (number), found "x"
END

expect a_list_of_another_length_is_a_failure 1 balance --counts 5,6 --weights 1 <<'END'
redist: --weights: 1 numbers, must be 2, as counts are
END

expect weights_of_nothing_are_a_failure 1 balance --counts 5,6 --weights 0,0 <<'END'
redist: weights sum to 0, must be > 0
END

conclude
