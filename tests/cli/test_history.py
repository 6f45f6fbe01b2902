"""The command history: sixty commits with three changes, damaged files, and several writers at once."""

import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from autoanalyzer.analyze.history import HistoryFile, KeptRun, histories_of, values_to_keep
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, save
from autoanalyzer.view.history import history_document

from .conftest import refused, succeed

MAIN = Region("program", "main", "a.c", "main", 0, 1, 99)
WORK, SEND = Region("loop", "loop@10", "a.c", "work", 0, 10, 19), Region("function", "send", "a.c", "send", 0, 20, 29)
COUNTED = "simulated:lru"
RANKS = 4


@dataclass(frozen=True)
class Version:
    """How much of each quantity a version of the program needs, as a factor."""

    instructions: float = 1.0
    seconds: float = 1.0
    bytes: float = 1.0


def made(version: Version = Version(), noise: Callable[[], float] = lambda: 1.0) -> Experiment:
    """Work computes, send sends; each rank's time has noise of its own, and rank 0 is the path."""
    rows = np.array([0.02, 0.9, 0.08])[:, None]
    times = rows * version.seconds * np.array([noise() for _ in range(RANKS)])
    path = np.zeros((3, RANKS))
    path[:, 0] = times.max(axis=1)
    severities = {
        "wall_time": 1.1 * times * noise(),
        "cpu_time": times,
        "mpi_cpu_time": 0 * times,
        "path_time": path,
        "instructions": np.rint(np.repeat(rows, RANKS, axis=1) * 1e9 * [[1], [version.instructions], [1]]),
        "mpi_bytes_sent": np.array([[0], [0], [1e6 * version.bytes]]).repeat(RANKS, axis=1),
    }
    about = {"instructions": ("occ", COUNTED), "mpi_bytes_sent": ("byte", "measured:mpi")}
    return Experiment(
        metrics=[
            Metric(name, *about.get(name, ("sec", "measured:clock"))[:1], source=about.get(name, ("", "measured:x"))[1])
            for name in severities
        ],
        call_paths=[CallPath(MAIN), CallPath(WORK, 0), CallPath(SEND, 0)],
        locations=[Location("m", "n", rank) for rank in range(RANKS)],
        severities=severities,
        notes=Notes(program="app", command=("mpirun", "./app")),
    )


@pytest.mark.parametrize("seed", range(2))
def test_of_sixty_commits_each_change_is_found_at_its_commit_and_nothing_else(tmp_path, seed):
    random = np.random.default_rng(seed)
    file = HistoryFile(tmp_path / "runs.db")
    for number in range(60):
        version = Version(1.011 if number >= 17 else 1.0, 1.05 if number >= 31 else 1.0, 1.1 if number >= 44 else 1.0)
        run = made(version, lambda: float(np.exp(random.exponential(0.01))))
        about = KeptRun(f"{number}", f"c{number}", "2026-01-01 00:00:00", "n", "app", "./app", RANKS, RANKS)
        assert file.add(about, values_to_keep(run))
    (program,) = history_document(histories_of(file.read()))["programs"]
    found = {(each["commit"], each["metric"], each["region"]) for each in program["changes"]}
    assert {each for each in found if each[1] == "instructions"} == {
        ("c17", "instructions", ""),
        ("c17", "instructions", "loop in work"),
    }
    assert {each for each in found if each[1] == "mpi_bytes_sent"} == {
        ("c44", "mpi_bytes_sent", ""),
        ("c44", "mpi_bytes_sent", "send"),
    }
    assert ("c31", "path_time", "") in found
    assert {each[0] for each in found} == {"c17", "c31", "c44"}


def test_a_history_is_shown_and_a_new_run_is_compared_with_it(tool):
    for number, version in enumerate([Version()] * 3 + [Version(instructions=1.2)] * 3):
        save(made(version).replaced(notes=Notes(program="app", remarks=(str(number),))), tool.folder / f"{number}.cube")
        succeed(tool("autoanalyzer", "history", "add", "runs.db", f"{number}.cube", "--commit", f"c{number}"))
    said = succeed(tool("autoanalyzer", "history", "show", "runs.db", "--json", "h.json")).stdout.decode()
    assert said.splitlines()[:3] == [
        "app, 4 ranks: 6 runs, commits c0 to c5",
        "from commit c3 (run 4) on",
        "  MORE     instructions of the program: 4.7e9, 18.0 % more than 4.0e9",
    ]
    assert "in the loop in work (a.c:10) +20.0 %" in said.splitlines()[3]
    document = json.loads((tool.folder / "h.json").read_text())
    assert document["schema"] == "autoanalyzer.history/1"
    (program,) = document["programs"]
    assert (program["changes"][0]["run"], program["changes"][0]["line"], len(program["runs"])) == (3, 0, 6)
    again = succeed(tool("autoanalyzer", "history", "add", "runs.db", "5.cube"))
    assert again.stdout == b"runs.db: 0 added; 1 were in it\n"
    worse = made(Version(instructions=1.4)).replaced(notes=Notes(program="app"))
    save(worse, tool.folder / "new.cube")
    compared = tool("autoanalyzer", "compare", "new.cube", "--history", "runs.db", "--fail-on", "5%")
    assert compared.returncode == 3
    assert compared.stdout.startswith(b"MORE     instructions of the program: 5.4e9, 15.3 % more than 4.7e9\n")
    assert tool("autoanalyzer", "compare", "5.cube", "--history", "runs.db", "--fail-on", "5%").returncode == 0


def test_a_file_that_is_no_history_is_refused_and_left_as_it_is(tool):
    save(made(), tool.folder / "run.cube")
    tool.write("text.db", "no database, but long enough to be taken for one\n" * 40)
    with sqlite3.connect(tool.folder / "other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    for name, said in (("text.db", "expected a history, found: file is not"), ("other.db", "found another database")):
        before = (tool.folder / name).read_bytes()
        for words in (("add", name, "run.cube"), ("show", name)):
            assert said in refused(tool("autoanalyzer", "history", *words))
        assert (tool.folder / name).read_bytes() == before
    assert "no such history" in refused(tool("autoanalyzer", "history", "show", "none.db"))


def test_a_run_that_lacks_ranks_is_not_kept(tool):
    save(made().replaced(notes=Notes(missing=(1,))), tool.folder / "run.cube")
    assert "no data came back from rank 1" in refused(tool("autoanalyzer", "history", "add", "runs.db", "run.cube"))
    assert not (tool.folder / "runs.db").exists()


def test_what_several_write_at_once_is_all_kept(tmp_path):
    values = values_to_keep(made())

    def add(number: int) -> bool:
        about = KeptRun(f"{number}", f"c{number}", "2026-01-01 00:00:00", "n", "app", "./app", RANKS, RANKS)
        return HistoryFile(tmp_path / "runs.db").add(about, values)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(add, range(40)))
    runs = HistoryFile(tmp_path / "runs.db").read()
    assert sorted(int(run.digest) for run, _ in runs) == [*range(40)]
    assert {len(kept) for _, kept in runs} == {len(values)}
