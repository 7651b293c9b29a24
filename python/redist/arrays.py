# SPDX-License-Identifier: MIT
"""What a plan knows of each of its arrays, and the checks of what it is then given."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI

from ._c import check, handle, lib
from .devices import Buffer, buffer_of, memory_of, new_local
from .dists import Dist
from .errors import ArgumentError
from .views import View

# Those that MPI has operations for, but for what C calls otherwise on other machines.
_NUMBERS = {np.dtype(name): datatype for name, datatype in {
    "?": MPI.C_BOOL, "i1": MPI.INT8_T, "i2": MPI.INT16_T, "i4": MPI.INT32_T,
    "i8": MPI.INT64_T, "u1": MPI.UINT8_T, "u2": MPI.UINT16_T, "u4": MPI.UINT32_T,
    "u8": MPI.UINT64_T, "f4": MPI.FLOAT, "f8": MPI.DOUBLE, "longdouble": MPI.LONG_DOUBLE,
    "c8": MPI.C_FLOAT_COMPLEX, "c16": MPI.C_DOUBLE_COMPLEX,
    "clongdouble": MPI.C_LONG_DOUBLE_COMPLEX}.items()}
# A value and where it is: records of two fields, as C would lay them out.
_PAIRS = {"h": MPI.SHORT_INT, "i": MPI.INT_INT, "l": MPI.LONG_INT, "f": MPI.FLOAT_INT,
          "d": MPI.DOUBLE_INT, "g": MPI.LONG_DOUBLE_INT}
_DATATYPES = _NUMBERS | {
    np.dtype([("value", value), ("where", "i")], align=True): datatype
    for value, datatype in _PAIRS.items()}


def _plain(dtype: np.dtype) -> np.dtype:
    """A record of two fields under the names that those of pairs have here."""
    if dtype.names is None or len(dtype.names) != 2:
        return dtype
    formats, offsets = zip(*(dtype.fields[name][:2] for name in dtype.names))
    return np.dtype({"names": ["value", "where"], "formats": formats,
                     "offsets": offsets, "itemsize": dtype.itemsize})


def datatype_of(dtype: np.dtype) -> MPI.Datatype:
    """The MPI datatype of a dtype: a number, a pair, or so many bytes; release it."""
    if (datatype := _DATATYPES.get(_plain(dtype))) is not None:
        return datatype
    return elements_of(dtype, False)


def is_number(dtype: np.dtype) -> bool:
    """Whether the library can convert numbers of a dtype."""
    return dtype.name == "bfloat16" or dtype.kind in "iu" or (
        dtype.kind in "fc" and dtype.itemsize <= (16 if dtype.kind == "c" else 8))


def text_of_number(dtype: np.dtype) -> str:
    """How the library names a number."""
    return dtype.byteorder + "bf16" if dtype.name == "bfloat16" else dtype.str


def numbers_of(dtype: np.dtype) -> MPI.Datatype:
    """The MPI datatype of a dtype whose numbers can be converted; release it."""
    datatype = MPI.Datatype()
    text = text_of_number(dtype)
    check(lib.redist_type_create(text.encode(), ctypes.byref(handle(datatype))))
    return datatype


def elements_of(dtype: np.dtype, as_numbers: bool) -> MPI.Datatype:
    """The MPI datatype of a dtype, as numbers or as so many bytes; release it."""
    if as_numbers:
        return numbers_of(dtype)
    if dtype.hasobject or dtype.itemsize == 0:
        raise ArgumentError(f"dtype is {dtype}, must be of some bytes and no objects")
    return MPI.BYTE.Create_contiguous(dtype.itemsize).Commit()


def release(datatype: MPI.Datatype) -> None:
    """Free what datatype_of has made."""
    if not datatype.is_predefined:
        datatype.Free()


def number(name: str, value: Any, items: Sequence[Item]) -> np.ndarray:
    """alpha or beta as a number of the arrays' type."""
    dtype = items[0].dtype
    fits = np.ndim(value) == 0 and np.can_cast(np.min_scalar_type(value), dtype,
                                               "same_kind")
    if fits and dtype.kind in "iu":
        fits = np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
    if not fits:
        raise ArgumentError(f"{name} is {value!r}, must be a number as {dtype} has")
    return np.array(value, dtype)


class _Layout(NamedTuple):
    """How the buffer of this process lies: elements, shape, and strides in bytes; whether
    it is of the grid at all."""

    span: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    member: bool


