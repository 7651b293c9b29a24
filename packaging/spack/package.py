# SPDX-License-Identifier: MIT
"""redist for Spack."""
from pathlib import Path

from spack.package import *


class Redist(CMakePackage, CudaPackage, PythonExtension):
    """Redistribute distributed arrays over MPI: from any HPF distribution to any other,
    between groups of processes, and to and from files."""

    # The archive beside the folder of the repository, as script/release writes both.
    url = f"file://{Path(__file__).resolve().parents[3]}/redist-@VERSION@.tar.xz"

    license("MIT")

    version("@VERSION@", sha256="@SHA256@")

    variant("openmp", default=False, description="Copy large local parts by threads")
    variant("hdf5", default=False, description="Build the module for files of HDF5")
    variant("codecs", default=True, description="Compress the chunks of Zarr")
    variant("fortran", default=True, description="Build the Fortran module")
    variant("python", default=False, description="Install the Python package")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi@3.1:")
    depends_on("hdf5+mpi", when="+hdf5")
    with when("+codecs"):
        depends_on("c-blosc")
        depends_on("zlib-api")
        depends_on("zstd")
    with when("+python"):
        extends("python@3.9:")
        depends_on("py-pip", type="build")
        depends_on("py-setuptools@61:", type="build")
        depends_on("py-wheel", type="build")
        depends_on("py-mpi4py", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))

    def cmake_args(self):
        args = [
            self.define_from_variant("REDIST_OPENMP", "openmp"),
            self.define_from_variant("REDIST_HDF5", "hdf5"),
            self.define_from_variant("REDIST_CODECS", "codecs"),
            self.define_from_variant("REDIST_CUDA", "cuda"),
            self.define_from_variant("REDIST_FORTRAN", "fortran"),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("REDIST_PAGE", False),  # no WASI here
            self.define("REDIST_BUILD_TESTS", False),
            self.define("REDIST_BUILD_EXAMPLES", self.run_tests),
            self.define("REDIST_BUILD_BENCH", False),
        ]
        if self.spec.satisfies("+fortran"):
            args.append(self.define("MPI_Fortran_COMPILER", self.spec["mpi"].mpifc))
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            arch = self.spec.variants["cuda_arch"].value
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", list(arch)))
        return args

    @run_after("install")
    def install_python(self):
        """The package without a library inside: it finds this one by REDIST_LIBRARY."""
        if self.spec.satisfies("+python"):
            with working_dir(join_path(self.stage.source_path, "python")):
                with environment(REDIST_LIBRARY="none"):
                    python("-m", "pip", "install", "--no-deps", "--no-build-isolation",
                           "--no-index", f"--prefix={self.prefix}", ".")

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.set("REDIST_LIBRARY", find_libraries("libredist", self.prefix,
                                                     recursive=True)[0])
