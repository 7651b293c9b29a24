# SPDX-License-Identifier: MIT
"""Arrays in files: each process reads or writes what a view gives it, all together."""
from __future__ import annotations

import ast
import ctypes
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from mpi4py import MPI

from ._c import check, constants, handle, int64s, lib, refuse, structs, whole
from .arrays import is_number, text_of_number
from .dists import Dist, order_code
from .errors import ArgumentError, StateError
from .resources import NOTHING, Part, Resource, dtype_of, order_of, text_of
from .sections import Section, section_of
from .views import View

_MODES = {"r": "READ", "r+": "UPDATE", "w": "CREATE"}
_PROGRESS = lib.redist_file_set_progress.argtypes[1]


def open(name: str | os.PathLike[str], mode: str = "r", comm: MPI.Comm = MPI.COMM_WORLD,
         *, shape: int | Sequence[int] | None = None, dtype: Any = None,
         chunks: Sequence[int] | None = None, codec: str | None = None,
         order: str | None = None, offset: int = 0, version: int = 0,
         format: str | None = None, staging_bytes: int = 0, writers: int = 0,
         checked: bool = False) -> File:
    """Open the array `name`: "a.npy", "a.h5:/group/t", "a.zarr", "a.zarr:/group/t", or
    "a.raw" (also .bin, .dat), the elements alone.

    `mode` is "r" to read, "r+" to read and write an array that exists, "w" to create one.
    "w" needs `shape` and `dtype`, as a raw file does in all modes; it takes `chunks`, the
    elements of a chunk along each dimension, and `codec`, such as "zstd:3"; `order` is
    "C" (default) or "F"; `version` is that of Zarr. A raw file has `offset` bytes before
    its elements. `format` is "npy", "raw", "hdf5" or "zarr" where the end of the name
    does not say it. `staging_bytes` caps the memory of a process (0: 64 MiB, or two
    chunks if they take more), `writers` how many processes access the file (0: the
    library chooses). With `checked` a number that another type cannot hold is an error.

    Collective over comm; all arguments are the same on all processes. Raises
    ArgumentError, FileError, MismatchError, AllocationError or MPIError.
    """
    return _open(locals())


def copy(source: str | os.PathLike[str] | File, target: str | os.PathLike[str] | File,
         comm: MPI.Comm = MPI.COMM_WORLD, *, dtype: Any = None,
         chunks: Sequence[int] | None = None, codec: str | None = None,
         order: str | None = None, version: int = 0, staging_bytes: int = 0,
         writers: int = 0, checked: bool = False,
         progress: Callable[[int, int], Any] | None = None) -> None:
    """Copy the array `source` to the array `target`: from format to format, into other
    chunks, and into numbers of another `dtype`, in bounded memory.

    Each is a name as redist.open takes it, or a File; the options are those of
    redist.open, for names. What is not given of dtype and order is as in the source;
    progress(done, total) is called on each process as it goes. Collective over comm, or
    over the processes of the Files. Raises what redist.open does.
    """
    with ExitStack() as opened:
        if not isinstance(source, File):
            source = opened.enter_context(open(
                source, "r", comm, staging_bytes=staging_bytes, writers=writers,
                checked=checked))
        if not isinstance(target, File):
            target = opened.enter_context(open(
                target, "w", source.comm, shape=source.shape,
                dtype=source.dtype if dtype is None else dtype, chunks=chunks,
                codec=codec, order=order or source.order, version=version,
                staging_bytes=staging_bytes, writers=writers))
        if progress is not None:
            target.set_progress(progress)
            opened.callback(target.set_progress, None)
        target._copy_from(source)


