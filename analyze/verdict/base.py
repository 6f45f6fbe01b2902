"""The base of all savings and shares: the length of the critical path, or otherwise the busiest rank's busy time.

Both consist of busy time. Other programs and shared cores do not change busy time, but they do change the run's wall
time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..critical_path.serialisation import Serialisation
from ..run.arrays import Values
from ..run.busy import InTeams, busy_times
from ..run.preparation import Prepared
from ..run.selection import Selection, over_ranks

__all__ = ["Base", "base_in", "mean_busy_in"]


@dataclass(frozen=True, slots=True)
class Base:
    """The time that counts as 100 %, in seconds, or in samples if these replace time.

    Attributes:
        seconds: The length of the base, at most the time of the run.
        is_path: True for the length of the critical path, False for the busy time of the busiest rank.
    """

    seconds: float
    is_path: bool


def base_in(run: Prepared, serialisation: Serialisation | None) -> Values:
    """Return the part of the base that each region takes, including regions below: ``float64[region]``, in seconds.

    All parts are 0 if no rank is busy.

    Args:
        run: The run.
        serialisation: The time of each region on the critical path; None if the path is unknown.
    """
    if serialisation:
        return serialisation.on_path
    top = list(run.weighed.top)
    busiest = (
        each[:, each[top].sum(axis=0).argmax()] for each in over_ranks(run.weighed, _busy, InTeams.of(run.experiment))
    )
    return max(busiest, key=lambda each: float(each[top].sum()))


def mean_busy_in(run: Prepared) -> Values:
    """Return the mean busy time of the ranks in each region, including the regions below it: ``float64[region]``."""
    blocks = over_ranks(run.weighed, _busy, InTeams.of(run.experiment))
    return np.asarray(sum(each.sum(axis=1) for each in blocks) / len(run.weighed.ranks))


def _busy(selection: Selection, teams: InTeams) -> Values:
    return np.asarray(selection.by_rank(busy_times(selection.experiment, teams)))
