"""What a page fault takes in a run."""

from __future__ import annotations

import numpy as np

from ...experiment import Experiment
from ...experiment.prices import Prices
from ..run.selection import complete
from ..run.summary import summary

__all__ = ["price_of_fault"]


def price_of_fault(experiment: Experiment, calibrated: Prices) -> float:
    """Fit the price of a page fault to the system time of all call paths by least squares.

    It is within what was calibrated: the least is a page's, the most a huge page's. What a process has at its root
    contains its start.

    Returns:
        Seconds; 0 if there are none.
    """
    if not complete(experiment, "page_faults"):
        return 0.0
    faults, time = (np.maximum(summary(experiment, name).sums, 0.0) for name in ("page_faults", "system_time"))
    faults = np.where(np.isin(np.arange(len(faults)), [*experiment.roots]), 0.0, faults)
    if not faults.any():
        return 0.0
    least = calibrated.page_fault or 0.0
    fitted = float(faults @ time / (faults @ faults))
    return max(least, min(fitted, calibrated.huge_page_fault or np.inf))
