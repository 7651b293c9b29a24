# SPDX-License-Identifier: MIT
"""Indices of arrays in files, beside NumPy's."""
import os
import random

import numpy as np
import redist
from folder import InFolder, P, comm, create
from redist import sections

SEED = int(os.environ.get("REDIST_TEST_SEED", "20261128"), 0)
CASES = 500 if "REDIST_TEST_LONG" in os.environ else 40


def random_array(draw, shape):
    numbers = np.array([draw.randint(-999, 999) for _ in range(int(np.prod(shape)))])
    return numbers.reshape(shape).astype(draw.choice(["<i4", ">f8", "<f4", ">i2"]))


def random_key(draw, shape):
    """An index: integers, slices of either sign, "..", and fewer than dimensions."""
    def one(n):
        if n > 0 and draw.random() < 0.35:
            return draw.choice([int, np.int64])(draw.randrange(-n, n))
        ends = [None, *range(-n - 2, n + 3)]
        return slice(draw.choice(ends), draw.choice(ends),
                     draw.choice([None, 1, 2, 3, n + 1, -1, -2, 2**70]))
    keys = [one(n) for n in shape]
    if draw.random() < 0.4:
        first = draw.randint(0, len(keys))
        keys[first:draw.randint(first, len(keys))] = [...]
    elif draw.random() < 0.3:
        keys = keys[:draw.randint(0, len(keys))]
    return keys[0] if len(keys) == 1 and draw.random() < 0.5 else tuple(keys)


class Indices(InFolder):
    def same(self, found, expected, key):
        self.assertEqual((np.shape(found), type(found)),
                         (np.shape(expected), type(expected)), key)
        np.testing.assert_array_equal(found, expected, repr(key))

    def test_every_index_is_as_numpys(self):
        draw = random.Random(SEED)
        for k in range(CASES // 5):
            shape = tuple(draw.randint(0 if draw.random() < 0.1 else 1, 7)
                          for _ in range(draw.randint(0, 3)))
            array = random_array(draw, shape)
            name = f"a{k}" + draw.choice([".npy", ".zarr"])
            create(name, array, order=draw.choice("CF"))
            with redist.open(name, "r+") as f:
                for _ in range(5):
                    key = random_key(draw, shape)
                    self.same(f[key], array[key], key)
                    value = random_array(draw, array[key].shape)
                    f[key] = array[key] = value.astype(array.dtype)
                key = random_key(draw, shape)
                f[key] = array[key] = draw.randint(-9, 9)
                self.same(f[...], array[...], (SEED, k))

    def test_many_indices_select_what_numpy_selects(self):
        draw = random.Random(SEED + 1)
        for _ in range(10 * CASES):
            shape = tuple(draw.randint(0, 6) for _ in range(draw.randint(0, 4)))
            array, key = np.arange(int(np.prod(shape))).reshape(shape), random_key(draw,
                                                                                   shape)
            start, stride, extent, take = sections.section_of(key, shape)
            chosen = array.reshape(shape or (1,))[tuple(
                np.s_[a:a + s * n:s] for a, s, n in zip(start, stride, extent))]
            self.same(chosen[take], array[key], key)

    def test_what_is_no_section_is_an_index_error(self):
        array = np.arange(12).reshape(3, 4)
        create("a.npy", array)
        with redist.open("a.npy") as f:
            for key in [3, -4, (0, 4), (0, 0, 0), (..., 0, ...), (..., 3, 0), 2**70]:
                with self.assertRaises(IndexError) as expected:
                    array[key]
                with self.assertRaises(IndexError) as caught:
                    f[key]
                if not isinstance(key, int) or abs(key) < 9:
                    self.assertEqual(str(caught.exception), str(expected.exception))
            for key, sentence in [
                    ((None, 0), r"None \(numpy.newaxis\) adds a dimension"),
                    (True, "dim 0: the index is True, must be an integer or a slice"),
                    ((0, [1, 2]), "dim 1: the index is a list"),
                    (array > 3, "dim 0: the index is a ndarray"),
                    (1.0, "dim 0: the index is a float")]:
                with self.assertRaisesRegex(IndexError, sentence):
                    f[key]
            with self.assertRaisesRegex(ValueError, "zero"):
                f[::0]
            with self.assertRaisesRegex(IndexError, "at has a negative step"):
                f.read(f"(block,*) onto {P}", at=np.s_[::-1])
            self.assertEqual(len(list(f)), len(f))
            self.assertEqual(np.asarray(f).tolist(), array.tolist())

    def test_values_are_broadcast(self):
        array = np.zeros((3, 4), "f4")
        create("a.zarr", array, chunks=(2, 3))
        with redist.open("a.zarr", "r+") as f:
            for key, value in [(np.s_[1], 7), (np.s_[:, 2], [1, 2, 3]),
                               (np.s_[::2, ::-1], np.arange(4)),
                               (np.s_[:, :2], np.ones((1, 1, 2), ">f8")),
                               (2, np.longdouble(5)), (2, np.ones(4, "?"))]:
                f[key] = array[key] = value
            self.same(f[...], array, "all")
            with self.assertRaisesRegex(ValueError, "broadcast"):
                f[0] = [1, 2, 3]


if comm.rank == 0:
    print(f"REDIST_TEST_SEED={SEED}", flush=True)
