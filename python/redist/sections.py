# SPDX-License-Identifier: MIT
"""Which elements of an array an index selects, in NumPy's notation. All is local."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Section(NamedTuple):
    """Elements start, start + stride, .. along each dimension of an array, and what of
    them, an array of `extent`, the index means: `take` turns dimensions round and drops
    those that have an integer."""

    start: tuple[int, ...]
    stride: tuple[int, ...]
    extent: tuple[int, ...]
    take: tuple[Any, ...]

    @property
    def is_backwards(self) -> bool:
        """Whether a dimension has its elements in descending order."""
        return any(isinstance(t, slice) and t.step == -1 for t in self.take)


def section_of(key: Any, shape: Sequence[int]) -> Section:
    """The section of an array of `shape` that `key` selects: an integer, a slice, "...",
    or a tuple of these. One of no dimensions counts as one of one, as in the library.

    Raises IndexError as NumPy does, and for what selects no section: None, lists, arrays.
    """
    given = key if isinstance(key, tuple) else (key,)
    chosen, take = [], []
    for dim, (index, n) in enumerate(zip(_complete(given, len(shape)), shape)):
        if isinstance(index, slice):
            indices = range(*index.indices(n))
            take.append(slice(None, None, -1 if indices.step < 0 else 1))
            chosen.append(indices[::-1] if indices.step < 0 else indices)
        else:
            at = _position(index, dim, n)
            take.append(0)
            chosen.append(range(at, at + 1))
    if not shape:
        take, chosen = [0], [range(1)]
    if any(index is ... for index in given):
        take.append(...)  # an array, though it has no dimensions
    return Section(tuple(c.start if c else 0 for c in chosen),
                   tuple(c.step if len(c) > 1 else 1 for c in chosen),
                   tuple(map(len, chosen)), tuple(take))


def _complete(keys: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    """One index a dimension: "..." and what is missing at the end are whole ones."""
    if any(index is None for index in keys):
        raise IndexError("None (numpy.newaxis) adds a dimension, an index of a file "
                         "selects elements: reshape what is read")
    places = [i for i, index in enumerate(keys) if index is ...]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = ndim - len(keys) + len(places)
    if missing < 0:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but "
                         f"{len(keys) - len(places)} were indexed")
    at = places[0] if places else len(keys)
    return keys[:at] + (slice(None),) * missing + keys[at + 1:]


def _position(index: Any, dim: int, n: int) -> int:
    """An integer as an index >= 0."""
    if isinstance(index, (bool, np.bool_)):
        raise IndexError(f"dim {dim}: the index is {index}, must be an integer or a "
                         "slice")
    try:
        at = operator.index(index)
    except TypeError:
        raise IndexError(f"dim {dim}: the index is a {type(index).__name__}, must be an "
                         "integer or a slice") from None
    if not -n <= at < n:
        raise IndexError(f"index {at} is out of bounds for axis {dim} with size {n}")
    return at + n if at < 0 else at
