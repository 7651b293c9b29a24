# SPDX-License-Identifier: MIT
"""Tests in a folder of their own, of calls that all processes make."""
import os
import shutil
import tempfile
import unittest

import redist
from mpi4py import MPI

comm = MPI.COMM_WORLD
P = comm.size
LAST = comm.rank == P - 1


class InFolder(unittest.TestCase):
    """A test in a new folder, the same on all processes."""

    def setUp(self):
        self.before, made = os.getcwd(), None
        if comm.rank == 0:
            made = tempfile.mkdtemp(prefix="files-", dir=self.before)
        self.folder = comm.bcast(made)
        os.chdir(self.folder)

    def tearDown(self):
        os.chdir(self.before)
        comm.Barrier()
        if comm.rank == 0:
            shutil.rmtree(self.folder)

    def left(self):
        """What is in the folder, once all have come here."""
        comm.Barrier()
        found = comm.bcast(sorted(os.listdir(".")))
        comm.Barrier()
        return found

    def texts_of(self, call):
        """What `call` raises here, and the sentences on all processes."""
        fault = None
        try:
            call()
        except Exception as raised:
            fault = raised
        return fault, comm.allgather(str(fault))

    def fails_alike(self, error, sentence, call):
        """`call` raises on all processes, the own error on the last, which is wrong."""
        fault, texts = self.texts_of(call)
        self.assertIsInstance(fault, error if LAST else redist.ArgumentError, texts)
        self.assertIn(sentence, texts[-1])
        self.assertLessEqual(len(set(texts[:-1])), 1)
        self.assertTrue(texts[0].endswith(texts[-1]), texts)

    def all_fail(self, error, sentence, call):
        """`call` raises the same on all processes."""
        fault, texts = self.texts_of(call)
        self.assertIsInstance(fault, error, texts)
        self.assertRegex(texts[0], sentence)
        self.assertEqual(len(set(texts)), 1)


def create(name, array, **options):
    with redist.open(name, "w", shape=array.shape, dtype=array.dtype, **options) as f:
        f[...] = array
