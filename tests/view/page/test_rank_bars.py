"""The bars beside the first finding show the values in its text."""

from __future__ import annotations

import re

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Builder, Experiment
from autoanalyzer.experiment.algebra import difference
from autoanalyzer.experiment.notes import Notes
from autoanalyzer.view.gains import gain_entries
from autoanalyzer.view.page.rank_bars import RankBars, change_bars, rank_bars
from autoanalyzer.view.verdict import Entry, entries


def hot_spot(threads: int) -> Experiment:
    """Return two ranks whose threads take 4.1 s in a function, and 0.9 s in its file I/O."""
    builder = Builder()
    work = builder.call_path("work", builder.call_path("main"))
    for place in range(2 * threads):
        builder.location(place // threads, place % threads)
    for name, parent, value in (
        ("wall_time", None, 5.0),
        ("io_time", "wall_time", 0.9),
        ("cpu_time", None, 5.0),
        ("mpi_cpu_time", "cpu_time", 0.0),
        ("io_cpu_time", "cpu_time", 0.9),
    ):
        builder.metric(name, "sec", parent=parent)
        builder.row(name, work, [value] * 2 * threads)
    return builder.experiment()


def in_files(waited: float) -> Experiment:
    """Return two ranks that take 0.5 s of CPU time in a function, and 4 s and 3.9 s in its file I/O.

    Outside file I/O, they also wait for a core, for ``waited`` seconds.
    """
    builder = Builder()
    work = builder.call_path("work", builder.call_path("main"))
    for rank in range(2):
        builder.location(rank)
    for name, parent, unit, values in (
        ("wall_time", None, "sec", [4.5 + waited, 4.4 + waited]),
        ("io_time", "wall_time", "sec", [4.0, 3.9]),
        ("cpu_time", None, "sec", [1.5, 1.5]),
        ("mpi_cpu_time", "cpu_time", "sec", [0.0, 0.0]),
        ("io_cpu_time", "cpu_time", "sec", [1.0, 1.0]),
        ("io_bytes", None, "bytes", [1e9, 1e9]),
    ):
        builder.metric(name, unit, parent=parent)
        builder.row(name, work, values)
    return builder.experiment()


def sampled() -> Experiment:
    """Return two ranks with numbers of samples instead of times, as recorded by perf for cycles."""
    builder = Builder(notes=Notes(samples={"samples": 1.0}))
    work = builder.call_path("work", builder.call_path("main"))
    for rank in range(2):
        builder.location(rank)
    builder.metric("samples", "occ")
    builder.row("samples", work, [5, 90])
    return builder.experiment()


def drawn(experiment: Experiment) -> tuple[Entry, RankBars]:
    findings = analyze(experiment)
    first = entries(findings, highlights=True)[0]
    found = rank_bars(findings, experiment, first)
    assert found is not None
    return first, found


@pytest.mark.parametrize("threads", [1, 2])
def test_a_hot_spot_has_bars_of_busy_time_which_includes_file_io(threads):
    said, bars = drawn(hot_spot(threads))
    assert (said.kind, said.title) == ("HOT SPOT", "work")
    assert "5 s per rank" in said.lines[0]
    assert [each.value for each in bars.bars] == pytest.approx([5.0] * 2 * threads)
    assert bars.what == f"busy time of each {'rank' if threads == 1 else 'thread'} in work"


@pytest.mark.parametrize("waited", [0.0, 1.0])
def test_a_finding_on_file_io_has_bars_of_busy_time_as_its_text_does(waited):
    said, bars = drawn(in_files(waited))
    assert (said.kind, said.highlight.metric) == ("FILE I/O", "io_time")
    assert "4.45 s per rank" in said.lines[0]
    assert [each.value for each in bars.bars] == pytest.approx([4.5, 4.4])
    assert (bars.what, bars.unit) == ("busy time of each rank in work", "sec")


@pytest.mark.parametrize(
    ("counted", "values"), [(False, [1.0, 1.02, 2.0, 2.02]), (True, [3.02 / 3, 3.02 / 3, 6.04 / 3, 6.04 / 3])]
)
def test_bars_of_times_that_were_shared_out_by_work_say_so(counted, values):
    builder = Builder()
    work = builder.call_path("work", builder.call_path("main"))
    for rank in range(4):
        builder.location(rank)
    rows = {"wall_time": [2.1] * 4, "cpu_time": [1.0, 1.02, 2.0, 2.02], "mpi_cpu_time": [0.0] * 4}
    for name, row in {**rows, **({"instructions": [1e9, 1e9, 2e9, 2e9]} if counted else {})}.items():
        parent = "cpu_time" if name == "mpi_cpu_time" else None
        builder.metric(name, "occ" if name == "instructions" else "sec", parent=parent)
        builder.row(name, work, row)
    _, bars = drawn(builder.experiment())
    assert [each.value for each in bars.bars] == pytest.approx(values)
    assert bars.what.startswith("CPU time outside MPI of each rank in work, one colour per group of similar ranks")
    assert bars.what.endswith("; equal work counts as equal time") == counted


def test_bars_of_samples_are_in_samples():
    said, bars = drawn(sampled())
    assert "rank 1: 90 samples" in said.lines[0]
    assert (bars.unit, [each.value for each in bars.bars]) == ("samples", [5, 90])


@pytest.mark.parametrize("ranks", [3, 12])
def test_bars_of_a_difference_are_on_both_sides_of_zero(ranks):
    def busy(times: list[float]) -> Experiment:
        builder = Builder()
        work = builder.call_path("work", builder.call_path("main"))
        for rank in range(ranks):
            builder.location(rank)
        builder.metric("cpu_time", "sec")
        builder.row("cpu_time", work, times)
        return builder.experiment()

    changed = difference(busy([3.0, 1.0] + [2.0] * (ranks - 2)), busy([2.0] * ranks))
    bars = change_bars(changed, gain_entries(changed)[0])
    assert bars is not None
    assert [each.value for each in bars.bars[:3]] == [1, -1, 0]
    drawn = bars.html()
    assert all(each in drawn for each in ("1 s less", "1 s more"))
    rects = [dict(re.findall(r'(\w+)="([^"]*)"', each)) for each in re.findall("<rect[^>]*>", drawn)]
    side, size = ("x", "width") if ranks == 3 else ("y", "height")
    less, more = ((float(each[side]), float(each[size])) for each in rects[:2])
    assert less[1] == more[1] > 0
    first, second = (less, more) if ranks == 3 else (more, less)
    assert first[0] + first[1] == pytest.approx(second[0], abs=0.2)  # they meet at zero
    assert [each["class"] for each in rects[:2]] == ["c0", "c1"]
