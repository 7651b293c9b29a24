# SPDX-License-Identifier: MIT
"""Plans that balance what processes have, of which each knows only its own part."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from ._c import check, handle, int64s, lib, refuse
from .arrays import Item, datatype_of, release
from .dists import Dist, Grid, block
from .plans import Batch, Plan
from .propose import method_code
from .views import View


class Balance(Plan):
    """The plan of redist.balance: called with the elements that the process has, a flat
    array, it returns those that it then has, `share` of them.

    `source` and `target` are views of what this process alone has, before and after.
    """

    def __init__(self, comm: MPI.Comm, count: int, dtype: Any, method: str = "A",
                 weight: int = 1, **options: Any):
        share = ctypes.c_int64()
        try:
            self._begin(comm, options)
            dtype, code = np.dtype(dtype), method_code(method)
            count, weight = int64s((count, weight))
            datatype = datatype_of(dtype)
        except Exception as fault:
            refuse(fault, lib.redist_balance_create, handle(comm), -1, handle(MPI.BYTE),
                   0, 1, None, ctypes.c_void_p(), share)
            raise
        try:
            check(lib.redist_balance_create(handle(comm), count, handle(datatype), code,
                                            weight, self._options, self._handle, share))
        finally:
            release(datatype)
        self.share: int = share.value
        self._items = [own_item(comm, count, self.share, dtype)]


class SizedBalance(Batch):
    """The plan of redist.balance_sized: called with [sizes, units], flat arrays of int64
    and of the plan's dtype, it returns those that the process then has, `count_share` and
    `unit_share` of them."""

    def __init__(self, comm: MPI.Comm, sizes: Sequence[int], dtype: Any,
                 method: str = "A", weight: int = 1, **options: Any):
        count_share, unit_share = ctypes.c_int64(), ctypes.c_int64()
        try:
            self._begin(comm, options)
            dtype, code = np.dtype(dtype), method_code(method)
            own, (weight,) = int64s(sizes), int64s((weight,))
            datatype = datatype_of(dtype)
        except Exception as fault:
            refuse(fault, lib.redist_balance_create_sized, handle(comm), -1, None,
                   handle(MPI.BYTE), 0, 1, None, ctypes.c_void_p(), count_share,
                   unit_share)
            raise
        try:
            check(lib.redist_balance_create_sized(
                handle(comm), len(own), own, handle(datatype), code, weight,
                self._options, self._handle, count_share, unit_share))
        finally:
            release(datatype)
        self.count_share: int = count_share.value
        self.unit_share: int = unit_share.value
        self._items = [own_item(comm, len(own), self.count_share, np.int64),
                       own_item(comm, sum(own), self.unit_share, dtype)]


def balance(comm: MPI.Comm, count: int, dtype: Any, method: str = "A", weight: int = 1,
            **options: Any) -> Balance:
    """Make the plan that evens out what processes have: this one `count` elements of
    `dtype`, of which it then has `share`, as balance_shares says.

    "A" keeps the elements in order, process by process; with "B" a process keeps its
    first and appends what comes, and the least moves. `weight` is this process's own.
    Options as Plan has them. Collective over comm, an intracommunicator. Raises
    ArgumentError, MismatchError, AllocationError or MPIError, on every process.
    """
    return Balance(comm, count, dtype, method, weight, **options)


def balance_sized(comm: MPI.Comm, sizes: Sequence[int], dtype: Any, method: str = "A",
                  weight: int = 1, **options: Any) -> SizedBalance:
    """The same of elements of different sizes: `sizes` are those of this process, in
    units of `dtype`. The units are balanced; no element is cut.

    The process then has `count_share` elements of `unit_share` units in all. Collective,
    and raises, as balance.
    """
    return SizedBalance(comm, sizes, dtype, method, weight, **options)


def own_item(comm: MPI.Comm, count: int, share: int, dtype: Any) -> Item:
    """What the calling process has of an array, as one that lies on it alone."""
    alone = Grid((1,), ranks=(comm.Get_rank(),))
    views = [View(Dist((n,), (block(),), alone)) for n in (count, share)]
    return Item(comm, "source", *views, dtype)
