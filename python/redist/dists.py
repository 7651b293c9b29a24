# SPDX-License-Identifier: MIT
"""Who owns what: process grids, formats and distributions. All of it is local."""
from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._c import check, constants, int64s, ints, lib, structs, text_of, whole
from .errors import ArgumentError


def owned(self: Any, pointer: ctypes.c_void_p, destroy: Any) -> ctypes.c_void_p:
    """Have what `pointer` points to destroyed when `self` is no more."""
    weakref.finalize(self, destroy, pointer).atexit = False  # others may still use it
    return pointer


class Grid:
    """A process grid of `shape` coordinates along each axis.

    Linear position k, counted over the coordinates row by row ("C") or column by column
    ("F"), is rank `ranks`[k], or k. Raises ArgumentError.
    """

    def __init__(self, shape: Sequence[int], order: str = "C",
                 ranks: Sequence[int] | None = None):
        if ranks is not None and len(ranks) != _product(shape):
            raise ArgumentError(f"ranks has {len(ranks)} elements, must have "
                                f"{_product(shape)}")
        pointer = ctypes.c_void_p()
        check(lib.redist_grid_create(len(shape), ints(shape), order_code(order),
                                     None if ranks is None else ints(ranks), pointer))
        self._handle = owned(self, pointer, lib.redist_grid_destroy)

    @classmethod
    def _of(cls, dist: Dist) -> Grid:
        self = cls.__new__(cls)
        self._handle = ctypes.c_void_p(lib.redist_dist_grid(dist._handle))
        self._dist = dist  # it owns the grid
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The coordinates along each axis."""
        naxes = lib.redist_grid_naxes(self._handle)
        return tuple(lib.redist_grid_shape(self._handle, i) for i in range(naxes))

    @property
    def size(self) -> int:
        """The number of processes."""
        return lib.redist_grid_size(self._handle)

    def rank(self, coords: Sequence[int]) -> int:
        """The rank at `coords`. Raises IndexError if they lie outside."""
        rank = -1
        if len(coords) == len(self.shape):
            rank = lib.redist_grid_rank(self._handle, ints(coords))
        if rank < 0:
            raise IndexError(f"coords is {tuple(coords)}, must lie in {self!r}")
        return rank

    def coords(self, rank: int) -> tuple[int, ...] | None:
        """The coordinates of `rank`, None if it is not in the grid."""
        coords = ints(self.shape)
        found = lib.redist_grid_coords(self._handle, rank, coords)
        return tuple(coords) if found else None

    def __repr__(self) -> str:
        return f"redist.Grid({self.shape})"


@dataclass(frozen=True)
class Format:
    """How one dimension is spread over one axis of the grid, in HPF-2's words.

    Made by collapsed, block, cyclic, gen_block and indirect. `first`: the coordinate that
    owns element 0. `axis`: the grid's axis, by default the next that no other dimension
    names.
    """

    kind: str
    block: int = constants["REDIST_EVEN_BLOCK"]
    first: int = 0
    axis: int = constants["REDIST_NEXT_AXIS"]
    sizes: tuple[int, ...] = ()
    owners: tuple[int, ...] = ()

    def _c(self) -> Any:
        """The C struct."""
        return structs["redist_format"](
            constants[f"REDIST_{self.kind.upper()}"], whole("block", self.block),
            whole("first", self.first, ctypes.c_int),
            whole("axis", self.axis, ctypes.c_int),
            int64s(self.sizes) if self.kind == "gen_block" else None,
            ints(self.owners) if self.kind == "indirect" else None)


def collapsed() -> Format:
    """`*`: not distributed."""
    return Format("collapsed")


def block(m: int | None = None, **where: int) -> Format:
    """BLOCK, or BLOCK(m): one block a coordinate. `where` may be first and axis."""
    return Format("block", constants["REDIST_EVEN_BLOCK"] if m is None else m, **where)


def cyclic(m: int = 1, **where: int) -> Format:
    """CYCLIC(m): blocks of m dealt round. `where` may be first and axis."""
    return Format("cyclic", m, **where)


def gen_block(sizes: Sequence[int], **where: int) -> Format:
    """GEN_BLOCK(sizes): one block a coordinate, each of its own size."""
    return Format("gen_block", 0, sizes=tuple(sizes), **where)


def indirect(owners: Sequence[int], **where: int) -> Format:
    """INDIRECT(owners): the coordinate that owns each element."""
    return Format("indirect", 0, owners=tuple(owners), **where)


def _check_lists(extents: Sequence[int], formats: Sequence[Format],
                 shape: Sequence[int]) -> None:
    """Raise ArgumentError if a list is not as long as C, which is not told, takes it to
    be. An axis that the grid has not is an error of C's."""
    distributed = [f.axis for f in formats if f.kind != "collapsed"]
    free = (axis for axis in range(len(shape)) if axis not in distributed)
    for dim, (f, extent) in enumerate(zip(formats, extents)):
        if f.kind == "indirect" and len(f.owners) != extent:
            raise ArgumentError(f"dim {dim}: {len(f.owners)} indirect owners for "
                                f"{extent} elements")
        if f.kind == "collapsed":
            continue
        axis = next(free, -1) if f.axis == constants["REDIST_NEXT_AXIS"] else f.axis
        if f.kind == "gen_block" and axis in range(len(shape)) and \
                len(f.sizes) != shape[axis]:
            raise ArgumentError(f"dim {dim}: {len(f.sizes)} gen_block sizes for "
                                f"{shape[axis]} coordinates")


