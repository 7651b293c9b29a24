# SPDX-License-Identifier: MIT
"""Distributions that the library proposes: shares of a balance, ranks where they keep
most. All of it is local."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._c import check, constants, int64s, ints, lib
from .dists import Dist
from .errors import ArgumentError
from .views import View


def method_code(method: str) -> int:
    """The redist_balance_method of "A", "B" or "A-ceiling"."""
    if method not in ("A", "B", "A-ceiling"):
        raise ArgumentError(f"method is {method!r}, must be 'A', 'B' or 'A-ceiling'")
    return constants[f"REDIST_BALANCE_{method.upper().replace('-', '_')}"]


def balance_shares(counts: Sequence[int], method: str = "A",
                   weights: Sequence[int] | None = None) -> np.ndarray:
    """How many elements each process should have, where they now have `counts`.

    Of n elements, n w / W rounded up or down for a process of weight w where all weights
    sum to W; equal weights unless given. "A-ceiling" rounds up all, in the order of
    ranks, as long as there are elements; "A" spreads those that are rounded up evenly,
    "B" rounds up where there is a surplus. An int64 array. Raises ArgumentError.
    """
    code, shares = method_code(method), np.zeros(len(counts), np.int64)
    check(lib.redist_balance_shares(
        code, len(counts), int64s(counts),
        None if weights is None else int64s(_as_many("weights", weights, counts)),
        shares.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))))
    return shares


def balance_dists(counts: Sequence[int], shares: Sequence[int],
                  method: str = "A") -> tuple[Dist, Dist]:
    """The two dists of one dimension between which elements move that lie `counts`[k] on
    process k and shall lie `shares`[k] on it.

    "A" numbers the elements as they lie; "B" those that stay first, then those that move.
    Raises ArgumentError or AllocationError.
    """
    code, source, target = method_code(method), ctypes.c_void_p(), ctypes.c_void_p()
    shares = _as_many("shares", shares, counts)
    check(lib.redist_balance_dists(code, len(counts), int64s(counts), int64s(shares),
                                   source, target))
    return Dist._take(source), Dist._take(target)


def relabel(source: str | Dist | View, target: str | Dist | View, *,
            nodes: Sequence[int] | None = None, within: int = 0,
            return_kept: bool = False) -> Dist | tuple[Dist, tuple[int, int]]:
    """A dist like the target's with its ranks at other places of its grid, so that the
    fewest elements move from `source` to it; View.onto puts a section on it.

    nodes[r] is the node of rank r, for all ranks of both grids: an element that moves
    within a node then counts as `within` (0 to 100) percent. With return_kept=True also
    the elements that stay on their process, as given and as proposed, which takes longer
    to find. Raises ArgumentError or AllocationError.
    """
    views = [v if isinstance(v, View) else View(v) for v in (source, target)]
    if nodes is not None:
        _check_nodes(nodes, views)
    pointer, kept = ctypes.c_void_p(), int64s((0, 0))
    check(lib.redist_relabel(views[0]._c, views[1]._c,
                             None if nodes is None else ints(nodes), within, pointer,
                             kept if return_kept else None))
    dist = Dist._take(pointer)
    return (dist, tuple(kept)) if return_kept else dist


def _check_nodes(nodes: Sequence[int], views: Sequence[View]) -> None:
    """There must be one for each rank of the views' grids."""
    for grid in (view.dist.grid for view in views):
        if sum(grid.coords(r) is not None for r in range(len(nodes))) != grid.size:
            raise ArgumentError(f"nodes has {len(nodes)} elements, must have one for "
                                "each rank of both grids")


def _as_many(name: str, numbers: Sequence[Any], counts: Sequence[int]) -> Sequence[Any]:
    if len(numbers) != len(counts):
        raise ArgumentError(f"{name} has {len(numbers)} elements, must have "
                            f"{len(counts)}")
    return numbers
