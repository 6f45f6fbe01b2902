"""Ten real time lines, scaled, shifted and warped (Table 1): each interval is right by the entries of regions.

The lines were recorded every millisecond, and are resampled every ten, in their own time and in the distorted one. As
in real runs, the samples of two runs do not begin at the same entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from autoanalyzer.experiment.trace import TimeLine, Trace, load_trace
from autoanalyzer.timelines.warping import TimeMap, anchored, time_map, warp

from .sequences import SITUATIONS, Map, Values, distortion

DATA: Final = Path(__file__).parents[2] / "data" / "entries"
SAMPLE: Final = 0.01
NEAR: Final = 0.01


def real_lines() -> Iterator[tuple[Trace, TimeLine]]:
    """Yield two ranks of each of five programs."""
    for file in sorted(DATA.glob("*.npz")):
        trace = load_trace(file)
        yield from ((trace, line) for line in trace.lines())


def alone(trace: Trace, line: TimeLine) -> Trace:
    return replace(trace, locations=trace.locations[:1], counts=[len(line)], read=[line].__getitem__)


def distorted(line: TimeLine, to: Map) -> TimeLine:
    """Return the line with distorted times; ``to`` maps shares of its length."""
    start, length = line.begin[0], line.end[-1] - line.begin[0]
    begin, end = (start + length * to((each - start) / length) for each in (line.begin, line.end))
    seconds = line.seconds * ((end - begin) / (line.end - line.begin))[line.samples]
    stretch = ((end - begin) / (line.end - line.begin))[:, None]
    values = np.column_stack([line.values[:, :-1] * stretch, line.values[:, -1]])  # times and number of calls
    return replace(line, begin=begin, end=end, seconds=seconds, values=values)


def sampled(line: TimeLine, phase: float) -> TimeLine:
    """Resample like the probes: a sample ends at the first event that is at least SAMPLE after the last one."""
    due, ends = line.begin[0] + phase * SAMPLE, []
    for number, end in enumerate(line.end.tolist()):
        if end >= due:
            ends.append(number)
            due = end + SAMPLE
    last = np.array([*ends, len(line) - 1] if ends[-1] < len(line) - 1 else ends)
    first = np.append(0, last[:-1] + 1)
    return TimeLine(
        begin=line.begin[first],
        end=line.end[last],
        values=np.add.reduceat(line.values, first, axis=0),
        first=np.append(line.first[first], line.first[-1]),
        paths=line.paths,
        visits=line.visits,
        seconds=line.seconds,
        computing=line.computing,
    )


def by_warping(x: TimeLine, y: TimeLine, column: int) -> TimeMap:
    """Align by warping the rate of a metric."""
    rates = [each.values[:, column] / (each.end - each.begin) for each in (x, y)]
    return time_map(warp(*rates), *rates, x.end, y.end)


def is_right(found: TimeMap, ends: Values, truth: Values, length: float) -> bool:
    carried = np.array(found.carried((float(ends[0]), float(ends[1]))))
    return bool((np.abs(carried - truth) <= NEAR * length).all())


def test_each_interval_is_right_by_entries_and_most_are_by_warping() -> None:
    by_entries, warped = [], []
    lines = [*real_lines()]
    assert len(lines) == 10
    for number, (trace, line) in enumerate(lines):
        start, length = line.begin[0], line.end[-1] - line.begin[0]
        for case in range(10):
            chance = np.random.default_rng([number, case])
            to = distortion(SITUATIONS[case % len(SITUATIONS)], chance)
            x, y = sampled(line, chance.random()), sampled(distorted(line, to), chance.random())
            first = chance.uniform(0.05, 0.6)
            shares = np.array([first, first + chance.uniform(0.1, 0.35)])
            ends, truth = start + length * shares, start + length * to(shares)
            other = float(y.end[-1] - y.begin[0])
            found = anchored(alone(trace, x), alone(trace, y))
            assert found is not None
            by_entries.append(is_right(found, ends, truth, other))
            warped.append(is_right(by_warping(x, y, trace.column("mpi_time")), ends, truth, other))
    assert sum(by_entries) == 100
    assert 50 <= sum(warped) < sum(by_entries)
