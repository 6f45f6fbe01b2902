"""The visits on the critical path, which show whether ranks pass on results or different ranks are late in turn."""

from __future__ import annotations

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import PATH_VISITS
from ..run.arrays import Values
from ..run.code_regions import inclusive_over
from ..run.selection import Selection
from ..run.summary import is_of_all_runs, summaries

__all__ = ["time_of_extra_visits"]


def time_of_extra_visits(ranks: Selection) -> tuple[Values, Values] | None:
    """Return the lowest and the highest time on the path that extra visits may take; ``float64[region]`` each.

    If the late rank differs from step to step, the path takes the slowest rank's visit in each step, so it has as many
    visits as a single rank. If ranks pass on results, the path has visits by several ranks in each step.

    Only visits that contain no communication count, because the path cannot change ranks inside them. If visits are
    nested, only the outermost counts, because the slowest rank may have more inner visits in each step. A region's
    remaining time counts only in the second result, because only a part of a visit that contains communication may be
    on the path.

    Args:
        ranks: All ranks, and the regions.

    Returns:
        None if visits on the path were not recorded.
    """
    experiment = ranks.experiment
    if not is_of_all_runs(experiment, PATH_VISITS.name):
        return None
    calls = "mpi_calls" if "mpi_calls" in experiment else "mpi_time"
    found = summaries(experiment, [PATH_VISITS.name, "visits", "path_time", calls])
    on_path, most = found[PATH_VISITS.name].sums, found["visits"].most
    is_known = (on_path > 0) & (most > 0)
    extra = np.where(is_known, np.maximum(1 - most / np.where(is_known, on_path, 1.0), 0.0), np.nan)
    extra = _of_outermost(experiment, extra, found[calls].sums)
    both = [found["path_time"].sums * np.nan_to_num(extra, nan=unknown) for unknown in (0.0, 1.0)]
    least, largest = inclusive_over(experiment, ranks.regions, np.array(both).T).T
    return least, largest


def _of_outermost(experiment: Experiment, values: Values, calls: Values) -> Values:
    """Replace each call path's value with that of its outermost ancestor that contains no MPI calls, if any.

    Args:
        experiment: The run.
        values: ``float64[call path]``.
        calls: ``float64[call path]``: exclusive MPI calls, or time in them.

    Returns:
        ``float64[call path]``; NaN for a call path that contains MPI calls.
    """
    has_calls = experiment.summed_up(calls[:, None])[:, 0] > 0
    found = np.where(has_calls, np.nan, values)
    for index, path in enumerate(experiment.call_paths):
        if path.parent is not None and not has_calls[path.parent]:
            found[index] = found[path.parent]
    return found
