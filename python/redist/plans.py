# SPDX-License-Identifier: MIT
"""Plans: made once by all processes together, run as often as you like."""
from __future__ import annotations

import ctypes
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI

from ._c import check, constants, handle, lib, refuse, structs, whole
from .arrays import Item, datatype_of, number, numbers_of, release
from .devices import settle
from .dists import Dist
from .errors import ArgumentError, StateError
from .topologies import Topology
from .views import View

Report = NamedTuple("Report", [
    (f, str if type_ is ctypes.c_char_p else int)
    for f, type_ in structs["redist_report"]._fields_])
Report.__doc__ = "What a plan does on the calling process: redist_report of redist.h."


# The arrays of runs whose plans are gone: MPI and the library may still write to them.
_lost: list[Any] = []


class _Faults(list):
    """What this process did wrong in a run."""

    def usable(self, make: Any, *arguments: Any) -> Any:
        """What `make` returns, or None and one fault more."""
        try:
            return make(*arguments)
        except Exception as fault:
            self.append(fault)
            return None


class _Plan:
    """What plans of one array and of several have in common.

    Options, by name: strategy, staging_bytes, side ("source" or "target"), op ("none",
    "transpose", "conjugate" or "conjugate_transpose"), scaled, in_place, timeout_s,
    reduction ("none", "sum", "prod", "min", "max", "land", ..), topology (a Topology),
    stream (the address of a device's queue, after which runs begin), checked, those of
    redist_options in redist.h. `source_dtype` is the dtype of the source, if its numbers
    are converted to `dtype`: integers, floats (bfloat16 of ml_dtypes too) and complex
    numbers, in either byte order.

    Usable in a with statement, which destroys the plan; but not where an exception leaves
    it, as the other processes may not come along.
    """

    _form = ""  # how the names of the functions for it end

    def __init__(self, comm: MPI.Comm, items: Sequence[Any], options: dict[str, Any],
                 source_dtype: Any = None):
        datatypes: list[MPI.Datatype] = []
        datatype = datatype_of if source_dtype is None else numbers_of
        try:
            self._begin(comm, options)
            side = options.get("side", "source")
            self._items = [Item(comm, side, *i, source_dtype) for i in items]
            for item in self._items:
                datatypes.append(datatype(item.dtype))
            if source_dtype is not None:
                source = numbers_of(np.dtype(source_dtype))
                self._options.source_type = handle(source).value
                datatypes.append(source)
        except Exception as fault:
            refuse(fault, lib.redist_plan_create, handle(comm), handle(MPI.BYTE), None,
                   None, None, ctypes.c_void_p())
            raise
        try:
            create = getattr(lib, f"redist_plan_create{self._form}")
            check(create(handle(comm), *self._described(datatypes), self._options,
                         self._handle))
        finally:
            for made in datatypes:
                release(made)

    def _begin(self, comm: MPI.Comm, options: dict[str, Any]) -> None:
        """Set up all but what the library makes."""
        if comm == MPI.COMM_NULL:
            raise ArgumentError("comm is MPI_COMM_NULL")
        self._handle = ctypes.c_void_p()
        self._lent: tuple[Any, ...] = ([], [])  # the arrays of what is under way
        self._faults = _Faults()
        self._options = _options(options)

    def _described(self, datatypes: list[MPI.Datatype]) -> tuple[Any, ...]:
        """The arrays as the function that makes the plan takes them."""
        raise NotImplementedError

    def _listed(self, addresses: list[int | None]) -> Any:
        """The buffers of one side as the functions that run the plan take them."""
        raise NotImplementedError

    def _living(self) -> ctypes.c_void_p:
        """The library's plan, which must not have been destroyed."""
        if not self._handle:
            raise StateError("the plan was destroyed")
        return self._handle

    # ---- running it ------------------------------------------------------------------

    def _run(self, verb: str, sources: Sequence[Any], targets: Sequence[Any],
             alpha: Any, beta: Any) -> list[Any]:
        """Call redist_`verb` or one of its forms, and return the target arrays.

        A process whose arrays can't be used takes part without them: none waits for it.
        """
        plan, faults, n = self._living(), _Faults(), len(self._items)
        sources, targets = ([*x[:n], *[None] * (n - len(x))] for x in (sources, targets))
        scaled = alpha is not None or beta is not None
        overwrites, numbers = True, []
        if scaled:
            given = {"alpha": 1 if alpha is None else alpha,
                     "beta": 0 if beta is None else beta}
            numbers = [faults.usable(number, name, value, self._items)
                       for name, value in given.items()]
            overwrites = numbers[1] is not None and not numbers[1].any()
        if self._options.in_place:
            targets = self._each(faults, Item.after, sources)
            source = target = self._listed(
                self._each(faults, Item.both_address, sources))
        else:
            if overwrites:
                targets = [faults.usable(item.new_target, target, source)
                           for item, target, source in zip(self._items, targets, sources)]
            if not self._options.stream:
                for array in (*sources, *targets):
                    faults.usable(settle, array)
            source = self._listed(self._each(faults, Item.source_address, sources))
            target = self._listed(self._each(faults, Item.target_address, targets))
        buffers: Any = (source, target)
        if scaled:
            buffers = (_data(numbers[0]), source, _data(numbers[1]), target)
        function = f"redist_{verb}{self._form}{'_scaled' if scaled else ''}"
        run = getattr(lib, function)
        err = refuse(faults[0], run, plan, *buffers) if faults else run(plan, *buffers)
        self._check(err, faults)
        if verb == "start":
            self._lent, self._faults = (targets, sources), faults
        return targets

    def _each(self, faults: _Faults, method: Any, arrays: Sequence[Any]) -> list[Any]:
        """What a method of each item says of its array."""
        return [faults.usable(method, item, x) for item, x in zip(self._items, arrays)]

    def _check(self, err: int, faults: _Faults) -> None:
        """Raise what a run returned, in the words of this process's own fault if any."""
        if err == ArgumentError.code and faults:
            raise faults[0]
        check(err)

    def test(self) -> bool:
        """Drive what was started without waiting; whether this process is through.

        Local. Raises StateError if nothing was started.
        """
        done = ctypes.c_int()
        err = lib.redist_test(self._living(), done)
        if done:
            self._lent = ([], [])
        self._check(err, self._faults)
        return bool(done)

    def _wait(self) -> list[Any]:
        err = lib.redist_wait(self._living())
        targets, self._lent = self._lent[0], ([], [])
        self._check(err, self._faults)
        return targets

    # ---- what it is ------------------------------------------------------------------

    @property
    def report(self) -> Report:
        """What a run of the plan moves, and by which strategy. Local."""
        c = structs["redist_report"]()
        check(lib.redist_plan_report(self._living(), c))
        values = (getattr(c, f) for f in Report._fields)
        return Report(*(v.decode() if isinstance(v, bytes) else v for v in values))

    def explain(self) -> str:
        """The report in words, a line for each thing. Local."""
        r = self.report
        return "\n".join([
            *map(str, self._items),
            f"strategy {r.strategy} ({r.origin})",
            f"keeps    {r.elements_kept} elements, {r.bytes_kept} bytes",
            f"sends    {r.elements_sent} elements, {r.bytes_sent} bytes in "
            f"{r.messages_sent} messages",
            f"receives {r.elements_received} elements, {r.bytes_received} bytes in "
            f"{r.messages_received} messages",
            f"memory   {r.plan_bytes} bytes of plan, {r.staging_bytes} of staging, of "
            f"which {r.staging_peak_bytes} were used"])

    def __repr__(self) -> str:
        return f"<redist.{type(self).__name__} {'; '.join(map(str, self._items))}>"

    # ---- its end ---------------------------------------------------------------------

    def destroy(self) -> None:
        """Destroy the plan. Collective. Nothing to do a second time, or after MPI's end.

        Raises StateError if a run is under way.
        """
        if not MPI.Is_finalized():
            check(lib.redist_plan_destroy(self._handle))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: Any) -> None:
        if error is None:
            self.destroy()

    def __del__(self) -> None:
        # That it is collective forbids to destroy it here, whenever that may be.
        if getattr(self, "_handle", None) and not MPI.Is_finalized():
            if any(self._lent):
                _lost.append(self._lent)
            # Nor can it say what it moves: where all goes at once, its dists may be gone.
            warnings.warn(f"a redist.{type(self).__name__} was not destroyed",
                          ResourceWarning, source=self)


