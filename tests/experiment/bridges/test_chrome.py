"""Traces in Chrome's format: one by clang, which contains its own sums, and small ones with other tools' features."""

import json
from collections import defaultdict

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.cli.main import main
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load

from .conftest import FOREIGN

FILE = FOREIGN / "stencil.trace.json"
TOTAL = "Total "


def test_inclusive_times_are_the_totals_that_clang_writes():
    events = [each for each in json.loads(FILE.read_text())["traceEvents"] if each["ph"] == "X"]
    slices = defaultdict(int)
    for each in events:
        slices[each["name"]] += 1
    totals = {each["name"].removeprefix(TOTAL): each for each in events if each["name"].startswith(TOTAL)}
    # Only those with all their slices, because short slices are not written.
    totals = {name: each for name, each in totals.items() if slices[name] == each["args"]["count"]}
    experiment = load(FILE)
    found, visits = defaultdict(float), defaultdict(float)
    inclusive, entered = experiment.inclusive("wall_time"), experiment.exclusive("visits")
    for row, path in enumerate(experiment.call_paths):
        found[path.region.name] += inclusive[row].sum()
        visits[path.region.name] += entered[row].sum()
    assert {"ExecuteCompiler", "Backend", "Optimizer", "Frontend"} <= totals.keys()
    for name, each in totals.items():
        assert visits[name] == slices[name]
        assert found[name] == pytest.approx(each["dur"] / 1e6, abs=2e-6 * slices[name])


def _slice(name, begin, end, *, process=7, thread=1):
    return {"ph": "X", "name": name, "ts": begin * 1e6, "dur": (end - begin) * 1e6, "pid": process, "tid": thread}


def _edge(kind, name, time, **more):
    return {"ph": kind, "name": name, "ts": time * 1e6, "pid": 7, "tid": 1, **more}


@pytest.fixture
def opened(tmp_path):
    def write(events):
        (tmp_path / "a.json").write_text(events if isinstance(events, str) else json.dumps({"traceEvents": events}))
        return load(tmp_path / "a.json")

    return write


def test_a_slice_within_another_is_called_by_it(opened, values):
    experiment = opened([_slice("a", 1, 2), _slice("main", 0, 10), _slice("b", 1.25, 1.5), _slice("a", 3, 4)])
    assert values(experiment, "wall_time") == {"main": [8], "main/a": [1.75], "main/a/b": [0.25]}
    assert values(experiment, "visits")["main/a"] == [2]


def test_begins_and_ends_make_slices_and_what_is_open_lasts_to_the_end(opened, values):
    events = [_edge("B", "main", 0), _edge("B", "a", 1), _edge("E", "", 3), _edge("B", "b", 4), _edge("i", "mark", 5)]
    experiment = opened([*events, _slice("c", 4, 6)])
    found = {name.rpartition("/")[2]: each for name, each in values(experiment, "wall_time", inclusive=True).items()}
    assert (found["main"], found["a"], found["b"]) == ([6], [2], [2])
    assert "events not read: i" in experiment.notes.remarks[0]


def test_names_of_processes_give_ranks(opened):
    events = [_slice("work", 0, 1 + 2 * (process == 8), process=process) for process in (9, 8)]
    names = {8: "MPI Rank 1", 9: "MPI Rank 0"}
    events += [
        {"ph": "M", "pid": number, "name": "process_name", "args": {"name": name}} for number, name in names.items()
    ]
    experiment = opened(events)
    assert experiment.exclusive("wall_time").tolist() == [[1, 3]]
    assert "ranks are taken from process names" in experiment.notes.remarks[0]
    assert analyze(experiment).dissimilarity.exists


def test_an_array_without_its_end_is_read(opened, values):
    text = "[\n" + "".join(json.dumps(_slice(name, 0, 1, thread=name)) + ",\n" for name in "ab")
    assert values(opened(text), "wall_time") == {"program": [0, 0], "program/a": [1, 0], "program/b": [0, 1]}


@pytest.mark.parametrize("events", [[], [_edge("i", "mark", 5)], [_slice("a", 2, 1)], [{"ph": "X"}], ["a"]])
def test_what_has_no_slices_is_refused(events, opened):
    with pytest.raises(InputError, match=r"a\.json: expected .*, found"):
        opened(events)


def test_what_we_write_for_perfetto_comes_back(tmp_path):
    rays = load(FOREIGN.parent / "rays.cube.gz")
    with pytest.raises(SystemExit):
        main(["convert", str(FOREIGN.parent / "rays.cube.gz"), str(tmp_path / "rays.perfetto.json")])
    own, found = (defaultdict(float) for _ in range(2))
    for sums, experiment in ((own, rays), (found, load(tmp_path / "rays.perfetto.json"))):
        for path, row in zip(experiment.call_paths, experiment.exclusive("wall_time"), strict=True):
            for place, seconds in zip(experiment.locations, row, strict=True):
                sums[path.region.name, place.process] += seconds
    assert {key: value for key, value in found.items() if value > 1e-5} == pytest.approx(
        {key: value for key, value in own.items() if value > 1e-5}, abs=1e-5
    )
