"""Python programs: measured as a whole by preloading alone, and by function on request."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Experiment, load
from autoanalyzer.runtime.mpi.library import is_elf
from autoanalyzer.view.verdict import verdict_lines

from ..runtime.conftest import assert_parts_add_up, for_mpi4py
from .conftest import succeed

PROGRAMS = Path(__file__).parents[1] / "programs" / "python"


def interpreters() -> dict[str, str]:
    """Return one interpreter per version, from this one and PATH, because each version reports calls differently."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    folders = [Path(each) for each in os.environ["PATH"].split(":")]
    pyenv = sorted(Path.home().glob(".pyenv/versions/*/bin"))
    for version, folder in product([f"3.{minor}" for minor in range(9, 15)], [*folders, *pyenv]):
        if version not in found and is_elf(folder / f"python{version}"):  # version managers have scripts of this name
            found[version] = str(folder / f"python{version}")
    return found


INTERPRETERS = interpreters()
BY_AGE = sorted(INTERPRETERS, key=lambda version: [*map(int, version.split("."))])
OLDEST_AND_NEWEST = pytest.mark.by_day(version=[BY_AGE[0], BY_AGE[-1]])


def run(tool: Any, *words: str, env: dict[str, str] | None = None) -> Any:
    done = tool("autoanalyzer", "run", "-o", "out", *words, env=env)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def experiment(tool: Any) -> Experiment:
    return load(tool.folder / "out" / "experiment.cube")


def visits(found: Experiment) -> dict[str, int]:
    """Return the visits of each call path below the program, by its regions' names, without imports."""
    counts = np.nan_to_num(found.exclusive("visits")).sum(axis=1)
    names: list[str] = []
    for path in found.call_paths:
        above = "" if path.parent is None else names[path.parent]
        names.append("" if path.parent is None else f"{above}/{path.region.name}".lstrip("/"))
    return {name: int(count) for name, count in zip(names, counts, strict=True) if name and "imports" not in name}


@pytest.fixture
def mpi4py_of(tmp_path: Path, mpi: tuple[str, str]) -> tuple[str, dict[str, str]]:
    """Return a launcher, and the variables with which mpi4py finds its library."""
    return mpi[0], for_mpi4py(mpi[0], tmp_path)


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("version", INTERPRETERS)
def test_every_way_into_and_out_of_a_function_nests(tool, version):
    shutil.copy(PROGRAMS / "constructs.py", tool.folder)
    done = run(tool, "--no-analyze", "--python-functions", "*", "--", INTERPRETERS[version], "constructs.py")
    assert done.stdout == b"done\n"
    found = experiment(tool)
    assert found.notes.remarks == ()
    assert found.notes.repairs == 0
    counted = visits(found)
    before_names = version in {"3.9", "3.10"}  # these versions' code objects do not contain class names
    grid, worker = ("", "") if before_names else ("Grid.", "Worker.")
    # Until Python 3.12, a generator with cleanup code is resumed once more when it is closed.
    assert counted.pop("main/closed_early/generator") in {1, 2}
    assert counted == {
        "main": 1,
        "main/recursive": 6,
        "main/generator": 4,
        "main/delegating": 4,
        "main/delegating/generator": 4,
        "main/coroutine": 3,
        "main/coroutine/inner": 4,
        "main/caught": 1,
        "main/caught/raising": 3,
        "main/caught/raising/raising_below": 2,
        "main/closed_early": 1,
        "main/thrown": 1,
        "main/thrown/generator": 3,
        f"main/{grid}step": 4,
        f"main/{grid}step/{grid and 'Grid.step.'}lambda@65": 12,
        f"main/{grid}size": 4,
        f"main/{grid}size/leaf": 8,
        f"main/{worker}run": 3,
        f"main/{worker}run/leaf": 3,
        "main/leaf": 2,
    }
    places = {path.region.name: path.region for path in found.call_paths}
    assert (places["raising"].file, places["raising"].first_line, places["raising"].last_line) == (
        "constructs.py",
        27,
        30,
    )
    assert places["constructs.py"].kind == "program"
    imports = next(path for path in found.call_paths if path.region.name == "imports")
    assert found.call_paths[imports.parent].region.name == "constructs.py"


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_planted_imbalance_is_found_at_its_function(tool, mpi4py_of):
    launcher, env = mpi4py_of
    shutil.copy(PROGRAMS / "imbalance.py", tool.folder)
    command = ("--", launcher, "-n", "4", sys.executable, "-m", "mpi4py", "imbalance.py")
    succeed(run(tool, "--python-functions", "add_up,main", *command, env=env))
    found = experiment(tool)
    assert visits(found)["main/add_up"] == 40
    assert found.notes.program == "imbalance.py"
    culprits = tool.findings()["dissimilarity"]["cccr"]
    assert ("add_up", "imbalance.py") in [(culprit["name"], culprit["file"]) for culprit in culprits]


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_program_is_measured_as_a_whole_and_the_verdict_says_how_to_see_functions(tool, mpi4py_of):
    launcher, env = mpi4py_of
    shutil.copy(PROGRAMS / "imbalance.py", tool.folder)
    succeed(run(tool, "--", launcher, "-n", "4", sys.executable, "imbalance.py", env=env))
    found = experiment(tool)
    assert found.notes.not_instrumented == (
        "imbalance.py: no probes, only MPI calls and file I/O; --python-functions '*' shows functions and imports",
    )
    assert found.exclusive("mpi_bytes").sum() > 0
    assert_parts_add_up(found)
    assert found.exclusive("mpi_start_end_time").sum(axis=0).min() > 0
    apart = {path.region.name: index for index, path in enumerate(found.call_paths)}
    assert found.exclusive("io_bytes_written")[apart["file I/O"]].sum() >= 4 * 100_000
    assert found.exclusive("io_bytes")[apart["imbalance.py"]].sum() == 0