def _open(given: dict[str, Any]) -> File:
    comm, pointer = given["comm"], ctypes.c_void_p()
    try:
        name, mode = text_of("name", os.fsencode(given["name"])), given["mode"]
        if mode not in _MODES:
            raise ArgumentError(f"mode is {mode!r}, must be 'r', 'r+' or 'w'")
        options = _options(given)
    except Exception as fault:
        refuse(fault, lib.redist_file_open, handle(comm), None, 0, None, pointer)
        raise
    check(lib.redist_file_open(handle(comm), name,
                               constants[f"REDIST_FILE_{_MODES[mode]}"], options,
                               pointer))
    return File._of(comm, pointer, mode)


def _options(given: dict[str, Any]) -> Any:
    """The options as C has them."""
    c = structs["redist_file_options"]()
    c.size = ctypes.sizeof(c)
    if given["shape"] is not None:
        c.layout = ctypes.pointer(_layout(given))
    else:
        for name in ("dtype", "chunks", "codec", "order", "offset", "version"):
            if given[name]:
                raise ArgumentError(f"{name} is {given[name]!r}, but shape is None: they "
                                    "are of an array to be created, or of a raw file")
    if given["format"] is not None:
        c.format = text_of("format", given["format"])
    c.staging_bytes = whole("staging_bytes", given["staging_bytes"], ctypes.c_size_t)
    c.writers = whole("writers", given["writers"], ctypes.c_int)
    c.checked = bool(given["checked"])
    return c


def _layout(given: dict[str, Any]) -> Any:
    shape, chunks = given["shape"], given["chunks"]
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if given["dtype"] is None:
        raise ArgumentError("dtype is None, must be given with shape")
    if len(shape) > constants["REDIST_MAX_DIMS"]:
        raise ArgumentError(f"shape has {len(shape)} elements, must have at most "
                            f"{constants['REDIST_MAX_DIMS']}")
    c = structs["redist_file_layout"](
        ndims=len(shape), type=_text_of(np.dtype(given["dtype"])).encode(),
        order=order_code(given["order"] or "C"), offset=whole("offset", given["offset"]),
        version=whole("version", given["version"], ctypes.c_int))
    c.size = ctypes.sizeof(c)
    c.shape[:len(shape)] = [whole("shape", n) for n in shape]
    if chunks is not None:
        if len(chunks) != len(shape):
            raise ArgumentError(f"chunks has {len(chunks)} elements, must have "
                                f"{len(shape)}")
        c.chunk[:len(shape)] = [whole("chunks", n) for n in chunks]
    if given["codec"] is not None:
        c.codec = text_of("codec", given["codec"])
    return c


def _text_of(dtype: np.dtype) -> str:
    """How files name a dtype."""
    if dtype.names is None:
        return text_of_number(dtype)
    return repr(np.lib.format.dtype_to_descr(dtype))


def _dtype_of(text: str) -> np.dtype:
    if text.startswith("["):
        return np.lib.format.descr_to_dtype(ast.literal_eval(text))
    if text.endswith("bf16"):  # which NumPy knows once ml_dtypes is imported
        return np.dtype("bfloat16").newbyteorder(text[0])
    return np.dtype(text)


def _forward(at: Any, shape: Sequence[int]) -> Section:
    """The section at `at`, whose elements a view can have: in ascending order."""
    section = section_of(at, shape)
    if section.is_backwards:
        raise IndexError("at has a negative step, which a view has not: read the section "
                         "forwards")
    return section


