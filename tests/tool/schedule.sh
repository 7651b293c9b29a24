#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist schedule: what it prints, to the letter; its lists against the messages that a few
# lines of awk count element by element; and its costs against those of these lists.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"

expect a_grid_and_its_steps 0 schedule \
    '[60] (cyclic(4)) onto 5' \
    '[60] (cyclic(3)) onto 5' --schedule caterpillar <<'END'
source  [60] (cyclic(4)) onto 5
target  [60] (cyclic(3)) onto 5
        one period of 60 elements, lengths in elements

length of what each source (down) has for each target (across)

      0 1 2 3 4
  0 | 3 2 3 2 2
  1 | 3 2 2 3 2
  2 | 2 3 2 3 2
  3 | 2 3 2 2 3
  4 | 2 2 3 2 3

schedule caterpillar: ScaLAPACK's total exchange, steps without a message left out

to whom each source (down) sends at each step (across)

      0 1 2 3 4
  0 | 4 3 2 1 0
  1 | 3 2 1 0 4
  2 | 2 1 0 4 3
  3 | 1 0 4 3 2
  4 | 0 4 3 2 1

  NS            5   steps
  TC           15   the sum over steps of the longest message
  Delta         5   the fewest steps of any schedule
  W            12   no schedule is done before
  SB           12   nor one in steps of whole messages before this
  25 messages, those of a process to itself counted
END

expect start_times 0 schedule \
    '[60] (cyclic(3)) onto 4' \
    '[60] (cyclic(5)) onto 4' --schedule timeline <<'END'
source  [60] (cyclic(3)) onto 4
target  [60] (cyclic(5)) onto 4
        one period of 60 elements, lengths in elements

length of what each source (down) has for each target (across)

      0 1 2 3
  0 | 4 4 4 3
  1 | 4 4 3 4
  2 | 4 3 4 4
  3 | 3 4 4 4

schedule timeline: no barriers: start times in closed form, done at the lower bound W

when each source (down) starts to send, and to whom

  0 |   0:0   3:1   5:2   6:3   9:0  10:1  12:2
  1 |   0:3   3:0   5:1   6:2   9:3  10:0  12:1
  2 |   0:2   3:3   5:0   6:1   9:2  10:3  12:0
  3 |   0:1   3:2   5:3   6:0   9:1  10:2  12:3

  NS            7   the most messages of a process, pieces counted
  TC           15   when the last message is done
  Delta         4   the fewest steps of any schedule
  W            15   no schedule is done before
  SB           15   nor one in steps of whole messages before this
  16 messages, those of a process to itself counted
END

expect units_and_first_coordinates 0 schedule \
    '[144] (cyclic(6)) onto 3' \
    '[144] (cyclic(4) from 1) onto 4' --schedule guo-pan-1 <<'END'
source  [144] (cyclic(6)) onto 3
target  [144] (cyclic(4) from 1) onto 4
        one period of 144 elements, lengths in units of 2 elements

length of what each source (down) has for each target (across)

      1 2 3 0
  0 | 6 6 6 6
  1 | 6 6 6 6
  2 | 6 6 6 6

schedule guo-pan-1: all messages of a step have one length

to whom each source (down) sends at each step (across)

      0 1 2 3
  0 | 1 2 3 0
  1 | 3 0 1 2
  2 | 0 1 2 3

  NS            4   steps
  TC           24   the sum over steps of the longest message
  Delta         4   the fewest steps of any schedule
  W            24   no schedule is done before
  SB           24   nor one in steps of whole messages before this
  12 messages, those of a process to itself counted
END

expect steps_of_two_dimensions_and_grids_in_other_orders 0 schedule \
    '[12,12] (cyclic(2),cyclic(3)) onto 2x2 column-major' \
    '[12,12] (cyclic(3),cyclic(1) from 1) onto 2x3' <<'END'
source  [12,12] (cyclic(2),cyclic(3)) onto 2x2 column-major
target  [12,12] (cyclic(3),cyclic from 1) onto 2x3
        one period of 12 x 6 elements, lengths in elements

length of what each source (down) has for each target (across)

      1 2 0 4 5 3
  0 | 3 3 3 3 3 3
  2 | 3 3 3 3 3 3
  1 | 3 3 3 3 3 3
  3 | 3 3 3 3 3 3

schedule combination: several dimensions together: fewest steps, each process by itself
  the colours of the dimensions, multiplied

