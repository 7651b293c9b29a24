#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist run: arrays go through files and come out whole; bad input ends in a sentence.
# `$REDIST_MPIEXEC -n 4 program` runs a program.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
cd "$scratch" || exit 1

# redistribute NPROCS ARGUMENT..
redistribute() {
    local nprocs=$1
    shift
    "$mpiexec" -n "$nprocs" "$tool" run "$@" >stdout 2>stderr
}

# works NAME NPROCS ARGUMENT..
works() {
    local name=$1
    shift
    redistribute "$@" || { fail "$name: failed"; cat stdout stderr; }
}

# refused NAME SENTENCE NPROCS ARGUMENT..  - the run must fail and say just this, once.
refused() {
    local name=$1 sentence=$2
    shift 2
    if redistribute "$@"; then fail "$name: did not fail"; fi
    grep -a '^redist: ' stderr >said
    [ "$(cat said)" = "redist: $sentence" ] ||
        fail "$name: said \"$(cat said stderr)\", expected \"redist: $sentence\""
    [ -s stdout ] && grep -q 'moved' stdout && fail "$name: printed a summary all the same"
    [ -z "$(find . -name '*.part')" ] || fail "$name: left $(find . -name '*.part')"
}

byte() { # shellcheck disable=SC2059 # the number is the format
    printf "\\x$(printf %02x "$1")"
}

