# SPDX-License-Identifier: MIT
"""What no strategy can be faster than on a platform: the bytes over a port or a cut of the
network, over the bandwidth there; and what none can that sends each message straight to its
target: the bytes over the busiest link by the platform's own routes."""
import math
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = {"MBps": 1e6, "GBps": 1e9}
ON_A_NODE = 4  # processes, see platforms/nodes.xml


def platforms():
    """The names of those that there are."""
    files = os.listdir(os.path.join(HERE, "platforms"))
    return sorted(name for name, end in map(os.path.splitext, files) if end == ".xml")


class Platform:
    """The figures of simulation/platforms/NAME.xml for so many processes."""

    def __init__(self, name, processes):
        self.name = name
        with open(os.path.join(HERE, "platforms", f"{name}.xml"), encoding="utf-8") as file:
            text = file.read()
        number, unit = re.search(r'\bbw="([\d.]+)(\w+)"', text).groups()
        self.bandwidth = float(number) * UNITS[unit]
        self.latency = float(re.search(r'\blat="([\d.]+)us"', text)[1]) * 1e-6
        self.startup = float(re.search(r'smpi/os" value="0:([^:]+):', text)[1])
        hosts = processes // (ON_A_NODE if name == "nodes" else 1)
        self.rows = max(k for k in range(1, math.isqrt(hosts) + 1) if hosts % k == 0)
        self.columns = hosts // self.rows

    def rates(self, fairness):
        """The numbers of REDIST_RATES: a process spends a startup on each end of a message,
        and packing takes no time here; the latency is that of a way half way round; and the
        fairness, 0 if links serve one message at a time, 1 if they are shared."""
        links = {"crossbar": 2, "switch": 2, "mesh": self.rows / 2,
                 "torus": (self.rows + self.columns) / 4}.get(self.name, 4)
        return f"{2 * self.startup:.9g},{1 / self.bandwidth:.9g},0,{links * self.latency:.9g},{fairness}"

    def cuts(self):
        """Of the network: pairs (place, sides), where place says of a rank which part of the
        machine it is in, and sides are pairs (parts, links): a set of parts, how many links
        lead out of it, and as many in."""
        rows, columns = self.rows, self.columns
        if self.name == "mesh":
            yield (lambda p: p % columns), [(range(k), rows) for k in range(1, columns)]
            yield (lambda p: p // columns), [(range(k), columns) for k in range(1, rows)]
        elif self.name == "torus":
            yield (lambda p: p % columns), [(arc, 2 * rows) for arc in arcs(columns)]
            yield (lambda p: p // columns), [(arc, 2 * columns) for arc in arcs(rows)]
        elif self.name in ("fat_tree", "tapered"):
            up = columns if self.name == "fat_tree" else (columns + 3) // 4
            yield (lambda p: p // columns), [({k}, up) for k in range(rows)]
        elif self.name == "dragonfly":
            groups = max((self.rows + 1) // 2, 2)
            group = 4 * ((self.columns + 1) // 2)
            yield (lambda p: p // group), [({k}, groups - 1) for k in range(groups)]
        elif self.name == "nodes":
            yield (lambda p: p // ON_A_NODE), [({k}, 1) for k in range(rows * columns)]


    def route(self, source, target):
        """The links that a message takes, or None where that is not known here. Trees
        take the link that the target's host says, modulo their number (SimGrid's d-mod-k)."""
        if self.name in ("mesh", "torus"):
            return self.route_on_mesh(source, target)
        each = ON_A_NODE if self.name == "nodes" else 1
        a, b = source // each, target // each
        below = {"crossbar": self.rows * self.columns, "switch": self.rows * self.columns,
                 "fat_tree": self.columns, "tapered": self.columns,
                 "nodes": self.columns}.get(self.name)
        if below is None:
            return None
        if a == b:
            return []
        if a // below == b // below:
            return [("up", a), ("down", b)]
        one = b % ((below + 3) // 4 if self.name == "tapered" else below)
        return [("up", a), ("out", a // below, one), ("in", b // below, one), ("down", b)]

    def route_on_mesh(self, source, target):
        """Along a row first, on a torus the shorter way round; of two that are as long
        forward, but backward from the middle (SimGrid's TorusZone)."""
        at, to = list(divmod(source, self.columns)), divmod(target, self.columns)
        links = []
        for axis, length in ((1, self.columns), (0, self.rows)):
            ahead = (to[axis] - at[axis]) % length
            forward = to[axis] > at[axis]
            if self.name == "torus":
                forward = 2 * ahead < length or (2 * ahead == length and 2 * at[axis] != length)
            while at[axis] != to[axis]:
                links.append((axis, forward, *at))
                at[axis] = (at[axis] + (1 if forward else -1)) % length
        return links


def arcs(length):
    """The sets of neighbours on a ring, but all of them."""
    return [{(at + j) % length for j in range(k)} for at in range(length)
            for k in range(1, length)]


def bound(platform, volume):
    """Seconds that moving volume = {(from, to): bytes} takes at least: the larger of the
    bounds of the ports and of the cuts."""
    if platform.name == "hub":
        return sum(volume.values()) / platform.bandwidth
    most = max(port_bytes(volume)) if platform.name != "nodes" else 0
    for place, sides in platform.cuts():
        between = {}
        for (p, q), size in volume.items():
            parts = place(p), place(q)
            between[parts] = between.get(parts, 0) + size
        for inside, links in sides:
            out = sum(n for (a, b), n in between.items() if a in inside and b not in inside)
            into = sum(n for (a, b), n in between.items() if b in inside and a not in inside)
            most = max(most, out / links, into / links)
    return most / platform.bandwidth


def bound_by_routes(platform, volume):
    """Seconds that the busiest link takes if each message goes straight to its target, or 0:
    the routes are not known."""
    load = {}
    for (p, q), size in volume.items():
        for link in platform.route(p, q) or []:
            load[link] = load.get(link, 0) + size
    return max(load.values(), default=0) / platform.bandwidth


def port_bytes(volume):
    """The most that a process sends and that one receives."""
    sent, received = {}, {}
    for (p, q), size in volume.items():
        sent[p] = sent.get(p, 0) + size
        received[q] = received.get(q, 0) + size
    return max(sent.values(), default=0), max(received.values(), default=0)


# ---- who sends how much to whom --------------------------------------------------------


def owners(dimension, start):
    """The owner of an element of a dimension (sizes of blocks in turn, processes), and where
    its block ends."""
    blocks, processes = dimension
    turn = sum(blocks)
    lap, at = divmod(start, turn)
    for k, size in enumerate(blocks):
        if at < size:
            return (lap * len(blocks) + k) % processes, start + size - at
        at -= size
    raise ValueError(start)


def turn_of(dimension):
    """After how many elements the owners repeat, and how many of these each has."""
    blocks, processes = dimension
    turns = processes // math.gcd(len(blocks), processes)
    share = [0] * processes
    for k in range(turns * len(blocks)):
        share[k % processes] += blocks[k % len(blocks)]
    return turns * sum(blocks), share


def shared(source, target, extent):
    """{(p, q): elements} of one dimension that p has of the source and q of the target."""
    found = {}
    source_turn, source_share = turn_of(source)
    target_turn, target_share = turn_of(target)
    period = math.lcm(source_turn, target_turn)
    whole = period if extent % period == 0 else extent

    def add(p, q, elements):
        found[p, q] = found.get((p, q), 0) + elements * (extent // whole)

    at = 0
    while at < whole:
        p, p_end = owners(source, at)
        q, q_end = owners(target, at)
        p_turns = (min(p_end, whole) - at) // target_turn  # within one block of the source
        q_turns = (min(q_end, whole) - at) // source_turn
        if p_turns > 0:
            for other, share in enumerate(target_share):
                add(p, other, p_turns * share)
            at += p_turns * target_turn
        elif q_turns > 0:
            for other, share in enumerate(source_share):
                add(other, q, q_turns * share)
            at += q_turns * source_turn
        else:
            end = min(p_end, q_end, whole)
            add(p, q, end - at)
            at = end
    return {pair: elements for pair, elements in found.items() if elements > 0}


def volume(sources, targets, extents, element):
    """{(p, q): bytes} between different ranks of row-major grids; of each dimension the
    format on either side, see owners."""
    total = {(0, 0): element}
    for source, target, extent in zip(sources, targets, extents):
        part = shared(source, target, extent)
        total = {(p * source[1] + a, q * target[1] + b): size * n
                 for (p, q), size in total.items() for (a, b), n in part.items()}
    return {(p, q): size for (p, q), size in total.items() if p != q}