to whom each source (down) sends at each step (across)

      0 1 2 3 4 5
  0 | 1 0 2 4 3 5
  2 | 0 2 1 3 5 4
  1 | 4 3 5 1 0 2
  3 | 3 5 4 0 2 1

  NS            6   steps
  TC           18   the sum over steps of the longest message
  Delta         6   the fewest steps of any schedule
  W            18   no schedule is done before
  SB           18   nor one in steps of whole messages before this
  24 messages, those of a process to itself counted
END

expect the_dimensions_of_one_process_belong_to_the_unit 0 schedule \
    '[60,7] (cyclic(4),*) onto 5' \
    '[60,7] (cyclic(6),*) onto 5' --rank 2 <<'END'
source  [60,7] (cyclic(4),*) onto 5
target  [60,7] (cyclic(6),*) onto 5
        one period of 60 x 7 elements, lengths in units of 14 elements

schedule optimal: fewest steps; of block-cyclic arrays each process by itself

rank 2 sends 4 messages

          step           to       length
             0            3            2
             1            1            2
             2            0            1
             3            4            1

rank 2 receives 4 messages

          step         from       length
             0            3            2
             1            1            2
             2            0            1
             3            4            1

  NS            4   steps
  TC            6   the sum over steps of the longest message
  Delta         4   the fewest steps of any schedule
  W             6   no schedule is done before
  SB            6   nor one in steps of whole messages before this
  20 messages, those of a process to itself counted
END

expect one_process_of_a_million 0 schedule \
    '[15000015] (cyclic(3)) onto 1000001' \
    '[15000015] (cyclic(5)) onto 1000001' --rank 777777 --schedule guo-pan-1 <<'END'
source  [15000015] (cyclic(3)) onto 1000001
target  [15000015] (cyclic(5)) onto 1000001
        one period of 15000015 elements, lengths in elements

schedule guo-pan-1: all messages of a step have one length

rank 777777 sends 7 messages

          step           to       length
             0       266666            3
             1       466666            3
             2       666666            3
             3       866666            2
             4       866667            1
             5        66665            1
             6        66666            2

rank 777777 receives 7 messages

          step         from       length
             0       296294            3
             1       629628            3
             2       962962            3
             3       296295            2
             4       629627            1
             5       629629            1
             6       962961            2

  NS, TC and SB are not counted: there are too many messages, or pieces of them
  Delta         7   the fewest steps of any schedule
  W            15   no schedule is done before
END

expect too_many_pieces_to_be_counted 0 schedule \
    '[1920000] (cyclic) onto 48' \
    '[1920000] (block) onto 48' --schedule walker-otto <<'END'
source  [1920000] (cyclic) onto 48
target  [1920000] (block) onto 48
        one period of 1920000 elements, lengths in elements

length of what each source (down) has for each target (across)

  too large to print: 48 x 48

schedule walker-otto: permutation blocks of the reduced system; blocks grow or shrink K-fold

to whom each source (down) sends at each step (across)

  too large to print: --rank R prints the lists of one process, --csv all

  NS, TC and SB are not counted: there are too many messages, or pieces of them
  Delta        48   the fewest steps of any schedule
  W         40000   no schedule is done before
END

expect a_table_that_is_too_large 0 schedule \
    '[400] (cyclic(2)) onto 50' \
    '[400] (cyclic(4)) onto 50' --schedule shifted <<'END'
source  [400] (cyclic(2)) onto 50
target  [400] (cyclic(4)) onto 50
        one period of 200 elements, lengths in units of 2 elements

length of what each source (down) has for each target (across)

  too large to print: 50 x 50

schedule shifted: start with the own rank, then round the ring: q = p + step

to whom each source (down) sends at each step (across)

  too large to print: --rank R prints the lists of one process, --csv all

  NS           50   steps
  TC           50   the sum over steps of the longest message
  Delta         2   the fewest steps of any schedule
  W             2   no schedule is done before
  SB            2   nor one in steps of whole messages before this
  100 messages, those of a process to itself counted
END

expect one_object_for_programs 0 schedule \
    '[12] (gen_block(3,5,4)) onto 3' \
    '[12] (block) onto 4' --json --rank 1 --schedule stepwise <<'END'
{
  "schedule": "stepwise",
  "applicable": true,
  "why": null,
  "timed": false,
  "note": null,
  "unit_elements": 1,
  "ns": 2,
  "tc": 6,
  "delta": 2,
  "w": 5,
  "sb": 5,
  "messages": 5,
  "seconds_barriers": 4.0144e-06,
  "seconds_free": 4.0104e-06,
  "seconds_whole": null,
  "chosen": null,
  "sends": [
    {"to": 2, "length": 2, "step": 0},
    {"to": 1, "length": 3, "step": 1}
  ],
  "receives": [
    {"from": 1, "length": 3, "step": 1}
  ]
}
END

