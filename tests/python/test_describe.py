# SPDX-License-Identifier: MIT
"""Grids, formats, dists and views: what they say, and what they raise."""
import ctypes
import unittest

import numpy as np
import redist
from mpi4py import MPI
from redist import _c, errors

TEXT = "[12,9] (block,cyclic(2)) onto 2x3"


class Grids(unittest.TestCase):
    def test_grids_map_coordinates_to_ranks(self):
        grid = redist.Grid((2, 3), order="F")
        self.assertEqual((grid.shape, grid.size), ((2, 3), 6))
        self.assertEqual(grid.rank((1, 2)), 5)
        self.assertEqual(grid.rank((0, 1)), 2)
        self.assertEqual(grid.coords(3), (1, 1))
        self.assertIsNone(grid.coords(6))
        with self.assertRaises(IndexError):
            grid.rank((2, 0))
        with self.assertRaises(IndexError):
            grid.rank((1,))
        self.assertEqual(redist.Grid((2, 2), ranks=[7, 5, 3, 1]).rank((0, 1)), 5)

    def test_wrong_grids_raise(self):
        for wrong, sentence in [
                (lambda: redist.Grid((2, 0)), "axis 1 of the grid has 0 processes"),
                (lambda: redist.Grid((2, 2), ranks=[0, 1, 2]), "ranks has 3 elements"),
                (lambda: redist.Grid((2, 2), order="A"), "order is 'A', must be 'C'")]:
            with self.assertRaisesRegex(redist.ArgumentError, sentence):
                wrong()


