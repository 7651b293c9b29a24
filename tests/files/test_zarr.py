#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrays of Zarr: what others write is read, what is written others read.

    test_zarr.py FILE_JOBS MPIEXEC ..

Version 2 stands beside python3-zarr, version 3 beside the few lines of zarr3.py.
"""
import json
import os
import random
import shutil
import sys
import tempfile

from jobs import Jobs

try:
    import numcodecs
    import numpy as np
    import zarr
    from zarr3 import NAMES, Three
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

NUMBERS = ["|b1", "|i1", "|u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8", "<f2", ">f2",
           "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16", ">c16"]
OTHERS = ["|S1", "|S7", "|V3", "<M8[ns]", ">m8[s]", "<U5", ">U2"]
FIELDS = [[("a", "<f4"), ("b", "|i1")],
          [("x", ">i8", (3,)), ("y", [("z", "<u2")], (2, 2))],
          [("it's", "<i4"), ('a "quote"', "|S3"), ("é", "<f8")]]


def random_shape(draw):
    if draw.random() < 0.05:
        return ()
    if draw.random() < 0.05:
        return (0, 3)
    return tuple(draw.randint(1, 13) for _ in range(draw.randint(1, 4)))


def random_array(draw, dtype, shape):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=int))
    data = bytes(draw.randint(0, 255) for _ in range(count * dtype.itemsize))
    if dtype == bool:
        data = bytes(b & 1 for b in data)
    if dtype.kind == "U":
        words = ["".join(draw.choice("abcé") for _ in range(2)) for _ in range(count)]
        return np.array(words, dtype).reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


def random_fill(draw, dtype, version=2):
    """As an element, or None."""
    dtype = np.dtype(dtype)
    if version == 2 and draw.random() < 0.2:
        return None
    # the sign of a NaN is lost as zarr puts a complex number together
    if dtype.kind in ("fc" if version == 3 else "f") and draw.random() < 0.3:
        value = draw.choice([np.nan, np.inf, -np.inf, -0.0, 65519, 6e-8, 1e-5])
        return dtype.type(value * 1j if dtype.kind == "c" and value == value else value)
    if dtype.kind in "iu" and draw.random() < 0.5:
        ends = np.iinfo(dtype)
        return np.array(draw.choice([ends.min, ends.max]), dtype)[()]
    if dtype.kind in "fc":
        return dtype.type(draw.randint(-9, 9) / 4)
    if dtype.kind == "U":
        return str(random_array(draw, dtype, ())[()])
    return random_array(draw, dtype, ())[()]


def random_chunks(draw, shape):
    return tuple(draw.randint(1, n + 2) for n in shape)


def same(a, b):
    """The same bytes: no NaN is as good as another, but those of one machine are."""
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and \
        np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def text(numbers):
    return ",".join(str(n) for n in numbers)


def random_part(draw, shape):
    """A section: start, stride, and the slices of it."""
    start, stride, where = [], [], []
    for n in shape:
        start.append(draw.randint(0, n - 1))
        stride.append(draw.randint(1, 3))
        count = draw.randint(1, (n - 1 - start[-1]) // stride[-1] + 1)
        last = start[-1] + (count - 1) * stride[-1]
        where.append(slice(start[-1], last + 1, stride[-1]))
    return start, stride, tuple(where)


# ---- version 3 -----------------------------------------------------------------------

def fill_of_3(draw, dtype, fill):
    """A fill_value of version 3."""
    def real(value):
        if draw.random() < 0.3 or value != value:
            return "0x" + np.array(value, value.dtype.newbyteorder(">")).tobytes().hex()
        if np.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return float(value)
    if dtype.kind == "f":
        return real(np.asarray(fill)[()])
    if dtype.kind == "c":
        return [real(np.asarray(fill).real[()]), real(np.asarray(fill).imag[()])]
    if dtype.kind == "V":
        return list(np.asarray(fill).tobytes())
    return bool(fill) if dtype.kind == "b" else int(fill)


def meta_of_3(draw, dtype, shape, chunk, fill):
    kind, bits = dtype.str[1:], 8 * dtype.itemsize
    codecs = []
    if draw.random() < 0.3:
        codecs.append({"name": "transpose",
                       "configuration": {"order": list(range(len(shape)))[::-1]}})
    ends = {"<": "little", ">": "big"}
    endian = {"endian": ends[dtype.str[0]]} if dtype.str[0] in ends else {}
    codecs.append({"name": "bytes", "configuration": endian})
    if draw.random() < 0.2:
        codecs.append({"name": "crc32c"})
    codecs += draw.choice([
        [], [{"name": "gzip", "configuration": {"level": draw.randint(0, 9)}}],
        [{"name": "zstd", "configuration": {
            "level": draw.randint(-3, 9), "checksum": True}}],
        [{"name": "blosc", "configuration": {
            "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": dtype.itemsize,
            "blocksize": 0}}]])
    if draw.random() < 0.3:
        codecs.append({"name": "crc32c"})
    if draw.random() < 0.4:
        inner = [draw.choice([n for n in range(1, c + 1) if c % n == 0]) for c in chunk]
        index = [{"name": "bytes", "configuration": {
            "endian": draw.choice(["little", "little", "big"])}}]
        if draw.random() < 0.7:
            index.append({"name": "crc32c"})
        where = draw.choice([{}, {"index_location": "start"}, {"index_location": "end"}])
        codecs = [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": inner, "codecs": codecs, "index_codecs": index, **where}}]
    keys = draw.choice([{"name": "default"},
                        {"name": "default", "configuration": {"separator": "."}},
                        {"name": "v2", "configuration": {"separator": "."}},
                        {"name": "v2", "configuration": {"separator": "/"}}])
    return {"zarr_format": 3, "node_type": "array", "shape": shape,
            "data_type": NAMES.get(kind, f"r{bits}"),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
            "chunk_key_encoding": keys, "codecs": codecs,
            "fill_value": fill_of_3(draw, dtype, fill),
            "attributes": {"units": "m", "é": [1, {"deep": None}], "nan": float("nan")}}


# ---- jobs ----------------------------------------------------------------------------

def check_array(expected, find):
    def check(result):
        assert result == "ok"
        found = find()
        assert same(expected, found), (expected.dtype, found.dtype, expected, found)
    return check


def put_2(draw, path, dtype, array, fill, missing):
    """Write chunks with zarr, some of which are left out; return what is there."""
    shape = array.shape
    compressor = draw.choice([None, numcodecs.GZip(draw.randint(0, 9)),
                              numcodecs.Zlib(draw.choice([-1, 1, 9])),
                              numcodecs.Zstd(draw.randint(1, 9)),
                              numcodecs.Blosc(draw.choice(["lz4", "zstd"]),
                                              shuffle=draw.randint(-1, 2))])
    if dtype.kind == "V" and fill is not None:
        fill = fill.tobytes()  # as zarr wants it
    made = zarr.create(shape, chunks=random_chunks(draw, shape), dtype=dtype,
                       fill_value=fill, order=draw.choice("CF"),
                       compressor=compressor, store=path,
                       dimension_separator=draw.choice("./"))
    # of fill_value null zarr leaves missing chunks undefined
    whole = fill is None or draw.random() < 0.5
    part = () if not shape else (slice(None, None if whole else shape[0] // 2),)
    made[part or ...] = array[part or ...]
    if missing and shape and fill is None and draw.random() < 0.3:  # they are zeros here
        made.chunk_store.clear()
        made = zarr.create(shape, chunks=made.chunks, dtype=dtype, fill_value=None,
                           order=made.order, compressor=compressor, store=path,
                           dimension_separator=made._dimension_separator, overwrite=True)
        return np.zeros(shape, dtype)
    return np.asarray(made[...]).astype(dtype)


def put(draw, path, version, missing=False):
    dtype = np.dtype(draw.choice(NUMBERS + (OTHERS if version == 2 else ["|V3"])))
    if version == 2 and draw.random() < 0.15:
        dtype = np.dtype(draw.choice(FIELDS))
    array = random_array(draw, dtype, random_shape(draw))
    fill = random_fill(draw, dtype, version)
    if version == 2:
        return put_2(draw, path, dtype, array, fill, missing), None
    chunk = random_chunks(draw, array.shape)
    three = Three(path, meta_of_3(draw, dtype, array.shape, chunk, fill))
    three.write(array, fill, lambda: draw.random() < 0.8)
    return three.read(fill), fill


def get(path, version, fill):
    if version == 2:
        return np.asarray(zarr.open(path, mode="r")[...])
    three = Three(path)
    return three.read(np.zeros((), three.dtype)[()] if fill is None else fill)


def read_jobs(jobs, draw, k, version):
    array, _ = put(draw, f"a{k}.zarr", version, missing=True)
    out = f"a{k}.npy"
    jobs.add(check_array(array, lambda: np.load(out)), "copy", f"a{k}.zarr", out)


def update_jobs(jobs, draw, k, version):
    array, fill = put(draw, f"u{k}.zarr/g", version)
    if array.ndim == 0 or array.size == 0:
        return
    start, stride, where = random_part(draw, array.shape)
    part = random_array(draw, array.dtype, array[where].shape)
    np.save(f"u{k}.npy", part)
    array = array.copy()
    array[where] = part
    jobs.add(check_array(array, lambda: get(f"u{k}.zarr/g", version, fill)), "update",
             f"u{k}.npy", f"u{k}.zarr:/g", text(start), text(stride))


GROUP_3 = {"zarr_format": 3, "node_type": "group"}


def list_all(path, version, older):
    """Let a group list the metadata of what is in it."""
    if version == 2:
        if older:
            old = zarr.open_group(path).create_dataset("grün/t", shape=5)
            old.attrs["units"] = "m"
        zarr.consolidate_metadata(path)
        return
    inside = {"other": {**GROUP_3, "attributes": {"a \\ \"b\"": "}{"}}}
    if older:
        meta = {"zarr_format": 3, "node_type": "array", "shape": [9], "data_type": "int8",
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [9]}},
                "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
                "codecs": [{"name": "bytes"}]}
        Three(f"{path}/grün/t", meta)
        inside.update({"grün": {**GROUP_3, "attributes": {"b": 1}}, "grün/t": meta})
        with open(f"{path}/grün/zarr.json", "w", encoding="utf-8") as file:
            json.dump(inside["grün"], file)
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/zarr.json", "w", encoding="utf-8") as file:
        json.dump({**GROUP_3, "attributes": {"consolidated_metadata": [1, {}]},
                   "consolidated_metadata": {
                       "kind": "inline", "must_understand": False, "metadata": inside}},
                  file)


def check_list(path, version, array):
    if version == 2:
        group = zarr.open_consolidated(path, mode="r")
        assert "other" in group and dict(group["grün/t"].attrs) == {}
        assert same(array, np.asarray(group["grün/t"][...]).astype(array.dtype))
        zarr.consolidate_metadata(path, metadata_key=".zagain")
        with open(f"{path}/.zmetadata", encoding="utf-8") as file, \
                open(f"{path}/.zagain", encoding="utf-8") as again:
            made = file.read()
            assert json.loads(made) == json.load(again)
        assert made.count('"gr\\u00fcn/.zgroup"') == 1, made
        return
    with open(f"{path}/zarr.json", encoding="utf-8") as file:
        meta = json.load(file)
    inside = meta["consolidated_metadata"].pop("metadata")
    assert meta["consolidated_metadata"] == {"kind": "inline", "must_understand": False}
    assert meta["attributes"] == {"consolidated_metadata": [1, {}]}, meta
    assert inside.pop("other") == {**GROUP_3, "attributes": {"a \\ \"b\"": "}{"}}
    for name in ["grün", "grün/t"]:
        with open(f"{path}/{name}/zarr.json", encoding="utf-8") as file:
            assert inside.pop(name) == json.load(file), name
    assert not inside, inside


def write_jobs(jobs, draw, k, version):
    dtype = np.dtype(draw.choice(NUMBERS + (OTHERS if version == 2 else ["|V3"])))
    if version == 2 and draw.random() < 0.15:
        dtype = np.dtype(draw.choice(FIELDS))
    array = random_array(draw, dtype, random_shape(draw))
    np.save(f"w{k}.npy", array)
    chunk = random_chunks(draw, array.shape) if draw.random() < 0.5 else ()
    codec = draw.choice(["", "none", "gzip", "gzip:9", "zstd", "zstd:-1", "blosc:3"])
    if version == 3 and array.ndim > 0 and draw.random() < 0.4:
        inner = [draw.randint(1, 4) for _ in array.shape]
        chunk = [n * draw.randint(1, 3) for n in inner] if chunk else ()
        rest = "" if codec in ("", "none") else "+" + codec
        codec = f"sharding:{text(inner)}{rest}"
    path, order, lists = f"w{k}.zarr", draw.choice(["", "F"]), False
    given = str(version)
    if draw.random() < 0.3:  # replaces one, of either version
        put(draw, path, draw.choice([2, 3]))
    elif draw.random() < 0.5:  # in a group
        if version == 2:
            zarr.open_group(path, mode="w").create_dataset("other", shape=3)
            given = draw.choice(["0", "2"])
        lists = draw.random() < 0.8
        if lists:  # and has an older array, of which nothing may stay
            list_all(path, version, draw.random() < 0.5)
        path += "/grün/t"

    def find():
        if version == 2:
            made = zarr.open(path, mode="r")
            assert not chunk or made.chunks == chunk, made.chunks
            assert made.order == (order or "C"), made.order
            name = made.compressor.codec_id if made.compressor else "none"
            assert name == (codec.split(":")[0] or "none"), name
            if path.endswith("t"):
                assert "grün/t" in zarr.open(f"w{k}.zarr", mode="r")
        if lists:
            check_list(f"w{k}.zarr", version, array)
        if codec.startswith("sharding"):
            assert Three(path).shards["chunk_shape"] == inner, Three(path).shards
        found = get(path, 2, None) if version == 2 else \
            Three(path).read(np.zeros((), dtype)[()], padded=True)
        assert not [f for _, d, f in os.walk(".") for f in d + f if ".part" in f]
        return found
    named = path.replace(".zarr/", ".zarr:/")
    jobs.add(check_array(array, find), "copy", f"w{k}.npy", named, codec,
             text(chunk), order, given)


def main():
    seed = int(os.environ.get("REDIST_TEST_SEED", "20260725"), 0)
    cases = 500 if "REDIST_TEST_LONG" in os.environ else 100
    print(f"REDIST_TEST_SEED={seed}", flush=True)
    command = sys.argv[2:] + [os.path.abspath(sys.argv[1])]
    draw = random.Random(seed)
    work = tempfile.mkdtemp(prefix="zarr-", dir=os.getcwd())
    os.chdir(work)
    jobs = Jobs()
    for k in range(cases):
        [read_jobs, write_jobs, update_jobs][k % 3](jobs, draw, k, draw.choice([2, 3]))
    count = jobs.run(command)
    os.chdir("..")
    shutil.rmtree(work)
    print(f"PASS: {count} jobs")


if __name__ == "__main__":
    main()