# header DICT  - the header of an .npy file of version 1.0, not padded as NumPy does.
header() {
    printf '\x93NUMPY\x01\x00'
    byte $((${#1} % 256))
    byte $((${#1} / 256))
    printf '%s' "$1"
}

# array FILE DESCR FORTRAN_ORDER SHAPE BYTES  - an array of that many bytes, each different
# from those close by.
array() {
    {
        header "{'descr': $2, 'fortran_order': $3, 'shape': $4}"
        seq 1000000 1999999 | tr -d '\n' | head -c "$5"
    } >"$1"
}

# data FILE  - what stands behind the header.
data() {
    local length
    length=$(od -An -tu2 -j8 -N2 --endian=little "$1")
    tail -c +$((length + 11)) "$1"
}

# shellcheck disable=SC2317 # called by holds
same_data() { cmp <(data "$1") <(data "$2"); }

rows='[120,77] (block,*) onto 4'
tiles='[120,77] (cyclic(8),cyclic(8)) onto 3x2'
line='[12] (block) onto 2'

# ---- from file to file

works synthetic_array_is_verified 6 "$rows" "$tiles"
holds synthetic_array_says_so grep -q 'verified  every element against its global index' stdout

works synthetic_array_is_written 6 "$rows" "$tiles" --output index.npy
works any_distribution_writes_the_same_file 3 \
    '[120,77] (cyclic,gen_block(70,0,7)) onto 1x3' \
    '[120,77] (*,cyclic(3) from 1) onto 2' --output index2.npy
holds any_distribution_writes_the_same_file cmp index.npy index2.npy
holds synthetic_elements_are_their_index cmp <(data index.npy | od -An -v -w8 -td8) \
    <(seq 0 9239 | awk '{ printf "%21d\n", $1 }')

works one_line_from_n_to_m 6 "$rows" "$tiles" --input index.npy --shards out/ --verify
# shellcheck disable=SC2012 # the names are tame
holds one_shard_for_each_process [ "$(ls out | tr '\n' ' ')" = "manifest.json \
shard-00000.npy shard-00001.npy shard-00002.npy shard-00003.npy shard-00004.npy \
shard-00005.npy " ]
works shards_of_six_are_read_by_three 3 '[120,77] (block,cyclic) onto 3x1' \
    '[120,77] (*,block) onto 2' --input out --output back.npy --verify
holds shards_of_six_are_read_by_three cmp index.npy back.npy
works shards_of_six_are_read_by_seven 7 '[120,77] (cyclic(5),*) onto 7' \
    '[120,77] (block,block) onto 2x3 ranks 6,0,5,1,4,2' --input out --shards again --verify
works a_single_process_gathers 1 '[120,77] (*,*) onto 1' '[120,77] (*,*) onto 1' \
    --input out --output back.npy
holds a_single_process_gathers cmp index.npy back.npy
works shards_of_a_list_of_ranks_are_read 2 '[120,77] (cyclic,*) onto 2' \
    '[120,77] (*,*) onto 1' --input again --output back.npy --verify
holds shards_of_a_list_of_ranks_are_read cmp index.npy back.npy

works replicas_agree 6 '[120,77] (block,*) onto 3x2' '[120,77] (block,*) onto 2x3' \
    --input index.npy --shards replicas --verify
holds replicas_agree cmp <(data replicas/shard-00000.npy | head -c -32) \
    <(data replicas/shard-00002.npy | head -c -32)
works shards_of_replicas_are_read 2 '[120,77] (cyclic,*) onto 2' \
    '[120,77] (block,*) onto 1' --input replicas --output back.npy --verify
holds shards_of_replicas_are_read cmp index.npy back.npy

echo "$tiles" >tiles.txt
works a_spec_is_read_from_a_file 6 "$rows" @tiles.txt --input index.npy --verify

# ---- any dtype, both orders

for type in '>i4 4' '|b1 1' '<c16 16' '|S10 10' '<U5 20'; do
    array in.npy "'${type% *}'" False '(30, 20)' $((600 * ${type#* }))
    works "dtype_${type% *}" 4 '[30,20] (cyclic(4),block) onto 2x2' \
        '[30,20] (cyclic,*) onto 3' --input in.npy --output out.npy --verify
    holds "dtype_${type% *}" same_data in.npy out.npy
    holds "dtype_${type% *}" grep -qaF \
        "'descr': '${type% *}', 'fortran_order': False, 'shape': (30, 20), }" out.npy
done
fields="[('a', '<f4'), (('title', 'b'), [('x', '|i1', (3,))])]"
array in.npy "$fields" True '(30, 20)' 4200
works structured_array_in_fortran_order 4 '[30,20] (cyclic(4),block) onto 2x2' \
    '[30,20] (cyclic,*) onto 3' --input in.npy --shards fields --verify
holds structured_array_in_fortran_order grep -qaF \
    "$fields, 'fortran_order': True, 'shape': (10, 20)" fields/shard-00000.npy
works fortran_order_is_kept 4 '[30,20] (*,cyclic(4)) onto 4' \
    '[30,20] (cyclic(7),block) onto 2x2' --input fields --output out.npy --verify
holds fortran_order_is_kept same_data in.npy out.npy
holds fortran_order_is_kept grep -qaF \
    "$fields, 'fortran_order': True, 'shape': (30, 20), }" out.npy

array in.npy "'|u1'" False '(0, 5)' 0
works an_empty_array 3 '[0,5] (block,cyclic) onto 1x3' '[0,5] (*,block) onto 2' \
    --input in.npy --output out.npy --verify
holds an_empty_array same_data in.npy out.npy

# ---- sections: 4 x 3 bytes abcdefghijkl; the target's elements outside are zeros

{
    header "{'descr': '|S1', 'fortran_order': False, 'shape': (4, 3)}"
    printf abcdefghijkl
} >in.npy
works a_section_is_transposed_into_zeros 3 \
    '[4,3] (cyclic,*) onto 3 section [0:2:2,0:2] axes (1,0) order column-major' \
    '[5,3] (cyclic(2),*) onto 2 section [1:3,0:2:2] halo (1,2:0)' \
    --input in.npy --output out.npy --verify
holds a_section_is_transposed_into_zeros cmp <(data out.npy) \
    <(printf '\0\0\0a\0gb\0hc\0i\0\0\0')
works a_synthetic_section_is_verified 4 \
    '[9,11] (cyclic(2),indirect(3*0,4*1,2*0,2*1)) onto 2x2 section [1:7:3,2:10:2] axes (1,0)' \
    '[30,6] (block,cyclic) onto 2x2 section [3:27:6,0:2]'

# ---- partial results

partial='[30,20] (block,*) onto 2x3'
numbers() { data "$1" | od -An -v -w8 -td8 | tr -d ' '; }
ops='SUM prod Min land BXOR' types='<i4 4 MIN,|i1 1 SUM,<u2 2 MAX,<u8 8 PROD,<f4 4 SUM,<c16 16 PROD'
if [ -n "${REDIST_TEST_LONG:-}" ]; then
    ops+=' MAX LOR LXOR BAND BOR' types+=',<u4 4 MAX,<f8 8 MAX,<f8 8 SUM,<c8 8 SUM'
fi
for op in $ops; do
    works "synthetic_partial_results_are_verified_$op" 3 '[30,20] (*,*) onto 3' \
        '[30,20] (cyclic(4),*) onto 2' --reduction $op
    holds "synthetic_partial_results_are_verified_$op" \
        grep -qx "  reduction ${op^^} of 3 partial results" stdout
done
works partial_results_are_summed 6 "$partial" '[30,20] (*,cyclic(3)) onto 5' \
    --reduction sum --output out.npy
holds partial_results_are_summed cmp <(numbers out.npy) <(seq 3 3 1800)
works a_file_has_a_dimension_of_the_replicas 3 '[3,30,20] (*,block,*) onto 3' \
    '[3,30,20] (*,*,*) onto 1' --output three.npy
works a_file_has_a_dimension_of_the_replicas 6 "$partial" '[30,20] (cyclic,*) onto 4' \
    --reduction max --input three.npy --output out.npy --verify --json
holds a_file_has_a_dimension_of_the_replicas cmp <(numbers out.npy) <(seq 1200 1799)
holds json_names_the_reduction grep -qx '  "reduction": "MAX",' stdout
tr , '\n' <<<"$types" >types
while read -r dtype bytes op <&3; do
    array in.npy "'$dtype'" False '(3, 30, 20)' $((1800 * bytes))
    works "partial_results_of_$dtype" 3 '[30,20] (*,*) onto 3' '[30,20] (cyclic,*) onto 2' \
        --reduction "$op" --input in.npy --verify
done 3<types
works partial_results_may_be_shards 6 '[30,20] (block,*) onto 2x2' "$partial" \
    --shards partial
printf '\x07' | dd of=partial/shard-00001.npy bs=1 seek=128 conv=notrunc 2>/dev/null
printf '\x05' | dd of=partial/shard-00002.npy bs=1 seek=136 conv=notrunc 2>/dev/null
works partial_results_may_be_shards 4 '[30,20] (cyclic(3),*) onto 1x3 section [0:2,0:9]' \
    '[3,10] (block,*) onto 4' --reduction sum --input partial --output out.npy --verify
holds partial_results_may_be_shards cmp <(numbers out.npy) \
    <({ echo 7; echo 7; seq 6 3 27; seq 60 3 87; seq 120 3 147; })

array in.npy "'|S1'" False '(3, 30, 20)' 1800
refused partial_results_of_text '--reduction: the dtype is |S1, must be b1, i1, i2, i4, '\
'i8, u1, u2, u4, u8, f4, f8, c8 or c16 with < or | before it' 6 "$partial" "$partial" --reduction sum \
    --input in.npy
refused a_file_of_other_replicas 'three.npy: partial results of 2 replicas must be an '\
'.npy file in C order with a dimension of so many before the source'"'s" \
    4 '[30,20] (block,*) onto 2x2' "$line" --reduction sum --input three.npy
refused shards_of_other_replicas "partial: its distribution has 3 replicas, the source's "\
"has 2 partial results" \
    4 '[30,20] (block,*) onto 2x2' "$line" --reduction sum --input partial
works without_partial_results_json_has_none 2 "$line" "$line" --json
holds without_partial_results_json_has_none grep -qx '  "reduction": null,' stdout

# ---- the summary

works json 6 "$rows" "$tiles" --input index.npy --json --staging 64KiB --verify
for line_of_json in '"processes": 6,' "\"source\": \"$rows\"," "\"target\": \"$tiles\"," \
    '"input": "index.npy",' '"output": null,' '"dtype": "<i8",' '"element_bytes": 8,' \
    '"elements": 9240,' '"staging_cap_bytes": 65536,' '"verified": true'; do
    holds json grep -qxF "  $line_of_json" stdout
done
value() { awk -F ': |,' -v key="  \"$1\"" '$1 == key { print $2 }' stdout; }
holds every_element_is_moved_or_kept \
    [ $(($(value bytes_moved) + $(value bytes_kept))) -eq $((9240 * 8)) ]
holds staging_stays_below_its_cap [ "$(value staging_peak_bytes)" -le 65536 ]
if command -v python3 >/dev/null; then holds json_is_json python3 -m json.tool stdout /dev/null; fi
works without_verify_nothing_is_claimed 6 "$rows" "$tiles" --input index.npy --json
holds without_verify_nothing_is_claimed grep -qx '  "verified": null' stdout

works progress_is_drawn_and_cleared_away 6 "$rows" "$tiles" --input index.npy \
    --output out.npy --progress
for stage in reading writing; do
    holds progress_is_drawn_and_cleared_away grep -qaE \
        "$stage  \[#+\] 100 %  of 72.2 KiB" stderr
done
holds progress_is_drawn_and_cleared_away [ "$(tail -c 4 stderr)" = "$(printf '\r\033[K')" ]

# ---- bad input

array in.npy "'<f8'" False '(12,)' 96
refused grid_larger_than_the_communicator \
    'rank 0: target: the grid has rank 5, the communicator only 0 to 3' 4 "$rows" "$tiles"
refused ranks_outside_the_communicator \
    'rank 0: source: the grid has rank 9, the communicator only 0 to 1' \
    2 '[12] (block) onto 2 ranks 1,9' "$line"
refused extents_that_differ "rank 0: dim 0: the source's extent is 12, the target's 13" \
    2 "$line" '[13] (block) onto 2'
refused a_spec_that_cannot_be_read \
    'target: column 7: expected *, block, cyclic, gen_block or indirect, found "blok" (did you mean block?)' \
    2 "$line" '[12] (blok) onto 2'
refused a_missing_spec_file 'source: nix: cannot be read: No such file or directory' \
    2 @nix "$line"
refused a_missing_input 'nix.npy: cannot be read: No such file or directory' \
    2 "$line" "$line" --input nix.npy
refused another_shape "in.npy: its shape is [12], the source's is [120,77]" \
    4 "$rows" "$rows" --input in.npy
redistribute 2 "$line" "$line" --strategy nix &&
    fail 'a_strategy_that_is_not_there: did not fail'
holds a_strategy_that_is_not_there grep -qa \
    '^redist: .*unknown strategy "nix", there are: ' stderr

head -c -8 in.npy >bad.npy
refused a_truncated_file \
    'bad.npy: truncated: its shape takes 96 bytes of data, 88 are there' \
    2 "$line" "$line" --input bad.npy
head -c 30 in.npy >bad.npy
refused a_truncated_header 'bad.npy: truncated: ends at byte 30' \
    2 "$line" "$line" --input bad.npy
array bad.npy "'|O'" False '(12,)' 96
refused python_objects \
    "bad.npy: header: dtype \"|O\" is of Python objects, which can't be moved" \
    2 "$line" "$line" --input bad.npy
array bad.npy "'<f8'" False '()' 8
refused a_single_number 'bad.npy: a single number is no array to distribute' \
    2 "$line" "$line" --input bad.npy

works shards_of_this_run 3 "$line" '[12] (cyclic) onto 3' --input in.npy --shards these
works shards_of_another_run 3 "$line" '[12] (cyclic) onto 3' --input in.npy \
    --shards others
# damaged NAME SENTENCE  - what is said of the shards in `bad`.
damaged() {
    refused "$1" "$2" 2 "$line" "$line" --input bad
    rm -rf bad
    cp -r these bad
}
cp -r these bad
rm bad/shard-00001.npy
damaged a_missing_shard 'bad/shard-00001.npy: the shard of rank 1 is missing'
cp others/shard-00001.npy bad
damaged a_shard_of_another_run "bad/shard-00001.npy: is not rank 1's shard of run $(
    sed 's/.*"run":"\([^"]*\)".*/\1/' these/manifest.json)"
cp these/shard-00002.npy bad/shard-00001.npy
damaged a_shard_of_another_rank "bad/shard-00001.npy: is not rank 1's shard of run $(
    sed 's/.*"run":"\([^"]*\)".*/\1/' these/manifest.json)"
head -c -40 these/shard-00002.npy >bad/shard-00002.npy
damaged a_truncated_shard \
    'bad/shard-00002.npy: truncated: its shape takes 32 bytes of data, 24 are there'
head -c -32 these/shard-00002.npy >bad/shard-00002.npy
damaged a_shard_without_its_trailer \
    'bad/shard-00002.npy: has no trailer: it is not a shard, or truncated'
sed -i 's/<f8/<i8/' bad/manifest.json
damaged a_manifest_of_another_dtype \
    'bad/shard-00000.npy: its dtype, shape or order is not that of the manifest'
sed -i 's/"shards":3/"shards":4/' bad/manifest.json
damaged a_manifest_of_more_shards \
    'bad/manifest.json: 4 shards, the distribution has 3 processes'
sed -i 's/,"shards":3//' bad/manifest.json
damaged a_manifest_without_a_key 'bad/manifest.json: "shards" is missing'
sed -i 's/"version":1/"version":2/' bad/manifest.json
damaged a_manifest_of_another_version 'bad/manifest.json: version is 2, must be 1'
head -c 38 these/manifest.json >bad/manifest.json
damaged a_truncated_manifest 'bad/manifest.json: expected a string in "", found the end'
rm bad/manifest.json
damaged a_directory_without_a_manifest \
    'bad/manifest.json: cannot be read: No such file or directory'
refused shards_over_their_input 'these/: is both the input and where shards go' \
    2 "$line" "$line" --input these --shards these/
holds shards_over_their_input cmp these/manifest.json bad/manifest.json
cp these/shard-00000.npy bad/input.npy
mkdir over
cp bad/input.npy over/shard-00001.npy
ln -s ../bad/input.npy over/shard-00000.npy
for input in over/shard-00001.npy bad/input.npy; do
    refused a_shard_over_the_input "$input: is the input, and would be replaced by a shard" \
        2 "$line" "$line" --input "$input" --shards over
done
holds a_shard_over_the_input cmp these/shard-00000.npy over/shard-00001.npy

works shards_of_two 2 "$line" "$line" --shards kept
mkdir kept/shard-00002.npy
refused a_shard_that_cannot_be_written \
    'kept/shard-00002.npy: cannot be written: a folder, must be a regular file' \
    3 "$line" '[12] (cyclic) onto 3' --shards kept
works earlier_shards_are_kept 2 "$line" "$line" --input kept

refused no_such_folder 'no/out.npy: cannot be written: No such file or directory' \
    2 "$line" "$line" --output no/out.npy
refused no_such_folder_for_shards \
    'no/out: cannot be made a directory: No such file or directory' \
    2 "$line" "$line" --shards no/out
: >file
refused shards_into_a_file 'file: cannot be made a directory: File exists' \
    2 "$line" "$line" --shards file
if [ "$(id -u)" -eq 0 ]; then
    echo 'skipped: read-only output, root may write everywhere'
else
    mkdir closed
    chmod a-w closed
    refused a_read_only_folder 'closed/out.npy: cannot be written: Permission denied' \
        2 "$line" "$line" --output closed/out.npy
    refused a_read_only_folder_for_shards \
        'closed/shards: cannot be made a directory: Permission denied' \
        2 "$line" "$line" --shards closed/shards
    : >closed.npy
    chmod a-w closed.npy
    refused a_read_only_file 'closed.npy: cannot be written: Permission denied' \
        2 "$line" "$line" --output closed.npy
    holds a_read_only_file [ ! -s closed.npy ]
fi

# ---- a full disk, a quota, a read-only disk: file systems that this script alone sees

# shellcheck disable=SC2016 # the inner shell expands
on_disk='eval "$1" >/dev/null 2>&1 || { echo skipped; exit; }
    "$2" -n 2 "$3" run "[80,80] (block,*) onto 2" "[80,80] (*,block) onto 2" "$4" "$5" 2>&1 |
        grep -a "^redist: "
    find small -type f'

# refused_on NAME MOUNT SENTENCE OPTION PATH  - as refused; no file may be left on `small`,
# which the command MOUNT mounts. SENTENCE is a pattern.
refused_on() {
    local said alone=(unshare -rm)
    [[ $(id -u) != 0 ]] || alone=(unshare -m)
    said=$("${alone[@]}" bash -c "$on_disk" - "$2" "$mpiexec" "$tool" "$4" "$5" 2>&1)
    case $said in
        *skipped | unshare:*) echo "skipped: $1, mounting is not allowed" ;;
        *$'\n'*) fail "$1: left ${said#*$'\n'}" ;;
        "redist: "$3) ;;
        *) fail "$1: said or left \"$said\", expected \"redist: $3\"" ;;
    esac
}

mkdir small
tmpfs='mount -t tmpfs none small -o'
# tmpfs and ext4 have quotas in few kernels. btrfs says of some that the disk is full.
quota='truncate -s 128M disk && mkfs.btrfs -q -f disk && mount -o loop disk small &&
    btrfs quota enable small && btrfs qgroup limit 80k small'
refused_on a_full_disk "$tmpfs size=40k" \
    'small/out.npy: cannot be written: disk full, 51328 bytes are needed' \
    --output small/out.npy
refused_on a_full_disk_for_shards "$tmpfs size=20k" \
    'small/out/shard-00000.npy: cannot be written: disk full, 25760 bytes are needed' \
    --shards small/out
refused_on a_quota "$quota" 'small/out.npy: cannot be written: *' --output small/out.npy
refused_on a_quota_for_shards "$quota" 'small/out*: cannot be *: *' --shards small/out
refused_on a_read_only_disk "$tmpfs ro" \
    'small/out.npy: cannot be written: Read-only file system' --output small/out.npy
refused_on a_read_only_disk_for_shards "$tmpfs ro" \
    'small/out: cannot be made a directory: Read-only file system' --shards small/out
rm -f disk

# ---- an interrupted run: never a half file under the real name

whole='[3000,3000] (block,*) onto 2'
"$mpiexec" -n 2 "$tool" run "$whole" '[3000,3000] (*,cyclic) onto 2' --output late.npy \
    >/dev/null 2>&1 &
launcher=$!
for _ in $(seq 400); do
    [ -n "$(find . -name 'late.npy*')" ] && break
    sleep 0.05
done
kill -TERM $launcher 2>/dev/null
wait $launcher 2>/dev/null
if [ -e late.npy ]; then
    holds an_interrupted_run_leaves_no_half_file \
        [ "$(stat -c %s late.npy)" -eq $((128 + 72000000)) ]
fi

# ---- the log

for strategy in nonblocking shared; do
    rm -f log
    export REDIST_LOG=$PWD/log
    redistribute 3 '[24] (block) onto 3' '[24] (cyclic) onto 2' --strategy $strategy
    unset REDIST_LOG
    holds each_process_logs_its_plan [ "$(grep -c "plan 1: strategy $strategy" log)" -eq 3 ]
    holds each_run_ends [ "$(grep -c 'plan 1 run 1: is done$' log)" -eq 3 ]
    sed -nE 's/^rank ([0-9]+) .*: sends ([0-9]+ B) to ([0-9]+) .*/\1 \3 \2/p' log | sort >sent
    sed -nE 's/^rank ([0-9]+) .*: receives ([0-9]+ B) from ([0-9]+) .*/\3 \1 \2/p' log |
        sort >received
    holds what_is_sent_is_received diff sent received
    holds all_messages_are_there [ "$(wc -l <sent)" -eq 4 ]
done

# ---- misuse

# misused NAME SENTENCE ARGUMENT..
misused() {
    local name=$1 sentence=$2
    shift 2
    redistribute 2 "$@" && fail "$name: did not fail"
    grep -a '^redist run' stderr >said
    printf 'redist run: %s\nredist run --help says what there is.\n' "$sentence" |
        diff - said ||
        fail "$name: said something else"
}
misused one_argument '1 argument beside the options, must be two; a text with brackets needs quotes' "$line"
misused two_outputs '--output and --shards exclude each other' \
    "$line" "$line" --output x --shards y
misused an_unknown_option 'there is no option --nix' "$line" "$line" --nix
misused an_option_without_its_argument 'option --input needs an argument' \
    "$line" "$line" --input
misused a_reduction_that_is_none '--reduction is "average", must be SUM, PROD, MIN, MAX, '\
'LAND, LOR, LXOR, BAND, BOR or BXOR' "$line" "$line" --reduction average
misused a_staging_that_is_no_size \
    '--staging 1x: column 2: expected a unit (KiB, MiB or GiB) or the end, found "x"' \
    "$line" "$line" --staging 1x
"$tool" run one-argument >/dev/null 2>&1
holds misuse_has_its_exit_status [ $? -eq 2 ]
redistribute 2 --help
holds help_is_said_once [ "$(grep -c 'mpirun -n N redist run' stdout)" -eq 1 ]

conclude
