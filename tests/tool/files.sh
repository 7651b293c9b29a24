#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist info, redist copy and redist run with the formats that the library was built with:
# whatever way an array goes, it comes out whole.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
cd "$scratch" || exit 1

# does NAME ARGUMENT..  - run the tool with three processes; it must succeed.
does() {
    local name=$1
    shift
    "$mpiexec" -n 3 "$tool" "$@" >stdout 2>stderr ||
        { fail "$name: failed"; cat stdout stderr; }
}

# alone NAME ARGUMENT..  - the same with one process.
alone() {
    local name=$1
    shift
    "$tool" "$@" >stdout 2>stderr || { fail "$name: failed"; cat stdout stderr; }
}

# refused NAME SENTENCE ARGUMENT..  - it must fail and say just this, once.
refused() {
    local name=$1 sentence=$2
    shift 2
    # shellcheck disable=SC2086
    if "$mpiexec" -n 3 "$tool" "$@" >stdout 2>stderr; then fail "$name: did not fail"; fi
    [ "$(grep -a '^redist' stderr)" = "$sentence" ] ||
        fail "$name: said \"$(cat stderr)\", expected \"$sentence\""
    [ -z "$(find . -name '*.part')" ] || fail "$name: left $(find . -name '*.part')"
}

# same NAME FILE FILE  - both have the same bytes.
same() { holds "$1" cmp "$2" "$3"; }

# keeps FILE SENTENCE ARGUMENT..  - one process must refuse this; the file stays as it is.
keeps() {
    local file=$1 sentence=$2 before
    shift 2
    before=$(find -L "$file" -type f -exec cksum {} + | sort)
    expect "keeps $*" 1 "$@" <<<"redist: $sentence"
    [ "$(find -L "$file" -type f -exec cksum {} + | sort)" = "$before" ] ||
        fail "$*: $file has changed"
}

# pasted FILE  - each distribution that info proposes is one that run takes.
pasted() {
    local spec
    "$tool" info "$1" --processes 3 | sed -n '/spread as/,$s/^ *\(spread as\)\? *//p' >specs
    holds "specs_of_$1" [ -s specs ]
    while read -r spec; do
        does "pasted_$1" run "$spec" "$columns" --input "$1" --output pasted.npy </dev/null
        same "pasted_$1" a.npy pasted.npy
    done <specs
}

# Arrays of 60 x 100 numbers, each its own place.
rows='[60,100] (cyclic(7),*) onto 3' columns='[60,100] (*,block) onto 3'
does made run "$rows" "$columns" --output a.npy
holds a_is_there [ -f a.npy ]

expect info 0 info a.npy --processes 3 <<'END'
a.npy
  format    npy
  shape     [60,100]
  type      <i8
  order     row-major
  chunk     [1,1]
  codec     none
  elements  6000, 46.9 KiB
  stored    46.9 KiB, ratio 1
  spread as [60,100] (block(20),*) onto 3
            [60,100] (*,block(34)) onto 3
END
expect info_as_json 0 info a.npy --json <<'END'
{"file": "a.npy", "format": "npy", "shape": [60, 100], "type": "<i8", "order": "row-major", "chunk": [1, 1], "codec": "none", "elements": 6000, "bytes": 48000, "stored_bytes": 48000, "distributions": ["[60,100] (block(15),*) onto 4", "[60,100] (*,block(25)) onto 4"]}
END
expect info_of_nothing 1 info none.npy <<'END'
redist: none.npy: cannot be read: No such file or directory
END

does to_fortran copy a.npy b.npy --order column-major --memory 4KiB
does back copy b.npy c.npy --order row-major
holds copied_both_ways cmp a.npy c.npy
"$tool" info b.npy >stdout
holds another_order grep -q 'order     column-major' stdout
refused no_such_order "redist: --order: 'up', must be row-major or column-major" \
    copy a.npy d.npy --order up
refused no_such_source 'redist: none.npy: cannot be read: No such file or directory' \
    copy none.npy d.npy

does to_another_type copy a.npy f.npy --type '>f4'
does and_back copy f.npy c.npy --type i8
holds converted_both_ways cmp a.npy c.npy
refused a_number_that_is_lost 'redist: counted from element (0, 0) of the file: rank 0: '\
'the target'"'"'s element (1, 28) would be 128, which |i1 cannot hold' \
    copy a.npy i.npy --type i1 --checked --memory 4KiB

pasted a.npy

