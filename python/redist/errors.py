# SPDX-License-Identifier: MIT
"""Errors as exceptions, one for each code of the library, with the library's sentence."""
from __future__ import annotations


class Error(Exception):
    """What redist raises. Its text is one sentence: argument, value, what was expected.

    `code` is the library's redist_err.
    """

    code = 0


class ArgumentError(Error, ValueError):
    """An argument is not of the described form."""

    code = 1


class MismatchError(Error, ValueError):
    """Processes of one collective call passed different things."""

    code = 2


class AllocationError(Error, MemoryError):
    """An allocation failed."""

    code = 3


class StateError(Error, RuntimeError):
    """Not now: for instance wait without start."""

    code = 4


class MPIError(Error, RuntimeError):
    """An MPI call failed; the sentence holds MPI's own words."""

    code = 5


class FileError(Error, OSError):
    """A file could not be read or written."""

    code = 6


class DeviceError(Error, RuntimeError):
    """A device failed to move data; the sentence holds its own words."""

    code = 7


_ERRORS = {error.code: error for error in Error.__subclasses__()}


def error_of(code: int, sentence: str) -> Error:
    """The exception of one of the library's codes."""
    return _ERRORS.get(code, Error)(sentence)
