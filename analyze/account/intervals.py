"""Confidence intervals of the parts of the account: from the fit of the prices, the calibration, and noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ..run.arrays import ratio
from ..run.compute_time import Computing
from ..run.criteria import CRITERIA
from ..run.selection import complete
from ..run.summary import summary
from .price_fit import half_widths, price_bounds
from .splitting import Splitting

__all__ = ["part_intervals"]

Values = npt.NDArray[np.float64]

_NORMAL: Final = 1.959964  # standard deviations that contain 95 % of normal values
_CYCLES: Final = ("cycles", "ref_cycles")


def part_intervals(experiment: Experiment, splitting: Splitting, means: Mapping[str, Values]) -> dict[str, Values]:
    """Return the 95 % confidence interval of each part of each call path's time.

    Prices that are fitted to the run have the error of the fit. For one region, the price of an instruction is only
    known within the calibrated bounds. The parts of computing add up to the measured time, so each is also bounded by
    the others. Measured parts, such as waiting, have no interval. Nor have calls and bytes at a calibrated price, which
    is only a lower bound.

    Args:
        experiment: The run.
        splitting: How its time is split.
        means: Part → ``float64[call path]``, seconds.

    Returns:
        Part → ``float64[2, call path]``: lower and upper limits, around the part itself. NaN if unknown, because
        nothing was calibrated and the run has too few regions.
    """
    found = {name: np.array([values, values]) for name, values in means.items()}
    if splitting.counted.names:
        found |= _of_computing(experiment, splitting, means)
        found |= _of_events(splitting, means, found)
    if splitting.fault:
        most = CRITERIA.outweighs * (splitting.prices.page_fault or 0.0)
        faults, whole = means["page_faults"], means["page_faults"] + means["system"]
        prices = np.array([[splitting.prices.page_fault or 0.0], [most]])
        found["page_faults"] = np.minimum(faults * prices / splitting.fault, whole)
        found["system"] = whole - found["page_faults"][::-1]
    return found


def _of_computing(experiment: Experiment, splitting: Splitting, means: Mapping[str, Values]) -> dict[str, Values]:
    """Return the intervals of the counted parts, and of the unexplained rest."""
    names = splitting.counted.names
    parts, rest = np.array([means[name] for name in names]), means["unexplained"]
    explained = parts.sum(axis=0)
    as_fitted = replace(splitting.counted, of_events=None)  # the prices of events in each call path came later
    errors = half_widths(experiment, as_fitted, splitting.fitted)
    if np.isnan(errors).any():
        if not price_bounds(names[0], splitting.prices)[0]:
            return dict.fromkeys((*names, "unexplained"), np.full((2, len(rest)), np.nan))
        errors = np.full_like(errors, np.inf)
    counts = np.where(splitting.own > 0, ratio(parts, splitting.own), _counts(experiment, names))
    prices = np.where(counts > 0, _prices(experiment, splitting, errors), 0.0)
    alone = np.minimum(counts * prices, explained + rest)  # ``float64[2, count, call path]``: lower and upper limits
    least, most = alone
    others_least, others_most = (each.sum(axis=0) - each for each in alone)
    low = np.minimum(np.maximum(least, explained - others_most), parts)
    high = np.maximum(np.minimum(most, explained + rest - others_least), parts)
    error = _noise(experiment)
    high_or_all = np.minimum(high * (1 + error), explained + rest)
    found = {name: np.array([low[row] * (1 - error), high_or_all[row]]) for row, name in enumerate(names)}
    unexplained = [np.maximum(explained + rest - most.sum(axis=0), 0.0), explained + rest - low.sum(axis=0)]
    return found | {"unexplained": np.array([np.minimum(unexplained[0], rest), np.maximum(unexplained[1], rest)])}


def _of_events(splitting: Splitting, means: Mapping[str, Values], found: Mapping[str, Values]) -> dict[str, Values]:
    """Return the intervals of events between the least and most that one takes, and what this leaves of the others."""
    names = (*splitting.counted.names, "unexplained")
    left = np.sum([means[name] for name in names], axis=0)
    longer, shorter, events = np.zeros_like(left), np.zeros_like(left), {}
    for row, (name, (least, most)) in enumerate(splitting.counted.events.items()):
        assert splitting.counted.of_events is not None
        numbers = means[name] / splitting.counted.of_events[row]
        less = np.minimum(means[name] - numbers * least, means[name])
        more = np.minimum(numbers * most - means[name], left - longer)
        events[name] = means[name] + np.array([-less, more])
        longer, shorter = longer + more, shorter + less
    between = {name: np.array([found[name][0] - longer, found[name][1] + shorter]) for name in names}
    return events | {name: np.maximum(each, 0.0) for name, each in between.items()}


def _prices(experiment: Experiment, splitting: Splitting, errors: Values) -> Values:
    """Return the lowest and highest price of each count in each call path; ``float64[2, count, call path]``."""
    counted, own = splitting.counted, splitting.own
    found = np.repeat(own[None], 2, axis=0)
    for row, (name, price, error) in enumerate(zip(counted.names, splitting.fitted, errors, strict=True)):
        bounds = price_bounds(name, splitting.prices)
        fitted = np.clip([price - error, price + error], *bounds)
        is_own = own[row] != price
        if name == counted.names[0]:
            fitted = np.array(bounds) if bounds[0] > 0 else np.clip(fitted, *_of_cycles(experiment, splitting))
            is_own = np.zeros_like(is_own)
        least = np.where(is_own, own[row], fitted[0])
        most = np.where(is_own, np.where(own[row] > price, bounds[1], own[row]), fitted[1])
        found[:, row] = np.minimum(least, own[row]), np.maximum(most, own[row])
    return found


def _of_cycles(experiment: Experiment, splitting: Splitting) -> tuple[float, float]:
    """Return the lower and upper limit of the time of an instruction on any current processor, in seconds."""
    cycles = next((each for each in _CYCLES if complete(experiment, each)), None)
    if cycles is None:
        return 0.0, np.inf
    spent = float(summary(experiment, cycles).sums.sum())
    others = splitting.counted.others or ()
    time = summary(experiment, "cpu_time").sums.sum() - sum(summary(experiment, name).sums.sum() for name in others)
    cycle = float(time) / spent if spent > 0 else 0.0
    return (CRITERIA.swift * cycle, CRITERIA.dependent * cycle) if cycle > 0 else (0.0, np.inf)


def _counts(experiment: Experiment, names: Sequence[str]) -> Values:
    """Return counts per process; ``float64[count, call path]``."""
    processes = len({place.process for place in experiment.locations})
    found = np.array([summary(experiment, name).sums for name in names]) / processes
    if len(found) > 2:
        found[1] = np.maximum(found[1] - found[2], 0.0)
    return np.maximum(found, 0.0)


def _noise(experiment: Experiment) -> float:
    """Return the relative error of a mean over the ranks due to the noise of the run; 0 if unknown."""
    ranks = len({place.process for place in experiment.locations})
    deviation = Computing.comparing(experiment).noise or 0.0
    return min(_NORMAL * deviation / sqrt(ranks), 1.0)
