# SPDX-License-Identifier: MIT
"""Arrays in memory that the processes of a node share: the exchange "shared" copies them
without a stop between."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from mpi4py import MPI

from ._c import check, handle, lib, refuse, whole
from .arrays import datatype_of, release
from .devices import Memory, memory_of
from .dists import Dist
from .errors import ArgumentError
from .views import View


def alloc(comm: MPI.Comm, nbytes: int) -> np.ndarray:
    """Allocate `nbytes` bytes, which may differ from process to process: a uint8 array.

    Free it with redist.free before MPI's end; no array over it may be used then.
    Collective over comm. Raises ArgumentError, AllocationError or MPIError.
    """
    pointer = ctypes.c_void_p()
    try:
        nbytes = whole("nbytes", nbytes, ctypes.c_size_t)
    except Exception as fault:
        refuse(fault, lib.redist_alloc, handle(comm), 2**64 - 1, pointer)
        raise
    check(lib.redist_alloc(handle(comm), nbytes, pointer))
    return np.asarray(Memory(pointer.value, nbytes))


def alloc_view(comm: MPI.Comm, view: str | Dist | View, dtype: Any) -> np.ndarray:
    """Allocate the local array of a view, whose ranks are those of comm.

    Free it with redist.free before MPI's end; no array over it may be used then.
    Collective over comm. Raises ArgumentError, AllocationError or MPIError.
    """
    pointer = ctypes.c_void_p()
    try:
        view = view if isinstance(view, View) else View(view)
        dtype = np.dtype(dtype)
        datatype = datatype_of(dtype)
    except Exception as fault:
        refuse(fault, lib.redist_alloc_view, handle(comm), handle(MPI.BYTE), None,
               pointer)
        raise
    try:
        check(lib.redist_alloc_view(handle(comm), handle(datatype), view._c, pointer))
    finally:
        release(datatype)
    rank = comm.Get_rank()
    memory = np.asarray(Memory(pointer.value, view.span(rank) * dtype.itemsize))
    return view.local(rank, memory.view(dtype))


def free(array: np.ndarray) -> None:
    """Free an array of alloc or alloc_view, or any array over one.

    No process may use it any more. Collective. Raises ArgumentError if the array is none
    of these, or freed already.
    """
    if (memory := memory_of(array)) is None:
        raise ArgumentError("array is not in memory of redist.alloc or redist.alloc_view")
    if memory.freed:
        raise ArgumentError("array is in memory that was freed already")
    check(lib.redist_free(memory.address))
    memory.freed = True
