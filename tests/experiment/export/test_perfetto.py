"""JSON for Perfetto: slices nest and have the measured durations; counters add up to the measured values."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Location, Metric, Region
from autoanalyzer.experiment.export import export, export_trace
from autoanalyzer.experiment.trace import TimeLine, Trace, load_trace

DATA = Path(__file__).parents[2] / "data"


def replay(file):
    """Return how long each stack lasted, in nanoseconds, thread by thread, with names and counters."""
    document = json.loads(file.read_text())
    alone, names, counters = defaultdict(int), {}, defaultdict(list)
    stacks, last = defaultdict(list), defaultdict(int)
    for event in document["traceEvents"]:
        thread = event["pid"], event.get("tid")
        if event["ph"] == "M":
            names[(*thread, event["name"])] = next(iter(event["args"].values()))
            continue
        assert (*thread, "thread_name") in names
        at = round(event["ts"] * 1000)
        if event["ph"] == "C":
            ((unit, value),) = event["args"].items()
            counters[(*thread, f"{event['name']} [{unit}]")].append((at, value))
            continue
        assert at >= last[thread]
        alone[(*thread, tuple(stacks[thread]))] += at - last[thread]
        last[thread] = at
        if event["ph"] == "B":
            stacks[thread].append(event["name"])
        else:
            assert stacks[thread].pop() == event["name"]
    assert not any(stacks.values())
    return dict(alone), names, counters, document["otherData"]


def test_a_profile_is_slices_as_long_as_what_was_measured_and_says_what_it_is(made, tmp_path):
    export(made, tmp_path / "a.perfetto.json")
    alone, names, _, facts = replay(tmp_path / "a.perfetto.json")
    assert {key: value for key, value in alone.items() if value} == {
        (0, 1, ("main",)): 250_000_000,
        (0, 1, ("main", "work;fast")): 1_000_000_000,
        (0, 1, ("main", "work;fast", "MPI_Send")): 2,
        (1, 2, ("main",)): 500_000_000,
        (1, 2, ("main", "work;fast", "MPI_Send")): 4_000_000_000,
    }
    assert names[1, None, "process_name"] == "rank 1: wall_time, a profile, not a time line"
    assert facts["layout"].startswith("a profile, not a time line")


def test_a_profile_of_a_run_holds_all_of_it(real, tmp_path):
    export(real, tmp_path / "a.perfetto.json")
    alone, *_ = replay(tmp_path / "a.perfetto.json")
    values = real.exclusive("wall_time")
    for column in range(4):
        took = sum(value for (rank, *_), value in alone.items() if rank == column)
        assert took == pytest.approx(values[:, column].sum() * 1e9, abs=len(values))
    export(real, tmp_path / "b.perfetto.json", together=True)
    together, names, *_ = replay(tmp_path / "b.perfetto.json")
    assert sum(together.values()) == pytest.approx(values.sum() * 1e9, abs=values.size)
    assert names[0, 1, "thread_name"] == "all ranks"


def test_threads_are_lanes_of_their_process(threaded, tmp_path):
    export(threaded, tmp_path / "a.perfetto.json")
    _, names, *_ = replay(tmp_path / "a.perfetto.json")
    assert [names[0, lane, "thread_name"] for lane in (1, 2)] == ["thread 0", "thread 1"]


def test_time_lines_become_slices_and_counters(tmp_path):
    paths = [CallPath(Region("program", "main")), *(CallPath(Region("function", each), 0) for each in "ab")]
    line = TimeLine(
        begin=np.array([0.0, 1.0, 3.0]),
        end=np.array([1.0, 2.0, 4.0]),
        values=np.array([[0.5, 7.0], [np.nan, 7.0], [0.25, 9.0]]),
        first=np.array([0, 3, 5, 6]),
        paths=np.array([0, 1, 2, 2, 1, -1]),
        visits=np.ones(6, np.int64),
        seconds=np.array([0.25, 0.25, 0.5, 0.75, 0.25, 1.0]),
        computing=np.zeros(6),
    )
    metrics = [Metric("mpi_time", "sec"), Metric("memory", "bytes", additive=False)]
    trace = Trace(metrics, paths, [Location("m", "n", 5)], [3], lambda _: line)
    export_trace(trace, tmp_path / "a.perfetto.json")
    events = [
        each for each in json.loads((tmp_path / "a.perfetto.json").read_text())["traceEvents"] if each["ph"] in "BE"
    ]
    assert [(each["ph"], each["ts"] / 1e6, each.get("name")) for each in events] == [
        ("B", 0.0, "main"),
        ("B", 0.25, "a"),
        ("E", 0.5, "a"),
        ("B", 0.5, "b"),  # the first region in a sample is the last one of the sample before
        ("E", 1.75, "b"),
        ("B", 1.75, "a"),
        ("E", 2.0, "a"),
        ("E", 2.0, "main"),
    ]
    _, names, counters, facts = replay(tmp_path / "a.perfetto.json")
    assert names[5, None, "process_name"] == "rank 5 (n)"
    assert counters == {
        (5, 1, "mpi_time [sec/sec]"): [(0, 0.5), (3_000_000_000, 0.25), (4_000_000_000, 0)],
        (5, 1, "memory [bytes]"): [(1_000_000_000, 7), (4_000_000_000, 9)],
    }
    assert "slices are made from samples" in facts["layout"]
    with pytest.raises(InputError, match="expected one of the metrics mpi_time, memory, found 'x'"):
        export_trace(trace, tmp_path / "b.perfetto.json", ["x"])
    assert not (tmp_path / "b.perfetto.json").exists()


def test_slices_of_a_run_take_as_long_as_its_samples_say(tmp_path):
    trace = load_trace(DATA / "rays.trace.npz")
    export_trace(trace, tmp_path / "a.perfetto.json", ["mpi_bytes"])
    alone, _, counters, _ = replay(tmp_path / "a.perfetto.json")
    for number, (place, line) in enumerate(zip(trace.locations, trace.lines(), strict=True)):
        expected = defaultdict(float)
        for path, seconds in zip(line.paths.tolist(), line.seconds, strict=True):
            names = []
            while path is not None:
                names.insert(0, trace.call_paths[path].region.name)
                path = trace.call_paths[path].parent  # noqa: PLW2901
            expected[tuple(names)] += seconds
        for names, seconds in expected.items():
            assert alone.get((place.process, number + 1, names), 0) == pytest.approx(seconds * 1e9, abs=len(line.paths))
        steps = counters[place.process, number + 1, "mpi_bytes [bytes/sec]"]
        sent = sum(value * (after - at) / 1e9 for (at, value), (after, _) in pairwise(steps))
        assert sent == pytest.approx(line.values[:, trace.column("mpi_bytes")].sum(), rel=1e-6)