expect which_would_be_fastest 0 schedule \
    '[450] (cyclic(3)) onto 15' \
    '[450] (cyclic(5)) onto 15' --schedule all --alpha 0 --beta 1us --gamma 0 --bytes 1 <<'END'
source  [450] (cyclic(3)) onto 15
target  [450] (cyclic(5)) onto 15
        one period of 225 elements, lengths in elements

  schedule                 NS         TC NS/Delta     TC/W      free  barriers
  naive                    15        225    1.500   15.000     74 us    450 us
  shifted                  15         45    1.500    3.000     42 us     90 us
  random                   10         48    1.000    3.200     64 us     96 us
  caterpillar              15         45    1.500    3.000     46 us     90 us
  caterpillar-full         15         45    1.500    3.000     46 us     90 us
  walker-otto        not applicable: needs one block to divide the other; lcm-phases goes through their lcm
  walker-otto-b      not applicable: needs one block to divide the other; lcm-phases goes through their lcm
  stepwise                 10         26    1.000    1.733     44 us     52 us
  greedy                   11         24    1.100    1.600     46 us     48 us
  guo-pan-1          not applicable: needs gcd(r, Q) = 1 and gcd(s, P) = 1 of the coprime r and s
  guo-pan-2                15         30    1.500    2.000     36 us     60 us
  guo-pan-2-diagonal       20         35    2.000    2.333     46 us     70 us
  contention-free          15         30    1.500    2.000     38 us     60 us
  optimal                  10         25    1.000    1.667     46 us     50 us
  timeline                 11         15    1.100    1.000     30 us         - *
  product            not applicable: needs several dimensions, regular on both sides
  combination        not applicable: needs several dimensions, regular on both sides
  product-timeline   not applicable: needs several dimensions, regular on both sides
  dense                    10         17    1.000    1.133     34 us         -
  links              not applicable: needs a topology, options.topology
  preemptive               11         15    1.100    1.000     30 us         -
  staircase          not applicable: needs messages that keep the order of the processes, as from gen_block to gen_block
  staircase-steps    not applicable: needs messages that keep the order of the processes, as from gen_block to gen_block

  times if alpha 0 s, beta 1 us, gamma 0 s, elements of 1 byte
  * fastest of all, without barriers: 30 us
END

COLUMNS=80 "$tool" schedule '[450] (cyclic(3)) onto 15' '[450] (cyclic(5)) onto 15' \
    --schedule all >"$scratch/narrow"
holds tables_keep_to_the_columns awk 'length($0) > 80 { wide = 1 } END { exit wide }' \
    "$scratch/narrow"
holds a_reason_goes_on_below_its_first_word grep -qE '^ {37}[a-z(]' "$scratch/narrow"

expect the_fastest_one_itself 0 schedule \
    '[12] (gen_block(3,5,4)) onto 3' \
    '[12] (block) onto 4' --schedule auto --alpha 1us --beta 1us --gamma 0.5us \
    --bytes 2 <<'END'
source  [12] (gen_block(3,5,4)) onto 3
target  [12] (block) onto 4
        all elements, lengths in elements

length of what each source (down) has for each target (across)

      0 1 2 3
  0 | 3 . . .
  1 | . 3 2 .
  2 | . . 1 3

schedule timeline: no barriers: start times in closed form, done at the lower bound W
  not in closed form here: the list schedule `dense`

when each source (down) starts to send, and to whom

  0 |  0:0
  1 |  0:1  3:2
  2 |  0:2  1:3

  NS            2   the most messages of a process, pieces counted
  TC            5   when the last message is done
  Delta         2   the fewest steps of any schedule
  W             5   no schedule is done before
  SB            5   nor one in steps of whole messages before this
  5 messages, those of a process to itself counted

  fastest of all, without barriers: 19 us
  if alpha 1 us, beta 1 us, gamma 500 ns, elements of 2 bytes
END

expect times_have_units 2 schedule \
    '[9] (block) onto 3' \
    '[9] (cyclic) onto 3' --alpha 2 <<'END'
redist schedule: --alpha 2: column 2: expected a unit (s, ms, us, ns or ps), found the end
redist schedule --help says what there is.
END

expect messages_that_rank_1_has_a_part_in 0 schedule \
    '[12] (gen_block(3,5,4)) onto 3' \
    '[12] (block) onto 4' --csv --rank 1 <<'END'
