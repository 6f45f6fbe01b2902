"""Which packages a command imports: their start takes longer than reading small files."""

import sys

import numpy as np
import pytest

from autoanalyzer.experiment import Builder, Region, save

from .conftest import succeed

DEAR = {
    "clang", "lxml", "mpi4py", "numpy", "numpy.ma", "orjson", "pandas", "rich",
    "scipy", "scipy.stats", "simdjson", "sklearn", "threadpoolctl", "autoanalyzer.analyze.comparison",
    "autoanalyzer.analyze.paper", "autoanalyzer.experiment.algebra", "autoanalyzer.experiment.bridges",
    "autoanalyzer.experiment.cube.writer", "autoanalyzer.experiment.plan", "autoanalyzer.instrument",
    "autoanalyzer.runtime.counting.run", "autoanalyzer.runtime.gather", "autoanalyzer.runtime.mpi.c_wrappers",
    "autoanalyzer.view.explain", "autoanalyzer.view.findings_json", "autoanalyzer.view.marks",
}  # fmt: skip
READS = {"numpy", "lxml", "orjson", "simdjson"}
WRITES = {*READS, "autoanalyzer.experiment.cube.writer"}
OPERATES = {*READS, "autoanalyzer.experiment.algebra"}
STATISTICS = {*READS, "numpy.ma", "rich", "scipy", "threadpoolctl", "autoanalyzer.view.marks"}
GATHERS = {*WRITES, "autoanalyzer.experiment.plan", "autoanalyzer.runtime.gather"}


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("--help", set()),
        ("exec true", set()),
        ("functions --help", set()),
        ("analyze --help", set()),
        ("debug --help", set()),
        ("run --help", set()),
        ("view --help", set()),
        ("regions a.c", {"autoanalyzer.instrument", "autoanalyzer.experiment.plan"}),
        ("regions a.f90", {"autoanalyzer.instrument", "autoanalyzer.experiment.plan"}),
        ("analyze a.cube", READS),
        ("analyze a.cube --tree", {*READS, "rich"}),
        ("info a.cube", READS),
        ("dump a.cube --json", READS),
        ("cut a.cube -o part.cube --ranks 0", WRITES),
        ("diff a.cube b.cube", {*OPERATES, "rich"}),
        ("mean a.cube b.cube -o mean.cube", {*OPERATES, *WRITES}),
        ("compare a.cube --with b.cube", {*OPERATES, "autoanalyzer.analyze.comparison"}),
        ("stats a.cube correlation", STATISTICS),
        ("stats a.cube hierarchy", STATISTICS),
        ("stats a.cube map", STATISTICS),
    ],
)
@pytest.mark.by_day(
    command=[
        *(
            "exec true",
            "run --help",
            "regions a.c",
            "analyze a.cube",
            "dump a.cube --json",
            "cut a.cube -o part.cube --ranks 0",
        ),
        *("mean a.cube b.cube -o mean.cube", "compare a.cube --with b.cube", "stats a.cube hierarchy"),
    ]
)
def test_a_command_imports_no_more_than_it_needs(command, needed, tool):
    tool.write("a.c", "int main(void) { return 0; }\n")
    tool.write("a.f90", "program main\nend program\n")
    made = Builder()
    main = made.call_path("main")
    for rank in range(4):
        made.location(rank)
    for name, part in (("wall_time", 1.0), ("cpu_time", 1.0), ("mpi_cpu_time", 0.5)):
        made.metric(name, "sec")
        made.row(name, main, part * np.array([1.0, 1.1, 2.0, 2.1]))
    for name in ("a.cube", "b.cube"):
        save(made.experiment(), tool.folder / name)
    if command == "exec true":
        succeed(tool("autoanalyzer", *command.split()))  # this builds the probe library
    assert _imported(tool, command) & DEAR == needed


@pytest.mark.parametrize("file", ["a.c", "a.f90", "missing.c"])
@pytest.mark.by_day(file=["a.c"])
def test_what_reads_sources_is_imported_in_a_process_of_its_own(file, tool):
    tool.write("a.c", "void work(double *a, int rank) { for (int i = 0; i < rank; i++) a[i] = 0; }\n")
    tool.write("a.f90", "subroutine work(rank)\n integer :: rank\nend subroutine\n")
    made = Builder()
    main = made.call_path("main")
    work = made.call_path(Region("function", "work", file, "work", 0, 1, 1), main)
    for rank in range(4):
        made.location(rank)
    values = np.array([1.0, 1.0, 2.0, 2.0])
    for name, part in (("wall_time", 1.0), ("cpu_time", 1.0), ("mpi_cpu_time", 0.0)):
        made.metric(name, "sec")
        made.row(name, work, part * values)
    made.metric("instructions", "occ")
    made.row("instructions", work, 1e9 * values)
    save(made.experiment(), tool.folder / "a.cube")
    assert _imported(tool, "analyze a.cube") & DEAR == READS
    assert _imported(tool, "analyze a.cube --no-advice") & DEAR == READS


def test_a_run_imports_no_more_than_it_needs(tool):
    tool.build("int main(void) { return 0; }\n")
    imported = _imported(tool, "run --no-analyze --counters none -- ./app")
    assert imported & {*DEAR, "autoanalyzer.view.verdict"} == GATHERS


def _imported(tool, command):
    done = succeed(tool("autoanalyzer", *command.split(), env={"PYTHONPROFILEIMPORTTIME": "1"}))
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_numpy_starts_no_threads_and_programs_have_their_own_number(tool):
    threads = "import os, sys; print('numpy' in sys.modules, len(os.listdir('/proc/self/task')))"
    script = f"from autoanalyzer.cli.main import main\ntry: main(['info', 'missing.cube'])\nfinally: {threads}"
    assert tool(sys.executable, "-c", script).stdout.split() == [b"True", b"1"]
    assert b"OPENBLAS_NUM_THREADS" not in tool("autoanalyzer", "exec", "env").stdout
