#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw the shards of a 2-D array as a shaded relief, each process's part in a colour.

    relief.py SHARDS PICTURE.png [ARRAY.npy]

Puts the array together from the shards with NumPy's index arithmetic alone (block, cyclic
and collapsed dimensions), and compares it with ARRAY if that is given: a reader of the
format that shares nothing with redist.
"""
import json
import re
import struct
import sys
import zlib

import numpy as np

TINTS = [0x9EC5F4, 0xFFC58F, 0xA8DDA6, 0xF4A6B0, 0xCBB4EE, 0xF6E286, 0x90DCD7, 0xE9B9DE]


def owners(extent, form, procs):
    """The coordinate that owns each index, [extent]."""
    name, m = re.fullmatch(r"(\*|block|cyclic)(?:\((\d+)\))?", form).groups()
    default = {"*": extent, "block": -(-extent // procs), "cyclic": 1}[name]
    return np.arange(extent) // (int(m) if m else default) % procs


def assemble(folder):
    """The array of the shards, and the rank that owns each element."""
    with open(f"{folder}/manifest.json") as file:
        manifest = json.load(file)
    extents, forms, shape = re.fullmatch(
        r"\[([\d,]+)\] \((.*)\) onto ([\dx]+)", manifest["distribution"]).groups()
    extents = [int(n) for n in extents.split(",")]
    procs = [int(p) for p in shape.split("x")]
    axes = iter(range(len(procs)))
    axis = [None if form == "*" else next(axes) for form in forms.split(",")]
    maps = [owners(n, form, 1 if a is None else procs[a])
            for n, form, a in zip(extents, forms.split(","), axis)]
    array = np.zeros(extents, np.dtype(manifest["descr"]))
    rank_of = np.full(extents, -1)
    for rank in range(manifest["shards"]):
        coords = np.unravel_index(rank, procs)
        here = np.ix_(*(np.flatnonzero(m == (0 if a is None else coords[a]))
                        for m, a in zip(maps, axis)))
        array[here] = np.load(f"{folder}/shard-{rank:05d}.npy")
        rank_of[here] = rank
    return array, rank_of


def picture(height, rank_of):
    """RGB of the terrain lit from the north-west, tinted by owner, [rows, columns, 3]."""
    south, east = np.gradient(height.astype(float))
    light = (1 + 0.04 * (south + east)) / np.sqrt(1 + 0.004 * (south**2 + east**2))
    tints = np.array([[c >> 16, c >> 8 & 255, c & 255] for c in TINTS])
    tint = tints[rank_of % len(TINTS)]
    return np.clip(tint * np.clip(light, 0.35, 1.2)[..., None], 0, 255).astype(np.uint8)


def write_png(path, rgb):
    def chunk(kind, data):
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    rows, columns, _ = rgb.shape
    lines = b"".join(b"\0" + row.tobytes() for row in rgb)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n"
                   + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    array, rank_of = assemble(sys.argv[1])
    if (rank_of < 0).any():
        sys.exit("relief.py: some elements are in no shard")
    if len(sys.argv) == 4 and not np.array_equal(array, np.load(sys.argv[3])):
        sys.exit(f"relief.py: the shards differ from {sys.argv[3]}")
    write_png(sys.argv[2], picture(array, rank_of))


if __name__ == "__main__":
    main()
