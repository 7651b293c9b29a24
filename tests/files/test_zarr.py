#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrays of Zarr: what others write is read, what is written others read.

    test_zarr.py FILE_JOBS MPIEXEC ..

Version 2 stands beside python3-zarr, version 3 beside the few lines of `Three` here,
which are written from the specification.
"""
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import numcodecs
    import numpy as np
    import zarr
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

NUMBERS = ["|b1", "|i1", "|u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8", "<f2", ">f2",
           "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16", ">c16"]
OTHERS = ["|S1", "|S7", "|V3", "<M8[ns]", ">m8[s]", "<U5", ">U2"]
FIELDS = [[("a", "<f4"), ("b", "|i1")],
          [("x", ">i8", (3,)), ("y", [("z", "<u2")], (2, 2))],
          [("it's", "<i4"), ('a "quote"', "|S3"), ("é", "<f8")]]
NAMES = {"b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
         "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "f2": "float16",
         "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128"}


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

def crc_of(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
    return byte


CRCS = [crc_of(byte) for byte in range(256)]


def crc32c(data):
    total = 0xffffffff
    for byte in data:
        total = total >> 8 ^ CRCS[(total ^ byte) & 255]
    return (total ^ 0xffffffff).to_bytes(4, "little")


class Three:
    """An array of version 3: metadata that are written or read, and chunks."""

    def __init__(self, path, meta=None):
        self.path = path
        if meta is None:
            with open(os.path.join(path, "zarr.json"), encoding="utf-8") as file:
                meta = json.load(file)
        else:
            os.makedirs(path)
            with open(os.path.join(path, "zarr.json"), "w", encoding="utf-8") as file:
                json.dump(meta, file)
        self.meta, self.shape = meta, tuple(meta["shape"])
        assert meta["zarr_format"] == 3 and meta["node_type"] == "array"
        self.chunk = tuple(meta["chunk_grid"]["configuration"]["chunk_shape"])
        order = {"little": "<", "big": ">"}
        self.dtype, self.axes = None, list(range(len(self.shape)))
        self.codecs, self.shards = meta["codecs"], None
        if self.codecs[0]["name"] == "sharding_indexed":
            self.shards = self.codecs[0]["configuration"]
            self.codecs = self.shards["codecs"]
        for codec in self.codecs:
            given = codec.get("configuration", {})
            if codec["name"] == "transpose":
                self.axes = given["order"]
            if codec["name"] == "bytes":
                name = meta["data_type"]
                kinds = {v: k for k, v in NAMES.items()}
                kind = kinds.get(name) or f"V{int(name[1:]) // 8}"
                self.dtype = np.dtype(order.get(given.get("endian"), "|") + kind)

    def key(self, index):
        given = self.meta["chunk_key_encoding"]
        default = given["name"] == "default"
        usual = "/" if default else "."
        separator = given.get("configuration", {}).get("separator", usual)
        parts = (["c"] if default else []) + [str(i) for i in index]
        return os.path.join(self.path, separator.join(parts) or "0")

    def inner(self):
        """The inner chunks of a shard, in row-major order."""
        shape = self.shards["chunk_shape"]
        for index in np.ndindex(*[c // n for c, n in zip(self.chunk, shape)]):
            yield tuple(slice(i * n, i * n + n) for i, n in zip(index, shape))

    def index_codecs(self):
        bytes_, *sums = self.shards["index_codecs"]
        little = bytes_["configuration"]["endian"] == "little"
        return "<u8" if little else ">u8", len(sums)

    def encode_shard(self, shard, keep):
        places = list(self.inner())
        kind, sums = self.index_codecs()
        first = self.shards.get("index_location") == "start"
        index = np.full((len(places), 2), 2**64 - 1, kind)
        at, body = (index.nbytes + 4 * sums) * first, b""
        for k in random.Random(len(places)).sample(range(len(places)), len(places)):
            if keep():
                body += b"gap"[:k % 4]  # what no entry names is allowed
                data = self.encode(shard[places[k]])
                index[k] = at + len(body), len(data)
                body += data
        index = index.tobytes()
        index += crc32c(index) if sums else b""
        return index + body if first else body + index

    def decode_shard(self, data, fill):
        kind, sums = self.index_codecs()
        shard = np.full(self.chunk, fill, self.dtype)
        places = list(self.inner())
        size = 16 * len(places) + 4 * sums
        first = self.shards.get("index_location") == "start"
        index = data[:size] if first else data[len(data) - size:]
        if sums:
            assert crc32c(index[:-4]) == index[-4:], "crc32c of the index"
        index = np.frombuffer(index[:16 * len(places)], kind).reshape(-1, 2)
        for place, (offset, nbytes) in zip(places, index.tolist()):
            if (offset, nbytes) != (2**64 - 1, 2**64 - 1):
                assert offset + nbytes <= len(data), "beyond the shard"
                shard[place] = self.decode(data[offset:offset + nbytes])
        return shard

    def encode(self, chunk):
        data = chunk.transpose(self.axes).tobytes()
        for codec in self.codecs:
            level = codec.get("configuration", {}).get("level", 1)
            if codec["name"] == "gzip":
                half = len(data) // 2  # in two members, or in one
                members = [data[:half], data[half:]] if level % 2 else [data]
                data = b"".join(gzip.compress(member, level) for member in members)
            if codec["name"] == "zstd":
                data = numcodecs.zstd.compress(data, level)
            if codec["name"] == "crc32c":
                data += crc32c(data)
            if codec["name"] == "blosc":
                data = numcodecs.Blosc("lz4").encode(data)
        return data

    def decode(self, data):
        for codec in reversed(self.codecs):
            if codec["name"] == "gzip":
                data = gzip.decompress(data)
            if codec["name"] == "zstd":
                data = numcodecs.zstd.decompress(data)
            if codec["name"] == "blosc":
                data = numcodecs.blosc.decompress(data)
            if codec["name"] == "crc32c":
                assert crc32c(data[:-4]) == data[-4:], "crc32c"
                data = data[:-4]
        whole = self.shards["chunk_shape"] if self.shards else self.chunk
        stored = [whole[i] for i in self.axes]
        chunk = np.frombuffer(data, self.dtype).reshape(stored)
        return chunk.transpose(np.argsort(self.axes) if self.axes else None)

    def pieces(self):
        counts = [-(-n // c) for n, c in zip(self.shape, self.chunk)]
        for index in np.ndindex(*counts):
            where = tuple(slice(i * c, min(i * c + c, n))
                          for i, c, n in zip(index, self.chunk, self.shape))
            yield self.key(index), where

    def write(self, array, fill, keep):
        for key, where in self.pieces():
            if not keep():
                continue
            chunk = np.full(self.chunk, fill, self.dtype)
            part = array[where]
            chunk[tuple(slice(0, n) for n in part.shape)] = part
            os.makedirs(os.path.dirname(key), exist_ok=True)
            with open(key, "wb") as file:
                file.write(self.encode_shard(chunk, keep) if self.shards else
                           self.encode(chunk))

    def read(self, fill, padded=False):
        """`padded`: what lies beyond the array is zeros."""
        array = np.full(self.shape, fill, self.dtype)
        for key, where in self.pieces():
            if os.path.exists(key):
                with open(key, "rb") as file:
                    data = file.read()
                chunk = self.decode_shard(data, fill) if self.shards else \
                    self.decode(data)
                inside = tuple(slice(0, n) for n in array[where].shape)
                array[where] = chunk[inside]
                if padded:
                    beyond = chunk.copy()
                    beyond[inside] = np.zeros((), self.dtype)
                    assert not beyond.tobytes().strip(b"\0"), "beyond the array"
        return array


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

class Jobs:
    """Jobs of file_jobs, each with a check of its result."""

    def __init__(self):
        self.lines, self.checks = [], []

    def add(self, check, *fields):
        self.lines.append("\t".join(fields))
        self.checks.append(check)

    def run(self, command):
        with open("jobs", "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in self.lines)
        subprocess.run(command + ["jobs", "results"], check=True)
        with open("results", encoding="utf-8") as file:
            results = file.read().splitlines()
        assert len(results) == len(self.lines), (len(results), len(self.lines))
        for line, check, result in zip(self.lines, self.checks, results):
            try:
                check(result)
            except Exception:
                print(f"{line!r}: {result}", file=sys.stderr)
                raise
        return len(self.lines)


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
                              numcodecs.Zlib(draw.randint(0, 9)),
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
    path, order = f"w{k}.zarr", draw.choice(["", "F"])
    given = str(version)
    if draw.random() < 0.3:  # replaces one, of either version
        put(draw, path, draw.choice([2, 3]))
    elif draw.random() < 0.5:  # in a group
        if version == 2:
            zarr.open_group(path, mode="w").create_dataset("other", shape=3)
            given = draw.choice(["0", "2"])
        path += "/group/t"

    def find():
        if version == 2:
            made = zarr.open(path, mode="r")
            assert not chunk or made.chunks == chunk, made.chunks
            assert made.order == (order or "C"), made.order
            name = made.compressor.codec_id if made.compressor else "none"
            assert name == (codec.split(":")[0] or "none"), name
            if path.endswith("t"):
                assert "group/t" in zarr.open(f"w{k}.zarr", mode="r")
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