class File(Resource):
    """An array in a file, open on all processes of a communicator: see redist.open.

        with redist.open("state.h5:/t") as f:
            mine = f.read("(block,*) onto 4")    # the part of this process
            row = f[5]                           # the same on every process

    All calls but the properties are collective, and a process that passes what cannot be
    used makes them fail on all. In a with statement an array that is created appears at
    its end, unless an exception leaves it on any process. Raises StateError once it is
    closed.
    """

    _name = "file"

    @classmethod
    def _of(cls, comm: MPI.Comm, pointer: ctypes.c_void_p, mode: str) -> File:
        """A file that a call of the library has opened."""
        self = cls(comm)
        self._mode, self._lost = mode, False
        self._handle = pointer
        self._callback, self._fault = _PROGRESS(), None
        layout = structs["redist_file_layout"]()
        check(lib.redist_file_describe(pointer, layout))
        self._shape = tuple(layout.shape[:layout.ndims])
        self._chunks = tuple(layout.chunk[:layout.ndims])
        self._texts = [t.decode() if t else None
                       for t in (layout.format, layout.type, layout.codec)]
        self._order = "FC"[layout.order == constants["REDIST_ROW_MAJOR"]]
        self._numbers = (layout.offset, layout.version)
        return self

    # ---- what it is ------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the whole array."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the file's elements, with its byte order."""
        return _dtype_of(self._texts[1])

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The elements of a chunk along each dimension; None if it has no chunks."""
        return self._chunks if any(n != 1 for n in self._chunks) else None

    @property
    def codec(self) -> str | None:
        """How chunks are compressed, as in "zstd:3"; None if they are not."""
        return self._texts[2]

    @property
    def order(self) -> str:
        """"C" if the last dimension varies fastest in the file, "F" if the first does."""
        return self._order

    @property
    def format(self) -> str:
        """"npy", "raw", "hdf5" or "zarr"."""
        return self._texts[0]

    @property
    def offset(self) -> int:
        """The bytes before the elements of a raw file."""
        return self._numbers[0]

    @property
    def version(self) -> int:
        """The version of Zarr, 2 or 3; 0 in other formats."""
        return self._numbers[1]

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of a file of no dimensions")
        return self._shape[0]

    def __repr__(self) -> str:
        return f"<redist.File {self.format} {self.shape} {self.dtype}>"

    # ---- elements --------------------------------------------------------------------

    def read(self, view: str | Dist | View | None = None, out: Any = None,
             dtype: Any = None, *, at: Any = ...) -> Any:
        """Read what `view` gives this process, and return it.

        `view` is a View, a Dist or a text, also without the extents, "(block,*) onto 4";
        None is all on every process. Dimension j of the file is that of view.axes[j].
        `out` is the local array of the view, or flat memory of its span; if it is left
        out a new one is made, of `dtype` or the file's, None where the process is not of
        the grid. Numbers are converted. `at` is the part of the file, integers and
        slices as in an index; an integer keeps its dimension, of one element.

        Raises ArgumentError, IndexError, FileError, MismatchError, AllocationError or
        MPIError; `out` is then undefined.
        """
        def prepare(made: ExitStack) -> tuple[Section, Sequence[Any]]:
            nonlocal out
            section = _forward(at, self.shape)
            part = Part(self.comm, view, section.extent, dtype_of(dtype, out, self.dtype),
                        order_of(out, self.order))
            out = part.new() if out is None else out
            return section, part.arguments(made, "out", out, self.dtype)

        self._move("read", at is ..., prepare)
        return out

    def write(self, view: str | Dist | View | None, source: Any = None,
              dtype: Any = None, *, at: Any = ...) -> None:
        """Write `source`, what `view` gives this process, all else as in read.

        A process that holds nothing passes None, and the `dtype` of the others' arrays if
        that is not the file's. Of replicas one is written.
        """
        def prepare(made: ExitStack) -> tuple[Section, Sequence[Any]]:
            section = _forward(at, self.shape)
            part = Part(self.comm, view, section.extent,
                        dtype_of(dtype, source, self.dtype),
                        order_of(source, self.order))
            return section, part.arguments(made, "source", source, self.dtype)

        self._move("write", at is ..., prepare)

    def __getitem__(self, key: Any) -> Any:
        """The elements at `key` on every process, as a new array or a single element.

        `key` has integers, slices and "..." as NumPy's. Collective, with one key on all
        processes. Raises IndexError and what read does.
        """
        array, take = None, ()

        def prepare(made: ExitStack) -> tuple[Section, Sequence[Any]]:
            nonlocal array, take
            section = section_of(key, self.shape)
            part = Part(self.comm, None, section.extent, self.dtype, self.order)
            array, take = part.new(), section.take
            return section, part.arguments(made, "out", array, self.dtype)

        self._move("read", False, prepare)
        return array[take]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set the elements at `key` to `value`, which is the same on every process: an
        array of their shape, or one that NumPy would broadcast to it.

        Collective. Raises IndexError, ValueError and what write does.
        """
        def prepare(made: ExitStack) -> tuple[Section, Sequence[Any]]:
            section = section_of(key, self.shape)
            dtype = self.dtype  # or the library converts, not NumPy
            if isinstance(value, np.ndarray) and all(map(is_number,
                                                         (dtype, value.dtype))):
                dtype = value.dtype
            part = Part(self.comm, None, section.extent, dtype, self.order)
            array = part.new()
            array[section.take] = value
            return section, part.arguments(made, "source", array, self.dtype)

        self._move("write", False, prepare)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """All elements, on every process. Collective."""
        return np.asarray(self[...], dtype)

    def _copy_from(self, source: File) -> None:
        to = self._living()
        try:
            source._call(lib.redist_file_copy, lambda _: (to,), ())
        finally:
            self._failed = source._failed
            self._ended("write")

    def _move(self, verb: str, whole: bool,
              prepare: Callable[[ExitStack], tuple[Section, Sequence[Any]]]) -> None:
        """Read or write what `prepare` returns: a section, the whole file or not, and
        what of the program it pairs with."""
        def arguments(made: ExitStack) -> Sequence[Any]:
            section, of_part = prepare(made)
            lists = () if whole else (int64s(section.start), int64s(section.stride))
            return *lists, *of_part

        form = "" if whole else "_section"
        idle = NOTHING if whole else (None, None, *NOTHING)
        try:
            self._call(getattr(lib, f"redist_file_{verb}{form}"), arguments, idle)
        finally:
            self._ended(verb)

    # ---- progress, and the end -------------------------------------------------------

    def set_progress(self, function: Callable[[int, int], Any] | None) -> None:
        """Have function(done, total) called on this process after each slab that was read
        or written, `done` of `total`; None: no more. What it raises the read or write
        raises at its end. Local."""
        def call(_: Any, done: int, total: int) -> None:
            try:
                function(done, total)
            except BaseException as fault:
                self._fault = self._fault or fault

        callback = _PROGRESS(call) if function is not None else _PROGRESS()
        check(lib.redist_file_set_progress(self._living(), callback, None))
        self._callback = callback  # the library calls it for as long as it is set

    def _ended(self, verb: str) -> None:
        """Note that a new array is lost if it is; raise what set_progress's function did.
        """
        self._lost |= self._failed and verb == "write" and self._mode == "w"
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def close(self) -> None:
        """Close the file; a created array appears now. Nothing to do a second time, or
        after MPI's end. Raises FileError or MPIError, or StateError if a write to a new
        array has failed, of which nothing is left; the file is then closed too."""
        if not MPI.Is_finalized() and self._handle:
            check(lib.redist_file_close(self._handle))
            if self._lost:
                raise StateError("a write has failed: nothing is left of the new array")

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        if not self._handle or MPI.Is_finalized() or not isinstance(
                error, (Exception, type(None))):
            return
        fault = error
        if error is None or not self._failed:  # where it failed, all know
            try:
                self._vote(error)
            except Exception as found:
                fault = found
        try:
            self.close()
        except Exception as found:
            fault = fault or found
        if error is None and fault is not None:
            raise fault

    def _vote(self, error: Exception | None) -> None:
        """Read or write nothing: it fails on all processes if one has an error, and a
        created array is then none."""
        def prepare(made: ExitStack) -> tuple[Section, Sequence[Any]]:
            if error is not None:
                raise error
            none = (0,) * max(self.ndim, 1)
            section = Section(none, (1,) * len(none), none, ())
            part = Part(self.comm, None, none, self.dtype)
            return section, part.arguments(made, "source", part.new(), None)

        self._move("read" if self._mode == "r" else "write", False, prepare)
