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

__all__ = ["Base", "find_base"]


@dataclass(frozen=True, slots=True)
class Base:
    """A time in seconds, or in samples if these replace time.

    Attributes:
        seconds: How long; no longer than the run.
        is_path: Whether it is the length of the critical path; else the busiest rank's busy time.
    """

    seconds: float
    is_path: bool


def find_base(run: Prepared, serialisation: Serialisation | None) -> Base:
    """Find the base of a run; its wall time where no rank is busy, as in a profile that holds nothing but waiting.

    Args:
        run: The run.
        serialisation: What the critical path has of each region; None where it is not known.
    """
    top = list(run.weighed.top)
    if serialisation:
        return Base(min(float(serialisation.on_path[top].sum()), run.program_time), is_path=True)
    busiest = max(float(each[top].sum(axis=0).max()) for each in over_ranks(run.weighed, _busy))
    return Base(min(busiest, run.program_time) if busiest > 0 else run.program_time, is_path=False)


def _busy(selection: Selection) -> Values:
    return np.asarray(selection.by_rank(busy_times(selection.experiment)))
