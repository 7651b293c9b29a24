# SPDX-License-Identifier: MIT
"""Checkpoints: the state of a program, written by some processes, read by as many others
as one likes."""
from __future__ import annotations

import ctypes
import numbers
import os
from contextlib import ExitStack
from typing import Any

import numpy as np
from mpi4py import MPI

from ._c import check, handle, lib, refuse, whole
from .dists import Dist
from .errors import ArgumentError
from .files import File
from .resources import NOTHING, Part, Resource, dtype_of, shaped, text_of
from .views import View


class Checkpoint(Resource):
    """Named arrays and texts of one step of a program, in a folder of many steps.

        with redist.Checkpoint("state", 42, "w", keep=3) as c:
            c.write("temperature", view, mine)
            c.set("time", 0.25)

        with redist.Checkpoint("state") as c:        # the last step, on any processes
            mine = c.read("temperature", other_view)

    `mode` is "w" to write the checkpoint of `step`, "r" to read it; to read, `step` may
    be None: the last one. The end of a with statement commits what was written, and keeps
    the last `keep` steps of the folder (0: all). If an exception leaves it on any
    process, no step appears. Numbers keep their dtype, other elements are bytes in the
    file.

    All calls but get and step are collective over comm, and fail on all processes if they
    fail on one. Raises ArgumentError, FileError, StateError, AllocationError or MPIError.
    """

    _name = "checkpoint"

    def __init__(self, folder: str | os.PathLike[str], step: int | None = None,
                 mode: str = "r", comm: MPI.Comm = MPI.COMM_WORLD, *, keep: int = 0):
        super().__init__(comm)
        self._keep = keep
        self._writes = mode == "w"
        function = lib.redist_checkpoint_create if self._writes else \
            lib.redist_checkpoint_open
        try:
            if mode not in ("r", "w"):
                raise ArgumentError(f"mode is {mode!r}, must be 'r' or 'w'")
            path = text_of("folder", os.fsencode(folder))
            if self._writes or step is not None:
                number = whole("step", step)
                if number < 0:
                    raise ArgumentError(f"step is {step}, must be >= 0")
            else:
                number = -1
        except Exception as fault:
            refuse(fault, function, handle(comm), None, 0, self._handle)
            raise
        check(function(handle(comm), path, number, self._handle))

    @property
    def step(self) -> int:
        """The number of the step. Local."""
        return lib.redist_checkpoint_step(self._living())

    def write(self, name: str, view: str | Dist | View | None, source: Any = None,
              dtype: Any = None) -> None:
        """Write `source`, what `view` gives this process, as the array `name`.

        Its shape is the section's, in the order of the view's axes; `view` None: source
        is the whole array, the same on every process. A process that holds nothing passes
        None, and the `dtype` of the array. After an error nothing can be committed.
        """
        def prepare(made: ExitStack) -> Any:
            array = source if view is not None else np.ascontiguousarray(source)
            of_section = (None, array.shape) if view is None else shaped(view)
            part = Part(self.comm, *of_section, dtype_of(dtype, array, None))
            return text_of("name", name), *part.arguments(made, "source", array, None)

        self._call(lib.redist_checkpoint_write, prepare, (None, *NOTHING))

    def set(self, key: str, value: str | float) -> None:
        """Keep a text or a number under `key`, as a text; rank 0's counts."""
        def prepare(_: ExitStack) -> Any:
            if not isinstance(value, (str, numbers.Real)):
                raise ArgumentError(f"value is {value!r}, must be a text or a number")
            return text_of("key", key), text_of("value", str(value))

        self._call(lib.redist_checkpoint_set, prepare, (None, None))

    def commit(self, keep: int | None = None) -> None:
        """Make the step appear, on the disk, in place of an older one of its number, and
        remove all others but the last `keep`. The checkpoint is then closed, also after
        an error, which leaves the folder as it was."""
        self._commit(self._keep if keep is None else keep, None)

    def _commit(self, keep: Any, fault: Exception | None) -> None:
        self._living()
        try:
            if fault is not None:
                raise fault
            number = whole("keep", keep, ctypes.c_int)
        except Exception as found:
            refuse(found, lib.redist_checkpoint_commit, self._handle, 0)
            raise
        check(lib.redist_checkpoint_commit(self._handle, number))

    def get(self, key: str, default: Any = None) -> Any:
        """The text that was kept under `key`, or `default`. Local."""
        text = ctypes.c_char_p()
        check(lib.redist_checkpoint_get(self._living(), text_of("key", key), text))
        return default if text.value is None else text.value.decode()

    def read(self, name: str, view: str | Dist | View | None = None, out: Any = None,
             dtype: Any = None) -> Any:
        """Read what `view` gives this process of the array `name`, as File.read does. A
        chunk whose sum is wrong is a FileError, which names it."""
        partial = view is None or isinstance(view, str) and view.startswith("(")
        if partial or out is None and dtype is None:  # the file says more
            with self.array(name) as file:
                return file.read(view, out, dtype)

        def prepare(made: ExitStack) -> Any:
            nonlocal out
            part = Part(self.comm, *shaped(view), dtype_of(dtype, out, None))
            out = part.new() if out is None else out
            return text_of("name", name), *part.arguments(made, "out", out, None)

        self._call(lib.redist_checkpoint_read, prepare, (None, *NOTHING))
        return out

    def array(self, name: str) -> File:
        """Open the array `name`, to describe it or read parts of it. Close it before the
        checkpoint."""
        opened = ctypes.c_void_p()
        self._call(lib.redist_checkpoint_array,
                   lambda _: (text_of("name", name), opened), (None, opened))
        return File._of(self.comm, opened, "r")

    def verify(self) -> None:
        """Read all arrays, and check all sums. A FileError names the chunk."""
        self._call(lib.redist_checkpoint_verify, lambda _: (), ())

    def close(self) -> None:
        """Close the checkpoint; what was not committed is removed. Nothing to do a second
        time, or after MPI's end."""
        if not MPI.Is_finalized():
            check(lib.redist_checkpoint_close(self._handle))

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        if not self._handle or MPI.Is_finalized():
            return
        if error is None:
            self.commit() if self._writes else self.close()
        elif self._failed:  # on all processes
            self.close()
        elif self._writes and isinstance(error, Exception):
            try:
                self._commit(0, error)
            except Exception:  # it is what left the statement
                pass
