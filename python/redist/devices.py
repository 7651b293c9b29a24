# SPDX-License-Identifier: MIT
"""Arrays that lie in the memory of a device: CuPy's, PyTorch's, and all others that have
__cuda_array_interface__. And what is asked of an array, wherever it lies."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from .errors import ArgumentError
from .views import View


class Memory:
    """What redist_alloc has made, for NumPy to read and write."""

    def __init__(self, address: int | None, nbytes: int):
        self.address = address
        self.freed = False
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (nbytes,),
                                    "data": (address or 0, False)}


def memory_of(array: Any) -> Memory | None:
    """The memory of redist_alloc that an array lies in."""
    while array is not None and not isinstance(array, Memory):
        array = getattr(array, "base", None)
    return array


class Buffer(NamedTuple):
    """An array as the library sees it; strides in bytes."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype
    writeable: bool

    def is_flat(self, span: int) -> bool:
        """Whether it is flat and contiguous, of at least `span` elements; one element
        without dimensions counts as flat."""
        if not self.shape:
            return span <= 1
        return len(self.shape) == 1 and self.shape[0] >= span and (
            self.shape[0] <= 1 or self.strides[0] == self.dtype.itemsize)


def buffer_of(array: Any) -> Buffer | None:
    """What the library needs to know of an array; None if it is none."""
    if isinstance(array, np.ndarray):
        return Buffer(array.ctypes.data, array.shape, array.strides, array.dtype,
                      array.flags.writeable)
    if (told := getattr(array, "__cuda_array_interface__", None)) is None:
        return None
    dtype, shape = np.dtype(told["typestr"]), tuple(told["shape"])
    address, read_only = told["data"]
    strides = told.get("strides") or _dense(shape, dtype.itemsize)
    return Buffer(address, shape, tuple(strides), dtype, not read_only)


def _dense(shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    strides = []
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def _package(array: Any) -> Any:
    """The package that an array on a device is of."""
    return sys.modules.get(type(array).__module__.partition(".")[0])


def settle(array: Any) -> None:
    """Wait for what the package of an array on a device has queued in its current stream,
    where it has one that we know how to ask for."""
    if isinstance(array, np.ndarray) or buffer_of(array) is None:
        return
    package = _package(array)
    if package.__name__ == "cupy":
        package.cuda.get_current_stream().synchronize()
    elif package.__name__ == "torch":
        package.cuda.current_stream(array.device).synchronize()


def new_local(view: View, rank: int, dtype: np.dtype, like: Any) -> Any:
    """A new local array of a view, all 0, of the same package and on the same device as
    `like`; of NumPy if that is none."""
    if isinstance(like, np.ndarray) or buffer_of(like) is None:
        return view.zeros(rank, dtype)
    package, shape = _package(like), view.local_shape(rank)
    steps = view.local_steps(rank)
    if package.__name__ == "cupy":
        with like.device:
            flat = package.zeros(view.span(rank), dtype)
        strides = [step * dtype.itemsize for step in steps]
        return package.lib.stride_tricks.as_strided(flat, shape, strides)
    if package.__name__ == "torch":
        flat = package.zeros(view.span(rank), dtype=like.dtype, device=like.device)
        return flat.as_strided(shape, steps)
    raise ArgumentError(f"target is None, must be an array: how {package.__name__} makes "
                        "one is not known here")
