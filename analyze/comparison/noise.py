"""How much slower one side's runs are, and with what confidence.

Other work on a machine, interrupts and cold caches only ever add to a run's time. So the fastest runs are the most
informative (Song et al. 2004 represent a series by its minimum). In our model, the logarithms of the times are a floor
plus exponential noise with the same scale on both sides. The minimum estimates the floor. The scale is estimated from
the faster half of each side, as from a sample that is censored beyond this half (type II; Epstein and Sobel 1954), so
that a few disturbed runs have no effect. For the minima ``x`` of n and ``y`` of m runs, and T the time on test with v
degrees of freedom,

    P(y - x > d) = n / (n + m) · (1 + m d / T)^-v

holds exactly if the floors are equal, for any scale: T is Gamma(v) distributed and independent of the minima. If noise
also makes runs faster, the formula is wrong for about seven or more runs. So for seven or more runs, a rank test must
confirm the result (Mann and Whitney 1947).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, inf, log, log1p
from typing import Final, Literal

__all__ = ["CONFIDENCE", "UNKNOWN_NOISE", "Shift", "by_ranks", "shift"]

CONFIDENCE: Final = 0.99
_LEAST: Final = 2  # runs per side; with fewer, the noise is unknown
_MANY: Final = 7  # runs per side; with at least as many, a rank test must confirm a change
_EXACT: Final = 100  # runs; with more runs, the normal approximation suffices, because its tails are larger
_AGREEING: Final = 0.2  # factor on the rank test's probability: 1 in 20 suffices, while the minima need 1 in 100
UNKNOWN_NOISE: Final = 0.5  # relative change; equal runs differ by less, even on a shared machine


@dataclass(frozen=True, slots=True)
class Shift:
    """The difference between the values of two sides.

    Attributes:
        change: Relative change of the minimum: 0.1 if the other side is 10 % above the base.
        low: Lower confidence limit of the change; None if there are too few runs.
        high: Upper confidence limit of the change; None if there are too few runs.
        above: Probability of at least this change if the sides are equal.
        below: Probability of at most this change if the sides are equal.
        noise: Relative scale of the noise; None if there are too few runs.
    """

    change: float
    low: float | None
    high: float | None
    above: float
    below: float
    noise: float | None


def shift(base: Sequence[float], other: Sequence[float], *, repeats: bool = False) -> Shift:
    """Compare positive values of repeated runs.

    If either side has fewer than two runs, noise is unknown. Then only a change of at least ``UNKNOWN_NOISE`` is
    certain.

    Args:
        base: One or more values.
        other: One or more values.
        repeats: Whether repeated runs of the same program have identical values; then one run is enough.
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
        above=max(_tail(d, n, m, time, degrees), _AGREEING * _above_by_ranks(x, y)),
        below=max(_tail(-d, m, n, time, degrees), _AGREEING * _above_by_ranks(y, x)),
        noise=_expm1(time / degrees),
    )


def _time_on_test(ordered: Sequence[float]) -> tuple[float, int]:
    """Return the total time on test and the number of failures, as in life testing, of times in ascending order.

    The time on test is the sum of the distances of all runs from the fastest run; for runs beyond the faster half, the
    distance of the slowest run in this half is used. The failures are the runs of this half, except the fastest run.
    """
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


def _above_by_ranks(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the p-value of a one-sided rank-sum test of x < y; 0 if a side has fewer than ``_MANY`` runs.

    With a p-value of 0, the rank test does not affect whether a change is certain.
    """
    return 0.0 if min(len(x), len(y)) < _MANY else by_ranks(x, y, "greater")


def by_ranks(
    base: Sequence[float], other: Sequence[float], alternative: Literal["greater", "two-sided"] = "two-sided"
) -> float:
    """Return the p-value of a rank-sum test of whether both sides have the same distribution (Mann and Whitney).

    With ``greater``, the test is one-sided, and detects only values in ``other`` that exceed those in ``base``.
    """
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - takes a second

    method = "exact" if len(base) + len(other) <= _EXACT else "asymptotic"
    return float(mannwhitneyu(other, base, alternative=alternative, method=method).pvalue)


def _expm1(value: float) -> float:
    return expm1(value) if value < 700 else inf