class Plan(_Plan):
    """A plan that moves one array from `source` to `target`, each a text, Dist or View.

    `dtype` is any of NumPy's that is of fixed size; arithmetic (scaled, conjugate) needs
    integers, reals or complex numbers of 4, 8 or 16 bytes. Collective over `comm`, an
    mpi4py communicator; options as _Plan has them. Raises ArgumentError, MismatchError,
    AllocationError or MPIError, on every process.
    """

    def __init__(self, comm: MPI.Comm, source: str | Dist | View,
                 target: str | Dist | View, dtype: Any, *, source_dtype: Any = None,
                 **options: Any):
        super().__init__(comm, [(source, target, dtype)], options, source_dtype)

    def _described(self, datatypes: list[MPI.Datatype]) -> tuple[Any, ...]:
        item = self._items[0]
        return handle(datatypes[0]), item.source._c, item.target._c

    def _listed(self, addresses: list[int | None]) -> Any:
        return addresses[0]

    @property
    def source(self) -> View:
        """The view that it moves from."""
        return self._items[0].source

    @property
    def target(self) -> View:
        """The view that it moves to."""
        return self._items[0].target

    def __call__(self, source: Any = None, target: Any = None, *, alpha: Any = None,
                 beta: Any = None) -> Any:
        """Move the elements of `source` to `target`, and return target.

        Each is the local array of its view, or flat memory of its span; None where the
        process holds nothing. They are NumPy's, or lie on a device: CuPy's, PyTorch's, or
        others that have __cuda_array_interface__ (docs/device.md); the move begins after
        what their packages have queued in their current streams. A target that is left
        out is made if the process is of its grid: new, all 0 round the section, of the
        source's package. With scaled=True: target = alpha op(source) +
        beta target, alpha by default 1 and beta 0. In place: `source` is flat memory of
        the larger of the two spans, and the array that is in it afterwards is returned.
        Collective. Raises ArgumentError on all processes if one passed what it must not.
        """
        return self._run("execute", [source], [target], alpha, beta)[0]

    def start(self, source: Any = None, target: Any = None, *, alpha: Any = None,
              beta: Any = None) -> Any:
        """Start to move: as a call, but both arrays are the plan's until wait has
        returned, or test True. Collective; returns without waiting for the others."""
        return self._run("start", [source], [target], alpha, beta)[0]

    def wait(self) -> Any:
        """Wait until what was started is done, and return the target.

        Collective. Raises StateError if nothing was started, ArgumentError if a process
        passed start what can't be used.
        """
        return self._wait()[0]

    def tune(self, source: Any = None, target: Any = None) -> Any:
        """Time the few strategies that the library's model finds best, on these arrays,
        keep the fastest, and return the target. Collective."""
        return self._run("plan_tune", [source], [target], None, None)[0]