def test_a_python_that_loads_another_mpi_than_the_launchers_runs_as_it_would(tool):
    if not shutil.which("mpirun.mpich"):
        pytest.skip("mpirun.mpich is not installed")
    tool.write("app.py", "from mpi4py import MPI\nprint(MPI.COMM_WORLD.size)\n")
    command = ("mpirun.mpich", "-n", "2", sys.executable, "-W", "ignore", "app.py")
    plain = tool(*command)
    done = run(tool, "--", *command)
    # Two independent ranks write at the same time.
    assert (done.returncode, sorted(done.stdout)) == (plain.returncode, sorted(plain.stdout))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["-u", "-Wignore", "-X", "utf8", "app.py", "-m"], "app.py"),
        (["-um", "package.part", "app.py"], "package.part"),
        (["-m", "mpi4py", "app.py"], "app.py"),
        (["--check-hash-based-pycs", "default", "-W", "ignore", "./app.py"], "app.py"),
    ],
)
def test_a_program_has_the_name_of_its_script(tool, words, name):
    for each in ("app.py", "package/part.py"):
        tool.write(each, "import mpi4py.MPI\n")
    succeed(run(tool, "--no-analyze", "--", "mpirun", "-n", "1", sys.executable, *words))
    assert experiment(tool).notes.program == name


SEEN = """
import os, sys, sitecustomize
print(sys.path, getattr(sitecustomize, "own", None), [each for each in sys.modules if "sitecustom" in each])
print(sorted(each for each in sys.modules if str(getattr(sys.modules[each], "__file__", "")).endswith(".py")))
"""


