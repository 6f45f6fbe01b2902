"""Python's environment variables, set for the program: the tool works anyway, and the program gets them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import load

from ..conftest import BIN, Tool, cache_of_libraries

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
    printf("%s %s %d\\n", getenv("PYTHONHOME"), getenv("PYTHONOPTIMIZE"), sum > 1);
    MPI_Finalize();
    return 0;
}
"""
SCRIPT = """
import os, subprocess, sys
def work(steps):
    return sum(1.0 / each for each in range(1, steps))
print(sys.prefix, sys.flags.optimize, work(1000) > 1)
if len(sys.argv) > 1:
    sys.exit(subprocess.call([sys.executable, "script.py"], env={**os.environ, "PYTHONOPTIMIZE": "2"}))
"""
OTHERS = {
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
    "PYTHONINSPECT": "1",
    "PYTHONPLATLIBDIR": "elsewhere",
    "PYTHONSAFEPATH": "1",
    "PYTHONSTARTUP": "nowhere.py",
    "PYTHONVERBOSE": "1",
}


def output(tool: Tool, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in its own interpreter, which reads the variables when it starts."""
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **variables}
    done = subprocess.run(words, cwd=tool.folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def home(tool: Tool) -> Path:
    """Return another home of this Python; PYTHONHOME may point to it for this version only."""
    library = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    (tool.folder / "home/lib").mkdir(parents=True)
    (tool.folder / "home" / library).symlink_to(Path(sys.base_prefix) / library)
    return tool.folder / "home"


def test_a_program_is_built_run_and_gathered_while_pythonhome_is_that_of_another(tool: Tool) -> None:
    tool.write("app.c", PROGRAM)
    tool.write("library/os.py", "raise SystemExit('of another Python')")
    tool.write("library/re.py", "raise SystemExit('of another Python')")
    variables = {
        **OTHERS,
        "PYTHONHOME": "/of/another",
        "PYTHONPATH": str(tool.folder / "library"),
        "AUTOANALYZER_CC": "mpicc",
        "AUTOANALYZER_CACHE": str(cache_of_libraries(tool.folder / "cache")),
    }
    for _ in range(2):  # first by aa-compiler, then by the shortcut
        built = output(tool, "aa-mpicc", "-O1", "-g", "app.c", "-o", "app", **variables)
        assert built.stderr == ""
    words = ("--gather", "mpi", "-o", "out", "--no-calibrate")
    done = output(tool, "autoanalyzer", "run", *words, "--", "mpirun", "-n", "2", "./app", **variables)
    assert done.stdout.split() == ["/of/another", "2", "1"] * 2
    assert "gathering by MPI failed" not in done.stderr
    assert "work" in output(tool, "autoanalyzer", "dump", "out", **variables).stdout


def test_a_launcher_in_another_python_starts_its_own(tool: Tool, home: Path) -> None:
    tool.write("script.py", SCRIPT)
    python = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    words = ("autoanalyzer", "run", "--python-functions", "work", "-o", "out", "--", str(python), "script.py", "again")
    done = output(tool, *words, PYTHONHOME=str(home), PYTHONOPTIMIZE="1")
    assert done.stdout.split() == [str(home), "1", "True", str(home), "2", "True"]
    found = load(tool.folder / "out" / "experiment.cube")
    visits = np.nan_to_num(found.exclusive("visits")).sum(axis=1)
    assert [count for path, count in zip(found.call_paths, visits, strict=True) if path.region.name == "work"] == [2]
