"""The base of all gains and shares: the length of the critical path, or else the busiest rank's busy time.

Both are busy time, which other programs and shared cores do not change; the run's wall time would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..critical_path.serialisation import Serialisation
from ..run.arrays import Values
from ..run.busy import busy_times
from ..run.preparation import Prepared
from ..run.selection import Selection, over_ranks

__all__ = ["Base", "base_in"]


@dataclass(frozen=True, slots=True)
class Base:
    """A time in seconds, or in samples if these replace time.

    Attributes:
        seconds: How long; no longer than the run.
        is_path: Whether it is the length of the critical path; else the busiest rank's busy time.
    """

    seconds: float
    is_path: bool


def base_in(run: Prepared, serialisation: Serialisation | None) -> Values:
    """Return the seconds of the base in each region and below: ``float64[region]``; 0 where no rank is busy.

    Args:
        run: The run.
        serialisation: What the critical path has of each region; None where it is not known.
    """
    if serialisation:
        return serialisation.on_path
    top = list(run.weighed.top)
    busiest = (each[:, each[top].sum(axis=0).argmax()] for each in over_ranks(run.weighed, _busy))
    return max(busiest, key=lambda each: float(each[top].sum()))


def _busy(selection: Selection) -> Values:
    return np.asarray(selection.by_rank(busy_times(selection.experiment)))