class Dists(unittest.TestCase):
    def test_formats_are_those_of_the_text(self):
        grid = redist.Grid((2, 3))
        block, cyclic, gen_block = redist.block, redist.cyclic, redist.gen_block
        for extents, formats, text in [
                ((12, 9), (block(), cyclic(2)), TEXT),
                ((12, 9), (redist.collapsed(), block(5)), "[12,9] (*,block(5)) onto 2x3"),
                ((12, 9), (gen_block([12, 0]), gen_block([1, 3, 5])),
                 "[12,9] (gen_block(12,0),gen_block(1,3,5)) onto 2x3"),
                ((3, 9), (redist.indirect([1, 0, 1]), cyclic()),
                 "[3,9] (indirect(1,0,1),cyclic(1)) onto 2x3"),
                ((12, 9), (cyclic(3, first=2, axis=1), block()),
                 "[12,9] (cyclic(3) from 2 on 1,block) onto 2x3")]:
            made, parsed = redist.Dist(extents, formats, grid), redist.Dist(text)
            self.assertEqual(made, parsed)
            self.assertEqual(redist.Dist(repr(made)), parsed)
        self.assertNotEqual(redist.Dist(TEXT), redist.Dist("[12,9] (block,*) onto 6"))
        self.assertNotEqual(redist.Dist(TEXT), TEXT)

    def test_every_element_has_an_owner(self):
        dist = redist.Dist(TEXT)
        self.assertEqual((dist.ndim, dist.shape, dist.grid.shape), (2, (12, 9), (2, 3)))
        self.assertEqual(dist.local_shape(3), (6, 4))
        for i, j in np.ndindex(12, 9):
            place = (i // 6 * 3 + j // 2 % 3, (i % 6, j // 6 * 2 + j % 2))
            self.assertEqual(dist.owner((i, j)), place)
            self.assertEqual(dist.index(*place), (i, j))

    def test_an_extent_takes_no_memory(self):
        dist = redist.Dist((1 << 50,), (redist.cyclic(3),), redist.Grid((2,)))
        self.assertEqual(repr(dist), f"[{1 << 50}] (cyclic(3)) onto 2")

    def test_a_grid_outlives_its_dist(self):
        grid = redist.Dist(TEXT).grid
        self.assertEqual(grid.size, 6)

    def test_wrong_dists_raise(self):
        grid = redist.Grid((2, 2))
        for wrong, sentence in [
                (lambda: redist.Dist("[8] (cyclic(0)) onto 2"), "cyclic block is 0"),
                (lambda: redist.Dist((4, 4), [redist.block()], grid), "must have 2"),
                (lambda: redist.Dist((4,), [redist.gen_block([4])], grid),
                 "dim 0: 1 gen_block sizes for 2 coordinates"),
                (lambda: redist.Dist((4, 4), [redist.gen_block([3, 1, 2], axis=1),
                                              redist.gen_block([4, 0])], grid),
                 "dim 0: 3 gen_block sizes for 2 coordinates"),
                (lambda: redist.Dist((4, 4), [redist.cyclic(), redist.gen_block([4])],
                                     redist.Grid((1, 2))),
                 "dim 1: 1 gen_block sizes for 2 coordinates"),
                (lambda: redist.Dist((4,), [redist.gen_block([4], axis=2)], grid),
                 "dim 0: needs axis 2"),
                (lambda: redist.Dist((2,), [redist.indirect([0, 1, 0])], grid),
                 "dim 0: 3 indirect owners for 2 elements"),
                (lambda: redist.Dist((4,), [redist.block()]), "grid is None"),
                (lambda: redist.Dist((4, 4), [redist.block(2**64 + 2)], grid), "must"),
                (lambda: redist.Dist((4, 4), [redist.cyclic(2**64 + 2),
                                              redist.block()], grid),
                 f"block is {2**64 + 2}, must be an integer of 64 bits"),
                (lambda: redist.Dist((2**64 + 4, 4), [redist.block()] * 2, grid),
                 "each number must be an integer of 64 bits"),
                (lambda: redist.Dist(TEXT).owner((2**64, 0)), "64 bits"),
                (lambda: redist.Dist(TEXT).owner((12, 0)), "index"),
                (lambda: redist.Dist(TEXT).owner((1,)), "index has 1 elements"),
                (lambda: redist.Dist(TEXT).index(0, (6, 0)), "local")]:
            with self.assertRaisesRegex(redist.ArgumentError, sentence):
                wrong()

    def test_a_rank_is_what_an_int_holds(self):
        with self.assertRaisesRegex(ctypes.ArgumentError, "must be an integer of 32 bit"):
            redist.Dist(TEXT).local_shape(2**32)


class Views(unittest.TestCase):
    def test_a_view_is_its_text(self):
        text = "[12,9] (block,*) onto 3"
        view = redist.View(text + " section [2:10:2,0:8] order column-major halo (0,1:0)")
        same = redist.View(redist.Dist(text), start=(2, 0), extent=(5, 9), stride=(2, 1),
                           order="F", halo_low=(0, 1))
        self.assertEqual(repr(view), repr(same))
        self.assertEqual(repr(redist.View(repr(view))), repr(view))
        self.assertEqual((view.start, view.extent, view.stride), ((2, 0), (5, 9), (2, 1)))
        self.assertEqual((view.order, view.halo_low), ((1, 0), (0, 1)))
        self.assertEqual(redist.View(view, order=(0, 1)).order, (0, 1))
        self.assertEqual(view.order, (1, 0))
        self.assertEqual(view.span(1), 4 * 10)

    def test_local_arrays_lie_as_the_view_says(self):
        view = redist.View("[12,9,2] (block,*,*) onto 3 order (1,2,0) halo (0,1:0,0)")
        array = view.zeros(1, np.int32)
        self.assertEqual(array.shape, (4, 10, 2))
        self.assertEqual(array.strides, (4, 4 * 2 * 4, 4 * 4))
        self.assertEqual(view.zeros(5, np.int32).size, 0)
        led = redist.View("[12,9] (block,*) onto 3", lead=(20, 2))
        self.assertEqual(led.zeros(0, np.int8).strides, (20, 2))
        with self.assertRaisesRegex(redist.ArgumentError, "memory has shape"):
            view.local(0, np.zeros(3))

    def test_descriptors_and_darrays_are_texts(self):
        grid = redist.Grid((2, 3))
        view = redist.View.from_descriptor([1, 0, 12, 9, 2, 4, 1, 2, 13], grid)
        self.assertEqual(view.dist, redist.Dist(
            "[12,9] (cyclic(2) from 1,cyclic(4) from 2) onto 2x3"))
        self.assertEqual(view.lead, (1, 13))
        none = MPI.DISTRIBUTE_DFLT_DARG
        view = redist.View.from_darray(
            [12, 9], [MPI.DISTRIBUTE_CYCLIC, MPI.DISTRIBUTE_BLOCK], [2, none], [2, 3],
            MPI.ORDER_FORTRAN)
        self.assertEqual(view.dist, redist.Dist("[12,9] (cyclic(2),block) onto 2x3"))
        self.assertEqual(view.order, (1, 0))

    def test_wrong_views_raise(self):
        dist = redist.Dist(TEXT)
        for wrong, sentence in [
                (lambda: redist.View(dist, start=(0,)), "start has 1 elements"),
                (lambda: redist.View(dist, start=(0, 0.5)), "start is 0.5, must be"),
                (lambda: redist.View(dist, extent=(2**64, 1)), "extent is 18446"),
                (lambda: redist.View(dist, order=(2**32, 1)), "order is 42949"),
                (lambda: redist.View(dist, stride=(0, 1)), "stride"),
                (lambda: redist.View(dist, order="A"), "order"),
                (lambda: redist.View(dist, order=(0, 0)), "order"),
                (lambda: redist.View(7), "not of 7"),
                (lambda: redist.View.from_descriptor([1, 2], dist.grid), "must have 9"),
                (lambda: redist.View.from_darray([1], [1], [1], [1, 1], 0), "as many")]:
            with self.assertRaisesRegex(redist.ArgumentError, sentence):
                wrong()
        with self.assertRaisesRegex(TypeError, "begin is not one of"):
            redist.View(dist, begin=(0, 0))
        with self.assertRaises(AttributeError):
            _ = redist.View(dist).begin


class Errors(unittest.TestCase):
    def test_every_code_has_its_exception(self):
        codes = {name.removeprefix("REDIST_ERR_"): value
                 for name, value in _c.constants.items()
                 if name.startswith("REDIST_ERR_")}
        known = {error.code for error in redist.Error.__subclasses__()}
        self.assertEqual(known, set(codes.values()))
        for name, code in codes.items():
            self.assertEqual(_c.lib.redist_error_name(code).decode(), name)
            error = errors.error_of(code, "a sentence")
            self.assertEqual((error.code, str(error)), (code, "a sentence"))
            # ArgumentError of ARG, MPIError of MPI, ..; two have longer names.
            longer = {"MEMORY": "ALLOCATION", "IO": "FILE"}
            name = longer.get(name, name)
            self.assertTrue(type(error).__name__.upper().startswith(name))
