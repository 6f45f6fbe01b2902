"""The command history: sixty commits with three changes, damaged files, and several simultaneous writers."""

import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import pytest

from autoanalyzer.analyze.history import (
    History,
    HistoryFile,
    KeptRun,
    KeptValue,
    histories_of,
    history_file,
    values_to_keep,
)
from autoanalyzer.analyze.history.change_points import Series, changes_of
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, save
from autoanalyzer.view.history import history_document, judged_lines

from .conftest import refused, succeed

MAIN = Region("program", "main", "a.c", "main", 0, 1, 99)
WORK, SEND = Region("loop", "loop@10", "a.c", "work", 0, 10, 19), Region("function", "send", "a.c", "send", 0, 20, 29)
COUNTED = "simulated:lru"
RANKS = 4


@dataclass(frozen=True)
class Version:
    """The factors by which a version of the program needs more of each resource."""

    instructions: float = 1.0
    seconds: float = 1.0
    bytes: float = 1.0


def made(
    version: Version = Version(),
    noise: Callable[[], float] = lambda: 1.0,
    shares: tuple[float, ...] = (0.02, 0.9, 0.08),
    last: float = 1.0,
) -> Experiment:
    """Return a run in which work computes and send sends; ranks have their own noise, rank 0 is the critical path."""
    rows = np.array(shares)[:, None]
    times = rows * version.seconds * np.array([noise() for _ in range(RANKS)])
    path = np.zeros((3, RANKS))
    path[:, 0] = times.max(axis=1)
    times[:, -1] *= last
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
        assert file.add(about(f"{number}"), values_to_keep(run))
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


def test_a_history_is_shown_and_a_new_run_is_compared_with_it(tool, browse):
    for number, version in enumerate([Version()] * 3 + [Version(instructions=1.2)] * 3):
        save(made(version).replaced(notes=Notes(program="app", remarks=(str(number),))), tool.folder / f"{number}.cube")
        succeed(tool("autoanalyzer", "history", "add", "runs.db", "--commit", f"c{number}", f"{number}.cube"))
    done = succeed(tool("autoanalyzer", "history", "show", "runs.db", "--json", "h.json", "--html", "h.html"))
    said = done.stdout.decode()
    assert said.splitlines()[:3] == [
        "app, 4 ranks: 6 runs, commits c0 to c5",
        "since commit c3 (run 4)",
        "  MORE     instructions of the program: 4.7e9, 18.0 % more than 4.0e9",
    ]
    assert "in the loop in work (a.c:10) +20.0 %" in said.splitlines()[3]
    shown = browse(tool.folder / "h.html")
    assert shown.text.startswith("app, 4 ranks: lasting changes since commit c3 (run 4)\n")
    titles = [line for line in shown.text.splitlines() if line.startswith("app, 4 ranks: ")][1:]
    assert titles[:3] == [said.splitlines()[0], "app, 4 ranks: instructions", "app, 4 ranks: busy_time on n"]
    assert "commit c3 (run 4): 4.7e9" in shown.said
    assert {"instructions of the program", "instructions of the loop in work (a.c:10)", "a lasting change"} <= {
        each.strip() for each in shown.drawn
    }
    assert (shown.complaints, shown.requests) == ([], [])
    document = json.loads((tool.folder / "h.json").read_text())
    assert document["schema"] == "autoanalyzer.history/1"
    (program,) = document["programs"]
    assert (program["changes"][0]["run"], program["changes"][0]["line"], len(program["runs"])) == (3, 0, 6)
    again = succeed(tool("autoanalyzer", "history", "add", "runs.db", "5.cube"))
    assert again.stdout == b"runs.db: 0 runs added; 1 run already in the history\n"
    worse = made(Version(instructions=1.4)).replaced(notes=Notes(program="app"))
    save(worse, tool.folder / "new.cube")
    compared = tool("autoanalyzer", "compare", "new.cube", "--history", "runs.db", "--fail-on", "5%")
    assert compared.returncode == 3
    assert compared.stdout.startswith(b"MORE     instructions of the program: 5.4e9, 15.3 % more than 4.7e9\n")
    compare = ("autoanalyzer", "compare", "--history", "runs.db", "--fail-on", "5%")
    assert tool(*compare, "5.cube").stdout.rstrip().endswith(b"compared with 5 runs in the history")
    assert "found this run twice" in refused(tool(*compare, "new.cube", "new.cube"))
    said = tool(*compare, "new.cube", "--host", "other").stdout.decode()
    assert said.splitlines()[-1].endswith(" without a counterpart in the history, which contains only times from n")


def test_a_file_that_is_no_history_is_refused_and_left_as_it_is(tool):
    save(made(), tool.folder / "run.cube")
    tool.write("text.db", "no database, but long enough to be taken for one\n" * 40)
    with sqlite3.connect(tool.folder / "other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    for name, said in (("text.db", "not a readable history: file is not"), ("other.db", "found another database")):
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
        return HistoryFile(tmp_path / "runs.db").add(about(f"{number}"), values)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(add, range(40)))
    runs = HistoryFile(tmp_path / "runs.db").read()
    assert sorted(int(run.digest) for run, _ in runs) == [*range(40)]
    assert {len(kept) for _, kept in runs} == {len(values)}


def test_a_run_without_values_of_a_rank_is_refused(tool):
    save(made(last=np.nan), tool.folder / "run.cube")
    assert "values of some ranks are missing" in refused(tool("autoanalyzer", "history", "add", "k.db", "run.cube"))


