# SPDX-License-Identifier: MIT
"""What of a distribution takes part, and how it lies in memory. All of it is local."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._c import check, ints, lib, structs, text_of, whole
from .dists import Dist, Grid, order_code
from .errors import ArgumentError

_LISTS = ("start", "extent", "stride", "axes", "halo_low", "halo_high", "lead")


class View:
    """A section of a distributed array, its order of axes, and its layout in memory.

    View("[12,9] (block,*) onto 3 section [0:9:3,:] order column-major"), or
    View(dist, start=(0, 0), ..), where each of start, extent, stride, axes, halo_low,
    halo_high and lead has one number a dimension, and order is "C", "F" or a permutation
    of the dimensions, slowest first. What is not given is as in the text: the whole
    array, axes in order, dense in C order. `lead`, the elements from one to the next
    along each dimension, may differ from process to process.
    repr() is the text. A view does not change. Raises ArgumentError.
    """

    def __init__(self, what: str | Dist | View, *,
                 order: str | Sequence[int] | None = None, **lists: Sequence[int]):
        self._c = structs["redist_view"]()
        if isinstance(what, str):
            pointer = ctypes.c_void_p()
            check(lib.redist_view_parse(what.encode(), pointer, self._c))
            self.dist = Dist._take(pointer)
        elif isinstance(what, View):
            self.dist = what.dist
            ctypes.pointer(self._c)[0] = what._c
        elif isinstance(what, Dist):
            self.dist = what
            check(lib.redist_view_init(what._handle, self._c))
        else:
            raise ArgumentError(
                f"a view is made of a text, a Dist or a View, not of {what!r}")
        if isinstance(order, str):
            check(lib.redist_view_set_order(self._c, order_code(order)))
        elif order is not None:
            self._set("order", order)
        for name, values in lists.items():
            if name not in _LISTS:
                raise TypeError(f"{name} is not one of {', '.join(_LISTS)} and order")
            self._set(name, values)
        text_of(lib.redist_view_print, self._c)  # which checks it

    def _set(self, name: str, values: Sequence[int]) -> None:
        if len(values) != self.ndim:
            raise ArgumentError(f"{name} has {len(values)} elements, must have "
                                f"{self.ndim}")
        field = getattr(self._c, name)
        field[:self.ndim] = [whole(name, v, field._type_) for v in values]

    def __getattr__(self, name: str) -> tuple[int, ...]:
        if name in _LISTS or name == "order":
            return tuple(getattr(self._c, name)[:self.ndim])
        raise AttributeError(f"a View has no {name}")

    @classmethod
    def from_descriptor(cls, desc: Sequence[int], grid: Grid) -> View:
        """The view of a ScaLAPACK matrix: `desc`[9] over a grid of two axes."""
        if len(desc) != 9:
            raise ArgumentError(f"desc has {len(desc)} elements, must have 9")
        return cls._made_by(lib.redist_view_from_descriptor, ints(desc), grid._handle)

    @classmethod
    def from_darray(cls, gsizes: Sequence[int], distribs: Sequence[int],
                    dargs: Sequence[int], psizes: Sequence[int], order: int) -> View:
        """The view that the arguments of MPI's Create_darray describe."""
        lists = (gsizes, distribs, dargs, psizes)
        if len({len(x) for x in lists}) != 1:
            raise ArgumentError("gsizes, distribs, dargs and psizes have "
                                f"{[len(x) for x in lists]} elements, must have as many")
        return cls._made_by(lib.redist_view_from_darray, len(gsizes), *map(ints, lists),
                            order)

    @classmethod
    def _made_by(cls, make: Any, *arguments: Any) -> View:
        self = cls.__new__(cls)
        self._c = structs["redist_view"]()
        pointer = ctypes.c_void_p()
        check(make(*arguments, pointer, self._c))
        self.dist = Dist._take(pointer)
        return self

    def onto(self, dist: Dist) -> View:
        """The same section of another dist, of the same extents: of what relabel
        proposes, say. Raises ArgumentError."""
        if dist.shape != self.dist.shape:
            raise ArgumentError(f"dist is of shape {dist.shape}, must be of "
                                f"{self.dist.shape}")
        view = View(self)
        view.dist, view._c.dist = dist, dist._handle
        return view

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.dist.ndim

    def span(self, rank: int) -> int:
        """The elements that the buffer of `rank` spans, halo included."""
        elements = ctypes.c_int64()
        check(lib.redist_view_span(self._c, rank, elements))
        return elements.value

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """The shape of the local array of `rank`, halo included."""
        held = self.dist.local_shape(rank)
        if 0 in held:
            return held
        return tuple(map(sum, zip(held, self.halo_low, self.halo_high)))

    def local_steps(self, rank: int) -> tuple[int, ...]:
        """The elements from one to the next along each dimension of the local array."""
        if any(self.lead):
            return self.lead
        steps, step, shape = [0] * self.ndim, 1, self.local_shape(rank)
        for dim in reversed(self.order):
            steps[dim] = step
            step *= shape[dim]
        return tuple(steps)

    def local(self, rank: int, memory: np.ndarray) -> np.ndarray:
        """The local array of `rank` in `memory`, a flat contiguous array of span(rank)
        elements or more: the same memory by its indices. Raises ArgumentError."""
        span = self.span(rank)
        if memory.ndim != 1 or not memory.flags.c_contiguous or memory.size < span:
            raise ArgumentError(f"memory has shape {memory.shape}, must be flat and "
                                f"contiguous with {span} elements or more")
        shape = self.local_shape(rank)
        if span == 0:
            return memory[:0].reshape(shape)
        strides = [step * memory.itemsize for step in self.local_steps(rank)]
        return np.lib.stride_tricks.as_strided(memory, shape, strides)

    def zeros(self, rank: int, dtype: Any) -> np.ndarray:
        """A new local array of `rank`, all 0, that lies in memory as the view says."""
        return self.local(rank, np.zeros(self.span(rank), dtype))

    def __repr__(self) -> str:
        return text_of(lib.redist_view_print, self._c)