@pytest.mark.parametrize("has_own", [False, True])
@OLDEST_AND_NEWEST
@pytest.mark.parametrize("version", INTERPRETERS)
def test_the_program_finds_python_as_it_was(tool, version, has_own):
    tool.write("app.py", SEEN if has_own else SEEN.replace(", sitecustomize", "; sitecustomize = None"))
    tool.write("site/sitecustomize.py" if has_own else "site/none.py", "own = 'the user\\'s'\n")
    env = {"PYTHONPATH": str(tool.folder / "site")}
    plain = succeed(tool(INTERPRETERS[version], "app.py", env=env))
    done = run(tool, "--no-analyze", "--python-functions", "*", "--", INTERPRETERS[version], "app.py", env=env)
    recorded, untouched = done.stdout.decode(), plain.stdout.decode()
    if "['sitecustomize']" not in untouched:  # the distribution may have one, as Debian does for Python 3.13
        recorded = recorded.replace("['sitecustomize']", "[]").replace(", 'sitecustomize'", "")
    assert recorded == untouched


BESIDE = ["ctypes", "enum", "fnmatch", "json", "os", "re", "struct", "threading", "types", "typing"]
ON_PATH = ["ctypes", "json", "struct", "threading"]


@pytest.mark.parametrize(("folder", "names"), [("app", BESIDE), ("lib", ON_PATH)])
@OLDEST_AND_NEWEST
@pytest.mark.parametrize("version", INTERPRETERS)
def test_a_program_gets_its_own_modules_whatever_the_hook_has_imported(tool, version, folder, names):
    for name in names:
        tool.write(f"{folder}/{name}.py", f"print('own {name}')\ndef _shutdown(): pass\n")
    tool.write("app/app.py", f"import {', '.join(names)}\ndef work(): pass\nwork()\n")
    words = ["sh", "-c", f"PYTHONPATH=$PYTHONPATH:lib exec {INTERPRETERS[version]} app/app.py"]
    plain = tool(*words)
    assert b"own json" in plain.stdout
    done = run(tool, "--no-analyze", "--python-functions", "work", "--", *words)
    assert (done.returncode, done.stdout, plain.stderr) == (0, plain.stdout, b"")
    assert visits(experiment(tool)) == {"work": 1}


RESTORING = """
import sys
def work(): pass
def main():
    work()
    hook = sys.getprofile()
    sys.setprofile(lambda *_: None)
    work()
    sys.setprofile(hook)
    work()
    {}
    work()
main()
"""


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("version", INTERPRETERS)
def test_a_profile_function_that_is_put_back_records_on_and_one_that_is_not_is_said(tool, version):
    hears_all = tuple(map(int, version.split("."))) >= (3, 12)
    said = b"autoanalyzer: --python-functions: the recording ended when the program set a profile function"
    for last, heard in ("pass", 3), ("sys.setprofile(None)", 2), ("sys.setprofile(lambda *_: None)", 2):
        tool.write("app.py", RESTORING.format(last))
        done = run(tool, "--no-analyze", "--python-functions", "*", "--", INTERPRETERS[version], "app.py")
        assert visits(experiment(tool))["main/work"] == (4 if hears_all else heard)
        assert (said in done.stderr) == (last != "pass" and not hears_all)
        assert experiment(tool).exclusive("io_bytes_written").sum() == 0


CHILDREN = """
import os, subprocess, sys
from multiprocessing import get_context

def work():
    return sum(range(10))

if __name__ == "__main__":
    work()
    with get_context("fork").Pool(1) as pool:
        pool.apply(work)
    subprocess.run([sys.executable, "-c", "print('child')"], check=True)
    sys.stdout.flush()
    os._exit(3)
"""


def test_children_record_too_and_an_exit_without_goodbye_loses_nothing(tool):
    tool.write("app.py", CHILDREN)
    done = run(tool, "--no-analyze", "--python-functions", "work", "--", sys.executable, "app.py")
    assert (done.returncode, done.stdout) == (1, b"child\n")
    assert b"the program ended with exit status 3" in done.stderr
    assert b"no such function" not in done.stderr
    found = experiment(tool)
    work = next(index for index, path in enumerate(found.call_paths) if path.region.name == "work")
    assert found.exclusive("visits")[work].sum() == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["app.py"], "--python-functions wrok: no such function was called; did you mean __main__:work?"),
        (["-I", "app.py"], "--python-functions: no Python program was recorded; start Python without -E, -I and -S"),
    ],
)
def test_a_pattern_without_a_function_is_said(tool, options, said):
    tool.write("app.py", "import mpi4py.MPI\ndef work(): pass\nwork()\n")
    done = run(tool, "--no-analyze", "--python-functions", "wrok", "--", "mpirun", "-n", "1", sys.executable, *options)
    assert done.returncode == 0
    assert f"autoanalyzer: {said}" in done.stderr.decode().splitlines()
    assert not (tool.folder / "out" / "shards").exists()


