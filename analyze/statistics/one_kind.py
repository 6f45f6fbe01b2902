"""Points without clusters that are otherwise like given ones, to be drawn: what chance alone makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import Values

__all__ = ["OneKind"]

_POWERS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)  # from the logarithm to the value itself
_LARGEST: Final = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class OneKind:
    """Points of one kind: normal, once a power is taken of each metric, with the correlations of given points.

    Normal points have no clusters. Those drawn are the given ones turned at random about their mean (rotation test: O.
    Langsrud, Statistics and Computing 15, 2005): each set has the same mean and covariance. If the given points are
    normal, whatever their correlations, they are one such set, so that a test at 5 % is wrong in 5 % of cases, however
    few points there are. Simulation with an estimated covariance (SigClust: Y. Liu, D. Hayes, A. Nobel and J. Marron,
    JASA 103, 2008) reaches this only with many. Permuting each metric would part metrics that vary together, and
    uniform points would, too: of both, one factor common to all metrics looks like clusters.

    Times and counts are often skewed, and the tail of a skewed metric looks like a cluster. So a power of each positive
    metric is taken, from the logarithm to the metric itself, that makes it most nearly normal (G. Box and D. Cox,
    Journal of the Royal Statistical Society B 26, 1964), and undone in what is drawn. No power makes one heap of two.

    Attributes:
        exponents: ``int[metric]``, powers of 2 that keep squares of huge and tiny values numbers.
        sizes: ``float64[metric]``, geometric means; 1 of a metric that is not positive.
        powers: ``float64[metric]``.
        centre: ``float64[metric]``, of the powers.
        axes: ``float64[axis, metric]``, whose squares are the variances of the powers.
    """

    exponents: Values
    sizes: Values
    powers: Values
    centre: Values
    axes: Values

    @classmethod
    def like(cls, values: Values) -> OneKind:
        """Describe points, ``float64[point, metric]``."""
        _, exponents = np.frexp(np.abs(values).max(axis=0))
        relative = np.ldexp(values, -exponents)
        positive = relative.min(axis=0) > 0
        sizes = np.exp(np.log(np.where(positive, relative, 1.0)).mean(axis=0))
        powers = np.array(
            [
                _most_normal(column / size) if above else 1.0
                for column, size, above in zip(relative.T, sizes, positive, strict=True)
            ]
        )
        raised = np.stack([_raised(*each) for each in zip((relative / sizes).T, powers, strict=True)], axis=1)
        centre = raised.mean(axis=0)
        _, lengths, directions = np.linalg.svd((raised - centre) / np.sqrt(len(raised)), full_matrices=False)
        there = lengths > lengths.max() * np.finfo(np.float64).eps * len(raised)
        return cls(exponents, sizes, powers, centre, lengths[there, None] * directions[there])

    def draw(self, drawn: np.random.Generator, count: int) -> Values:
        """Draw points, ``float64[point, metric]``."""
        frame = drawn.standard_normal((count, len(self.axes)))
        if count > len(self.axes):
            frame, upper = np.linalg.qr(frame - frame.mean(axis=0))
            frame *= np.sqrt(count) * np.sign(np.diag(upper))
        raised = self.centre + frame @ self.axes
        with np.errstate(over="ignore"):  # of a metric over hundreds of orders of magnitude: then the largest number
            columns = [_lowered(*each) for each in zip(raised.T, self.powers, strict=True)]
            points = np.ldexp(np.stack(columns, axis=1) * self.sizes, self.exponents)
        return np.clip(points, -_LARGEST, _LARGEST)


def _raised(column: Values, power: float) -> Values:
    return np.asarray(np.log(column) if power == 0 else column if power == 1 else (column**power - 1) / power)


def _lowered(column: Values, power: float) -> Values:
    if power in (0, 1):
        return np.exp(column) if power == 0 else column
    return np.asarray(np.maximum(power * column + 1, 0.0) ** (1 / power))


def _most_normal(column: Values) -> float:
    """Give the power of largest likelihood; of a column with geometric mean 1 its variance tells."""
    return min(reversed(_POWERS), key=lambda power: float(_raised(column, power).var()))
