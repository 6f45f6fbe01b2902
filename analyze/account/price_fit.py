"""Fit the time per instruction and per cache miss (their prices) that best explains a run's computing time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import pi, sqrt, tan
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.prices import Prices
from ..run.arrays import Flags, ratio
from ..run.code_regions import startup_paths
from ..run.selection import complete
from ..run.summary import summary
from .computing import Counted, is_walk
from .standing_for_all import some_locations

__all__ = [
    "errors",
    "event_prices",
    "fit",
    "fitted_prices",
    "half_widths",
    "own_prices",
    "price_bounds",
    "quantile_of_t",
]

Values = npt.NDArray[np.float64]
Bounds = tuple[float, float]

_BOUNDS: Final = {
    "instructions": ("instruction_independent", "instruction_dependent"),
    "l1_misses": ("l1_miss_streamed", "l1_miss_chased"),
    "l2_misses": ("l2_miss_streamed", "l2_miss_chased"),
}
_FREE: Final = (0.0, np.inf)
_NONE: Final = (0.0, 0.0)
_MATERIAL: Final = 0.01  # share of computing time; an uncalibrated price that explains less is noise
# Converts the price of an instruction, the price of an L1 miss and the extra cost of an L2 miss to the prices of an
# instruction, an L1 miss and an L2 miss. The last row is for the time.
_STEPS: Final = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]])
_SINGULAR: Final = 1e-10  # eigenvalues below this share of the largest are rounding errors
_PULL: Final = 1e-6  # weight of calibrated prices, relative to the weight of a count; small, so that counts decide
_ROUNDS: Final = 100
_CLOSE: Final = 1e-12  # relative change of prices at which iteration stops; small, so blocks do not affect the result
_MEDIAN: Final = 0.6745  # standard deviations that contain half of a normal distribution
_CONFIDENCE: Final = 0.95  # level of confidence intervals
_LEAST_FREE: Final = 2.0  # degrees of freedom; with fewer, Student's t has no variance, and intervals are useless
_FAR: Final = 10.0  # standard deviations; the normal distribution beyond this limit is negligible
_POINTS: Final = 10_001  # points of integration; enough for quantiles with six correct digits
_NOTHING: Final = 1e-6  # share of all computing time; smaller residuals and times are raised to it


def fitted_prices(experiment: Experiment, counted: Counted, calibrated: Prices) -> tuple[float, ...]:
    """Fit prices to all call paths and threads.

    The fit brings the sums of counts times prices as close as possible to the computing time without events.

    Prices are not negative, and lie within calibrated bounds: for an instruction, the times of an independent
    instruction and of an instruction in a chain of divisions; for a miss, the times in sequential access and in pointer
    chasing. If misses are not calibrated, an L2 miss costs at least as much as an L1 miss, and the price of a kind of
    miss is 0 if it explains less than 1 % of computing time.

    Args:
        experiment: The run; if it has many locations, an evenly spread sample is used.
        counted: What was counted.
        calibrated: The machine's prices; if there are none, the run alone decides.

    Returns:
        Seconds per count, in the order of ``counted.names``; 0 for a miss that the fit cannot separate from earlier
        counts.
    """
    products = _products(some_locations(experiment), counted)
    products[[*startup_paths(experiment)]] = 0.0
    bounds = [price_bounds(name, calibrated) for name in counted.names]
    if bounds[1:] != [_FREE] * (len(bounds) - 1):
        return fit(products, bounds)
    ordered = _STEPS if len(bounds) == len(_STEPS) - 1 else np.eye(len(bounds) + 1)
    products = ordered.T @ products @ ordered
    steps = fit(products, bounds)
    sizes = np.sqrt(np.diagonal(products, axis1=1, axis2=2)).sum(axis=0)
    kept = steps * sizes[:-1] >= _MATERIAL * sizes[-1]
    if not kept[1:].all():
        kept[0] = True
        steps = fit(products, [bound if is_kept else _NONE for bound, is_kept in zip(bounds, kept, strict=True)])
    return tuple((ordered[:-1, :-1] @ steps).tolist())


def half_widths(experiment: Experiment, counted: Counted, prices: Sequence[float]) -> Values:
    """Return the error of the prices from ``fitted_prices`` at a confidence of 95 %: ``float64[count]``, in seconds."""
    products = _products(some_locations(experiment), counted)
    products[[*startup_paths(experiment)]] = 0.0
    return errors(products, prices)


def errors(products: Values, prices: Sequence[float]) -> Values:
    """Return the error of fitted prices, at a confidence of 95 %.

    The covariance is computed as in a regression by least absolute deviations (Koenker and Bassett 1978). Residuals are
    assumed to be normally distributed, and to be the same share of each call path's time: the median share in this run.
    For n prices, the fit explains n call paths exactly, so n call paths are left out of the median. The number of
    independent call paths is estimated as (sum of times)² / (sum of squared times).

    Args:
        products: As for ``fit``.
        prices: The result of ``fit``.

    Returns:
        ``float64[count]``, in seconds. Infinite if call paths have the same proportions of counts, so that the fit
        cannot separate the prices. NaN if there are not at least two more independent call paths than prices.
    """
    size, time = np.sqrt(np.diagonal(products, axis1=1, axis2=2)).sum(axis=0), np.sqrt(products[:, -1, -1])
    found, used = np.full(len(prices), np.inf), np.flatnonzero(size[:-1] > 0)
    free = float(ratio(time.sum() ** 2, (time**2).sum())) - len(used)
    if not len(used) or free < _LEAST_FREE:
        return np.full(len(prices), np.nan)
    signed = np.append(-np.array(prices), 1.0)
    left = products @ signed
    residuals = np.sqrt(np.maximum(left @ signed, 0.0))
    off = np.divide(residuals, time, out=np.zeros_like(time), where=time > 0)
    ordered = np.argsort(off)[len(used) :]
    usual = float(off[ordered[np.searchsorted(np.cumsum(time[ordered]), time[ordered].sum() / 2)]])
    density = _MEDIAN * sqrt(2 / pi) / (max(usual, _NOTHING) * np.maximum(time, _NOTHING * time.sum()))
    scaled = products[:, used][:, :, used] / np.outer(size[used], size[used])
    values, directions = np.linalg.eigh(np.einsum("pij,p->ij", scaled, density))
    known = values > _SINGULAR * values[-1]
    inverse = (directions[:, known] / values[known]) @ directions[:, known].T
    scores = ratio(left[:, used], residuals[:, None]) / size[used]
    variances = np.diag(inverse @ (scores.T @ scores) @ inverse) * (free + len(used)) / free
    hidden = (np.abs(directions[:, ~known]) > _SINGULAR).any(axis=1)
    found[used] = np.where(hidden, np.inf, quantile_of_t(free) * np.sqrt(np.maximum(variances, 0.0)) / size[used])
    return found


def quantile_of_t(free: float) -> float:
    """Return the half-width of a mean's 95 % confidence interval in standard errors: a quantile of Student's t.

    With ``x = sqrt(free) tan(angle)``, the density is a power of the angle's cosine. SciPy is not used because
    importing it takes longer than the whole verdict.

    Args:
        free: Degrees of freedom, at least 1, not necessarily whole.
    """
    angles = np.linspace(0.0, min(pi / 2, _FAR / sqrt(free)), _POINTS)
    density = np.cos(angles) ** (free - 1)
    within = np.append(0.0, np.cumsum(density[1:] + density[:-1]))
    return sqrt(free) * tan(float(np.interp(_CONFIDENCE * within[-1], within, angles)))


def own_prices(experiment: Experiment, counted: Counted, prices: Sequence[float], calibrated: Prices) -> Values:
    """Return prices for each call path, so that its counts at these prices add up to its computing time.

    An instruction takes from a sixth of a cycle to ten cycles, depending on how long operations wait for each other, so
    each call path has its own price. In sequential access, misses have the calibrated price of sequential access. Time
    that remains even at the highest price of an instruction is attributed to misses that cost more there than in the
    whole run, as in pointer chasing: first to L2 misses, then to L1 misses. Without both calibrated bounds, such prices
    could explain anything, so all call paths get the fitted price.

    Args:
        experiment: The run; if it has many locations, an evenly spread sample is used.
        counted: What was counted.
        prices: The prices for the whole run, from ``fitted_prices``.
        calibrated: The machine's prices.

    Returns:
        ``float64[count, call path]``: seconds, within the machine's calibrated bounds.
    """
    some = some_locations(experiment)
    time = counted.time(some)
    counts = [each.sum(axis=1) for each in counted.counts(some, time)]
    bounds = [price_bounds(name, calibrated) for name in counted.names]
    found = np.repeat(np.array(prices)[:, None], len(experiment.call_paths), axis=1)
    walking = _walks(experiment)
    for number in range(1, len(counts)):
        if 0 < bounds[number][0] <= prices[number]:
            found[number, walking] = bounds[number][0]
    left = counted.without_events(some, time).sum(axis=1)
    left = left - sum(count * price for count, price in zip(counts[1:], found[1:], strict=True))
    for number in (0, *range(len(counts) - 1, 0, -1)):
        (least, most), known = bounds[number], counts[number] > 0
        paid = found[number] if number else np.zeros_like(left)  # the price already subtracted from ``left``
        own = found[number]
        if least > 0 and np.isfinite(most):
            own = np.where(known, np.clip(paid + ratio(left, counts[number]), np.maximum(paid, least), most), own)
        left = left - (own - paid) * counts[number]
        found[number] = own
    return found


def event_prices(experiment: Experiment, counted: Counted, prices: Sequence[float]) -> Values:
    """Return the seconds per event in each call path, between the lowest and the highest price of the event.

    If a call path's computing takes longer than the fitted prices and the lowest price of each event explain, the
    excess is first attributed to events that may take longer, namely divisions that wait for each other. Only the rest
    is attributed to more expensive instructions.

    Args:
        experiment: The run; if it has many locations, an evenly spread sample is used.
        counted: What was counted.
        prices: The prices for the whole run, from ``fitted_prices``.

    Returns:
        ``float64[event, call path]``.
    """
    some = some_locations(experiment)
    time = counted.time(some)
    left = counted.without_events(some, time).sum(axis=1)
    left = left - sum(each.sum(axis=1) * price for each, price in zip(counted.counts(some, time), prices, strict=True))
    found = np.repeat([[least] for least, _ in counted.events.values()], len(left), axis=1).reshape(-1, len(left))
    for row, (each, (least, most)) in enumerate(
        zip(counted.event_counts(some, time), counted.events.values(), strict=True)
    ):
        number = each.sum(axis=1)
        found[row] += np.clip(ratio(left, number), 0.0, most - least)
        left = left - (found[row] - least) * number
    return found


def _walks(experiment: Experiment) -> Flags:
    """Return which call paths have no more misses than sequential access (a walk); ``bool[call path]``.

    The hardware prefetches in sequential access, so fitted prices would blame cache misses for time that dependent
    instructions take.
    """
    if not all(complete(experiment, name) for name in ("l1_misses", "l1_accesses")):
        return np.zeros(len(experiment.call_paths), dtype=bool)
    return is_walk(*(summary(experiment, name).sums for name in ("l1_misses", "l1_accesses")))


def _products(experiment: Experiment, counted: Counted) -> Values:
    """Return the pairwise products of the n counts and the computing time without events, summed over threads.

    The result is ``float64[call path, n + 1, n + 1]``; the last row and column are for the time.
    """
    time = counted.time(experiment)
    left = counted.without_events(experiment, time)
    columns = np.array([*counted.counts(experiment, time), left]).transpose(1, 0, 2)
    return np.asarray(columns @ columns.transpose(0, 2, 1))


def fit(products: Values, bounds: Sequence[Bounds]) -> tuple[float, ...]:
    """Fit prices that minimise the sum of the call paths' residuals.

    A call path's residual is the root of the sum of its threads' squared residuals. This amounts to least squares
    within a call path, and to least absolute deviations over call paths, so that a region with unusual instructions
    does not affect the prices in other regions. The solver is iteratively reweighted least squares.

    Args:
        products: ``float64[call path, n + 1, n + 1]``: sums over the threads; the last row and column are for the time.
        bounds: The least and the greatest value of each price.

    Returns:
        Seconds per count.
    """
    least_off = _NOTHING * np.sqrt(products[:, -1, -1].sum())
    prices = _least_squares(products.sum(axis=0), bounds)
    for _ in range(_ROUNDS if least_off > 0 else 0):
        signed = np.append(-prices, 1.0)
        squares = np.maximum(np.einsum("pij,i,j->p", products, signed, signed), 0.0)
        before, weights = prices, 1 / np.maximum(np.sqrt(squares), least_off)
        prices = _least_squares(np.einsum("pij,p->ij", products, weights), bounds)
        if (np.abs(prices - before) <= _CLOSE * before).all():
            break
    return tuple(prices.tolist())


def _least_squares(products: Values, bounds: Sequence[Bounds]) -> Values:
    """Return the least-squares solution of ``counts @ prices = time`` within bounds: ``float64[count]``.

    Only the sums of products are needed, not the counts themselves.
    """
    size = np.sqrt(np.diag(products))
    least, most = np.array(bounds).reshape(-1, 2).T
    bounded = (least > 0) & np.isfinite(most)
    middle = np.sqrt(least * np.where(bounded, most, 0.0))
    pull = np.where(bounded, _PULL, 0.0)
    prices = np.zeros(len(bounds))
    used = np.flatnonzero(size[:-1] > 0)
    while len(used) and size[-1] > 0:
        scale = size[used] / size[-1]  # makes prices dimensionless
        square = products[np.ix_(used, used)] / np.outer(size[used], size[used]) + np.diag(pull[used])
        weights = np.linalg.eigvalsh(square)
        if weights[0] <= _SINGULAR * weights[-1]:
            used = used[:-1]
            continue
        right = products[used, -1] / (size[used] * size[-1]) + pull[used] * middle[used] * scale
        found = _within(square, right, least[used] * scale, most[used] * scale)
        prices[used] = np.clip(found / scale, least[used], most[used])
        break
    return prices


def _within(square: Values, right: Values, low: Values, high: Values) -> Values:
    """Minimise ``x @ square @ x / 2 - right @ x`` within bounds, for a positive definite matrix ``square``.

    Each unknown is either at a bound or where the slope is 0. There are few unknowns, so all combinations are tried.
    SciPy's ``lsq_linear`` gives the same result, but importing it takes longer than the whole verdict.
    """
    best, least = low, np.inf
    for places in product((None, low, high), repeat=len(right)):
        free = np.array([each is None for each in places])
        at_bound = [0.0 if each is None else each[number] for number, each in enumerate(places)]
        found = np.array(at_bound)
        if not np.isfinite(found).all():
            continue
        slope = right[free] - square[np.ix_(free, ~free)] @ found[~free]
        found[free] = np.linalg.solve(square[np.ix_(free, free)], slope)
        if (found < low).any() or (found > high).any():
            continue
        if free.all():
            return found
        value = float(found @ square @ found / 2 - right @ found)
        if value < least:
            best, least = found, value
    return best


def price_bounds(name: str, calibrated: Prices) -> Bounds:
    """Return the lowest and highest price of a count on a machine, in seconds: 0 and infinite if not calibrated."""
    least, most = (getattr(calibrated, each) for each in _BOUNDS[name])
    least, most = _FREE[0] if least is None else least, _FREE[1] if most is None else most
    return min(least, most), max(least, most)