class Batch(_Plan):
    """A plan that moves several arrays at once, in one message a pair of processes.

    `items` lists (source, target, dtype) of each, as Plan takes them. Collective over
    `comm`. Options and errors are those of a Plan.
    """

    _form = "_batch"

    def __init__(self, comm: MPI.Comm, items: Sequence[tuple[Any, Any, Any]], *,
                 source_dtype: Any = None, **options: Any):
        super().__init__(comm, items, options, source_dtype)

    def _described(self, datatypes: list[MPI.Datatype]) -> tuple[Any, ...]:
        struct = structs["redist_item"]
        items = [struct(handle(datatype), ctypes.pointer(item.source._c),
                        ctypes.pointer(item.target._c))
                 for datatype, item in zip(datatypes, self._items)]
        return len(items), (struct * len(items))(*items)

    def _listed(self, addresses: list[int | None]) -> Any:
        return (ctypes.c_void_p * len(addresses))(*addresses)

    def __call__(self, sources: Sequence[Any] = (), targets: Sequence[Any] = (), *,
                 alpha: Any = None, beta: Any = None) -> list[Any]:
        """Move the elements of each of `sources` to those of `targets`; return these.

        Each as a Plan takes it. With scaled=True all have the one alpha and the one beta.
        Collective.
        """
        return self._run("execute", sources, targets, alpha, beta)

    def start(self, sources: Sequence[Any] = (), targets: Sequence[Any] = (), *,
              alpha: Any = None, beta: Any = None) -> list[Any]:
        """Start to move: as a call, but all arrays are the plan's until wait has
        returned, or test True. Collective; returns without waiting for the others."""
        return self._run("start", sources, targets, alpha, beta)

    def wait(self) -> list[Any]:
        """Wait until what was started is done, and return the targets. Collective."""
        return self._wait()

    def tune(self, sources: Sequence[Any] = (), targets: Sequence[Any] = ()) -> list[Any]:
        """As Plan.tune, on several arrays. Collective."""
        return self._run("plan_tune", sources, targets, None, None)


