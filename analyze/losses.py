"""What imbalance costs: the time that others could have had while the slowest rank was in a region."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .compute_time import Computing
from .findings import Findings
from .overhead import TIMES
from .selection import Selection, complete, over_ranks

__all__ = ["Loss", "losses"]

Values = npt.NDArray[np.float64]

_ROUNDING = 1 + 1e-12  # of a mean of equal times


@dataclass(frozen=True, slots=True)
class Loss:
    """What the imbalance of a region's own time costs, in seconds.

    Attributes:
        region: Its position among the code regions.
        loss: (longest - mean) x ranks, or threads where these are compared.
        longest: Of the slowest rank.
        mean: Over the ranks of one program.
        factor: ``longest`` over ``mean``, no seconds; None where the mean is none.
        slowest: That rank, or thread.
    """

    region: int
    loss: float
    longest: float
    mean: float
    factor: float | None
    slowest: int | str


def losses(findings: Findings) -> list[Loss]:
    """List the regions in which ranks differ, for each program, the most costly first; excluded ranks do not count."""
    performance, experiment = findings.performance, findings.experiment
    selection = replace(findings.differences.selection, programs=performance.programs)
    has_compute = all(complete(experiment, name) for name in ("cpu_time", "mpi_cpu_time"))
    metric = performance.metric if performance.metric in TIMES else "compute_time" if has_compute else "wall_time"
    computing = Computing.comparing(experiment) if metric == "compute_time" else None
    programs, end, totals = len(performance.groups), 0, []
    longest = np.full((programs, len(selection.regions)), -np.inf)
    slowest = np.zeros(longest.shape, np.intp)
    for most, place, total, ranks in over_ranks(selection, _longest, metric, computing, programs):
        longer = most > longest
        longest, slowest = np.where(longer, most, longest), np.where(longer, end + place, slowest)
        totals.append(total)
        end += ranks
    labels = selection.labels
    means = np.sum(totals, axis=0) / [[len(each)] for each in performance.groups]
    found = [
        Loss(
            region,
            float(longest[program, region] - means[program, region]) * len(performance.groups[program]),
            float(longest[program, region]),
            float(means[program, region]),
            float(longest[program, region] / means[program, region]) if means[program, region] > 0 else None,
            labels[slowest[program, region]],
        )
        for region in range(len(selection.regions))
        for program in range(programs)
        if longest[program, region] > means[program, region] * _ROUNDING
    ]
    return sorted(found, key=lambda each: -each.loss)


def _longest(
    selection: Selection, metric: str, computing: Computing | None, programs: int
) -> tuple[Values, npt.NDArray[np.intp], Values, int]:
    """Give the longest time of a rank in each region, whose it is, and their sum, of each program; how many ranks.

    Args:
        selection: The ranks.
        metric: What is compared.
        computing: How compute time is made of metrics, if that is compared.
        programs: How many programs there are.

    Returns:
        ``[program, region]`` each, and a number.
    """
    part = selection.experiment
    own = selection.own_by_rank(computing.compared(part) if computing else part.exclusive(metric))
    groups = selection.members(programs)
    longest = np.array([own[:, each].max(axis=1, initial=-np.inf) for each in groups])
    places = np.array([each[own[:, each].argmax(axis=1)] if len(each) else 0 * own[:, 0] for each in groups], np.intp)
    return longest, places, np.array([own[:, each].sum(axis=1) for each in groups]), own.shape[1]