schedule,p,q,length,step
optimal,1,2,2,0
optimal,1,1,3,1
END

expect what_is_not_applicable_fails 1 schedule \
    '[60] (cyclic(3)) onto 4' \
    '[60] (cyclic(5)) onto 4' --schedule walker-otto <<'END'
redist: schedule walker-otto is not applicable: needs one block to divide the other; lcm-phases goes through their lcm
END

expect less_than_a_period_of_many_messages 1 schedule \
    '[1000000] (block) onto 300' \
    '[1000000] (block) onto 301' --schedule guo-pan-1 <<'END'
redist: schedule guo-pan-1 is not applicable: needs one whole dimension, block-cyclic on both sides; the array is shorter than a period of very many messages
END

expect a_rank_must_be_of_a_side 1 schedule \
    '[15] (cyclic(3)) onto 5' \
    '[15] (cyclic(5)) onto 3' --rank 5 <<'END'
redist: --rank: 5, must be a rank of the source or of the target
END

expect svg_draws_one 2 schedule \
    '[15] (cyclic(3)) onto 5' \
    '[15] (cyclic(5)) onto 3' --svg - --schedule all <<'END'
redist schedule: --svg draws one schedule, whole: it goes with no --json, --csv, --rank or --schedule all
redist schedule --help says what there is.
END

expect one_format_at_a_time 2 schedule \
    '[15] (cyclic(3)) onto 5' \
    '[15] (cyclic(5)) onto 3' --csv --json <<'END'
redist schedule: --json and --csv are given, must be one of them
redist schedule --help says what there is.
END

expect a_rank_of_all_is_for_programs 2 schedule \
    '[15] (cyclic(3)) onto 5' \
    '[15] (cyclic(5)) onto 3' --schedule all --rank 1 <<'END'
redist schedule: --rank of all schedules needs --json or --csv
redist schedule --help says what there is.
END

expect two_specifications_are_needed 2 schedule \
    '[9] (block) onto 3' \
    --json <<'END'
redist schedule: 1 argument beside the options, must be two; a text with brackets needs quotes
redist schedule --help says what there is.
END

expect a_picture_that_cannot_be_written_is_a_failure 1 schedule \
    '[15] (cyclic(3)) onto 5' \
    '[15] (cyclic(5)) onto 3' --svg /nonexistent/picture.svg <<'END'
redist: /nonexistent/picture.svg: cannot be written: No such file or directory
END

expect sides_must_agree 1 schedule \
    '[9] (block) onto 3' \
    '[8] (block) onto 3' <<'END'
redist: dim 0: the source's extent is 9, the target's 8
END

# ---- defaults ----------------------------------------------------------------------------

# first_choice SOURCE TARGET  - the schedule that is taken where none is named.
first_choice() {
    "$tool" schedule "$1" "$2" --json | sed -n 's/^  "schedule": "\(.*\)",/\1/p'
}
[ "$(first_choice '[240] (cyclic(3)) onto 16' '[240] (cyclic(5)) onto 16')" = optimal ] ||
    fail "optimal is not the first choice where it applies"
[ "$(first_choice '[4,4] (block,*) onto 2' '[4,4] (*,block) onto 2')" = combination ] ||
    fail "combination is not the first choice of two dimensions"
[ "$(first_choice '[4] (gen_block(1,3)) onto 2' '[4] (block) onto 2')" = optimal ] ||
    fail "optimal is not the choice of irregular arrays"
"$tool" schedule --help | grep -q '^  walker-otto  ' || fail "the help lists no schedules"

# ---- all schedules, against counting -----------------------------------------------------

