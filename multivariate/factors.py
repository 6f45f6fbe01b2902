"""Factor analysis: metrics that rise and fall together, and their common factors (Ahn and Vetter, 3.4, 4.6)."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ..analyze.run.arrays import Values
from ..errors import InputError, UsageError
from .metric_space import MetricSpace
from .single_threaded_blas import single_threaded_blas

__all__ = ["JOINS", "Factor", "Factors", "Rotation", "factors", "kind_of", "named_by_kinds", "promax"]

Rotation = Literal["varimax", "promax", "none"]

JOINS: Final = 0.5  # smallest loading of a metric that belongs to a factor

_DRAWS: Final = 200  # sets of random data for parallel analysis
_QUANTILE: Final = 0.95
_POWER: Final = 4  # exponent of promax
_HEYWOOD: Final = 0.975  # communalities of at least this value count as 1, because the iterations approach 1 slowly
_BORNE_OUT: Final = 0.9  # if other metrics explain this share of a metric's variance, a communality of 1 is plausible
_STEPS: Final = 20_000

# The first pattern found in the lower-case name decides; < means that no letter precedes. The names are those of POWER3
# events (Ahn and Vetter, appendix A), PAPI, Linux perf, and our own metrics.
_KINDS: Final = (
    ("communication", r"<mpi|<sent(?![a-z])|<send|<recv|<receiv|messag|<comm(?![a-z])|communicat|packet"),
    ("file I/O", r"<io_|_io$|<file|<disk|<posix"),
    ("waiting", r"idle|stall|_stl|stl_|wait|[0o]inst|barrier|<sync"),
    ("memory", r"miss|cache|tlb|<mem(?!b)|^l[123]|_l[123]|llc|biu|dcm|icm|tcm|<page|bandwidth"),
    ("computation", r"inst|_ins|uops|<fp|fma|flop|fxu|fpu|<vec|simd|branch|<br_|_ld_|_st_|load|store|<int_|<ipc|<cpi"),
    ("time", r"time|cyc|clock|ticks"),
)


@dataclass(frozen=True, slots=True)
class Factor:
    """A common factor of metrics.

    Attributes:
        name: The name, made from the kinds of its metrics.
        metrics: The metrics that belong to it, largest loading first.
        explained: Its share of the variance of all metrics.
    """

    name: str
    metrics: tuple[str, ...]
    explained: float


@dataclass(frozen=True)
class Factors:
    """The result of a factor analysis.

    Attributes:
        space: The points.
        factors: The factors, the largest first.
        alone: Metrics that belong to no factor.
        loadings: ``float64[metric, factor]``; after promax, the pattern matrix.
        correlations: ``float64[factor, factor]``; the identity except after promax.
        communalities: ``float64[metric]``, the share of its variance that a metric has in common with other metrics.
        heywood: Metric with a communality of 1 that the other metrics do not confirm → the share of its variance that
            the other metrics explain.
        eigenvalues: ``float64[metric]`` of the correlation matrix, the largest first.
        random: ``float64[metric]``, the values that eigenvalues of unrelated metrics exceed in 5 of 100 cases.
        rotation: The rotation of the factors.
        given: Whether the caller chose the number of factors.
        converged: Whether the iterations converged.
    """

    space: MetricSpace
    factors: tuple[Factor, ...]
    alone: tuple[str, ...]
    loadings: Values
    correlations: Values
    communalities: Values
    heywood: dict[str, float]
    eigenvalues: Values
    random: Values
    rotation: Rotation
    given: bool
    converged: bool

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The metrics of each factor, then each remaining metric alone."""
        return (*(each.metrics for each in self.factors if each.metrics), *((name,) for name in self.alone))


@single_threaded_blas
def factors(space: MetricSpace, *, count: int | None = None, rotation: Rotation = "varimax", seed: int = 0) -> Factors:
    """Find common factors by maximum likelihood.

    Args:
        space: At least three metrics.
        count: The number of factors; if None, the number of leading eigenvalues of the correlation matrix that exceed
            the 95th percentile of the eigenvalues of random data (Horn's parallel analysis).
        rotation: ``varimax``; ``promax``, whose factors may be correlated; ``none``.
        seed: Seed of the random data.

    Raises:
        InputError: There are fewer than three metrics.
        UsageError: More factors are requested than the metrics allow.
    """
    width = len(space.metrics)
    if width < 3:
        raise InputError(f"factors: need at least three metrics that differ, found only {', '.join(space.metrics)}")
    most = _most(width)
    if count is not None and not 1 <= count <= most:
        raise UsageError(f"expected 1 to {most} factors ({width} metrics support no more), found {count}")
    matrix = np.atleast_2d(np.corrcoef(space.scaled(), rowvar=False))
    eigenvalues = np.maximum(np.linalg.eigvalsh(matrix)[::-1], 0.0)
    random = _random_eigenvalues(len(space.points), width, seed)
    number = count or min(most, int(np.argmin([*(eigenvalues > random), False])))
    loadings, converged = _loadings(matrix, number, "varimax" if rotation != "none" else None)
    correlations = np.eye(number)
    if rotation == "promax" and number > 1:
        loadings, correlations = promax(loadings)
    loadings, correlations, explained = _ordered(loadings, correlations)
    communalities = np.einsum("ij,jk,ik->i", loadings, correlations, loadings)
    found, alone = _factors(space, loadings, explained)
    return Factors(
        space,
        found,
        alone,
        loadings,
        correlations,
        communalities,
        _heywood(space, matrix, communalities),
        eigenvalues,
        random,
        rotation,
        count is not None,
        converged,
    )