@pytest.mark.parametrize("pattern", ["", "app:", "a,,b"])
def test_a_pattern_that_names_nothing_is_refused(tool, pattern):
    done = tool("autoanalyzer", "run", "--python-functions", pattern, "--", "true")
    assert done.returncode == 2
    assert b"expected FUNCTION, MODULE:FUNCTION or FILE.py, found" in done.stderr


PATTERNS = {
    "step": {"Grid.step"},
    "Grid.*": {"Grid.step", "Grid.stop"},
    "helper:*": {"help_out"},
    "app:work": {"work"},
    "__main__:w*": {"work"},
    "helper.py": {"help_out"},
    "*/sub/*.py": {"help_out"},
    "json:dumps": {"dumps"},
    "dumps": set(),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_name_functions_modules_and_files(tool, pattern):
    tool.write("sub/helper.py", "def help_out(): pass\n")
    tool.write(
        "app.py",
        "import sys\nsys.path.append('sub')\nimport json\nfrom helper import help_out\nclass Grid:\n"
        "  def step(self): pass\n  def stop(self): pass\ndef work(): pass\n"
        "Grid().step(); Grid().stop(); work(); help_out(); json.dumps(1)\n",
    )
    run(tool, "--no-analyze", "--python-functions", pattern, "--", sys.executable, "app.py")
    assert set(visits(experiment(tool))) == PATTERNS[pattern]


WHOLE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int room = 1 << 20;
    char *from = calloc(size, room), *to = calloc(size, room);
    for (int i = 0; i < 80; i++)
        MPI_Alltoall(from, room, MPI_CHAR, to, room, MPI_CHAR, MPI_COMM_WORLD);
    FILE *file = fopen("dump", "w");
    fwrite(to, 1, room, file);
    fclose(file);
    return MPI_Finalize();
}
"""


def test_a_c_program_without_probes_has_verdicts_on_mpi_calls_and_files(tool, mpi):
    launcher, compiler = mpi
    tool.write("app.c", WHOLE)
    assert tool(compiler, "app.c", "-o", "app").returncode == 0
    run(tool, "--", launcher, "-n", "2", "./app")
    found = experiment(tool)
    apart = {path.region.name: index for index, path in enumerate(found.call_paths)}
    assert found.exclusive("visits")[apart["MPI_Alltoall"]].tolist() == [80, 80]
    assert found.exclusive("mpi_bytes_sent")[apart["MPI_Alltoall"]].tolist() == [80 * 2 * 2**20] * 2
    assert found.exclusive("io_bytes_written")[apart["file I/O"]].tolist() == [2**20] * 2
    assert "MPI_Alltoall" in {each["name"] for each in tool.findings()["disparity"]["cccr"]}
    quiet = {name: found.exclusive(name).copy() for name in ("wall_time", "cpu_time", "mpi_time", "mpi_cpu_time")}
    for seconds in quiet.values():  # as if both ranks always had a core
        seconds[apart["MPI_Alltoall"]] = 0.1
    severities = {each.name: quiet.get(each.name, found.exclusive(each.name)) for each in found.metrics}
    notes = replace(found.notes, run_delay={}, processor_use={})
    said = verdict_lines(analyze(found.replaced(severities=severities, notes=notes)))
    assert "TRANSFER    MPI_Alltoall in main" in " ".join(said)
