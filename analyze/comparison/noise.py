"""How much slower the runs of one side are, and with which confidence.

Other work on a machine, interrupts and cold caches only ever add to a run's time, and seldom little: so the fastest
runs tell most, and the paper takes the minimum of a series for its representative (paper 002, section 5.1). Here the
logarithms of the times of a side are taken for a floor plus exponential noise, of one scale on both sides. The floor
is the minimum. The scale comes from the faster half of each side, counted as a sample that is censored from there on
(type II; Epstein and Sobel 1954), so that a few disturbed runs do no harm. For the minima ``x`` of n and ``y`` of m
runs, and T the time on test with v degrees of freedom,

    P(y - x > d) = n / (n + m) · (1 + m d / T)^-v

holds exactly if the floors are equal, whatever the scale: T is Gamma(v) distributed and independent of the minima.
Noise that goes both ways breaks this from about seven runs on: then the ranks must agree (Mann and Whitney 1947).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, inf, log, log1p
from typing import Final

__all__ = ["CONFIDENCE", "UNKNOWN_NOISE", "Shift", "shift"]

CONFIDENCE: Final = 0.99
_LEAST: Final = 2
_MANY: Final = 7
_AGREEING: Final = 0.2  # ranks need only a confidence of 1 in 20 where 1 in 100 is required
UNKNOWN_NOISE: Final = 0.5  # with one run on a side: more than equal runs on a machine that others use differ by


@dataclass(frozen=True, slots=True)
class Shift:
    """The difference of one side from the other.

    Attributes:
        change: Of the representative, relative: 0.1 where the other side is 10 % above the base.
        low: Lower confidence limit of the change; None if there are too few runs to tell.
        high: Upper confidence limit; None likewise.
        above: Probability of such a change or a larger one if there is none.
        below: Probability of such a change or a smaller one if there is none.
        noise: Scale of the noise, relative; None if there are too few runs to tell.
    """

    change: float
    low: float | None
    high: float | None
    above: float
    below: float
    noise: float | None


def shift(base: Sequence[float], other: Sequence[float], *, repeats: bool = False) -> Shift:
    """Compare positive values of repeated runs.

    With less than two runs on either side nothing shows that the one was not disturbed: only a change by
    ``UNKNOWN_NOISE`` is then taken for a certain one.

    Args:
        base: One or more.
        other: One or more.
        repeats: Whether equal runs have equal values: then one run is enough.
    """
    x, y = sorted(map(log, base)), sorted(map(log, other))
    n, m = len(x), len(y)
    d = y[0] - x[0]
    (time_x, degrees_x), (time_y, degrees_y) = _time_on_test(x), _time_on_test(y)
    time, degrees = time_x + time_y, degrees_x + degrees_y
    if min(n, m) < _LEAST and not repeats:
        margin = log1p(UNKNOWN_NOISE)
        above, below = (0.0 if change >= margin else 1.0 for change in (d, -d))
        return Shift(_expm1(d), None, None, above, below, None)
    if not degrees:
        return Shift(_expm1(d), _expm1(d), _expm1(d), _tail(d, n, m, 0, 0), _tail(-d, m, n, 0, 0), 0.0)
    alpha = 1 - CONFIDENCE
    return Shift(
        change=_expm1(d),
        low=_expm1(d - time / m * ((n / (n + m) / alpha) ** (1 / degrees) - 1)),
        high=_expm1(d + time / n * ((m / (n + m) / alpha) ** (1 / degrees) - 1)),
        above=max(_tail(d, n, m, time, degrees), _AGREEING * _by_ranks(x, y)),
        below=max(_tail(-d, m, n, time, degrees), _AGREEING * _by_ranks(y, x)),
        noise=_expm1(time / degrees),
    )


def _time_on_test(ordered: Sequence[float]) -> tuple[float, int]:
    """Return the sum of the runs' distances to the fastest; those beyond the faster half count as if ending with it."""
    kept = len(ordered) // 2 + 1
    beyond = (len(ordered) - kept) * (ordered[kept - 1] - ordered[0])
    return sum(each - ordered[0] for each in ordered[:kept]) + beyond, kept - 1


def _tail(d: float, n: int, m: int, time: float, degrees: int) -> float:
    """Return P(y - x >= d) for minima of n and m runs with a common floor."""
    if d < 0:
        return 1 - _tail(-d, m, n, time, degrees)
    if time == 0:
        return 0.0 if d > 0 else n / (n + m)
    return float(n / (n + m) * (1 + m * d / time) ** -degrees)


def _by_ranks(x: Sequence[float], y: Sequence[float]) -> float:
    """Return P(as many pairs with x < y, or more) under equal distributions; 0 for few runs."""
    if min(len(x), len(y)) < _MANY:
        return 0.0
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - takes a second

    return float(mannwhitneyu(y, x, alternative="greater").pvalue)


def _expm1(value: float) -> float:
    return expm1(value) if value < 700 else inf