class Dist:
    """A distribution of an array over a process grid.

    Dist("[4096,4096] (cyclic(64),*) onto 4"), or Dist(extents, formats, grid) with one
    Format a dimension. repr() is the text. Raises ArgumentError.
    """

    def __init__(self, what: str | Sequence[int], formats: Sequence[Format] = (),
                 grid: Grid | None = None):
        pointer = ctypes.c_void_p()
        if isinstance(what, str):
            check(lib.redist_dist_parse(what.encode(), pointer))
        elif grid is None:
            raise ArgumentError("grid is None, must be a redist.Grid")
        elif len(formats) != len(what):
            raise ArgumentError(f"formats has {len(formats)} elements, must have "
                                f"{len(what)}")
        else:
            _check_lists(what, formats, grid.shape)
            given = [f._c() for f in formats]
            check(lib.redist_dist_create(
                len(what), int64s(what), (structs["redist_format"] * len(given))(*given),
                grid._handle, pointer))
        self._handle = owned(self, pointer, lib.redist_dist_destroy)

    @classmethod
    def _take(cls, pointer: ctypes.c_void_p) -> Dist:
        """A dist that a call of the library has made."""
        self = cls.__new__(cls)
        self._handle = owned(self, pointer, lib.redist_dist_destroy)
        return self

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return lib.redist_dist_ndims(self._handle)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the whole array."""
        return tuple(lib.redist_dist_extent(self._handle, i) for i in range(self.ndim))

    @property
    def grid(self) -> Grid:
        """The process grid."""
        return Grid._of(self)

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """The elements that `rank` holds along each dimension; 0 if not in the grid."""
        local = int64s(self.shape)
        check(lib.redist_dist_local_extents(self._handle, rank, local))
        return tuple(local)

    def owner(self, index: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """The rank that owns the element at `index`, and its place there.

        Raises ArgumentError if there is no such element.
        """
        rank, local = ctypes.c_int(), int64s(self.shape)
        given = self._index("index", index)
        check(lib.redist_dist_owner(self._handle, given, rank, local))
        return rank.value, tuple(local)

    def index(self, rank: int, local: Sequence[int]) -> tuple[int, ...]:
        """The index of the element at `local` of `rank`: the inverse of owner.

        Raises ArgumentError if the rank has no such element.
        """
        given, index = self._index("local", local), int64s(self.shape)
        check(lib.redist_dist_index(self._handle, rank, given, index))
        return tuple(index)

    def _index(self, name: str, index: Sequence[int]) -> Any:
        if len(index) != self.ndim:
            raise ArgumentError(f"{name} has {len(index)} elements, must have "
                                f"{self.ndim}")
        return int64s(index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dist):
            return NotImplemented
        return bool(lib.redist_dist_equal(self._handle, other._handle))

    __hash__ = None  # equal dists may have different texts

    def __repr__(self) -> str:
        return text_of(lib.redist_dist_print, self._handle)


def order_code(order: str) -> int:
    """The redist_order of "C" or "F"."""
    if order not in ("C", "F"):
        raise ArgumentError(f"order is {order!r}, must be 'C' or 'F'")
    return constants["REDIST_ROW_MAJOR" if order == "C" else "REDIST_COLUMN_MAJOR"]


def _product(shape: Sequence[int]) -> int:
    product = 1
    for n in shape:
        product *= n
    return product
