"""A trace on a page has the same sums in few steps, whatever the samples are."""

from __future__ import annotations

import subprocess
import zlib
from base64 import b64decode
from dataclasses import replace
from itertools import pairwise
from math import isnan, nan
from pathlib import Path

import numpy as np
import orjson
import pytest

from autoanalyzer.experiment import Metric
from autoanalyzer.experiment.trace import TimeLine, Trace
from autoanalyzer.view.page import Recording, time_lines_of
from autoanalyzer.view.page.packing import Packed
from autoanalyzer.view.page.steps import steps_of

from .traces import METRICS, PATHS, SECONDS, a_trace, profile, saved, time_line


def unpacked(numbers: Packed) -> np.ndarray:
    planes = np.frombuffer(zlib.decompress(b64decode(numbers.text), 31), np.uint8)
    return np.ascontiguousarray(planes.reshape(-1, numbers.count).T).view(f"<{numbers.kind}").ravel()


def made(tmp_path, trace=None, **options):
    recording = Recording(saved(tmp_path, trace), "out", "the run")
    return time_lines_of(recording, profile(), key="time 0", **options)


def test_the_charts_hold_least_mean_and_most_of_the_ranks(tmp_path):
    found = made(tmp_path)
    assert found.head["steps"] == 100
    assert found.head["edges"] == [0.0, float(SECONDS)]
    least, mean, most = unpacked(found.numbers["time 0 mpi_bytes"]).reshape(3, 100)
    assert (least[:40], most[60:]) == (pytest.approx(0), pytest.approx(0))
    assert least[40:60] == pytest.approx(1e6, rel=1e-3)
    assert mean[40:60] == pytest.approx(15e6 / 4, rel=1e-3)
    assert most[40:60] == pytest.approx(8e6, rel=1e-3)


def test_what_formulas_derive_is_a_chart_that_no_command_knows(tmp_path):
    found = made(tmp_path)
    least, mean, most = unpacked(found.numbers["time 0 mpi_rate"]).reshape(3, 100)
    assert [each[50] for each in (least, mean, most)] == pytest.approx([1e6, 15e6 / 4, 8e6], rel=1e-3)
    assert np.isnan(mean[:39]).all()
    described = {each["name"]: each for each in found.head["metrics"]}["mpi_rate"]
    assert described["unit"] == "bytes/sec"
    assert described["about"] == "bytes per second in MPI calls: mpi_bytes / mpi_time"
    assert described["word"] is None
    assert "mpi_rate" not in [found.head["metrics"][each]["name"] for each in found.head["first"]]


def test_counts_of_a_simulation_are_none_of_a_second(tmp_path):
    simulated = "simulated:rtcount L1=32K/8/64 L2=1M/8/64"
    metrics = [
        *(Metric(name, "occ", source=simulated) for name in ("instructions", "l2_misses")),
        Metric("cpu_time", "sec"),
    ]
    before = a_trace()
    lines = [
        replace(time_line(rank), values=np.tile([2000.0, 3.0, 0.1], (len(time_line(rank)), 1))) for rank in range(4)
    ]
    trace = Trace(metrics, before.call_paths, before.locations, before.counts, lines.__getitem__, before.facts)
    found = made(tmp_path, trace)
    names = {each["name"] for each in found.head["metrics"]}
    assert names == {"instructions", "l2_misses", "cpu_time", "l2_mpki"}
    assert unpacked(found.numbers["time 0 l2_mpki"]) == pytest.approx(1.5, rel=1e-3)


def test_a_level_is_no_rate_and_is_of_the_locations_that_have_it(tmp_path):
    found = made(tmp_path)
    assert unpacked(found.numbers["time 0 resident_memory"]) == pytest.approx(1e8, rel=1e-3)
    units = {each["name"]: each["unit"] for each in found.head["metrics"]}
    assert units["resident_memory"] == "bytes"
    assert units["mpi_time"] == "sec/sec"


def test_what_is_never_more_than_0_is_named_alone(tmp_path):
    found = made(tmp_path)
    assert found.head["nothing"] == ["io_bytes"]
    assert "time 0 io_bytes" not in found.numbers


def test_rows_name_the_call_path_with_most_time_and_where_it_is_in_the_trees(tmp_path):
    found = made(tmp_path)
    assert found.head["rows"] == ["all 4 ranks", "rank 0", "rank 1", "rank 2", "rank 3"]
    assert [(each["name"], each["chain"], each["node"]) for each in found.head["paths"]] == [
        ("loop@3", ["main", "loop@3"], 1),
        ("MPI_Send", ["main", "MPI_Send"], 2),
    ]
    rows = unpacked(found.numbers["time 0 regions"]).reshape(5, 100)
    assert rows.tolist() == [[0.0] * 40 + [1.0] * 20 + [0.0] * 40] * 5


def test_call_paths_are_known_in_parts_of_steps_and_rows_by_their_ranks(tmp_path, monkeypatch):
    monkeypatch.setattr("autoanalyzer.view.page.time_lines._STEPS", 5)
    found = made(tmp_path)
    assert (found.head["steps"], found.head["fine"]) == (5, 8)
    rows = unpacked(found.numbers["time 0 regions"]).reshape(5, 40)
    assert rows.tolist() == [[0.0] * 16 + [1.0] * 8 + [0.0] * 16] * 5
    assert found.head["members"] == [[], [0], [1], [2], [3]]


def test_what_findings_speak_of_is_shown_first_and_what_stands_still_is_not(tmp_path):
    names = [each.name for each in METRICS if each.name != "io_bytes"]
    assert [names[each] for each in made(tmp_path).head["first"]] == ["mpi_time"]
    spoken = made(tmp_path, spoken_of=["wall_time", "mpi_bytes"]).head["first"]
    assert [names[each] for each in spoken] == ["mpi_bytes"]


