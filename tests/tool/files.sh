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
    # shellcheck disable=SC2086 # the launcher may be several words
    $mpiexec -n 3 "$tool" "$@" >stdout 2>stderr ||
        { fail "$name: failed"; cat stdout stderr; }
}

# refused NAME SENTENCE ARGUMENT..  - it must fail and say just this, once.
refused() {
    local name=$1 sentence=$2
    shift 2
    # shellcheck disable=SC2086
    if $mpiexec -n 3 "$tool" "$@" >stdout 2>stderr; then fail "$name: did not fail"; fi
    [ "$(grep -a '^redist' stderr)" = "$sentence" ] ||
        fail "$name: said \"$(cat stderr)\", expected \"$sentence\""
    [ -z "$(find . -name '*.part')" ] || fail "$name: left $(find . -name '*.part')"
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
  spread as [60,100] (block(20),*) onto 3
            [60,100] (*,block(34)) onto 3
END
expect info_as_json 0 info a.npy --json <<'END'
{"file": "a.npy", "format": "npy", "shape": [60, 100], "type": "<i8", "order": "row-major", "chunk": [1, 1], "codec": "none", "elements": 6000, "bytes": 48000, "distributions": ["[60,100] (block(15),*) onto 4", "[60,100] (*,block(25)) onto 4"]}
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
  spread as [60,100] (block(21),*) onto 3
            [60,100] (*,block(60)) onto 3
END
    with_format g.zarr --chunk 16,16 --codec gzip:3
    does into_a_group copy a.npy 'all.zarr:/first/a' --codec crc32c
    does into_the_same copy a.npy 'all.zarr:/second'
    does from_a_group copy 'all.zarr:/first/a' back.npy
    holds through_a_group cmp a.npy back.npy
    refused a_chunk_over_the_memory \
        'redist: a.zarr: a chunk has 1680 bytes, staging_bytes must be at least 3360' \
        copy a.zarr d.npy --memory 2KiB
fi
if ! "$tool" info none.h5 2>&1 | grep -q 'there is no module'; then
    tried+=' hdf5'
    with_format a.h5:/t --chunk 7,30
    does compressed copy a.npy b.h5:/group/t --chunk 10,50 --codec gzip
    does from_compressed copy b.h5:/group/t back.npy
    holds through_hdf5 cmp a.npy back.npy
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
