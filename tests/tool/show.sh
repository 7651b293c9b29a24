#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist show: what it prints, to the letter.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
export COLUMNS=80
unset COLORTERM NO_COLOR

show() {
    local name=$1
    shift
    expect "$name" 0 show "$@" --color never
}

show a_strip_shows_each_element '[9] (cyclic(2)) onto 3' <<'END'
[9] (cyclic(2)) onto 3

  0 1 2 3 4 5 6 7 8
  0 0 1 1 2 2 0 0 1

  rank  local extents      elements
     0              4             4
     1              3             3
     2              2             2
END

show a_matrix_shows_each_element '[5,7] (cyclic(2),cyclic(3)) onto 2x2' <<'END'
[5,7] (cyclic(2),cyclic(3)) onto 2x2

     0 1 2 3 4 5 6
  0  0 0 0 1 1 1 0
  1  0 0 0 1 1 1 0
  2  2 2 2 3 3 3 2
  3  2 2 2 3 3 3 2
  4  0 0 0 1 1 1 0

  rank  local extents      elements
     0            3x4            12
     1            3x3             9
     2            2x4             8
     3            2x3             6
END

show a_first_coordinate_and_a_rank_list_are_heeded '[6] (cyclic(2) from 1) onto 3 ranks 7,5,3' <<'END'
[6] (cyclic(2) from 1) onto 3 ranks 7:3:-2

  0 1 2 3 4 5
  5 5 3 3 7 7

  rank  local extents      elements
     7              2             2
     5              2             2
     3              2             2
END

show generalised_blocks_are_drawn_to_scale '[1000] (gen_block(10,20,970)) onto 3' <<'END'
[1000] (gen_block(10,20,970)) onto 3

  0    75   150  225  300  375  450  525  600  675  750  825  900  975
  0122222222222222222222222222222222222222222222222222222222222222222
  a cell stands for 15 elements, and shows the owner of the first of them

  rank  local extents      elements
     0             10            10
     1             20            20
     2            970           970
END

show long_strips_are_folded '[120] (cyclic(3)) onto 12' <<'END'
[120] (cyclic(3)) onto 12

   0     2     4     6     8    10    12    14    16    18
   0  0  0  1  1  1  2  2  2  3  3  3  4  4  4  5  5  5  6  6
  20    22    24    26    28    30    32    34    36    38
   6  7  7  7  8  8  8  9  9  9 10 10 10 11 11 11  0  0  0  1
  40    42    44    46    48    50    52    54    56    58
   1  1  2  2  2  3  3  3  4  4  4  5  5  5  6  6  6  7  7  7
  60    62    64    66    68    70    72    74    76    78
   8  8  8  9  9  9 10 10 10 11 11 11  0  0  0  1  1  1  2  2
  80    82    84    86    88    90    92    94    96    98
   2  3  3  3  4  4  4  5  5  5  6  6  6  7  7  7  8  8  8  9
  100   102   104   106   108   110   112   114   116   118
   9  9 10 10 10 11 11 11  0  0  0  1  1  1  2  2  2  3  3  3

  rank  local extents      elements
     0             12            12
     1             12            12
     2             12            12
     3             12            12
     4              9             9
     5              9             9
     6              9             9
     7              9             9
     8              9             9
     9              9             9
    10              9             9
    11              9             9
END

show blocks_of_a_large_matrix_are_cells '[300,300] (block,*) onto 20 ranks 4:23' <<'END'
[300,300] (block,*) onto 20 ranks 4:23

       0    25   50   75   100  125  150  175  200  225  250  275
    0  444444444444444444444444444444444444444444444444444444444444
       555555555555555555555555555555555555555555555555555555555555
   30  666666666666666666666666666666666666666666666666666666666666
       777777777777777777777777777777777777777777777777777777777777
   60  888888888888888888888888888888888888888888888888888888888888
       999999999999999999999999999999999999999999999999999999999999
   90  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
       bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
  120  cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
       dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
  150  eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
       ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  180  gggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg
       hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh
  210  iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii
       jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj
  240  kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
       llllllllllllllllllllllllllllllllllllllllllllllllllllllllllll
  270  mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
       nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
  a is rank 10
  a cell stands for 15 x 5 elements

  rank  local extents      elements
     4         15x300          4500
     5         15x300          4500
     6         15x300          4500
     7         15x300          4500
     8         15x300          4500
     9         15x300          4500
    ..
    22         15x300          4500
    23         15x300          4500
  the most: 4500 elements, on rank 4
  the least: 4500 elements, on rank 23