class Item:
    """One array of a plan, and who this process is to its two sides: a rank, or None."""

    def __init__(self, comm: MPI.Comm, side: str, source: str | Dist | View,
                 target: str | Dist | View, dtype: Any, source_dtype: Any = None):
        self.source = source if isinstance(source, View) else View(source)
        self.target = target if isinstance(target, View) else View(target)
        self.dtype = np.dtype(dtype)
        self.source_dtype = self.dtype if source_dtype is None else np.dtype(source_dtype)
        self._rank = comm.Get_rank()
        both = comm.Is_intra()
        self._source = self._layout(self.source, self.source_dtype,
                                    both or side == "source")
        self._target = self._layout(self.target, self.dtype, both or side == "target")

    def _layout(self, view: View, dtype: np.dtype, takes_part: bool) -> _Layout:
        if not takes_part or view.dist.grid.coords(self._rank) is None:
            return _Layout(0, (), (), False)
        steps, nbytes = view.local_steps(self._rank), dtype.itemsize
        return _Layout(view.span(self._rank), view.local_shape(self._rank),
                       tuple(n * nbytes for n in steps), True)

    def __str__(self) -> str:
        dtypes = dict.fromkeys(map(str, (self.source_dtype, self.dtype)))
        return f"{self.source}  ->  {self.target}  {' -> '.join(dtypes)}"

    def new_target(self, target: Any, source: Any) -> Any:
        """`target`, or if that is None and this process is of its grid a new one, of the
        source's package."""
        if target is None and self._target.member:
            return new_local(self.target, self._rank, self.dtype, source)
        return target

    def source_address(self, source: Any, name: str = "source") -> int | None:
        """The address of the source array. Raises ArgumentError if it can't be used."""
        if self._source.span == 0:
            return None
        return self._checked(name, source, self.source, self._source).address

    def target_address(self, target: Any, name: str = "target") -> int | None:
        """The address of the target array. Raises ArgumentError if it can't be used."""
        if self._target.span == 0:
            return None
        buffer = self._checked(name, target, self.target, self._target)
        if not buffer.writeable:
            raise ArgumentError(f"{name} is read-only, must be writeable")
        return buffer.address

    def both_address(self, memory: np.ndarray | None) -> int | None:
        """The address of the one array in place. Raises ArgumentError if it can't be
        used."""
        span = max(self._source.span, self._target.span)
        if span == 0:
            return None
        buffer = self._checked_array("source", memory, self.source)
        if not buffer.is_flat(span):
            raise ArgumentError(f"source has shape {memory.shape}, must be flat and "
                                f"contiguous with {span} elements: the plan is in place")
        if not buffer.writeable:
            raise ArgumentError("source is read-only, must be writeable: the plan is in "
                                "place")
        return buffer.address

    def after(self, memory: np.ndarray | None) -> np.ndarray | None:
        """The target array in the one array in place."""
        if not self._target.member or not isinstance(memory, np.ndarray):
            return None
        return self.target.local(self._rank, memory)

    def _checked_array(self, name: str, array: Any, view: View) -> Buffer:
        if (buffer := buffer_of(array)) is None:
            raise ArgumentError(f"{name} is {_kind(array)}, must be a numpy.ndarray: "
                                f"this process holds elements of {view}")
        if (memory := memory_of(array)) is not None and memory.freed:
            raise ArgumentError(f"{name} is in memory that redist.free has freed")
        dtype = self.source_dtype if name == "source" else self.dtype
        if buffer.dtype != dtype:
            raise ArgumentError(f"{name} has dtype {buffer.dtype}, must be {dtype}")
        return buffer

    def _checked(self, name: str, array: Any, view: View, layout: _Layout) -> Buffer:
        """It must be the local array of the view, or flat memory of at least its span."""
        buffer = self._checked_array(name, array, view)
        span, shape, strides, _ = layout
        lies_so = buffer.shape == shape and all(
            n == 1 or is_ == due for n, is_, due in zip(shape, buffer.strides, strides))
        if not lies_so and not buffer.is_flat(span):
            raise ArgumentError(
                f"{name} has shape {buffer.shape} and strides {buffer.strides}, must "
                f"have {shape} and {strides}, or be flat with {span} elements: it is of "
                f"{view}")
        return buffer


def _kind(thing: Any) -> str:
    return "None" if thing is None else f"a {type(thing).__name__}"
