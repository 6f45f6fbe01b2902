"""A project in three languages, built by CMake and by autotools, in which only the compilers' names are changed."""

import shutil
from pathlib import Path

import pytest

from autoanalyzer.instrument.build_outputs import BuildOutputs

from .conftest import succeed

pytestmark = pytest.mark.long

PROJECT = Path(__file__).parents[1] / "data/project"
REGIONS = {
    "library": [b"aa1|function|grid_fill|", b"aa1|function|grid::grid_sum|"],
    "program": [b"aa1|function|main|", b"aa1|loop|loop@9|"],
}


@pytest.fixture
def project(tool):
    shutil.copytree(PROJECT, tool.folder, dirs_exist_ok=True)
    return tool


def built_anew(project, *command):
    """Build twice, the second time without the compilers' earlier output; return what the second build created."""
    products = BuildOutputs(project.folder)
    env = {"AUTOANALYZER_PRODUCTS": str(products.notes)}
    for _ in range(2):
        with products.made_anew():
            built = succeed(project(*command, env=env))
            assert b"autoanalyzer:" not in built.stdout + built.stderr
    return products.built()


def check(project, paths):
    """Assert that the built files contain the regions."""
    for path, kind in paths.items():
        content = (project.folder / path).read_bytes()
        assert all(region in content for region in REGIONS[kind])


@pytest.mark.parametrize(
    ("generator", "quick"),
    [
        ("Ninja", "ON"),
        pytest.param("Ninja", "OFF", marks=pytest.mark.nightly),
        pytest.param("Unix Makefiles", "OFF", marks=pytest.mark.nightly),
    ],
)
def test_cmake(project, generator, quick):
    compilers = ["-DCMAKE_C_COMPILER=aa-mpicc", "-DCMAKE_CXX_COMPILER=aa-mpicxx", "-DCMAKE_Fortran_COMPILER=aa-mpifort"]
    configured = succeed(project("cmake", "-G", generator, "-B", "build", f"-DQUICK={quick}", *compilers)).stdout
    assert b"Looking for strdup - found" in configured
    assert (b"Verifying Fortran/C Compiler Compatibility - Success" in configured) == (quick == "OFF")
    assert built_anew(project, "cmake", "--build", "build", "-j", "2").compiled == 4
    assert project("build/app").stdout == b"mean 2.5, sum 10\n"
    check(project, {"build/app": "program", "build/libgrid.so": "library"})
    (project.folder / "src/grid.h").touch()
    again = succeed(project("cmake", "--build", "build")).stdout
    assert (b"fill.c" in again, b"main.cpp" in again, b"kinds.f90" in again) == (True, True, False)


@pytest.mark.nightly  # by day, a quarter of the CMake steps
@pytest.mark.parametrize("static", [False, True])
def test_autotools_with_libtool(project, static):
    options = () if static else ("--disable-static",)
    succeed(project("autoreconf", "-i"))
    configured = succeed(project("./configure", "CC=aa-mpicc", "CXX=aa-mpicxx", "FC=aa-mpifort", *options)).stdout
    for answer in (b"flag... -J", b"mpi.h... yes", b"strdup... yes", b"nosuchfunction... no", b"size of long... 8"):
        assert answer in configured
    built = built_anew(project, "make", "-j2")
    assert (built.compiled, built.stale) == (7 if static else 4, ())  # a static library's sources are compiled twice
    assert succeed(project("./app")).stdout == b"mean 2.5, sum 10\n"  # libtool's script, which finds the library
    libraries = (".libs/libgrid.so", ".libs/libgrid.a")[: 1 + static]
    check(project, {".libs/app": "program", **dict.fromkeys(libraries, "library")})
    (project.folder / "src/stats.hpp").touch()
    again = succeed(project("make")).stdout
    assert (b"main.cpp" in again, b"fill.c" in again) == (True, False)
