"""Alignment by entries of regions: exact even if a run is slower, stretched or interrupted."""

from __future__ import annotations

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Location, Region
from autoanalyzer.experiment.trace import TimeLine, Trace
from autoanalyzer.timelines.warping import anchored

PATHS = [CallPath(Region("function", "main", "a.c", "main")), CallPath(Region("function", "step", "a.c", "step"), 0)]


def recorded(moments: np.ndarray, sample: float, *, paths: list[int] | None = None) -> TimeLine:
    """Sample a thread that enters regions at these times; samples end at entries, like those of the probes."""
    numbers = np.ones(len(moments), np.intp) if paths is None else np.array(paths)
    ends: list[float] = []
    parts: list[dict[int, int]] = []
    open_parts: dict[int, int] = {0: 1}
    for moment, path in zip(moments.tolist(), numbers.tolist(), strict=True):
        if moment - (ends[-1] if ends else 0.0) >= sample:
            ends.append(moment)
            parts.append(open_parts)
            open_parts = {}
        open_parts[path] = open_parts.get(path, 0) + 1
    ends.append(float(moments[-1]) + sample)
    parts.append(open_parts)
    visits = [count for each in parts for count in each.values()]
    return TimeLine(
        begin=np.array([0.0, *ends[:-1]]),
        end=np.array(ends),
        values=np.empty((len(ends), 0)),
        first=np.concatenate([[0], np.cumsum([len(each) for each in parts])]),
        paths=np.array([path for each in parts for path in each], dtype=np.intp),
        visits=np.array(visits, dtype=np.int64),
        seconds=np.zeros(len(visits)),
        computing=np.zeros(len(visits)),
    )


def trace(*lines: TimeLine) -> Trace:
    places = [Location("m", "n", rank) for rank in range(len(lines))]
    return Trace([], PATHS, places, [*map(len, lines)], lines.__getitem__)


def clocks(chance: np.random.Generator) -> list[np.ndarray]:
    """Return the times of 2,000 entries in a run, and in one that is slower, waits twice, and speeds up."""
    even = np.cumsum(chance.uniform(0.002, 0.02, 2000))
    other = np.interp(even, [0, even[700], even[1400], even[-1]], [0.3, 14.0, 16.0, 40.0])
    other[900:] += 3.0
    return [even, other]


@pytest.mark.parametrize("seed", range(20))
def test_moments_are_carried_over_within_a_sample(seed):
    one, two = clocks(np.random.default_rng(seed))
    found = anchored(trace(recorded(one, 0.05)), trace(recorded(two, 0.08)))
    assert found is not None
    for number in range(37, 2000, 37):
        assert float(found.moments(np.array(float(one[number])))) == pytest.approx(two[number], abs=0.1 + 0.05)
    assert float(found.moments(np.array(float(one[920])))) - float(found.moments(np.array(float(one[880])))) >= 2.9


def test_ranks_are_taken_together_or_alone():
    one, two = clocks(np.random.default_rng(1))
    mine = trace(recorded(one, 0.05), recorded(one, 0.05))
    other = trace(recorded(two, 0.05), recorded(two + 2.0, 0.05))
    at = float(one[500])
    both, second = anchored(mine, other), anchored(mine, other, [1])
    assert both is not None
    assert second is not None
    assert float(both.moments(np.array(at))) == pytest.approx(two[500] + 1.0, abs=0.2)
    assert float(second.moments(np.array(at))) == pytest.approx(two[500] + 2.0, abs=0.2)


def test_regions_that_are_entered_by_chance_do_not_count():
    """A loop polls more often in one run; only regions with equal numbers of entries are used for the alignment."""
    one, two = clocks(np.random.default_rng(2))
    polls = [1 if number % 3 else 0 for number in range(2000)]
    more = np.sort(np.concatenate([two, two[::2] + 1e-4]))
    is_step = np.isin(more, two[np.array(polls) == 1])
    found = anchored(
        trace(recorded(one, 0.05, paths=polls)), trace(recorded(more, 0.05, paths=is_step.astype(int).tolist()))
    )
    assert found is not None
    assert float(found.moments(np.array(float(one[1000])))) == pytest.approx(two[1000], abs=0.3)


def test_runs_with_nothing_in_common_have_no_anchors():
    one, two = clocks(np.random.default_rng(3))
    assert anchored(trace(recorded(one, 0.05)), trace(recorded(two[:1500], 0.05))) is None
    assert anchored(trace(recorded(one, 0.05)), Trace([], [], [], [], trace().read)) is None
