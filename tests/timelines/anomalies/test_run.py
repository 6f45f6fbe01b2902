"""Progress through a region's entries, with samples that are longer or shorter than an entry."""

from __future__ import annotations

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Location, Metric, Region
from autoanalyzer.experiment.trace import TimeLine, Trace
from autoanalyzer.timelines.anomalies import Run
from autoanalyzer.timelines.anomalies.run import way

MAIN = CallPath(Region("program", "main", "a.c", "main", 0, 1, 99))
STEP = CallPath(Region("function", "step", "a.c", "step", 0, 10, 19), 0)
WALL = Metric("wall_time", "sec")
SAMPLE = 0.01


def a_run(entered: list[int], shares: list[float]) -> Run:
    """Return a run with given entries of a step per sample, and its share of the time; the rest is in main."""
    count = len(entered)
    end = SAMPLE * np.arange(1, count + 1)
    seconds = np.column_stack([1 - np.array(shares), shares]) * SAMPLE
    line = TimeLine(
        begin=end - SAMPLE,
        end=end,
        values=np.full((count, 1), SAMPLE),
        first=2 * np.arange(count + 1),
        paths=np.tile([0, 1], count),
        visits=np.column_stack([np.zeros(count, np.int64), entered]).ravel(),
        seconds=seconds.ravel(),
        computing=seconds.ravel(),
    )
    trace = Trace([WALL], [MAIN, STEP], [Location("m", "n", 0)], [count], [line].__getitem__)
    return Run.of("run", trace, None)


def test_an_entry_goes_on_in_samples_without_one() -> None:
    found = way(a_run([1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0], [1.0] * 12), 1, [0], 2)
    assert found.seconds[0] == pytest.approx([SAMPLE, 2 * SAMPLE])
    assert found.begin[0] == pytest.approx([0, 0.04])
    assert found.end[0] == pytest.approx([0.04, 0.12])


def test_what_comes_between_two_entries_belongs_to_neither_part() -> None:
    found = way(a_run([2, 2, 0, 0, 0, 2, 2], [1, 1, 0, 0, 0, 1, 1]), 1, [0], 2)
    assert found.seconds[0] == pytest.approx([SAMPLE / 2, SAMPLE / 2])
    assert found.end[0] == pytest.approx([0.02, 0.07])
    assert found.amounts[0, :, 0] == pytest.approx([SAMPLE / 2, SAMPLE / 2])


def test_several_entries_of_a_sample_share_it() -> None:
    found = way(a_run([4, 4, 2], [1, 1, 0.5]), 1, [0], 5)
    assert found.seconds[0] == pytest.approx([SAMPLE / 4] * 5)
