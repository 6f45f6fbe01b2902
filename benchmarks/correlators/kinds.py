"""Seven kinds of anomalies (Table 3 of Hauswirth et al. 2005), and metrics with known relations to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from autoanalyzer.experiment.trace import Series

__all__ = ["KINDS", "LABELS", "Case", "Kind", "case"]

Values = npt.NDArray[np.float64]

LABELS: Final = ("no", "maybe", "yes")

_COUNT: Final = 600  # number of samples
_EACH: Final = (70, 15, 15)  # number of metrics with each label
# A metric's label depends on the absolute value of its Pearson correlation with the target, both without noise: the
# bands of "no", "maybe" and "yes". Metrics between the bands are not used.
_BANDS: Final = ((0.0, 0.35), (0.45, 0.75), (0.85, 1.0))


@dataclass(frozen=True)
class Kind:
    """A kind of anomaly.

    Attributes:
        name: Its name in Table 3.
        about: Its description in Table 3.
        category: Its category in Table 3.
        points: The target without noise: pairs of a time from 0 to 1 and a value, connected by lines.
        intervals: Start and end, from 0 to 1, of each interval that is compared; empty for the whole time.
        noise: Standard deviation of the target's noise, relative to that of the target without noise. Metrics have 0.5
            to 1.5 times as much noise, relative to their own standard deviation.
        outliers: Share of samples that are outliers.
    """

    name: str
    about: str
    category: str
    points: Sequence[tuple[float, float]]
    intervals: Sequence[tuple[float, float]] = ()
    noise: float = 0.2
    outliers: float = 0.0


def _curve(function: Callable[[Values], Values], count: int) -> list[tuple[float, float]]:
    at = np.linspace(0, 1, count)
    return [*zip(at.tolist(), function(at).tolist(), strict=True)]


_GROWTH: Final = _curve(lambda at: 1 - np.exp(-4 * at), 9)
_PERIODS: Final = _curve(lambda at: np.abs(((at * 3) % 1) - 0.5), 13)
_DIP: Final = [(0.0, 1.0), (0.62, 1.0), (0.68, 0.2), (0.74, 0.2), (0.74, 1.0), (1.0, 1.0)]
_DIPS: Final = [(0.0, 1.0)] + [
    point for at in (0.15, 0.4, 0.62, 0.85) for point in ((at, 1.0), (at, 0.3), (at + 0.05, 0.3), (at + 0.05, 1.0))
] + [(1.0, 1.0)]  # fmt: skip

KINDS: Final = (
    Kind("J GI 1", "gradual increase", "continuous", _GROWTH, noise=0.8),
    Kind("J GI 2", "gradual increase, two parts", "continuous", _GROWTH, [(0.02, 0.35), (0.6, 0.9)], noise=0.8),
    Kind(
        "D SLP", "one long period", "continuous", [(0, 0.2), (0.45, 1), (0.8, 0.1), (1, 0.6)], [(0.2, 0.95)], noise=0.8
    ),
    Kind("C SI", "sudden increase", "discontinuous", [(0, 0.3), (0.4, 0.3), (0.4, 1), (1, 1)], noise=1.0),
    Kind("H PGD", "dip before an event", "discontinuous", _DIP, [(0.45, 0.9)], noise=1.0),
    Kind("D FLP", "several periods, distorted", "distorted", _PERIODS, noise=2.0, outliers=0.04),
    Kind("D D", "dips, distorted", "distorted", _DIPS, noise=1.5, outliers=0.06),
)


@dataclass(frozen=True)
class Case:
    """A target and metrics.

    Attributes:
        target: The series with the anomaly.
        drawn: A pattern as if drawn by hand: the kind's points, each slightly moved.
        metrics: The metrics.
        labels: For each metric, the index of its label in ``LABELS``.
    """

    target: Series
    drawn: Sequence[tuple[float, float]]
    metrics: Sequence[Series]
    labels: Sequence[int]


def case(kind: Kind, seed: int) -> Case:
    """Return a target with noise, and metrics with each label; the same seed returns the same case."""
    chance = np.random.default_rng(seed)
    at = (np.arange(_COUNT) + 0.5) / _COUNT
    clean = np.interp(at, *zip(*kind.points, strict=True))
    taken = np.zeros(_COUNT, dtype=bool) if kind.intervals else np.ones(_COUNT, dtype=bool)
    for start, end in kind.intervals:
        taken |= (at > start) & (at < end)
    metrics, labels = [], []
    wanted = list(_EACH)
    while any(wanted):
        share = chance.choice([0.0, 0.5, 1.0])
        values = _mixture(clean, at, float(share), chance)
        strength = abs(np.corrcoef(values[taken], clean[taken])[0, 1]) if np.ptp(values[taken]) else 0.0
        label = next((number for number, (low, high) in enumerate(_BANDS) if low <= strength <= high), None)
        if label is None or not wanted[label]:
            continue
        wanted[label] -= 1
        noisy = _noisy(values, kind, chance.uniform(0.5, 1.5), taken, chance)
        metrics.append(_series(f"m{len(metrics)}", noisy * 10 ** chance.uniform(-3, 6), at))
        labels.append(label)
    target = _series("target", _noisy(clean, kind, 1.0, taken, chance), at)
    return Case(target, _drawn(kind, chance), metrics, labels)


def _drawn(kind: Kind, chance: np.random.Generator) -> list[tuple[float, float]]:
    """Return the kind's points; times are moved by about 1 % of the whole time, values by about 5 % of the range."""
    moments = {moment: moment + 0.01 * chance.normal() for moment, _ in kind.points}
    height = float(np.ptp([value for _, value in kind.points]))
    points = [(moments[moment], value + 0.05 * height * chance.normal()) for moment, value in kind.points]
    return [*zip(np.maximum.accumulate([at for at, _ in points]).tolist(), (value for _, value in points), strict=True)]


