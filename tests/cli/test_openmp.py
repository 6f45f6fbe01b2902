"""Programs with threads: OpenMP by GNU and LLVM, in C and Fortran, and threads that programs create."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.experiment import Experiment, load

from ..conftest import LIBOMP, Tool

PASSIVE = {"OMP_WAIT_POLICY": "passive"}
PROGRAMS = Path(__file__).parents[1] / "programs" / "openmp"
OWN = {"flang-new-19": LIBOMP}
QUEUES = [("gcc", "queue.c"), ("clang", "queue.c"), ("gfortran", "queue.f90")]
COMPILERS = [("gcc", "share.c"), ("clang", "share.c"), ("gfortran", "share.f90"), ("flang-new-19", "share.f90")]


def made(tool: Tool, compiler: str, source: str) -> None:
    shutil.copy(PROGRAMS / source, tool.folder)
    command = (compiler, "-O1", "-fopenmp", source, "-o", "program", "-lpthread", *OWN.get(compiler, ("-g",)))
    done = tool("autoanalyzer", "compile", "--", *command)
    assert done.returncode == 0, done.stderr.decode()
    assert b"autoanalyzer" not in done.stderr, done.stderr.decode()


def run(tool: Tool, *arguments: str, **variables: str) -> Any:
    done = tool(
        *("autoanalyzer", "run", "-o", "out", "--json", "found.json", "--", "./program", *arguments),
        env={"OMP_MAX_ACTIVE_LEVELS": "2", "OMP_DYNAMIC": "false", **variables},
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads((tool.folder / "found.json").read_text())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Tool]:
    """Return a function that returns the folder of a program, which is built only once."""

    @cache
    def built(compiler: str, source: str) -> Tool:
        tool = Tool(tmp_path_factory.mktemp(compiler))
        made(tool, compiler, source)
        return tool

    return built


@pytest.fixture(scope="module")
def ran(built: Callable[[str, str], Tool]) -> Callable[..., tuple[Any, Experiment]]:
    """Return the findings and the experiment of a program, which is built and run only once."""

    @cache
    def ran(compiler: str, source: str, *arguments: str) -> tuple[Any, Experiment]:
        tool = built(compiler, source)
        return run(tool, *arguments), load(tool.folder / "out" / "experiment.cube")

    return ran


def by_region(experiment: Experiment, metric: str) -> dict[str, list[float]]:
    """Return a metric's values by region, summed over its call paths: a list by thread."""
    values: dict[str, list[float]] = {}
    for path, row in zip(experiment.call_paths, experiment.exclusive(metric).tolist(), strict=True):
        name = path.region.name.partition("@")[0]
        values[name] = [sum(each) for each in zip(values.get(name, [0] * len(row)), row, strict=True)]
    return values


@pytest.mark.parametrize(("compiler", "source"), COMPILERS)
@pytest.mark.by_day(compiler=["gcc", "flang-new-19"])
def test_a_thread_with_more_work_parts_the_threads_at_the_loop(ran: Any, compiler: str, source: str) -> None:
    found = ran(compiler, source, "uneven")[0]["dissimilarity"]
    assert found["compared"] == "threads"
    assert found["clusters"] == [["0.0"], ["0.1"]]
    lines = (PROGRAMS / source).read_text().splitlines()
    directive = next(number for number, line in enumerate(lines, 1) if "omp parallel" in line)
    assert [(culprit["kind"], culprit["line"]) for culprit in found["cccr"]] == [("parallel", directive + 1)]


@pytest.mark.measured
@pytest.mark.parametrize("kind", ["even", "serial"])
@pytest.mark.parametrize(("compiler", "source"), COMPILERS)
def test_even_work_is_one_cluster_whatever_the_first_thread_does_alone(
    tool: Any, compiler: str, source: str, kind: str
) -> None:
    made(tool, compiler, source)
    assert run(tool, kind)["dissimilarity"]["clusters"] == [["0.0", "0.1"]]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_construct_is_recorded_in_every_thread(ran: Any, compiler: str) -> None:
    experiment = ran(compiler, "constructs.c")[1]
    assert experiment.notes.remarks == ()
    assert experiment.notes.repairs == 0
    visits = by_region(experiment, "visits")
    assert visits["sections"][:3] == [1, 1, 1]
    totals = {name: sum(row) for name, row in visits.items()}
    wanted = {"in_loop": 9, "in_single": 1, "in_section": 2, "in_task": 20, "in_task_loop": 20, "in_inner": 4}
    assert {name: totals[name] for name in wanted} == wanted
    assert (totals["parallel"], totals["single"], totals["own_thread"]) == (3 + 3 + 2 + 4, 6, 2)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_paths_of_threads_go_on_from_who_started_them(ran: Any, compiler: str) -> None:
    experiment = ran(compiler, "constructs.c")[1]
    names = {experiment.path_name(index) for index in range(len(experiment.call_paths))}
    paths = {"/".join(part.partition("@")[0] for part in name.split("/")) for name in names}
    assert {
        "parallel/loop/in_loop/spin/loop",
        "parallel/single/in_single/spin/loop",
        "parallel/single/loop/in_task/spin/loop",
        "parallel/parallel/in_inner/spin/loop",
        "loop/own_thread/spin/loop",
    } <= paths
    assert not {path for path in paths if path.startswith(("in_", "own_thread", "spin"))}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_waiting_is_part_of_the_time_and_no_computing(ran: Any, compiler: str) -> None:
    experiment = ran(compiler, "share.c", "uneven")[1]
    wall, waited = experiment.exclusive("wall_time"), experiment.exclusive("omp_time")
    cpu, spun = experiment.exclusive("cpu_time"), experiment.exclusive("omp_cpu_time")
    assert ((waited >= 0) & (waited <= wall) & (spun <= cpu) & (spun <= waited)).all()
    assert waited[:, 1].sum() > 0


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_who_sleeps_while_waiting_is_not_on_a_processor(built: Any, compiler: str) -> None:
    tool = built(compiler, "share.c")
    run(tool, "uneven", OMP_WAIT_POLICY="passive")
    experiment = load(tool.folder / "out" / "experiment.cube")
    waited, spun = (experiment.exclusive(metric)[:, 1].sum() for metric in ("omp_time", "omp_cpu_time"))
    assert spun < waited / 10


