# SPDX-License-Identifier: MIT
"""Put the C library into the package, so that a wheel holds all but the MPI.

REDIST_LIBRARY in the environment names the library that is taken, or is `none`: then the
package finds at run time what is installed. Without it CMake builds the library from the
sources beside this folder, with the MPI whose mpicc it finds, or MPI_C_COMPILER names.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
HEADER = (HERE / "redist/api.h").read_text(encoding="utf-8")
GIVEN = os.environ.get("REDIST_LIBRARY", "")

# What the MPI of a library says of itself, asked in a process of its own.
ASK = """
import ctypes, sys
text = ctypes.create_string_buffer(1 << 16)
library = ctypes.CDLL(sys.argv[1])
library.MPI_Get_library_version(text, ctypes.byref(ctypes.c_int()))
print(text.value.decode(errors="replace").split("\\n")[0].split(",")[0].strip())
"""


def built(folder):
    """The library, as CMake builds it in a folder from the sources."""
    if not (HERE.parent / "include/redist/redist.h").exists():
        sys.exit("the sources of the C library are not beside this folder: set "
                 "REDIST_LIBRARY to a library, or to none")
    options = ["-DREDIST_CUDA=OFF", "-DREDIST_HDF5=OFF", "-DREDIST_FORTRAN=OFF",
               "-DREDIST_PAGE=OFF", "-DCMAKE_BUILD_TYPE=Release",
               "-DREDIST_BUILD_TESTS=OFF", "-DREDIST_BUILD_EXAMPLES=OFF",
               "-DREDIST_BUILD_BENCH=OFF"]
    if mpicc := os.environ.get("MPI_C_COMPILER"):
        options.append(f"-DMPI_C_COMPILER={mpicc}")
    # Afresh, as what an earlier build has found is of another MPI perhaps.
    subprocess.run(["cmake", "--fresh", "-S", HERE.parent, "-B", folder, *options],
                   check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 1),
                    "--target", "redist"], check=True)
    return folder / "lib/libredist.so"


class BuildWithLibrary(build_py):
    """Copies the modules, and the library to redist/lib."""

    def run(self):
        super().run()
        if GIVEN == "none":
            return
        library = Path(GIVEN) if GIVEN else built(Path(self.build_lib).parent / "library")
        folder = Path(self.build_lib, "redist/lib")
        folder.mkdir(exist_ok=True)
        shutil.copy(library, folder / "libredist.so")
        mpi = subprocess.run([sys.executable, "-c", ASK, library], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        (folder / "mpi").write_text(mpi, encoding="utf-8")


class WheelOfPlatform(bdist_wheel):
    """A wheel with a library is for one platform, and for any Python 3."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform) if GIVEN != "none" else (python, abi, platform)


class DistributionOfPlatform(Distribution):
    """Goes to where a platform's packages lie if it has a library."""

    def has_ext_modules(self):
        return GIVEN != "none"


setup(version=".".join(re.findall(r"^#define REDIST_VERSION_\w+ (\d+)$", HEADER, re.M)),
      distclass=DistributionOfPlatform,
      cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfPlatform})
