"""Find intervals in which dynamic time warping may be wrong (Hauswirth et al. 2005, 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ...analyze.run.arrays import Flags, Values
from ...analyze.run.outliers import noise_level, steepness
from .warp_path import Warp, warp

__all__ = ["Doubt", "Kind", "doubts"]

Kind = Literal["constant", "noise-point", "reordered", "unlike"]

_DISTINCT: Final = 3.0  # standard deviations of noise beyond which values differ; 1 in 370 normal values does
# Fraction of a sequence's standard deviation below which values do not differ: in steep parts, samples at slightly
# different times have different values.
_UNLIKE: Final = 0.25
_NEAR: Final = 0.01  # required accuracy of boundaries, as a fraction of a sequence
# If this many samples match one sample of the other sequence, the match is doubtful. If a trace is twice as slow, 2 or
# 3 samples match one sample without error.
_RUN: Final = 4
_MUCH: Final = 0.1  # fraction of the pairs; if more pairs are distant, noise is not the reason
_BETTER: Final = 0.25  # maximum distance of a better match, as a fraction of the current distance


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason why an alignment may be wrong.

    Attributes:
        kind: ``constant``: a boundary is in a constant part, so its position is arbitrary (4.2.1). ``noise-point``: a
            sample matches many samples that differ from it (4.2.2). ``reordered``: a part resembles another part more
            than its match (Table 1). ``unlike``: too many values differ.
        start: The first affected sample of the first sequence.
        end: The last affected sample.
    """

    kind: Kind
    start: int
    end: int


def doubts(x: Values, y: Values, path: Warp, boundaries: tuple[int, ...] = ()) -> list[Doubt]:
    """Return reasons why a warp path may be wrong, of the kinds that Hauswirth et al. describe.

    Args:
        x: ``float64[n]``: the first sequence.
        y: ``float64[m]``: the second sequence.
        path: The warp path of the two sequences.
        boundaries: Samples of ``x`` at the ends of intervals to map.
    """
    far = max(_DISTINCT * float(np.hypot(noise_level(x), noise_level(y))), _UNLIKE * float(x.std()))
    return [*_constant(x, boundaries), *_noise_points(x, y, path, far), *_elsewhere(x, y, path, far)]


def _constant(x: Values, boundaries: tuple[int, ...]) -> Iterator[Doubt]:
    steep = np.flatnonzero(steepness(x) > _DISTINCT)
    known = np.concatenate([[0], steep, [len(x) - 1]])
    near = _NEAR * len(x)
    for boundary in dict.fromkeys(boundaries):
        after = int(np.searchsorted(known, boundary))
        before = int(known[max(after - 1, 0)])
        after = int(known[min(after, len(known) - 1)])
        if boundary - before > near and after - boundary > near:
            yield Doubt("constant", before, after)


def _noise_points(x: Values, y: Values, path: Warp, far: float) -> Iterator[Doubt]:
    """Yield samples of either sequence that match many samples from which they differ."""
    distance = np.abs(x[path.x] - y[path.y])
    for mine in (path.x, path.y):
        starts = np.flatnonzero(np.diff(mine, prepend=-1))
        lengths = np.diff(starts, append=len(mine))
        for start, length in zip(starts[lengths >= _RUN].tolist(), lengths[lengths >= _RUN].tolist(), strict=True):
            run = slice(start, start + length)
            if np.median(distance[run]) > far:
                yield Doubt("noise-point", int(path.x[run][0]), int(path.x[run][-1]))


def _elsewhere(x: Values, y: Values, path: Warp, far: float) -> Iterator[Doubt]:
    """If many values differ, yield the longest part that differs, as ``reordered`` if it matches better elsewhere."""
    distance = np.abs(x[path.x] - y[path.y])
    unlike = distance > far
    if unlike.mean() <= _MUCH:
        return
    first, last = _longest(unlike)
    start, end = int(path.x[first]), int(path.x[last])
    now = float(distance[first : last + 1].mean())
    stretch = x[start : end + 1]
    other = warp(stretch, y, open_ends=True)
    at = slice(int(other.y[0]), int(other.y[-1]) + 1)
    apart = at.stop <= path.y[first] or at.start > path.y[last]
    if apart and np.ptp(stretch) > far and other.error / len(other.x) < _BETTER * now:
        yield Doubt("reordered", start, end)
    else:
        yield Doubt("unlike", start, end)


def _longest(flags: Flags) -> tuple[int, int]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2] - 1
    number = int(np.argmax(ends - starts))
    return int(starts[number]), int(ends[number])