def _mixture(clean: Values, at: Values, share: float, chance: np.random.Generator) -> Values:
    """Return a mixture of a series that follows the target, not always in proportion, and an unrelated series.

    Args:
        clean: The target without noise, ``float64[sample]``.
        at: The end of each sample, from 0 to 1.
        share: The share of the series that follows the target, from 0 to 1.
        chance: The generator of random numbers.
    """
    shape = (clean - clean.min()) / np.ptp(clean)
    follows = chance.choice([-1, 1]) * shape ** chance.choice([0.5, 1, 1, 1, 2])
    other = _other(at, chance)
    parts = [values / values.std() if values.std() > 0 else values for values in (follows, other)]
    mixed: Values = share * parts[0] + (1 - share) * parts[1]
    return mixed


def _other(at: Values, chance: np.random.Generator) -> Values:
    """Return a random series that is unrelated to the target: growth, random walk, period, step, pulse, or zeros."""
    kind = chance.integers(6)
    where = chance.uniform(0.05, 0.9)
    shapes: tuple[Values, ...] = (
        at * chance.choice([-1, 1]),
        np.cumsum(chance.normal(size=len(at))),
        np.sin(2 * np.pi * (chance.uniform(1, 20) * at + chance.random())),
        (at > where).astype(float),
        ((at > where) & (at < where + chance.uniform(0.02, 0.1))).astype(float),
        np.zeros(len(at)),
    )
    return shapes[kind]


def _noisy(
    values: Values, kind: Kind, factor: float, taken: npt.NDArray[np.bool_], chance: np.random.Generator
) -> Values:
    """Return the values with noise and outliers and, outside the compared intervals, with a random walk."""
    deviation = float(values[taken].std()) or 1.0
    noisy = values + kind.noise * factor * deviation * chance.normal(size=len(values))
    far = chance.random(len(values)) < kind.outliers
    noisy[far] += deviation * chance.uniform(3, 12, far.sum()) * chance.choice([-1, 1], far.sum())
    if not taken.all():
        noisy[~taken] += 3 * deviation * np.cumsum(chance.normal(size=(~taken).sum())) / len(values) ** 0.5
    return noisy


def _series(name: str, values: Values, at: Values) -> Series:
    return Series(name, "", False, "synthetic", at - 1 / _COUNT, at, values)
