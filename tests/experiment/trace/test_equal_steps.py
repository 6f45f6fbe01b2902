"""Time lines in equal steps, while they grow."""

from __future__ import annotations

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Location, Metric, Region
from autoanalyzer.experiment.metric import SYSTEM_METRICS
from autoanalyzer.experiment.trace import EqualSteps, KnownSoFar, TimeLine, Trace, samples_of

BYTES = Metric("mpi_bytes", "bytes")
MEMORY = SYSTEM_METRICS[-1]


def known(ends: list[float], bytes_: list[float], memory: list[float] | None = None, rank: int = 0) -> KnownSoFar:
    end = np.array(ends)
    values = np.column_stack([bytes_, bytes_ if memory is None else memory]).astype(float)
    return KnownSoFar((rank, 0), np.concatenate([[0.0], end[:-1]]), end, values)


def test_amounts_become_rates_and_levels_stay() -> None:
    found = EqualSteps([BYTES, MEMORY], 1.0).new([known([1, 3, 3.5], [10, 10, 4], [100, 200, 300])])
    assert found.metrics == ("mpi_bytes", "resident_memory")
    assert found.units == ("bytes/sec", "bytes")
    assert found.times.tolist() == [1, 2, 3]
    assert found.values.tolist() == [[10, 100], [5, 200], [5, 200]]


def test_each_step_is_given_once_when_it_is_complete() -> None:
    steps = EqualSteps([BYTES, MEMORY], 1.0)
    assert steps.new([known([0.5], [1])]).times.tolist() == []
    assert steps.new([known([0.5, 2.25], [1, 7])]).times.tolist() == [1, 2]
    later = steps.new([known([0.5, 2.25, 4], [1, 7, 7]), known([3], [9], rank=1)])
    assert later.locations == [(0, 0), (1, 0)]
    assert later.places.tolist() == [0, 0, 1, 1, 1]
    assert later.times.tolist() == [3, 4, 1, 2, 3]
    assert later.values[:, 0] == pytest.approx([4, 4, 3, 3, 3])


def test_samples_that_were_merged_meanwhile_change_nothing() -> None:
    steps = EqualSteps([BYTES, MEMORY], 1.0)
    steps.new([known([0.5, 1, 1.5, 2], [1, 1, 1, 1])])
    later = steps.new([known([1, 2, 3], [2, 2, 6])])
    assert later.times.tolist() == [3]
    assert later.values[:, 0].tolist() == [6]


def test_what_was_not_recorded_is_missing_and_what_is_nothing_is_nothing() -> None:
    chance = np.random.default_rng(3)
    ends = np.cumsum(chance.random(500)).tolist()
    amounts = [*(chance.random(300) * 1e6), *np.zeros(199), np.nan]
    found = EqualSteps([BYTES, MEMORY], 1.0).new([known(ends, amounts)])
    silent = found.times > ends[300] + 1
    assert (found.values[silent, 0] == 0).all()  # exactly 0, without rounding errors
    assert np.isnan(EqualSteps([BYTES, MEMORY], 1.0).new([known([1, 2], [1, np.nan])]).values[1]).all()


def test_a_line_that_begins_late_has_no_steps_before() -> None:
    line = KnownSoFar((0, 0), np.array([2.5]), np.array([5.0]), np.array([[5.0, 1.0]]))
    found = EqualSteps([BYTES, MEMORY], 1.0).new([line])
    assert found.times.tolist() == [4, 5]
    assert found.values[:, 0].tolist() == [2, 2]


def test_a_whole_trace() -> None:
    one = known([1, 2], [3, 4])
    nothing = np.zeros(3, np.intp), np.empty(0, np.intp), np.empty(0, np.int64), np.empty(0), np.empty(0)
    lines = [TimeLine(one.begin, one.end, one.values, *nothing)]
    main = CallPath(Region("function", "main", "a.c", "main", 0, 1, 9))
    trace = Trace([BYTES, MEMORY], [main], [Location("m", "n", 4)], [2], lines.__getitem__)
    found = samples_of(trace, 0.5)
    assert found.locations == [(4, 0)]
    assert found.times.tolist() == [0.5, 1, 1.5, 2]
    assert found.values[:, 0].tolist() == [3, 3, 4, 4]
