# SPDX-License-Identifier: MIT
"""Plans between lists of indices, of which each process knows only its own."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from mpi4py import MPI

from ._c import check, handle, int64s, lib, refuse, structs
from .arrays import datatype_of, release
from .balances import own_item
from .dists import Dist
from .errors import ArgumentError
from .plans import Plan


class Indexed(Plan):
    """The plan of redist.indexed: called with the elements that the process has, a flat
    array, it returns those that it is to have.

    `source` and `target` are views of what this process alone has, before and after.
    """

    def __init__(self, comm: MPI.Comm, extent: int, source: Any, target: Any, dtype: Any,
                 **options: Any):
        try:
            self._begin(comm, options)
            dtype, (extent,) = np.dtype(dtype), int64s((extent,))
            sides = [_Indices(comm, side) for side in (source, target)]
            datatype = datatype_of(dtype)
        except Exception as fault:
            refuse(fault, lib.redist_plan_create_indexed, handle(comm),
                   handle(MPI.DATATYPE_NULL), 0, None, None, None, ctypes.c_void_p())
            raise
        try:
            check(lib.redist_plan_create_indexed(
                handle(comm), handle(datatype), extent, *(side.c for side in sides),
                self._options, self._handle))
        finally:
            release(datatype)
        self._items = [own_item(comm, *(side.count for side in sides), dtype)]


class _Indices:
    """What a process has of one side, in the form that the library takes."""

    def __init__(self, comm: MPI.Comm, given: Any):
        self.c = structs["redist_indices"]()
        if isinstance(given, Dist):
            self._keep: Any = given
            self.c.dist = given._handle
            self.count = given.local_shape(comm.Get_rank())[0]
            return
        self._keep = array = np.asarray(given)
        if array.size == 0:
            array = array.astype(np.int64)
        if array.ndim not in (1, 2) or array.dtype.kind not in "iu" or (
                array.ndim == 2 and array.shape[1] != 2):
            raise ArgumentError("indices must be a Dist, a list of integers, or one of "
                                f"pairs (first, count), not {given!r:.60}")
        if array.dtype == np.uint64 and array.size and int(array.max()) > 2**63 - 1:
            raise ArgumentError(f"indices hold {array.max()}, which no extent allows")
        self._keep = array = np.ascontiguousarray(array, np.int64)
        self.c.n = len(array)
        field = "list" if array.ndim == 1 else "ranges"
        setattr(self.c, field, ctypes.cast(array.ctypes.data, _field_type(field)))
        self.count = len(array) if array.ndim == 1 else int(array[:, 1].sum())


def _field_type(name: str) -> Any:
    return dict(structs["redist_indices"]._fields_)[name]


def indexed(comm: MPI.Comm, extent: int, source: Any, target: Any, dtype: Any,
            **options: Any) -> Indexed:
    """Make the plan that moves elements of `dtype` by their indices, 0 .. extent - 1:
    `source` are those that this process has, `target` those that it is to have, in the
    order in which they lie in its arrays.

    Either is a list of indices, a list of pairs (first, count), or a Dist of one
    dimension. Every index must be in the source lists once, of all processes together.
    Options as Plan has them. Collective over comm, an intracommunicator. Raises
    ArgumentError, MismatchError, AllocationError or MPIError, on every process.
    """
    return Indexed(comm, extent, source, target, dtype, **options)
