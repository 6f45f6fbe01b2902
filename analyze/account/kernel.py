"""Fit the price of a page fault, in seconds, to a run."""

from __future__ import annotations

import numpy as np

from ...experiment import Experiment
from ...experiment.prices import Prices
from ..run.criteria import CRITERIA
from ..run.selection import complete
from ..run.summary import summary

__all__ = ["price_of_fault"]


def price_of_fault(experiment: Experiment, calibrated: Prices) -> float:
    """Fit the price of a page fault to the system time of all call paths by least squares.

    System time also includes system calls, so page faults can be separated from it only if they have a calibrated
    price. The fitted price is at least the calibrated price, and at most twice as high. The exclusive values of roots
    are left out, because they include process start.

    Returns:
        Seconds per page fault; 0 if page faults did not occur, were not counted, or have no calibrated price.
    """
    if calibrated.page_fault is None or not complete(experiment, "page_faults"):
        return 0.0
    faults, time = (np.maximum(summary(experiment, name).sums, 0.0) for name in ("page_faults", "system_time"))
    faults = np.where(np.isin(np.arange(len(faults)), [*experiment.roots]), 0.0, faults)
    if not faults.any():
        return 0.0
    fitted = float(faults @ time / (faults @ faults))
    return max(calibrated.page_fault, min(fitted, CRITERIA.outweighs * calibrated.page_fault))
