"""Confidence intervals for the parts of the account, derived from the fit of the prices, the calibration, and noise."""

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
from .computing import MODELLED
from .price_fit import half_widths, price_bounds
from .splitting import Splitting

__all__ = ["part_intervals"]

Values = npt.NDArray[np.float64]

_NORMAL: Final = 1.959964  # standard deviations that contain 95 % of a normal distribution
_CYCLES: Final = ("cycles", "ref_cycles")


def part_intervals(experiment: Experiment, splitting: Splitting, means: Mapping[str, Values]) -> dict[str, Values]:
    """Return the 95 % confidence interval of each part of each call path's time.

    Prices that are fitted to the run have the error of the fit. Within a single region, the price of an instruction is
    known only within the calibrated bounds, and simulated events (``MODELLED``) may take no time. A page fault takes up
    to twice its calibrated price. The parts of computing add up to the measured time, so each part is also bounded by
    the others. Measured parts, such as waiting, have no interval. Calls and bytes have no interval either, because
    their calibrated price is only a lower bound.

    Args:
        experiment: The run.
        splitting: How the run's time is split.
        means: Part → ``float64[call path]``, seconds.

    Returns:
        Part → ``float64[2, call path]``: lower and upper limits; the part itself lies between them. NaN if nothing was
        calibrated and the run has too few regions for a fit.
    """
    found = {name: np.array([values, values]) for name, values in means.items()}
    if splitting.counted.names:
        found |= _of_computing(experiment, splitting, means)
    if splitting.fault:
        most = CRITERIA.outweighs * (splitting.prices.page_fault or 0.0)
        faults, whole = means["page_faults"], means["page_faults"] + means["system"]
        prices = np.array([[splitting.prices.page_fault or 0.0], [most]])
        found["page_faults"] = np.minimum(faults * prices / splitting.fault, whole)
        found["system"] = whole - found["page_faults"][::-1]
    return found


def _of_computing(experiment: Experiment, splitting: Splitting, means: Mapping[str, Values]) -> dict[str, Values]:
    """Return the intervals of counts, events and unexplained time: part → ``float64[2, call path]``."""
    counted = splitting.counted
    names = (*counted.names, *counted.events)
    parts, rest = np.array([means[name] for name in names]), means["unexplained"]
    explained, of_counts = parts.sum(axis=0), parts[: len(counted.names)]
    as_fitted = replace(counted, of_events=None)  # the fit did not use the prices of events in call paths
    errors = half_widths(experiment, as_fitted, splitting.fitted)
    are_known = not np.isnan(errors).any()
    if not are_known:
        errors = np.full_like(errors, np.inf)
    counts = np.where(splitting.own > 0, ratio(of_counts, splitting.own), _counts(experiment, counted.names))
    prices = np.where(counts > 0, _prices(experiment, splitting, errors), 0.0)
    alone = np.concatenate([counts * prices, _of_events(splitting, means)], axis=1)
    least, most = np.minimum(alone, explained + rest)  # ``float64[count, call path]`` each
    others_least, others_most = (each.sum(axis=0) - each for each in (least, most))
    low = np.minimum(np.maximum(least, explained - others_most), parts)
    high = np.maximum(np.minimum(most, explained + rest - others_least), parts)
    error = np.where(np.isin(names, counted.names), _noise(experiment), 0.0)[:, None]
    between = np.array([low * (1 - error), np.minimum(high * (1 + error), explained + rest)])
    found = {name: between[:, row] for row, name in enumerate(names)}
    unexplained = [np.maximum(explained + rest - most.sum(axis=0), 0.0), explained + rest - low.sum(axis=0)]
    found["unexplained"] = np.array([np.minimum(unexplained[0], rest), np.maximum(unexplained[1], rest)])
    if not are_known and not price_bounds(names[0], splitting.prices)[0]:
        found |= dict.fromkeys((*counted.names, "unexplained"), np.full((2, len(rest)), np.nan))
    return found


def _of_events(splitting: Splitting, means: Mapping[str, Values]) -> Values:
    """Return the shortest and longest time that each event may take: ``float64[2, event, call path]``, in seconds."""
    found = [np.empty((2, 0, len(means["unexplained"])))]
    for row, (name, (least, most)) in enumerate(splitting.counted.events.items()):
        assert splitting.counted.of_events is not None
        prices = np.array([[0.0 if name in MODELLED else least], [most]])
        found.append((means[name] / splitting.counted.of_events[row] * prices)[:, None])
    return np.concatenate(found, axis=1)


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
    """Return the lowest and the highest plausible seconds per instruction, from the run's mean time per cycle.

    The limits are 0 and infinity if cycles were not counted.
    """
    cycles = next((each for each in _CYCLES if complete(experiment, each)), None)
    if cycles is None:
        return 0.0, np.inf
    spent = float(summary(experiment, cycles).sums.sum())
    others = splitting.counted.others or ()
    time = summary(experiment, "cpu_time").sums.sum() - sum(summary(experiment, name).sums.sum() for name in others)
    cycle = float(time) / spent if spent > 0 else 0.0
    return (CRITERIA.swift * cycle, CRITERIA.dependent * cycle) if cycle > 0 else (0.0, np.inf)


def _counts(experiment: Experiment, names: Sequence[str]) -> Values:
    """Return mean counts per process: ``float64[count, call path]``; L1 misses exclude those that miss in L2."""
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
