# SPDX-License-Identifier: MIT
"""The C library through ctypes: its structs and functions as api.h declares them.

The library is the file that REDIST_LIBRARY in the environment names; or the one in the
package, where a wheel has it; or what the dynamic linker finds. It must be made with the
MPI that mpi4py uses.
"""
from __future__ import annotations

import array
import ctypes
import operator
import os
import re
from pathlib import Path
from typing import Any

from mpi4py import MPI

from . import _header
from .errors import ArgumentError, Error, error_of
from .version import __version__

SONAME = "libredist.so." + __version__.partition(".")[0]
OWN = Path(__file__).parent / "lib/libredist.so"  # beside it, mpi: what it is built with
API = _header.parse((Path(__file__).parent / "api.h").read_text(encoding="utf-8"))
constants = API.constants

# An MPI's handles are C ints or pointers.
MPI_HANDLE = {ctypes.sizeof(c): c for c in (ctypes.c_int, ctypes.c_void_p)}[
    MPI._sizeof(MPI.Comm)]

_SIMPLE: dict[str, Any] = {
    "void": None, "int": ctypes.c_int, "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t, "double": ctypes.c_double,
    "char *": ctypes.c_char_p, "void *": ctypes.c_void_p,
    "MPI_Comm": MPI_HANDLE, "MPI_Datatype": MPI_HANDLE,
    **{enum: ctypes.c_int for enum in API.enums}}


def _type(text: str) -> Any:
    """The ctypes type of a C type; a handle of redist's is an untyped pointer."""
    if text in _SIMPLE:
        return _SIMPLE[text]
    if match := re.fullmatch(r"(.*) \[(\w*)\]", text):
        inner, length = _type(match[1]), match[2]
        return inner * constants[length] if length in constants else ctypes.POINTER(inner)
    if match := re.fullmatch(r"void \(\*\)\((.*)\)", text):
        return ctypes.CFUNCTYPE(None, *map(_type, match[1].split(", ")))
    if text.endswith("*"):
        inner = text[:-1].strip()
        known = inner in _SIMPLE or inner.endswith("*")
        return ctypes.POINTER(_type(inner)) if known else ctypes.c_void_p
    raise TypeError(f"api.h uses {text}, which has no counterpart in ctypes")


for _name, _fields in API.structs.items():
    _SIMPLE[_name] = type(_name, (ctypes.Structure,), {
        "__doc__": f"struct {_name} of api.h",
        "_fields_": [(f.name, _type(f.type)) for f in _fields]})
structs: dict[str, Any] = {name: _SIMPLE[name] for name in API.structs}


def whole(name: str, value: Any, c: Any = ctypes.c_int64) -> int:
    """`value` as an int that the C type holds: ctypes takes the lower bits of any."""
    try:
        n = operator.index(value)
        if c(n).value == n:
            return n
    except TypeError:
        pass
    raise ArgumentError(f"{name} is {value!r}, must be {_integer(c)}")


def _integer(c: Any) -> str:
    sign = "" if c(-1).value < 0 else " >= 0"
    return f"an integer{sign} of {8 * ctypes.sizeof(c)} bits"


def _argument(c: Any) -> Any:
    """The C type of an argument that must fit."""
    return type(c.__name__, (c,), {
        "from_param": classmethod(lambda _, value: c(whole("it", value, c)))})


_ARGUMENTS: dict[str, Any] = {
    name: _argument(_SIMPLE[name]) for name in ("int", "int64_t", "size_t")}


def _mpi_version(library: ctypes.CDLL) -> str:
    """What the MPI that a library is linked with says of itself, its first line."""
    text = ctypes.create_string_buffer(MPI.MAX_LIBRARY_VERSION_STRING + 8192)
    library.MPI_Get_library_version(text, ctypes.byref(ctypes.c_int()))
    return text.value.decode(errors="replace").split("\n")[0].split(",")[0].strip()


def _load() -> ctypes.CDLL:
    theirs = _mpi_version(ctypes.CDLL(MPI.__file__))
    path = os.environ.get("REDIST_LIBRARY") or (str(OWN) if OWN.exists() else SONAME)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        if path == str(OWN):
            built = OWN.with_name("mpi").read_text(encoding="utf-8").strip()
            raise ImportError(
                f'the C library in the package redist is made with "{built}", mpi4py '
                f'with "{theirs}"; it can\'t be loaded: {error}') from error
        raise ImportError(
            f"the C library of redist can't be loaded: {error}; install it where the "
            "dynamic linker looks, or set REDIST_LIBRARY to its path") from error
    ours = _mpi_version(library)
    if ours != theirs:
        raise ImportError(f'{path} is made with "{ours}", mpi4py with "{theirs}": they '
                          "must be of one MPI")
    for name, (result, arguments) in API.functions.items():
        if not hasattr(library, name):
            raise ImportError(f"{path} has no function {name}: it is not of version "
                              f"{__version__}")
        function = getattr(library, name)
        function.argtypes = [_ARGUMENTS.get(a.type) or _type(a.type) for a in arguments]
        function.restype = _type(result)
    return library


lib = _load()


def check(err: int) -> None:
    """Raise what a call of the library returned, with the sentence that it left."""
    if err:
        raise error_of(err, lib.redist_error_message().decode(errors="replace"))


def refuse(fault: BaseException, function: Any, *arguments: Any) -> int:
    """Call a collective function as all processes do, though this one has no use for it.

    The others, who wait for it, learn what is wrong here. Returns what the function does.
    """
    kind = "" if isinstance(fault, Error) else f"{type(fault).__name__}: "
    lib.redist_refuse(f"{kind}{fault}".encode(errors="backslashreplace"))
    err = function(*arguments)
    lib.redist_refuse(None)  # it may have failed before anybody asked
    return err


def handle(thing: MPI.Comm | MPI.Datatype) -> Any:
    """The C handle of a communicator or a datatype."""
    return MPI_HANDLE.from_address(MPI._addressof(thing))


def ints(values: Any) -> Any:
    """A C array of ints."""
    return _array(ctypes.c_int, "i", values)


def int64s(values: Any) -> Any:
    """A C array of int64_t."""
    return _array(ctypes.c_int64, "q", values)


def _array(c: Any, code: str, values: Any) -> Any:
    try:
        numbers = array.array(code, iter(values))
    except OverflowError as error:
        raise ArgumentError(f"each number must be {_integer(c)}") from error
    return (c * len(numbers)).from_buffer(numbers)


def text_of(print_it: Any, *arguments: Any) -> str:
    """The text that redist_dist_print or redist_view_print writes."""
    length = ctypes.c_size_t()
    check(print_it(*arguments, None, 0, length))
    text = ctypes.create_string_buffer(length.value + 1)
    check(print_it(*arguments, text, length.value + 1, length))
    return text.value.decode()
