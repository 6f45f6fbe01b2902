"""A newer version than in Spack's own recipe, whose version 4 is too old."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyPysimdjson(PythonPackage):
    """Python bindings for simdjson, a JSON parser."""

    homepage = "https://github.com/TkTech/pysimdjson"
    pypi = "pysimdjson/pysimdjson-7.0.2.tar.gz"

    license("MIT")

    version("7.0.2", sha256="44cf276e48912a3b9c7ca362c14da8420a7ac15a9f1a16ec95becff86db3904a")

    depends_on("cxx", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-setuptools@74.1:", type="build")
    depends_on("py-cython", type="build")
