# SPDX-License-Identifier: MIT
"""What files and checkpoints have in common: processes open them together, make the same
calls of them, with arrays that views describe, and close them together."""
from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from mpi4py import MPI

from ._c import check, handle, refuse
from .arrays import Item, elements_of, is_number, release
from .devices import buffer_of, settle
from .dists import Dist
from .errors import ArgumentError, StateError
from .views import View


class Resource:
    """What all processes of `comm` have open together."""

    _name = ""  # of such a thing, in sentences

    def __init__(self, comm: MPI.Comm):
        if comm == MPI.COMM_NULL:
            raise ArgumentError("comm is MPI_COMM_NULL")
        self.comm = comm
        self._handle = ctypes.c_void_p()
        self._failed = False  # the last collective call, on all processes

    def _living(self) -> ctypes.c_void_p:
        """The library's handle, which must not have been closed."""
        if not self._handle:
            raise StateError(f"the {self._name} was closed")
        return self._handle

    def _call(self, function: Any, prepare: Callable[[ExitStack], Sequence[Any]],
              idle: Sequence[Any]) -> None:
        """Call a collective function with what `prepare` returns. A process where that
        fails takes part with `idle`, and all learn of it."""
        pointer = self._living()
        with ExitStack() as made:
            try:
                arguments = prepare(made)
            except Exception as fault:
                self._failed = True
                refuse(fault, function, pointer, *idle)
                raise
            err = function(pointer, *arguments)
            self._failed = err != 0
            check(err)

    def __enter__(self) -> Any:
        return self

    def __del__(self) -> None:
        # That it is collective forbids to close it here, whenever that may be.
        if getattr(self, "_handle", None) and not MPI.Is_finalized():
            warnings.warn(f"a redist.{type(self).__name__} was not closed",
                          ResourceWarning, source=self)


class Part:
    """This process's part of a section of `shape`, in `array` or in a new one."""

    def __init__(self, comm: MPI.Comm, view: str | Dist | View | None,
                 shape: Sequence[int], dtype: Any, order: str = "C"):
        self.view = _view(view, tuple(shape), order, comm.Get_size())
        self.dtype = np.dtype(dtype)
        self._item = Item(comm, "source", self.view, self.view, self.dtype)

    def new(self) -> np.ndarray | None:
        """An array for it; None if this process is not of the grid."""
        return self._item.new_target(None, None)

    def arguments(self, made: ExitStack, name: str, array: Any,
                  other: np.dtype | None) -> tuple[Any, ...]:
        """View, datatype and buffer as the library takes them, for elements that are of
        dtype `other` in the file; `name` is that of the array in sentences. They live as
        long as `made`."""
        settle(array)
        take = self._item.source_address if name == "source" else \
            self._item.target_address
        address = take(array, name)
        as_numbers = is_number(self.dtype) and (other is None or is_number(other))
        if not (as_numbers or other is None or other == self.dtype or _is_raw(other)
                or _is_raw(self.dtype)):
            raise ArgumentError(f"{name} has dtype {self.dtype}, the file {other}: only "
                                "numbers are converted")
        datatype = elements_of(self.dtype, as_numbers)
        made.callback(self._end, datatype, array)
        return self.view._c, handle(datatype), address

    def _end(self, datatype: MPI.Datatype, _: Any) -> None:
        release(datatype)


NOTHING = (None, handle(MPI.BYTE), None)  # instead of these arguments


def text_of(name: str, value: Any) -> bytes:
    """A text as the library takes it, which ends at the first 0."""
    text = value.encode() if isinstance(value, str) else value
    if not isinstance(text, bytes) or 0 in text:
        raise ArgumentError(f"{name} is {value!r}, must be a text without \"\\0\"")
    return text


def dtype_of(dtype: Any, array: Any, default: np.dtype | None) -> np.dtype:
    """The dtype of an array that is given or not."""
    if dtype is not None:
        return np.dtype(dtype)
    if (buffer := buffer_of(array)) is not None:
        return buffer.dtype
    if default is None:
        raise ArgumentError(f"array is {array!r}, must be a numpy.ndarray, or dtype be "
                            "given")
    return default


def order_of(array: Any, default: str) -> str:
    """The order of an array that is dense in one."""
    if isinstance(array, np.ndarray):
        for order in "CF":
            if array.flags[f"{order}_CONTIGUOUS"]:
                return order
    return default


def _is_raw(dtype: np.dtype) -> bool:
    """Whether it is bytes without a meaning."""
    return dtype.kind == "V" and dtype.names is None


def _view(view: str | Dist | View | None, shape: tuple[int, ...], order: str,
          nprocs: int) -> View:
    """The view of a section of `shape`; None: all of it on every process."""
    extents = f"[{','.join(map(str, shape))}]"
    if view is None:
        stars = ",".join("*" * len(shape))
        return View(Dist(f"{extents} ({stars}) onto {nprocs}"), order=order)
    if isinstance(view, str) and view.startswith("("):
        view = f"{extents} {view}"
    view, section = shaped(view)
    if section != shape:
        raise ArgumentError(f"view has a section of {section}, must have one of {shape}")
    return view


def shaped(view: str | Dist | View) -> tuple[View, tuple[int, ...]]:
    """The view, and the shape of its section in the order of its axes."""
    view = view if isinstance(view, View) else View(view)
    return view, tuple(view.extent[axis] for axis in view.axes)