END

show elements_outside_of_the_section_are_dots '[6,8] (block,cyclic(2)) onto 2x2 section [1:5:2,2:6]' <<'END'
[6,8] (block,cyclic(2)) onto 2x2 section [1:5:2,2:6]

     0 1 2 3 4 5 6 7
  0  . . . . . . . .
  1  . . 1 1 0 0 1 .
  2  . . . . . . . .
  3  . . 3 3 2 2 3 .
  4  . . . . . . . .
  5  . . 3 3 2 2 3 .
  15 of 48 elements are in the section

  rank  local extents      elements
     0            3x4            12
     1            3x4            12
     2            3x4            12
     3            3x4            12
END

show replicas_are_counted '[4,6] (block,*) onto 2x3' <<'END'
[4,6] (block,*) onto 2x3

     0 1 2 3 4 5
  0  0 0 0 0 0 0
  1  0 0 0 0 0 0
  2  3 3 3 3 3 3
  3  3 3 3 3 3 3
  each element is held 3 times; its first owner is shown

  rank  local extents      elements
     0            2x6            12
     1            2x6            12
     2            2x6            12
     3            2x6            12
     4            2x6            12
     5            2x6            12
END

show a_slice_of_three_dimensions_is_said '[6,4,6] (block,*,cyclic) onto 2x2' <<'END'
[6,4,6] (block,*,cyclic) onto 2x2

     0 1 2 3 4 5
  0  0 1 0 1 0 1
  1  0 1 0 1 0 1
  2  0 1 0 1 0 1
  3  2 3 2 3 2 3
  4  2 3 2 3 2 3
  5  2 3 2 3 2 3
  slice [:,0,:], dimension 0 down and 2 across

  rank  local extents      elements
     0          3x4x3            36
     1          3x4x3            36
     2          3x4x3            36
     3          3x4x3            36
END

show axes_and_place_of_the_slice_are_chosen '[3,4,5] (block,*,cyclic(2)) onto 2x2' --axes 2,1 --at 2,0,0 <<'END'
[3,4,5] (block,*,cyclic(2)) onto 2x2

     0 1 2 3
  0  2 2 2 2
  1  2 2 2 2
  2  3 3 3 3
  3  3 3 3 3
  4  2 2 2 2
  slice [2,:,:], dimension 2 down and 1 across

  rank  local extents      elements
     0          2x4x3            24
     1          2x4x2            16
     2          1x4x3            12
     3          1x4x2             8
END

show one_rank_alone '[4,6] (block,cyclic(2)) onto 2x2' --rank 3 <<'END'
[4,6] (block,cyclic(2)) onto 2x2

     0 1 2 3 4 5
  0  . . . . . .
  1  . . . . . .
  2  . . 3 3 . .
  3  . . 3 3 . .
  only the elements of rank 3

  rank  local extents      elements
     3            2x2             4
END

show no_elements_no_picture '[0,4] (block,block) onto 2x2' <<'END'
[0,4] (block,block) onto 2x2

  no elements

  rank  local extents      elements
     0            0x2             0
     1            0x2             0
     2            0x2             0
     3            0x2             0
END

show of_a_long_cyclic_dimension_the_beginning_is_shown '[1000000000] (cyclic(7)) onto 100000' <<'END'
[1000000000] (cyclic(7)) onto 100000

      0     7    14    21    28    35    42    49    56    63
      0     1     2     3     4     5     6     7     8     9
  a cell stands for 7 elements
  of dimension 0, the first 70 of 1000000000 elements

   rank  local extents      elements
      0          10003         10003
      1          10003         10003
      2          10003         10003
      3          10003         10003
      4          10003         10003
      5          10003         10003
     ..
  99998           9996          9996
  99999           9996          9996
  the most: 10003 elements, on rank 0
  the least: 9996 elements, on rank 99999
END

expect an_unknown_format_is_pointed_at 1 show '[9] (diagonal(2)) onto 3' <<'END'
redist: column 6: expected *, block, cyclic, gen_block or indirect, found "diagonal"
END