def _most(width: int) -> int:
    """Return the largest number of factors that the correlations can determine (Ledermann's bound)."""
    return int((2 * width + 1 - np.sqrt(8 * width + 1)) / 2 + 1e-9)


def _random_eigenvalues(points: int, width: int, seed: int) -> Values:
    """Return the 95th percentile of each eigenvalue for unrelated metrics that are normal: ``float64[metric]``."""
    from scipy.stats import wishart  # noqa: PLC0415 - takes a second

    drawn = np.random.default_rng(seed)
    if points - 1 >= width:  # draws covariance matrices directly, without the normal data
        products = wishart.rvs(points - 1, np.eye(width), size=_DRAWS, random_state=drawn)
    else:
        data = drawn.standard_normal((_DRAWS, points, width))
        data -= data.mean(axis=1, keepdims=True)
        products = np.einsum("dpi,dpj->dij", data, data)
    deviations = np.sqrt(np.einsum("dii->di", products))
    found = np.linalg.eigvalsh(products / (deviations[:, :, None] * deviations[:, None, :]))[:, ::-1]
    return np.asarray(np.quantile(found, _QUANTILE, axis=0))


def _loadings(matrix: Values, count: int, rotation: str | None) -> tuple[Values, bool]:
    """Fit factors to a correlation matrix; return ``float64[metric, factor]``, and whether the iterations converged.

    The likelihood depends on the points only through their correlations. So the fit uses two points per metric that
    have the same correlations.
    """
    width = len(matrix)
    if count == 0:
        return np.zeros((width, 0)), True
    from sklearn.decomposition import FactorAnalysis  # noqa: PLC0415 - takes a second
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415

    values, vectors = np.linalg.eigh(matrix)
    half = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * np.sqrt(width)
    model = FactorAnalysis(count, rotation=rotation, svd_method="lapack", tol=1e-8, max_iter=_STEPS)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(np.concatenate([half, -half]))
    converged = not any(issubclass(each.category, ConvergenceWarning) for each in said)
    return np.asarray(model.components_, dtype=np.float64).T, converged


def promax(loadings: Values) -> tuple[Values, Values]:
    """Rotate varimax loadings towards a simpler structure with correlated factors (Hendrickson and White 1964).

    Args:
        loadings: ``float64[metric, factor]``.

    Returns:
        The pattern, ``float64[metric, factor]``, and the correlations of the factors, ``float64[factor, factor]``.
    """
    target = loadings * np.abs(loadings) ** (_POWER - 1)
    turn = np.linalg.lstsq(loadings, target, rcond=None)[0]
    inverse = np.linalg.pinv(turn.T @ turn)
    lengths = np.sqrt(np.diag(inverse))
    return loadings @ turn * lengths, inverse / np.outer(lengths, lengths)


def _ordered(loadings: Values, correlations: Values) -> tuple[Values, Values, Values]:
    """Sort factors by explained variance, largest first, and flip signs so that loadings are positive on average.

    Returns:
        The loadings, the correlations of the factors, and each factor's share of the variance of all metrics.
    """
    signs = np.where(loadings.sum(axis=0) < 0, -1.0, 1.0)
    turned = loadings * signs
    related = correlations * np.outer(signs, signs)
    explained = np.einsum("ij,jk,ik->j", turned, related, turned) / max(len(turned), 1)
    order = np.argsort(-explained, kind="stable")
    return turned[:, order], related[np.ix_(order, order)], explained[order]


def _factors(space: MetricSpace, loadings: Values, explained: Values) -> tuple[tuple[Factor, ...], tuple[str, ...]]:
    """Assign each metric to the factor of its largest loading, if that is at least 0.5."""
    count = loadings.shape[1]
    sizes = np.abs(loadings)
    largest = sizes.argmax(axis=1) if count else np.zeros(len(sizes), dtype=np.intp)
    joins = sizes.max(axis=1, initial=0.0) >= JOINS
    found = []
    for factor in range(count):
        rows = [row for row in np.argsort(-sizes[:, factor], kind="stable") if joins[row] and largest[row] == factor]
        names = tuple(space.metrics[row] for row in rows)
        name = named_by_kinds(names or (space.metrics[int(sizes[:, factor].argmax())],))
        found.append(Factor(name, names, float(explained[factor])))
    return tuple(found), tuple(name for name, joined in zip(space.metrics, joins, strict=True) if not joined)


def _heywood(space: MetricSpace, matrix: Values, communalities: Values) -> dict[str, float]:
    """Map metrics with an implausible communality of 1 (Heywood cases) to the variance share that others explain."""
    found = {}
    for row in np.flatnonzero(communalities > _HEYWOOD).tolist():
        others = [each for each in range(len(matrix)) if each != row]
        weights = np.linalg.lstsq(matrix[np.ix_(others, others)], matrix[others, row], rcond=1e-10)[0]
        borne = float(np.clip(matrix[others, row] @ weights, 0.0, 1.0))
        if borne < _BORNE_OUT:
            found[space.metrics[row]] = borne
    return found


def kind_of(metric: str) -> str | None:
    """Return the kind of a metric by its name, for example ``memory``; None if the name does not show it."""
    name = metric.lower()
    return next((kind for kind, pattern in _KINDS if re.search(pattern.replace("<", "(?<![a-z])"), name)), None)


def named_by_kinds(metrics: Sequence[str]) -> str:
    """Return a name for a group of metrics by their most frequent kinds: ``memory``, ``time and waiting``."""
    kinds = Counter(kind for kind in map(kind_of, metrics) if kind)
    first, *others = kinds.most_common(2) or [("", 0)]
    if not first[0]:
        return metrics[0]
    if 2 * first[1] > len(metrics) or not others:
        return first[0]
    return f"{first[0]} and {others[0][0]}"