def _options(options: dict[str, Any]) -> Any:
    """The options as C has them."""
    chosen = dict(options)
    struct = structs["redist_options"]
    for name in chosen:
        if name in ("size", "source_type") or name not in dict(struct._fields_):
            raise TypeError(f"{name} is not an option of a plan")
    c = struct(size=ctypes.sizeof(struct), source_type=handle(MPI.DATATYPE_NULL).value)
    if "op" in chosen:
        c.op = _constant("op", "OP_", chosen.pop("op"))
    if "reduction" in chosen:
        c.reduction = _constant("reduction", "REDUCTION_", chosen.pop("reduction"))
    if "side" in chosen:
        c.side = _constant("side", "", chosen.pop("side"))
    if (strategy := chosen.pop("strategy", None)) is not None:
        if not isinstance(strategy, str):
            raise ArgumentError(f"strategy is {strategy!r}, must be a str")
        c.strategy = strategy.encode()
    if (topology := chosen.pop("topology", None)) is not None:
        if not isinstance(topology, Topology):
            raise ArgumentError(f"topology is {topology!r}, must be a redist.Topology")
        c.topology = topology._handle
    if (stream := chosen.pop("stream", None)) is not None:
        c.stream = whole("stream", stream, ctypes.c_size_t)
    if whole("staging_bytes", chosen.get("staging_bytes", 0)) < 0:
        raise ArgumentError(f"staging_bytes is {chosen['staging_bytes']}, must be >= 0")
    for name, value in chosen.items():
        kind = dict(struct._fields_)[name]
        setattr(c, name, value if kind is ctypes.c_double else whole(name, value, kind))
    return c


def _constant(option: str, prefix: str, value: str) -> int:
    words = {"op": ("none", "transpose", "conjugate", "conjugate_transpose"),
             "reduction": ("none", "sum", "prod", "min", "max", "land", "lor", "lxor",
                           "band", "bor", "bxor", "minloc", "maxloc"),
             "side": ("source", "target")}[option]
    if value not in words:
        raise ArgumentError(f"{option} is {value!r}, must be one of {', '.join(words)}")
    return constants[f"REDIST_{prefix}{value.upper()}"]


def _data(value: np.ndarray | None) -> int | None:
    return None if value is None else value.ctypes.data