# Raw files: the layout stands behind the name.
does to_raw copy a.npy a.raw
raw='a.raw: [60,100] <i8'
does from_raw copy "$raw" back.npy
same raw a.npy back.npy
does run_from_raw run "$rows" "$columns" --input "$raw" --output run.npy --verify
same run_from_raw a.npy run.npy
{ printf '%s' 'four'; cat a.raw; echo more; } >b.raw
alone fortran copy a.npy f.bin --order column-major --type '>f4'
alone from_fortran copy 'f.bin:[60,100]>f4 order column-major' c.npy --type i8 --order row-major
same fortran a.npy c.npy
alone behind_an_offset copy 'b.raw:[60,100] i8 offset 4' c.npy
same behind_an_offset a.npy c.npy
alone raw_again copy 'b.raw:[60,100] i8 offset 4' c.raw
same raw_again a.raw c.raw
expect info_of_no_raw 1 info 'any name: [6000] i8 offset 0' <<'END'
redist: any name: No such file or directory
END
expect_raw() { expect "raw $2" 1 info "$2" <<<"redist: $1"; }
expect_raw "a.raw: does not say its layout, which must be behind its name, as in 'a.raw:[60,100] <f8'" a.raw
expect_raw 'a.raw: has 48000 bytes, its layout says 47520 (with an offset other data may follow)' \
    'a.raw:[60,99] i8'
expect_raw 'a.raw: has 48000 bytes, its layout says 48800 (with an offset other data may follow)' \
    'a.raw:[61,100] i8'
expect_raw 'a.raw: truncated: the shape takes 48000 bytes of data, 47999 are there' \
    'a.raw:[60,100] i8 offset 1'
expect_raw 'a.raw: column 15: expected "," or "]", found "i"' 'a.raw:[60,100 i8'
expect_raw 'a.raw: column 15: expected a type such as f8, found the end' 'a.raw:[60,100]'
expect_raw 'a.raw: column 16: dtype "q8" is not supported' 'a.raw:[60,100] q8'
expect_raw 'a.raw: column 18: expected order, offset or the end, found "ordre" (did you mean order?)' \
    'a.raw:[60,100]i8 ordre row-major'
expect_raw 'a.npy: the file says its layout, none must be behind its name' 'a.npy:[60,100] i8'
expect raw_is_new 1 copy a.npy 'n.raw:[60,100] i8' <<'END'
redist: n.raw:[60,100] i8: a new file has the layout of what is written, none must be behind its name
END

# Sections. Each of these takes a part out and puts it into another place, and back.
does part copy a.npy part.npy --section '[5:59:6,:]'
alone put copy part.npy c.npy --into '[50:59,:]'
alone get copy c.npy again.npy --section '[50:59,:]'
same part part.npy again.npy
alone put_back copy a.npy c.npy --section '[50:59,:]' --into '[50:59,:]'
same put_back a.npy c.npy
does run_part run '[10,100] (cyclic,*) onto 3' '[10,100] (*,block) onto 3' \
    --input a.npy --section '[5:59:6,:]' --output run.npy --verify
same run_part part.npy run.npy
does run_put run '[10,100] (*,cyclic) onto 3' '[10,100] (block,*) onto 3' \
    --input part.npy --output f.npy --into '[5:59:6,:]' --checked
alone converted copy f.npy c.npy --type i8
same run_put a.npy c.npy
does run_type run "$rows" "$columns" --input a.npy --output run.npy --type '>f4' --checked
same run_type f.npy run.npy
refused run_checked 'redist: counted from element (0, 0) of the file: rank 0: the target'"'"'s element (1, 28) would be 128, which |i1 cannot hold' \
    run "$rows" "$columns" --input a.npy --output i.npy --type i1 --checked
keeps c.npy 'dim 0: 10 elements of part.npy, 11 of c.npy' copy part.npy c.npy --into '[0:10,:]'
keeps c.npy '--into [0:60,:]: column 4: last is 60, must be -1 to 59' \
    copy part.npy c.npy --into '[0:60,:]'
keeps c.npy '--into [60,:]: dim 0: element 60, must be below 60' \
    copy part.npy c.npy --into '[60,:]'
keeps c.npy '--section [0]: column 3: too few ranges, expected 2' \
    copy part.npy c.npy --section '[0]' --into '[0,:]'
keeps c.npy '--into [0:8,:]: dim 0: 9 elements, the target has 10' \
    run '[10,100] (*,*) onto 1' '[10,100] (*,*) onto 1' --input part.npy --output c.npy --into '[0:8,:]'
keeps c.npy "part.npy: the section's shape is [9,100], the source's is [10,100]" \
    run '[10,100] (*,*) onto 1' '[10,100] (*,*) onto 1' --input part.npy --section '[0:8,:]' --output c.npy