# Read JSON of all schedules, then their CSV, of cyclic(r) onto P to cyclic(s) onto Q: what is
# sent must be what N elements, one after the other, ask for; no process may be in two
# messages at a time, unless the order is loose; and the costs must be those of the lists.
cat >"$scratch/check.awk" <<'AWK'
function most(a, b) { return a > b ? a : b }
function wrong(what) { print name ": " what; bad = 1 }
function check(    i, k, begin, end, at, where, width, tc, ns, left, right, mine, sum) {
    if (name == "" || n == 0) return
    loose = name == "naive" || name == "random"
    delete sum; delete width; delete mine; delete at; ns = 0; tc = 0
    for (i = 1; i <= n; i++) {
        sum[p[i], q[i]] += len[i]
        left = "p" p[i]; right = "q" q[i]
        if (timed[name]) {
            tc = most(tc, start[i] + len[i])
            ns = most(ns, most(++mine[left], ++mine[right]))
            for (k = start[i]; k < start[i] + len[i]; k++) {
                if (at[left, k]++) wrong("source " p[i] " sends two at " k)
                if (at[right, k]++) wrong("target " q[i] " receives two at " k)
            }
        } else {
            ns = most(ns, start[i] + 1)
            if (!loose && at[left, start[i]]) wrong("source " p[i] " sends two at step " start[i])
            if (!loose && at[right, start[i]]) wrong("target " q[i] " receives two at " start[i])
            at[left, start[i]] += len[i]; at[right, start[i]] += len[i]
            width[start[i]] = most(width[start[i]] + 0,
                                   most(at[left, start[i]], at[right, start[i]]))
        }
    }
    for (k in width) tc += width[k]
    if (name != "caterpillar-full" && name != "shifted" && ns != said[name, "ns"])
        wrong("ns is " said[name, "ns"] ", counted " ns)
    if (!loose && ns < said[name, "delta"]) wrong("fewer steps than delta")
    if (tc != said[name, "tc"]) wrong("tc is " said[name, "tc"] ", counted " tc)
    if (tc < said[name, "w"]) wrong("done before W")
    for (k in grid) if (sum[k] * unit != grid[k]) wrong("a message is wrong")
    for (k in sum) if (!(k in grid)) wrong("a message is too much")
    checked++
    n = 0
}
BEGIN { for (i = 0; i < N; i++) grid[int(i / r) % P, int(i / s) % Q]++ }
FNR == NR {
    gsub(/[ ",]/, ""); split($0, word, ":")
    if (word[1] == "schedule") name = word[2]
    else if (word[1] == "timed") timed[name] = word[2] == "true"
    else if (word[1] == "unit_elements") unit = word[2]
    else if (word[1] == "applicable") applicable += word[2] == "true"
    else said[name, word[1]] = word[2]
    next
}
FNR == 1 { FS = ","; name = ""; next }
{ split($0, field, ",") }
field[1] != name { check(); name = field[1] }
{ n++; p[n] = field[2]; q[n] = field[3]; len[n] = field[4]; start[n] = field[5] }
END {
    check()
    if (checked != applicable) { print checked " schedules printed, not " applicable; bad = 1 }
    print checked
    exit bad
}
AWK

gcd() { if [ "$2" -eq 0 ]; then echo "$1"; else gcd "$2" $(($1 % $2)); fi; }
checked=0
for case in "5 4 5 3" "4 3 4 5" "6 2 6 3" "3 6 4 4" "4 2 4 6" "1 3 4 2" "6 1 3 5" "3 2 2 3" \
    "4 3 4 5 less"; do
    read -r P r Q s less <<<"$case"
    N=$((P * r * Q * s / $(gcd $((P * r)) $((Q * s)))))
    # To or from one process, a period is the other side's.
    if [ "$P" -eq 1 ]; then N=$((Q * s)); fi
    if [ "$less" ]; then N=$((N - 1)); fi
    source="[$N] (cyclic($r)) onto $P" target="[$N] (cyclic($s)) onto $Q"
    "$tool" schedule "$source" "$target" --schedule all --json >"$scratch/json" ||
        fail "($P,$r) -> ($Q,$s) as JSON fails"
    "$tool" schedule "$source" "$target" --schedule all --csv >"$scratch/csv" ||
        fail "($P,$r) -> ($Q,$s) as CSV fails"
    awk -v N=$N -v P="$P" -v r="$r" -v Q="$Q" -v s="$s" -f "$scratch/check.awk" \
        "$scratch/json" "$scratch/csv" >"$scratch/said" ||
        fail "($P,$r) -> ($Q,$s): $(cat "$scratch/said")"
    checked=$((checked + $(tail -n 1 "$scratch/said")))
    "$tool" schedule "$source" "$target" --schedule all >"$scratch/table" || fail "no table"
    if [ "$less" ] && ! grep -q 'all elements, less than one period,' "$scratch/table"; then
        fail "($P,$r) -> ($Q,$s): less than a period is not said"
    fi
    [ "$(wc -l <"$scratch/table")" -eq $((8 + $(grep -c '"schedule"' "$scratch/json"))) ] ||
        fail "($P,$r) -> ($Q,$s): not a line for each schedule"
done
[ $checked -ge 80 ] || fail "only $checked schedules were checked"

# ---- several dimensions --------------------------------------------------------------------

"$tool" schedule '[64,64] (cyclic,cyclic) onto 16x4' '[64,64] (cyclic,cyclic) onto 4x16' \
    --schedule all | grep -E '^  (product|combination)' | cut -c 1-58 >"$scratch/several"
diff -u - "$scratch/several" <<'END' || fail "16x4 -> 4x16: other costs"
  product                  16         16    4.000    4.000
  combination               4          4    1.000    1.000
  product-timeline          4         16    1.000    4.000
END

# Axis 0 goes from cyclic(3) onto 2 to cyclic(5) onto 3, axis 2 from cyclic(2) onto 3 to
# cyclic(3) onto 2, and axis 1 stays; grids count in different orders. What each rank sends to
# each is what counting element by element says.
set -- '[30,8,6] (cyclic(3) on 1,*,cyclic(2) from 1 on 0) onto 3x2 column-major' \
    '[8,30,6] (*,cyclic(5) on 1,cyclic(3) on 0) onto 2x3 axes (1,0,2)'
awk 'BEGIN { for (i = 0; i < 30; i++) for (k = 0; k < 6; k++)
        n[(int(k / 2) + 1) % 3 + int(i / 3) % 2 * 3 "," int(k / 3) % 2 * 3 + int(i / 5) % 3]++
    for (pair in n) print pair "," n[pair] }' | sort >"$scratch/counted"
for name in product combination product-timeline preemptive; do
    "$tool" schedule "$@" --schedule $name --csv |
        awk -F, 'NR > 1 { n[$2 "," $3] += $4 } END { for (pair in n) print pair "," n[pair] }' |
        sort >"$scratch/sent"
    cmp -s "$scratch/counted" "$scratch/sent" || fail "$name: ranks send something else"
    for rank in 0 1 4; do
        "$tool" schedule "$@" --schedule $name --csv |
            awk -F, -v r=$rank 'NR > 1 && ($2 == r || $3 == r)' | sort >"$scratch/whole"
        "$tool" schedule "$@" --schedule $name --csv --rank $rank | sed 1d | sort >"$scratch/own"
        cmp -s "$scratch/whole" "$scratch/own" || fail "$name: rank $rank has other lists"
    done
done

# What rank 3 sends and receives, as CSV, is what the whole CSV has of it.
for name in stepwise timeline; do
    set -- '[60] (cyclic(3)) onto 4' '[60] (cyclic(5)) onto 4' --schedule $name --csv
    "$tool" schedule "$@" | awk -F, 'NR > 1 && ($2 == 3 || $3 == 3)' | sort >"$scratch/whole"
    "$tool" schedule "$@" --rank 3 | sed 1d | sort >"$scratch/own"
    [ -s "$scratch/own" ] || fail "$name: rank 3 has nothing to do"
    cmp -s "$scratch/whole" "$scratch/own" ||
        fail "$name: the lists of rank 3 are not those of the whole"
done

# ---- pictures ----------------------------------------------------------------------------

# draw NAME BARS PANELS  - a picture of a schedule has so many bars.
draw() {
    "$tool" schedule '[60] (cyclic(3)) onto 4' '[60] (cyclic(5)) onto 4' --schedule "$1" \
        --svg "$scratch/picture.svg" || fail "$1 is not drawn"
    [ "$(grep -c '<title>. to ' "$scratch/picture.svg")" -eq "$2" ] || fail "$1: not $2 bars"
    [ "$(grep -c 'done at [0-9]' "$scratch/picture.svg")" -eq "$3" ] || fail "$1: not $3 panels"
    tail -n 1 "$scratch/picture.svg" | grep -qx '</svg>' || fail "$1: the picture has no end"
    if command -v xmllint >/dev/null; then
        xmllint --noout "$scratch/picture.svg" || fail "$1: the picture is no XML"
    fi
}
draw naive 32 2
draw stepwise 16 1 # no message of it waits for a barrier
draw timeline 28 1
compgen -G "$scratch/*.part" >/dev/null && fail "a temporary file is left"
"$tool" schedule '[9] (block) onto 3' '[9] (cyclic) onto 2' --svg - | grep -q '^<svg ' ||
    fail "a picture does not go to standard output"

# From cyclic(3) to cyclic(5), naive: all meet at target 0, so that 16 sources take 16 times W.
"$tool" schedule '[240] (cyclic(3)) onto 16' '[240] (cyclic(5)) onto 16' --schedule naive \
    --svg - | grep -q 'with a barrier after each step: done at 240<' ||
    fail "the hot spot of naive takes another time"

conclude
