"""Find dips before events: a region is slower just before each rare event (H PGD in Hauswirth et al. 2005)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ...analyze.run.arrays import Indices, Values
from ...analyze.run.outliers import spread
from ...experiment.trace import TimeLine
from .anomaly import Anomaly, companions
from .pace import ALONE, LEAST, STRONG, Pace, divided
from .run import Run, Way

__all__ = ["dips_of"]

_PARTS: Final = 1000
_EVENTS: Final = 4  # minimum number of events, so that there are three gaps
_RARE: Final = 8  # minimum number of parts between two events
_SHARE: Final = 0.3  # maximum length of a dip, as a fraction of the time between events
_EACH: Final = 0.75  # minimum fraction of events with a dip before them


def dips_of(pace: Pace, runs: Sequence[Run]) -> Iterator[Anomaly]:
    """Yield the strongest dip in a region's speed just before rare entries into another call path, if there is one."""
    fine = divided(runs, pace.path, _PARTS, each=1)
    if fine is None:
        return
    slowness = np.median(np.median(fine.slowness, axis=0), axis=0)
    best: Anomaly | None = None
    for path, events in _rare(runs[0].trace.line(fine.locations[0]), fine):
        found = _dip(fine, slowness, path, events)
        if found is not None and (best is None or found.strength > best.strength):
            best = found
    if best is not None:
        yield best


def _rare(line: TimeLine, pace: Pace) -> Iterator[tuple[int, Indices]]:
    """Yield call paths that the first location enters rarely, and the region's parts just before these entries."""
    begin, end = pace.first.begin[0], pace.first.end[0]
    for path in np.unique(line.paths[line.paths >= 0]).tolist():
        mine = (line.paths == path) & (line.visits > 0)
        times = line.end[line.samples[mine]]
        inside = times[(times > begin[0]) & (times < 2 * end[-1] - begin[-1])]
        if path == pace.path or not _EVENTS <= len(inside) <= pace.parts / _RARE:
            continue
        parts = np.unique(np.searchsorted(end, inside).clip(max=pace.parts - 1))
        if len(parts) >= _EVENTS and np.diff(parts).min() >= _RARE / 2:
            yield path, parts


def _dip(pace: Pace, slowness: Values, path: int, events: Indices) -> Anomaly | None:
    gap = float(np.median(np.diff(events)))
    widths = range(1, max(int(gap * _SHARE), 1) + 1)
    profiles = [_before(events, width, len(slowness)) for width in widths]
    heights = [_height(slowness, profile) for profile in profiles]
    best = int(np.argmax(np.array(heights) * np.sqrt(widths)))
    profile, height = profiles[best], heights[best]
    outside = slowness[profile == 0]
    middle = float(np.median(outside))
    strength = height / max(float(spread(outside)), 1e-3 * middle)
    each = [slowness[max(event - best, 0) : event + 1].mean() - middle for event in events]
    together = sum(_height(every, profile) >= height / 2 for every in np.median(pace.slowness, axis=1))
    if (
        height < (LEAST if together > 1 else ALONE) * middle
        or strength < STRONG
        or np.mean(np.array(each) > height / 2) < _EACH
    ):
        return None
    begin, end = (np.median(values, axis=0) for values in (pace.first.begin, pace.first.end))
    seconds = height * float(np.median(pace.first.seconds))
    return Anomaly(
        "dip before an event",
        "compute_time",
        float(begin[max(int(events[0]) - best, 0)]),
        float(end[events[-1]]),
        pace.ranks,
        pace.path,
        1 + height / middle,
        strength,
        together,
        period=float(np.median(np.diff(end[events]))),
        before=path,
        goes_with=companions(_beside_neighbours(pace, round(gap)), range(len(pace.places)), profile, seconds),
        courses=pace.courses,
    )


def _beside_neighbours(pace: Pace, gap: int) -> list[tuple[Run, Way]]:
    """Return the amounts per part without slow changes, because dips are differences from the neighbouring parts."""
    found = []
    for run, each in pace.ways:
        from scipy.ndimage import median_filter  # noqa: PLC0415 - takes half a second

        usual = median_filter(each.amounts, size=(1, 2 * (gap // 2) + 1, 1), mode="nearest")
        level = np.median(each.amounts, axis=1, keepdims=True)
        found.append((run, replace(each, amounts=each.amounts - usual + level)))
    return found


def _before(events: Indices, width: int, parts: int) -> Values:
    """Return a profile, ``float64[part]``, that is 1 in ``width`` parts before each event, and 0 elsewhere."""
    profile = np.zeros(parts)
    for event in events:
        profile[max(event - width + 1, 0) : event + 1] = 1
    return profile


def _height(values: Values, profile: Values) -> float:
    return float(np.median(values[profile > 0]) - np.median(values[profile == 0]))