while IFS='|' read -r sentence command; do
    # shellcheck disable=SC2086 # words of a command
    expect "$command" 2 $command <<<"redist ${command%% *}: $sentence
redist ${command%% *} --help says what there is."
done <<'END'
--into and --type exclude each other: the file says its own|copy a.npy c.npy --into [0,0] --type f4
--into and --type exclude each other: the file has its type|run a b --output c.npy --into [0] --type f4
--into needs --output|run a b --into [0]
--type needs --output|run a b --type f4
--checked needs --output|run a b --checked
--section needs --input|run a b --section [0]
--section and --reduction exclude each other|run a b --input c.npy --section [0] --reduction sum
END

# What is read is not written, by whatever path.
ln -s a.npy link.npy
ln a.npy hard.npy
mkdir sub
for name in a.npy link.npy hard.npy ./a.npy sub/../a.npy "$PWD/a.npy"; do
    keeps a.npy "$name: cannot be written: a.npy, which is read, is the same file" \
        copy a.npy "$name"
    keeps a.npy "$name: cannot be written: a.npy, which is read, is the same file" \
        run "$rows" "$rows" --input a.npy --output "$name"
done
keeps a.raw "a.raw: cannot be written: $raw, which is read, is the same file" copy "$raw" a.raw

does with_a_bar copy a.npy c.npy --progress
holds a_bar grep -q 'copying  \[#*\] 100 %  of 46.9 KiB' stderr
holds no_bar [ -z "$("$tool" copy a.npy c.npy 2>&1 | cat)" ]

# with_format FILE OPTION..  - there and back, by copy and by run.
with_format() {
    local file=$1
    shift
    does "to_$file" copy a.npy "$file" "$@"
    does "from_$file" copy "$file" back.npy --memory 16KiB
    holds "copied_by_$file" cmp a.npy back.npy
    does "run_from_$file" run "$columns" "$rows" --input "$file" --output run.npy --verify
    holds "run_from_$file" cmp a.npy run.npy
    does "run_to_$file" run "$rows" "$columns" --input a.npy --output "again-$file"
    does "run_back_$file" run "$rows" "$rows" --input "again-$file" --output run.npy
    holds "run_to_$file" cmp a.npy run.npy
}

tried=npy
if "$tool" info none.zarr 2>&1 | grep -q 'built without'; then
    echo 'skipped: Zarr, the library was built without it'
else
    tried+=' zarr'
    with_format a.zarr --chunk 7,30
    expect info_of_zarr 0 info a.zarr --processes 3 <<'END'
a.zarr
  format    zarr
  shape     [60,100]
  type      <i8
  order     row-major
  chunk     [7,30]
  codec     none
  elements  6000, 46.9 KiB
  stored    59.1 KiB, ratio 0.794
  spread as [60,100] (block(21),*) onto 3
            [60,100] (*,block(60)) onto 3
END
    "$tool" info a.zarr --processes 12 >stdout
    holds a_grid grep -q 'spread as \[60,100\] (block(21),block(30)) onto 3x4' stdout
    expect no_grid 0 info a.zarr/ --processes 11 <<'END'
a.zarr
  format    zarr
  shape     [60,100]
  type      <i8
  order     row-major
  chunk     [7,30]
  codec     none
  elements  6000, 46.9 KiB
  stored    59.1 KiB, ratio 0.794
  spread as no grid of 11 processes gives each of them whole chunks
END
    pasted a.zarr
    with_format g.zarr --chunk 16,16 --codec gzip:3
    does into_shards copy a.npy s.zarr --chunk 16,32 --codec sharding:8,8+gzip:3
    "$tool" info s.zarr >stdout
    holds shape_of_shards grep -qx '  chunk     \[16,32\]' stdout
    holds inner_chunks grep -qx '  codec     sharding:8,8+gzip:3' stdout
    does into_a_group copy a.npy 'all.zarr:/first/a' --codec crc32c
    does into_the_same copy a.npy 'all.zarr:/second'
    mkdir old.zarr
    printf '{"zarr_format": 2}' >old.zarr/.zgroup
    alone into_an_old_group copy all.zarr:/second old.zarr:/a
    holds of_version_2 [ -f old.zarr/a/.zarray ]
    alone out_of_an_old_group copy old.zarr:/a all.zarr:/third
    alone and_back copy all.zarr:/third back.npy
    same through_an_old_group a.npy back.npy
    rm -r all.zarr/third
    alone keeps_the_version copy old.zarr:/a old-too.zarr
    holds of_version_2_too [ -f old-too.zarr/.zarray ]
    does from_a_group copy 'all.zarr:/first/a' back.npy
    holds through_a_group cmp a.npy back.npy
    expect info_of_a_group 0 info all.zarr <<'END'
