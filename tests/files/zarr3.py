# SPDX-License-Identifier: MIT
"""Arrays of Zarr, version 3, in a few lines from the specification."""
import gzip
import json
import os
import random

import numcodecs
import numpy as np

NAMES = {"b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
         "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "f2": "float16",
         "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128"}


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
