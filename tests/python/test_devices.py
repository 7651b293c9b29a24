# SPDX-License-Identifier: MIT
"""Arrays of packages for devices, as the package sees them: stand-ins for CuPy, PyTorch
and another, whose memory is the host's."""
import contextlib
import sys
import types
import unittest
from unittest import mock

import numpy as np
import redist
from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.Get_rank(), COMM.Get_size()


class _Stream:
    """Counts how often someone has waited for it."""

    waits = 0

    def synchronize(self):
        _Stream.waits += 1


class _Array:
    """An array that NumPy's functions do not take."""

    def __init__(self, numpy, read_only=False):
        self.numpy, self.read_only = numpy, read_only
        self.dtype, self.device = numpy.dtype, contextlib.nullcontext()

    @property
    def __cuda_array_interface__(self):
        told = self.numpy.__array_interface__
        return {"version": 3, "shape": told["shape"], "typestr": told["typestr"],
                "data": (told["data"][0], self.read_only), "strides": told["strides"]}

    def as_strided(self, shape, steps):
        strides = [step * self.numpy.itemsize for step in steps]
        return type(self)(np.lib.stride_tricks.as_strided(self.numpy, shape, strides))


def _package(name):
    """A package with what the module redist.devices asks of it."""
    package = types.ModuleType(name)
    package.ndarray = type("ndarray", (_Array,), {"__module__": f"{name}.core"})

    def as_strided(array, shape, strides):
        return package.ndarray(
            np.lib.stride_tricks.as_strided(array.numpy, shape, strides))

    def zeros(n, dtype, device=None):
        assert name == "cupy" or device is not None
        return package.ndarray(np.zeros(n, dtype))

    if name != "other":
        package.zeros = zeros
        package.lib = types.SimpleNamespace(
            stride_tricks=types.SimpleNamespace(as_strided=as_strided))
        package.cuda = types.SimpleNamespace(get_current_stream=_Stream,
                                             current_stream=lambda device: _Stream())
    return package


PACKAGES = {name: _package(name) for name in ("cupy", "torch", "other")}


@mock.patch.dict(sys.modules, PACKAGES)
class ArraysOnDevices(unittest.TestCase):
    """What a plan takes, and what it makes."""

    source = f"[12,{4 * SIZE}] (*,cyclic(2)) onto {SIZE}"
    target = f"[12,{4 * SIZE}] (*,block) onto {SIZE} order column-major"

    def filled(self):
        """The local source, each element its place in the whole array."""
        n = 4 * SIZE
        whole = np.arange(12 * n, dtype="f8").reshape(12, n)
        columns = [j for j in range(n) if j // 2 % SIZE == RANK]
        return (np.ascontiguousarray(whole[:, columns]),
                whole[:, 4 * RANK:4 * RANK + 4])

    def test_the_target_is_of_the_source_s_package(self):
        source, due = self.filled()
        for name in ("cupy", "torch"):
            with redist.Plan(COMM, self.source, self.target, "f8") as plan:
                _Stream.waits = 0
                got = plan(PACKAGES[name].ndarray(source))
                self.assertIs(type(got), PACKAGES[name].ndarray)
                np.testing.assert_array_equal(got.numpy, due)
                self.assertEqual(got.numpy.strides, (8, 96))
                self.assertEqual(_Stream.waits, 2)  # of the source, of the target

    def test_any_package_may_bring_both(self):
        source, due = self.filled()
        other = PACKAGES["other"].ndarray
        with redist.Plan(COMM, self.source, self.target, "f8") as plan:
            target = other(np.zeros(48))
            self.assertIs(plan(other(source), target), target)
            np.testing.assert_array_equal(target.numpy.reshape(4, 12).T, due)
            mixed = np.zeros(48)
            plan.start(other(source), mixed)
            plan.wait()
            np.testing.assert_array_equal(mixed, target.numpy)

    def test_a_stream_of_the_plan_s_own_is_not_waited_for(self):
        source, due = self.filled()
        with redist.Plan(COMM, self.source, self.target, "f8", stream=1) as plan:
            _Stream.waits = 0
            got = plan(PACKAGES["cupy"].ndarray(source))
            np.testing.assert_array_equal(got.numpy, due)
            self.assertEqual(_Stream.waits, 0)

    def test_what_cannot_be_used_is_an_error_on_all(self):
        source, _ = self.filled()
        cupy, other = PACKAGES["cupy"].ndarray, PACKAGES["other"].ndarray
        for sentence, arrays in (
                ("has dtype float32", [cupy(source.astype("f4"))]),
                ("has shape \\(3,\\)", [cupy(np.zeros(3))]),
                ("target is read-only", [cupy(source), cupy(np.zeros(48), True)]),
                ("how other makes one is not known", [other(source)]),
                ("source is a int, must be", [3])):
            with redist.Plan(COMM, self.source, self.target, "f8") as plan:
                with self.assertRaisesRegex(redist.ArgumentError, sentence):
                    plan(*arrays)
                plan(source)

    def test_strides_are_those_of_the_view(self):
        source, due = self.filled()
        turned = np.asfortranarray(source)
        with redist.Plan(COMM, self.source, self.target, "f8") as plan:
            with self.assertRaisesRegex(redist.ArgumentError, "and strides"):
                plan(PACKAGES["cupy"].ndarray(turned))
            np.testing.assert_array_equal(plan(source), due)


if __name__ == "__main__":
    unittest.main()