all.zarr
  all.zarr:/first/a  [60,100] <i8
  all.zarr:/second  [60,100] <i8
END
    expect info_of_a_group_as_json 0 info all.zarr --json <<'END'
{"file": "all.zarr", "arrays": [{"name": "all.zarr:/first/a", "shape": [60, 100], "type": "<i8", "stored_bytes": 48004}, {"name": "all.zarr:/second", "shape": [60, 100], "type": "<i8", "stored_bytes": 48000}]}
END
    mkdir many.zarr
    sed 's/\[7, 30\]/[1, 1]/; s/\[60, 100\]/[6000, 100]/' a.zarr/zarr.json >many.zarr/zarr.json
    "$tool" info many.zarr --json >stdout
    holds not_looked_at grep -q '"bytes": 4800000, "stored_bytes": null' stdout
    "$tool" info all.zarr:/first >stdout
    holds the_only_one_of_a_group [ "$(head -n 1 stdout)" = all.zarr:/first/a ]
    ln -s all.zarr linked.zarr
    keeps all.zarr 'linked.zarr:/second: cannot be written: all.zarr:/second, which is read, is the same file' \
        copy all.zarr:/second linked.zarr:/second
    keeps all.zarr 'all.zarr/second/a.npy: cannot be written: all.zarr:/second, which is read, is the folder round it' \
        copy all.zarr:/second all.zarr/second/a.npy
    keeps all.zarr 'all.zarr:/second/in: cannot be written: all.zarr:/second, which is read, is the folder round it' \
        copy all.zarr:/second all.zarr:/second/in
    keeps all.zarr 'all.zarr:/first: cannot be written: all.zarr:/first/a, which is read, is within it' \
        copy all.zarr:/first/a all.zarr:/first
    does a_part_of_chunks copy part.npy all.zarr:/second --into '[3:12,:]'
    alone and_of_another copy all.zarr:/second again.npy --section '[3:12,:]'
    same a_part_of_chunks part.npy again.npy
    refused a_chunk_over_the_memory \
        'redist: a.zarr: a chunk has 1680 bytes, staging_bytes must be at least 3360' \
        copy a.zarr d.npy --memory 2KiB
fi
if ! "$tool" info none.h5 2>&1 | grep -q 'there is no module'; then
    tried+=' hdf5'
    with_format a.h5:/t --chunk 7,30
    does compressed copy a.npy b.h5:/group/t --chunk 10,50 --codec gzip
    alone column_major copy a.npy column.npy --order column-major
    does from_column_major copy column.npy column.h5:/t
    does and_back copy column.h5 back.npy
    same column_major_through_hdf5 a.npy back.npy
    does run_from_column_major run "$rows" "$columns" --input column.npy --output column.h5:/u
    does and_back copy column.h5:/u back.npy
    same run_column_major_through_hdf5 a.npy back.npy
    does from_compressed copy b.h5:/group/t back.npy
    holds through_hdf5 cmp a.npy back.npy
    "$tool" copy a.npy b.h5:/second
    expect info_of_hdf5 0 info b.h5 <<'END'
b.h5
  b.h5:/group/t  [60,100] <i8
  b.h5:/second  [60,100] <i8
END
    "$tool" info b.h5:/group >stdout
    holds the_only_one_of_hdf5 [ "$(head -n 1 stdout)" = b.h5:/group/t ]
    holds stored_in_hdf5 grep -q 'stored    .*, ratio [4-9]' stdout
    keeps b.h5 'b.h5:/third: cannot be written: b.h5:/second, which is read, is the same file' \
        copy b.h5:/second b.h5:/third
    does a_part_of_hdf5 copy part.npy b.h5:/group/t --into '[3:12,:]'
    alone and_of_it copy b.h5:/group/t again.npy --section '[3:12,:]'
    same a_part_of_hdf5 part.npy again.npy
    if [ -d a.zarr ]; then
        does from_zarr_to_hdf5 copy a.zarr c.h5:/t
        does from_hdf5_to_zarr copy c.h5:/t c.zarr
        does and_back copy c.zarr back.npy
        holds through_both cmp a.npy back.npy
    fi
else
    echo 'skipped: HDF5, its module is not there'
fi
echo "tried: $tried"

conclude