@pytest.mark.parametrize("kept", [0, 1])
@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.filterwarnings("error")
def test_a_trace_of_hardly_anything_is_shown(kept, samples, tmp_path):
    line = time_line(0, samples)
    few = replace(line, values=line.values[:, 1 : 1 + kept])
    found = made(tmp_path, replace(a_trace(1, samples), metrics=METRICS[1 : 1 + kept], read=lambda _: few))
    assert found.head["first"] == [0][:kept]
    assert found.head["rows"] == ["rank 0"]


def test_steps_and_rows_are_bounded_and_long_samples_are_spread(tmp_path, monkeypatch):
    monkeypatch.setattr("autoanalyzer.view.page.time_lines._STEPS", 7)
    monkeypatch.setattr("autoanalyzer.view.page.time_lines._ROWS", 2)
    found = made(tmp_path, a_trace(ranks=5))
    assert found.head["steps"] == 7
    assert found.head["rows"] == ["all 5 ranks", "ranks 0-1", "ranks 2-4"]
    _, mean, _ = unpacked(found.numbers["time 0 mpi_time"]).reshape(3, 7)
    assert mean.sum() * SECONDS / 7 == pytest.approx(2, rel=1e-3)


def test_a_trace_without_samples_has_no_time_lines(tmp_path):
    assert made(tmp_path, a_trace(ranks=0)) is None
    nothing = TimeLine(*(np.empty(0),) * 2, np.empty((0, 6)), np.zeros(1, int), *(np.empty(0),) * 4)
    assert made(tmp_path, replace(a_trace(ranks=1), counts=[0], read=lambda _: nothing)) is None


@pytest.mark.parametrize("seed", range(8))
def test_steps_are_what_samples_are_one_by_one(seed):
    random = np.random.default_rng(seed)
    line = a_line(random, int(random.integers(2, 60)))
    trace = replace(a_trace(ranks=1), counts=[len(line)], read=[line].__getitem__)
    steps = steps_of(trace, int(random.integers(1, 40)))
    assert steps is not None
    ((means, parts),) = steps.means(trace, trace.lines())
    np.testing.assert_allclose(parts.sum(axis=0), np.bincount(line.paths + 1, line.seconds, len(PATHS) + 1), atol=1e-9)
    for step, (low, high) in enumerate(pairwise(steps.edges)):
        for column, metric in enumerate(METRICS):
            amount = cover = 0.0
            for begin, end, value in zip(line.begin, line.end, line.values[:, column], strict=True):
                shared = min(end, high) - max(begin, low)
                if shared > 0 and not isnan(value):
                    amount += shared * (value / (end - begin) if metric.additive else value)
                    cover += shared
            expected = amount / cover if cover > (high - low) / 2 else nan
            assert means.mean[step, column] == pytest.approx(expected, nan_ok=True)


def a_line(random: np.random.Generator, samples: int) -> TimeLine:
    """Return a line with gaps between samples; some samples have no length."""
    knots = np.cumsum(random.random(2 * samples) * random.integers(0, 2, 2 * samples))
    begin, end = knots[::2], knots[1::2]
    counts = random.integers(0, 4, samples) * (end > begin)
    first = np.concatenate([[0], np.cumsum(counts)])
    values = random.random((samples, len(METRICS)))
    values[random.random(values.shape) < 0.1] = nan
    parts = int(first[-1])
    return TimeLine(
        begin=begin,
        end=end,
        values=values,
        first=first,
        paths=random.integers(-1, len(PATHS), parts),
        visits=np.ones(parts, dtype=np.int64),
        seconds=random.random(parts),
        computing=np.zeros(parts),
    )


def test_lines_that_begin_later_and_end_earlier_are_not_known_there():
    long, short = time_line(0), time_line(1)
    short = replace(short, begin=short.begin / 2 + 2, end=short.end / 2 + 2)
    trace = replace(a_trace(ranks=2), read=[long, short].__getitem__)
    steps = steps_of(trace, 10)
    assert steps is not None
    *_, (means, parts) = steps.means(trace, trace.lines())
    assert np.isnan(means.mean).sum() == 0  # all values of rank 0 are known
    assert means.least[:, 1].tolist() == pytest.approx([1] * 10)
    assert means.most[:, 1].tolist() == pytest.approx([1, 1, 2, 2, 2, 2, 2, 1, 1, 1])
    assert parts.sum() == pytest.approx(SECONDS)


def test_an_interval_is_written_within_the_trace_and_as_exact_as_steps_are():
    random = np.random.default_rng(9)
    asked = []
    for _ in range(3000):
        start = float(random.choice([0.0, random.random(), 10 ** random.uniform(-3, 5)]))
        end = start + 10 ** random.uniform(-4, 5)
        steps = int(random.integers(1, 801))
        low, high = np.sort(random.uniform(start, end, 2)).tolist() if random.random() < 0.7 else (start, end)
        asked.append([start, end, steps, low, high])
    given = orjson.dumps(asked)
    ran = subprocess.run(["node", Path(__file__).with_name("spans.mjs")], input=given, capture_output=True, check=True)
    for (start, end, steps, low, high), told in zip(asked, orjson.loads(ran.stdout), strict=True):
        first, last = map(float, told.split(":"))
        step = (end - start) / steps
        assert start - 1e-8 * step <= first, told
        assert last <= end + 1e-8 * step, told
        assert abs(first - low) <= step / 9
        assert abs(last - high) <= step / 9