expect a_file_that_is_not_there_is_named 1 show '@/nonexistent/spec' <<'END'
redist: /nonexistent/spec: cannot be read: No such file or directory
END

expect a_specification_is_needed 2 show <<'END'
redist show: 0 arguments beside the options, must be one; a text with brackets needs quotes
redist show --help says what there is.
END

expect one_specification_is_enough 2 show '[9] (block) onto 3' '[9] (block) onto 3' <<'END'
redist show: 2 arguments beside the options, must be one; a text with brackets needs quotes
redist show --help says what there is.
END

expect an_unknown_option_is_misuse 2 show '[9] (block) onto 3' --colour <<'END'
redist show: there is no option --colour (did you mean --color?)
redist show --help says what there is.
END

expect an_option_without_its_argument_is_misuse 2 show '[9] (block) onto 3' --rank <<'END'
redist show: option --rank needs an argument
redist show --help says what there is.
END

expect an_argument_of_a_flag_is_misuse 2 show --help=yes <<'END'
redist show: option --help=yes takes no argument
redist show --help says what there is.
END

expect a_rank_outside_of_the_grid_is_misuse 2 show '[9] (block) onto 3' --rank 3 <<'END'
redist show: rank 3 is not in the grid
redist show --help says what there is.
END

expect a_rank_must_be_a_number 2 show '[9] (block) onto 3' --rank first <<'END'
redist show: --rank first: column 1: expected a whole number, found "first"
redist show --help says what there is.
END

expect axes_must_be_two 2 show '[4,4] (block,*) onto 2' --axes 1 <<'END'
redist show: --axes 1: column 2: expected a comma and another number, found the end
redist show --help says what there is.
END

expect axes_must_differ 2 show '[4,4] (block,*) onto 2' --axes 1,1 <<'END'
redist show: --axes: 1,1, must be two different dimensions
redist show --help says what there is.
END

expect an_index_must_lie_in_the_array 2 show '[4,4,4] (block,*,*) onto 2' --at 0,0,4 <<'END'
redist show: --at: index 4 of dimension 2, must be less than its extent 4
redist show --help says what there is.
END

expect colours_are_auto_always_or_never 2 show '[9] (block) onto 3' --color sometimes <<'END'
redist show: --color is "sometimes", must be auto, always or never
redist show --help says what there is.
END

expect a_misspelt_subcommand_is_guessed 2 shwo <<'END'
redist: there is no subcommand shwo (did you mean show?)
redist --help says what there is.
END

expect an_unknown_subcommand_is_misuse 2 draw <<'END'
redist: there is no subcommand draw
redist --help says what there is.
END

expect an_unknown_general_option_is_misuse 2 --draw <<'END'
redist: there is no option --draw
redist --help says what there is.
END

expect a_subcommand_is_needed 2 <<'END'
redist: a subcommand is missing: show, explain, schedule, run, copy, info, bench, balance, page, doctor or completion
redist --help says what there is.
END

expect a_picture_that_cannot_be_written_is_a_failure 1 show '[9] (block) onto 3' --svg /nonexistent/picture.svg <<'END'
redist: /nonexistent/picture.svg: cannot be written: No such file or directory
END

# ---- a full disk: a failure, with its reason

for arguments in --help --version 'show --help' "show [9](block)onto3"; do
    # shellcheck disable=SC2086 # words of a command
    if "$tool" $arguments >/dev/full 2>"$scratch/full"; then fail "$arguments: a full disk"; fi
    holds "$arguments: a full disk" grep -qx 'redist: standard output cannot be written' \
        "$scratch/full"
done
if "$tool" show '[9] (block) onto 3' --svg - >/dev/full 2>"$scratch/full"; then
    fail "a picture on a full disk"
fi
holds a_picture_on_a_full_disk grep -q 'cannot be written: No space left' "$scratch/full"

# ---- specifications in files, options before them, colours -------------------------------

printf '[9]\n  (cyclic(2))\n onto 3\n\n' >"$scratch/spec"
expect a_specification_is_read_from_a_file 0 show --color never --rank 1 "@$scratch/spec" <<'END'
[9] (cyclic(2)) onto 3

  0 1 2 3 4 5 6 7 8
  . . 1 1 . . . . 1
  only the elements of rank 1

  rank  local extents      elements
     1              3             3
