# SPDX-License-Identifier: MIT
"""What is redistributed in the study at scale: a work is a function of the number of
processes and of the doubles a process that gives (texts, sides, extents): source and target
as text, of each dimension the format on either side as bounds.py has it, and the extents."""
import math
import random


def cyclic(block, processes):
    return f"cyclic({block})", ([block], processes)


def one_dimension(source, target):
    """A work of one dimension, of two functions from P to (text, blocks, processes)."""
    def make(processes, size):
        sides = [source(processes, size), target(processes, size)]
        texts = [f"[{processes * size}] ({text}) onto {form[1]}" for text, form in sides]
        return texts, [[form] for _, form in sides], [processes * size]
    return make


def uneven(times):
    """The second half of the processes has so many times as much as the first, to block."""
    def make(processes, size):
        half, parts = processes // 2, 1 + times
        unit = 2 * (size // parts)
        def lopsided(p, _):
            blocks = [unit] * half + [times * unit] * half
            return f"gen_block({half}*{unit},{half}*{times * unit})", (blocks, p)
        block = one_dimension(lopsided, lambda p, n: cyclic(n, p))
        return block(processes, parts * (size // parts))
    return make


def two_dimensions(block, to):
    """From a square grid, its side being even, to one of to(side), in square blocks."""
    def make(processes, size):
        root, unit = math.isqrt(processes), 2 * block * math.isqrt(processes)
        extent = max(math.isqrt(processes * size) // unit, 1) * unit
        grids, form = [(root, root), to(root)], f"cyclic({block})"
        texts = [f"[{extent},{extent}] ({form},{form}) onto {a}x{b}" for a, b in grids]
        return texts, [[([block], a), ([block], b)] for a, b in grids], [extent, extent]
    return make


WORKS = {
    "3 to 5": one_dimension(lambda p, n: cyclic(3, p), lambda p, n: cyclic(5, p)),
    "64 to 100": one_dimension(lambda p, n: cyclic(64, p), lambda p, n: cyclic(100, p)),
    "1 to block": one_dimension(lambda p, n: cyclic(1, p), lambda p, n: cyclic(n, p)),
    "grid": two_dimensions(8, lambda root: (2 * root, root // 2)),
    "1:10": uneven(10),
    "P to 3P/4": one_dimension(lambda p, n: cyclic(64, p), lambda p, n: cyclic(64, 3 * p // 4)),
}

# Works, networks, numbers of processes and sizes that were chosen to be held out, and have
# been looked at in several versions of the library since.
OTHER_WORKS = {
    "7 to 11": one_dimension(lambda p, n: cyclic(7, p), lambda p, n: cyclic(11, p)),
    "wide": two_dimensions(6, lambda root: (root // 2, 2 * root)),
    "1:4": uneven(4),
    "P to P/2": one_dimension(lambda p, n: cyclic(32, p), lambda p, n: cyclic(48, p // 2)),
}
OTHERS = [
    ("crossbar", 36, "7 to 11", 21120),
    ("crossbar", 100, "wide", 50000),
    ("switch", 36, "1:4", 100000),
    ("switch", 100, "P to P/2", 12000),
    ("mesh", 36, "wide", 80000),
    ("mesh", 100, "7 to 11", 73920),
    ("torus", 64, "7 to 11", 36960),
    ("torus", 100, "1:4", 40000),
    ("torus", 144, "P to P/2", 24000),
    ("fat_tree", 36, "7 to 11", 9240),
    ("fat_tree", 144, "wide", 60000),
    ("tapered", 36, "1:4", 9600),
    ("tapered", 100, "P to P/2", 60000),
    ("nodes", 144, "7 to 11", 27720),
]


# ---- drawn by a seed -------------------------------------------------------------------


def draw_one(pick):
    """A work that `pick`, which takes one of a sequence, chooses: (name, function, numbers
    of processes that it can do with)."""
    kind = pick(["blocks", "fewer", "uneven", "grid"])
    r, s = pick(range(1, 129)), pick(range(1, 129))
    if kind == "blocks":
        return (f"cyclic({r}) to cyclic({s})",
                one_dimension(lambda p, n: cyclic(r, p), lambda p, n: cyclic(s, p)),
                range(12, 49, 4))
    if kind == "fewer":
        quarters = pick([1, 2, 3])
        return (f"cyclic({r}) to cyclic({s}) onto {quarters}P/4",
                one_dimension(lambda p, n: cyclic(r, p),
                              lambda p, n: cyclic(s, quarters * p // 4)),
                range(12, 49, 4))
    if kind == "uneven":
        times = pick(range(2, 17))
        return f"1:{times} to block", uneven(times), range(12, 49, 4)
    block, high = pick(range(1, 17)), pick([True, False])
    shape = "2x high" if high else "2x wide"
    return (f"blocks of {block} x {block} onto a grid {shape}",
            two_dimensions(block, lambda root: (2 * root, root // 2) if high else
                           (root // 2, 2 * root)),
            [16, 36])


def draw(seed, count, platforms):
    """So many cases (platform, processes, work, doubles a process), of the platforms in
    turn, and {work: function}. The logarithm of the size is uniform from 4 KiB to 1 MiB a
    process. Only random() is called, which gives the same numbers in every version of
    Python."""
    source = random.Random(seed)

    def pick(sequence):
        return sequence[int(source.random() * len(sequence))]

    cases, works = [], {}
    while len(cases) < count:
        name, make, numbers = draw_one(pick)
        works[name] = make
        cases.append((platforms[len(cases) % len(platforms)], pick(numbers), name,
                      int(512 * 256 ** source.random())))
    return cases, works
