"""The recipe of autoanalyzer for Spack 1.0 and later; docs/cluster.md shows how to use it."""

from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class Autoanalyzer(PythonPackage):
    """Finds what is slow in an MPI program: on which ranks, where in the source, and why."""

    # The sdist must be in the folder in which spack is called.
    manual_download = True
    url = f"file://{Path.cwd()}/autoanalyzer-0.1.0.tar.gz"

    license("BSD-3-Clause AND GPL-2.0-or-later AND MIT AND Apache-2.0")

    version("0.1.0")

    variant("counting", default=True, description="Support counting instructions and cache misses under Valgrind")

    # Nothing is compiled now: the probe library is built on first use, by the compilers of the program under study.
    with default_args(type="build"):
        depends_on("py-packaging@24.2:")  # setuptools needs it to parse the licence
        depends_on("py-setuptools@77:")
        depends_on("py-setuptools-scm@8.1:")

    with default_args(type=("build", "run")):
        depends_on("python@3.11:")
        depends_on("py-markdown-it-py@3:")

    with default_args(type="run"):
        depends_on("llvm@18:+clang")
        depends_on("mpi")
        depends_on("py-lxml@4.9.3:")
        depends_on("py-mpi4py@4.1:")
        depends_on("py-numpy@1.26:")
        depends_on("py-orjson@3.9:")
        depends_on("py-pysimdjson@7:")
        depends_on("py-rich@13.7:")
        depends_on("py-scikit-learn@1.4:")
        depends_on("py-scipy@1.12:")
        depends_on("py-shtab@1.10:")
        depends_on("py-textual@1:")
        depends_on("py-threadpoolctl@3.1:")
        depends_on("valgrind~boost~mpi", when="+counting")

    def setup_run_environment(self, env):
        """Set the path of libclang.so, which Spack's py-libclang (as of May 2026) does not contain.

        Tested without Spack: aa-mpicc with this variable, LLVM 19, and without the Python package libclang.
        """
        env.set("LIBCLANG_LIBRARY_PATH", self.spec["llvm"].prefix.lib)