END

spec='[6,8] (block,cyclic(2)) onto 2x2 section [1:5:2,2:6]'
"$tool" show "$spec" --color never >"$scratch/plain"
for depth in '' truecolor; do
    COLORTERM=$depth "$tool" show "$spec" --color always >"$scratch/colored"
    holds colours_are_there grep -q $'\033\[0;.*48;' "$scratch/colored"
    sed -e $'s/\033\\[[0-9;]*m//g' -e 's/ *$//' "$scratch/colored" >"$scratch/stripped"
    holds colours_change_no_character diff "$scratch/plain" "$scratch/stripped"
done
"$tool" show "$spec" >"$scratch/piped"
holds a_pipe_is_not_coloured diff "$scratch/plain" "$scratch/piped"

# ---- SVG ---------------------------------------------------------------------------------

mkdir "$scratch/pictures"
picture=$scratch/pictures/picture.svg
echo old >"$picture"
expect a_picture_is_written_without_a_word 0 show '[9] (cyclic(2)) onto 3' --svg "$picture" <<'END'
END
holds a_picture_takes_the_place_of_the_old_one grep -q '^<svg xmlns=' "$picture"
holds nothing_is_left_beside_it test "$(ls "$scratch/pictures")" = picture.svg
holds the_title_is_the_text grep -qF '<title>[9] (cyclic(2)) onto 3</title>' "$picture"
holds a_path_for_each_rank test "$(grep -c '<path fill=' "$picture")" = 3
holds five_rectangles test "$(grep -o 'M[0-9.]* [0-9.]*h[0-9.]*v' "$picture" | wc -l)" = 5
for rank in 0 1 2; do
    holds each_rank_is_in_the_legend grep -qF ">rank $rank</text>" "$picture"
done
"$tool" show '[9] (cyclic(2)) onto 3' --svg - >"$scratch/stdout"
holds a_dash_is_stdout cmp -s "$picture" "$scratch/stdout"

# For programs: of each rank what the table says, as ScaLAPACK's numroc has it.
"$tool" show '[10,9] (cyclic(2),cyclic(3)) onto 2x3' --json >"$scratch/show.json"
"$tool" show '[10,9] (cyclic(2),cyclic(3)) onto 2x3' --json --rank 4 >"$scratch/rank.json"
holds json_says_what_each_rank_has python3 - "$scratch/show.json" "$scratch/rank.json" <<'END'
import json
import sys


def numroc(n, block, process, processes):
    return sum(min(block, n - i) for i in range(process * block, n, processes * block))


whole, one = (json.load(open(path)) for path in sys.argv[1:])
assert whole["spec"] == "[10,9] (cyclic(2),cyclic(3)) onto 2x3", whole["spec"]
assert whole["extents"] == [10, 9] and whole["elements"] == 90 and whole["processes"] == 6
for rank in range(6):
    row, column = divmod(rank, 3)
    local = [numroc(10, 2, row, 2), numroc(9, 3, column, 3)]
    assert whole["ranks"][rank] == {"rank": rank, "coords": [row, column],
                                    "local_extents": local,
                                    "elements": local[0] * local[1]}, rank
assert one["ranks"] == [whole["ranks"][4]]
END
expect json_is_no_picture 2 show '[9] (block) onto 3' --json --svg - <<'END'
redist show: --json goes with no --svg, --axes or --at
redist show --help says what there is.
END

COLUMNS=40 "$tool" show '[300] (cyclic(3)) onto 4' --color never >"$scratch/narrow"
holds a_picture_and_its_caption_keep_to_the_columns awk \
    'length($0) > 40 { wide = 1 } END { exit wide }' "$scratch/narrow"
holds a_narrow_picture_is_there grep -q '^  0123' "$scratch/narrow"

# Neither the time nor the size of a picture depends on the array.
huge='[2000000000,2000000000] (block,cyclic(3)) onto 100x1000'
within 5 "$tool" show "$huge" >"$scratch/huge"
holds a_huge_array_is_shown_at_once test $? = 0
within 5 "$tool" show "$huge" --svg "$scratch/huge.svg"
holds a_huge_array_is_drawn_at_once test $? = 0
holds a_huge_picture_is_small test "$(wc -c <"$scratch/huge.svg")" -lt 400000

conclude