def places(found: Any, kind: str) -> dict[tuple[str, int], tuple[float, float]]:
    """Return entries and contended entries by kind and line of the places where threads wait, in findings of a kind."""
    waits = [wait for each in found["findings"] if each["kind"] == kind for wait in each["thread_waits"]]
    return {(wait["kind"], wait["line"]): (wait["entries"], wait["contended"]) for wait in waits}


@pytest.mark.parametrize(("compiler", "source"), QUEUES)
@pytest.mark.by_day(compiler=["gcc", "clang"])
def test_threads_that_queue_or_meet_often_are_findings_with_lines_and_counts(
    ran: Any, compiler: str, source: str
) -> None:
    found, experiment = ran(compiler, source, "faults")
    lines = (PROGRAMS / source).read_text().splitlines()
    line = {
        kind: next(number for number, text in enumerate(lines, 1) if text.strip().endswith(text_of))
        for kind, text_of in {
            "critical": "omp critical",
            "lock": "omp_set_lock(&lock);",
            "barrier": "omp barrier",
        }.items()
        if any(text.strip().endswith(text_of) for text in lines)
    }
    locks = places(found, "lock")
    for kind in line.keys() - {"barrier"}:
        entries, contended = locks[kind, line[kind]]
        assert entries == 4 * 200
        assert contended >= entries / 4
    assert places(found, "barriers")["barrier", line["barrier"]] == (4 * 300, 0)
    waits = {(each["kind"], each["line"]): each for each in found["thread_waits"]}
    critical = waits["critical", line["critical"]]
    assert (critical["threads"], critical["entries"]) == ([0, 1, 2, 3], [200] * 4)
    assert sum(critical["seconds"]) > 0
    assert sum(map(sum, by_region(experiment, "omp_time").values())) >= sum(
        sum(each["seconds"]) for each in waits.values()
    )


@pytest.mark.parametrize(("compiler", "source"), QUEUES)
@pytest.mark.by_day(compiler=["gcc"])
def test_the_same_work_at_the_same_time_is_no_finding_of_threads(ran: Any, compiler: str, source: str) -> None:
    found, _ = ran(compiler, source, "clean")
    assert not {"lock", "barriers"} & {each["kind"] for each in found["findings"]}
    assert {sum(each["entries"]) for each in found["thread_waits"]} == {4}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.by_day(compiler=["clang"])
def test_who_only_tries_to_take_a_lock_neither_waits_nor_holds_it(ran: Any, compiler: str) -> None:
    waits = ran(compiler, "try.c")[0]["thread_waits"]
    locks = [(each["entries"], each["contended"]) for each in waits if each["kind"] == "lock"]
    assert locks == [([1], [0])]


@pytest.mark.nightly
def test_a_program_of_gnu_s_that_meets_llvm_s_library_waits_in_its_own_lines(built: Any) -> None:
    tool = built("gcc", "try.c")
    (llvm,) = (Path(each.removeprefix("-L")) / "libomp.so" for each in LIBOMP)
    (tool.folder / "libgomp.so.1").symlink_to(llvm)
    waits = run(tool, LD_LIBRARY_PATH=str(tool.folder))["thread_waits"]
    lines = (PROGRAMS / "try.c").read_text().splitlines()
    barriers = [number for number, line in enumerate(lines, 1) if line == "#pragma omp barrier"]
    assert sorted((each["line"], each["entries"]) for each in waits if each["kind"] == "barrier") == [
        (line, [1, 1]) for line in barriers
    ]
    assert [(each["entries"], each["contended"]) for each in waits if each["kind"] == "lock"] == [([1], [0])]


@pytest.mark.by_day(shape=["turns"])
@pytest.mark.parametrize(
    ("shape", "names"), [("turns", {"parallel"}), ("same", {"loop", "work"}), ("even", set())], ids=str
)
def test_threads_that_are_slowest_in_turn_are_an_imbalance_like_one_that_always_is(
    tool: Tool, shape: str, names: set[str]
) -> None:
    """A team's threads have equal total busy time, so only the slowest thread of each execution shows the loss."""
    shutil.copy(PROGRAMS / "turns.c", tool.folder)
    build = ("autoanalyzer", "compile", "--", "mpicc", "-O1", "-g", "-fopenmp", "turns.c", "-o", "program")
    assert tool(*build).returncode == 0
    options = ("-o", "out", "--path", "always", "--json", "found.json")
    done = tool("autoanalyzer", "run", *options, "--", "mpirun", "-n", "2", "./program", shape, env=PASSIVE)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads((tool.folder / "found.json").read_text())["findings"]
    uneven = [each for each in found if each["kind"] == "imbalance" and not each["doubt"]]
    assert {each["name"].partition("@")[0] for each in uneven} <= names
    assert bool(uneven) == bool(names)
    assert all(bool(each["ranks"]) == (shape == "same") for each in uneven)
