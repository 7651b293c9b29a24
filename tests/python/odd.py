# SPDX-License-Identifier: MIT
"""What nobody expects as an argument."""


class Unforeseen(Exception):
    """An exception that is none of those that the package or NumPy raises."""


class Odd:
    """A thing that raises it whoever asks for its value."""

    def _raise(self, *_, **__):
        raise Unforeseen("it is no integer and no array")

    __array__ = __index__ = __float__ = __lt__ = _raise
