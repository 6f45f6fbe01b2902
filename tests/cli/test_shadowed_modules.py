"""A user's modules with the same names as modules that the tool needs: the program imports them, the tool does not."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from ..conftest import BIN, Tool
from .conftest import succeed

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static double work(int steps) {
    double sum = 0;
    for (int i = 1; i < steps; i++)
        sum += 1.0 / i;
    return sum;
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    double sum = work(500000);
    const char *path = getenv("PYTHONPATH");
    printf("%s %d\\n", path ? path : "none", sum > 1);
    MPI_Finalize();
    return 0;
}
"""
INSTALLED = ("clang", "lxml", "mpi4py", "numpy", "orjson", "rich", "scipy", "simdjson", "sklearn", "threadpoolctl")


@pytest.fixture
def shadows(tool: Tool) -> Path:
    """Write modules with all names except those that Python itself imports at start; return their folder."""
    script = "import runpy, sys; print(*sys.modules)"
    begun = {*subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()}
    public = {name for name in sys.stdlib_module_names if name[0] != "_" and find_spec(name)}
    for name in {*public, *INSTALLED} - begun - {*sys.builtin_module_names}:
        tool.write(f"theirs/{name}.py", "raise SystemExit('a module of the user')")
    return tool.folder / "theirs"


def test_a_program_is_built_run_and_gathered_beside_modules_of_the_same_names(tool: Tool, shadows: Path) -> None:
    environment = {"PYTHONPATH": str(shadows), "AUTOANALYZER_CC": "mpicc"}
    tool.write("app.c", PROGRAM)
    succeed(tool("aa-mpicc", "-O1", "-g", "app.c", "-o", "app", env=environment))
    words = ("--gather", "mpi", "-o", "out", "--trace", "--pursue", "--no-calibrate")
    done = succeed(tool("autoanalyzer", "run", *words, "--", "mpirun", "-n", "2", "./app", env=environment))
    assert done.stdout.decode().split() == [str(shadows), "1"] * 2, "the program has the variable as it was"
    said = done.stderr.decode()
    assert "gathering by MPI failed" not in said
    assert "pursued" in said, said
    assert "work" in succeed(tool("autoanalyzer", "dump", "out", env=environment)).stdout.decode()


@pytest.mark.nightly  # by day: modules on PYTHONPATH
def test_modules_in_the_current_folder_are_not_ours(tool: Tool, shadows: Path) -> None:
    tool.build(PROGRAM)
    for file in shadows.iterdir():
        file.rename(tool.folder / file.name)
    words = ("-o", "out", "--gather", "mpi", "--no-calibrate", "--", "mpirun", "-n", "2", "./app")
    done = succeed(tool(str(BIN / "python"), "-m", "autoanalyzer", "run", *words))
    assert done.stdout.decode().split() == ["none", "1"] * 2
    assert "gathering by MPI failed" not in done.stderr.decode()


def test_our_own_modules_are_found_if_pythonpath_leads_to_this_package(tool: Tool) -> None:
    """This is the case in a Spack environment, which has a folder for each package."""
    (tool.folder / "ours").mkdir()
    (tool.folder / "ours" / "autoanalyzer").symlink_to(Path(__file__).parents[2])
    tool.write("theirs/numpy.py", "found = 'beside ours'")
    path = f"{tool.folder / 'theirs'}:{tool.folder / 'ours'}"
    script = "from autoanalyzer import own_modules; own_modules.prefer_own_modules(); import numpy; print(numpy.found)"
    done = succeed(tool(str(BIN / "python"), "-c", script, env={"PYTHONPATH": path}))
    assert done.stdout.decode() == "beside ours\n"