def test_times_of_other_machines_only_cannot_pass_for_a_comparison(tool, written):
    for number in range(2):
        written(f"{number}.cube", [0.1, 1 + number / 1000, 1])
    succeed(tool("autoanalyzer", "history", "add", "k.db", "0.cube", "1.cube", "--host", "kind"))
    assert succeed(tool("autoanalyzer", "history", "show", "k.db")).stdout.startswith(b"app, 2 ranks: 2 runs")
    for number in range(2):
        written(f"slow{number}.cube", [0.1, 3 + number / 1000, 1])
    compare = ("autoanalyzer", "compare", "slow0.cube", "slow1.cube", "--history", "k.db", "--fail-on", "5%")
    assert "the history contains times from kind, but none from n0; name the kind of machine with --host" in refused(
        tool(*compare)
    )
    assert tool(*compare, "--host", "kind").returncode == 3
    assert "--host needs --history" in refused(
        tool("autoanalyzer", "compare", "0.cube", "--with", "1.cube", "--host", "k")
    )


def test_what_is_read_is_one_state_of_the_file_while_another_adds(tmp_path, monkeypatch):
    file = HistoryFile(tmp_path / "runs.db")
    assert file.add(about("0"), values_to_keep(made()))
    connect = sqlite3.connect

    class Slow(sqlite3.Connection):
        def execute(self, words, *more):
            if words.startswith("SELECT run"):
                monkeypatch.setattr(history_file, "_WAIT", 0.0)
                monkeypatch.setattr(sqlite3, "connect", connect)
                with suppress(InputError):
                    file.add(about("1"), values_to_keep(made()))
            return super().execute(words, *more)

    monkeypatch.setattr(sqlite3, "connect", lambda *words, **more: connect(*words, factory=Slow, **more))
    assert [run.digest for run, _ in file.read()] == ["0"]


def test_an_empty_file_is_a_history_without_runs_and_stays_empty(tool):
    tool.write("k.db", "")
    assert succeed(tool("autoanalyzer", "history", "show", "k.db")).stdout == b"no runs\n"
    assert (tool.folder / "k.db").read_bytes() == b""


def test_regions_are_followed_by_name_even_if_lines_or_bytes_of_their_names_differ(tmp_path):
    """Overloads at two lines are one region; its busy time is that of the rank that is busiest in both together."""
    odd = Region("function", "f\udcff", "a.c", "f", 0, 10, 19)
    once = made()
    paths = [CallPath(MAIN), CallPath(odd, 0), CallPath(odd._replace(first_line=7), 0)]
    halves = np.array([[0.1] * RANKS, [1, 0, 0, 0], [0, 1, 0, 0]])
    severities = {"wall_time": halves, "cpu_time": halves, "mpi_cpu_time": 0 * halves}
    run = Experiment(
        metrics=[once.metric(name) for name in severities],
        call_paths=paths,
        locations=once.locations,
        severities=severities,
        notes=once.notes,
    )
    file = HistoryFile(tmp_path / "runs.db")
    assert file.add(about("0"), values_to_keep(run))
    ((_, values),) = file.read()
    kept = [each for each in values if each.metric == "busy_time" and "|f" in each.place]
    assert [(each.line, each.value) for each in kept] == [(7, 1.0)]


def test_the_busy_time_is_kept_beside_the_path():
    assert {"path_time", "busy_time"} <= {each.metric for each in values_to_keep(made())}


def test_a_region_that_appears_or_vanishes_is_listed():
    def runs(*shares: float) -> list[History]:
        return histories_of([(about(f"{number}"), values_to_keep(made(shares=(0.5, *shares)))) for number in range(3)])

    (before,), (after,) = runs(1.0, 0.001), runs(0.001, 1.0)
    lines = judged_lines(before.judge(after, 0.05), 3)
    assert [line for line in lines if "compute_time" in line] == [
        "NEW      compute_time of send (a.c:20): 4 s",
        "GONE     compute_time of the loop in work (a.c:10): 4 s",
    ]


def test_regions_of_equal_values_have_an_order():
    regions = [Region("function", name, "a.c", name) for name in "hgfedcba"]
    program = KeptValue("mpi_calls", "occ", "", 0, 100.0, False)
    kept = [replace(program, place=each.descriptor.partition("|")[2], value=10.0) for each in regions]
    (before,) = histories_of([(about(f"{number}"), [program, *kept]) for number in range(3)])
    (after,) = histories_of([(about("4"), [program])])
    assert [each.region for each in before.judge(after, 0.05)] == [None, *regions]


@pytest.mark.parametrize(
    "noise",
    [
        lambda random: random.choice([1000.0, 1010.0], 6),
        lambda random: np.exp(random.normal(0, 0.03, 30)),
        lambda random: random.choice([1.0, 1.1], 12) * np.exp(random.exponential(0.01, 12)),
    ],
)
def test_noise_of_any_kind_is_no_change(noise):
    random = np.random.default_rng(1)
    for _ in range(30):
        values = tuple(noise(random).tolist())
        runs = tuple(range(len(values)))
        assert not changes_of({"": Series(runs, values, False, values, runs[1:])})


def test_a_change_begins_with_a_commit():
    found = []
    for number, (commit, factor) in enumerate((("c1", 1), ("c1", 1), ("c2", 1), ("c2", 1.2), ("c3", 1.2), ("c3", 1.2))):
        found.append((replace(about(f"{number}"), commit=commit), values_to_keep(made(Version(instructions=factor)))))
    (history,) = histories_of(found)
    assert {each.change.run for each in history.changes} == {4}


def about(digest: str) -> KeptRun:
    return KeptRun(digest, f"c{digest}", "2026-01-01 00:00:00", "n", "app", "./app", RANKS, RANKS)
