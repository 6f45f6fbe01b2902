"""A run's throttled regions: callers include their time, and rules exclude them from the next build."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from .experiment import Experiment
from .metric import UNTIMED_VISITS
from .region import Region

if TYPE_CHECKING:
    from .plan import Exclude

__all__ = ["folded_paths", "left_out", "reason_of", "seconds_of_an_entry", "untimed_paths"]

_MOST_OVERHEAD: Final = 0.05  # the overhead limit that is assumed if the run does not record one
_WEIGHS: Final = 0.01  # significant regions have at least this share of a thread's time; slow first visits take less
_EACH: Final = re.compile(r", for (\d{1,15}) ns each in the first ")


def reason_of(entered: int, timed: int, seconds: float) -> str:
    """Return the reason why a region was throttled, as text.

    Args:
        entered: The number of entries to the region.
        timed: The number of entries that were timed before the region was throttled.
        seconds: The total time of the timed entries.
    """
    return f"entered {entered:,} times, for {1e9 * seconds / max(timed, 1):.0f} ns each in the first {timed:,} entries"


def seconds_of_an_entry(reason: str) -> float | None:
    """Return the seconds per entry to a throttled region, parsed from the reason; None if it contains no time."""
    found = _EACH.search(reason)
    return 1e-9 * int(found[1]) if found else None


def folded_paths(experiment: Experiment) -> npt.NDArray[np.bool_]:
    """Return a mask of the folded call paths, which have no time, because none of their entries was timed.

    Returns:
        ``bool[call path]``.
    """
    folded = untimed_paths(experiment)
    if "wall_time" in experiment:
        folded &= ~np.nan_to_num(experiment.exclusive("wall_time")).any(axis=1)
    return folded


def untimed_paths(experiment: Experiment) -> npt.NDArray[np.bool_]:
    """Return a mask of the call paths with untimed entries at any location, even if later entries were timed.

    In a difference or a part of a run, the number of untimed entries may be lost. A throttled region is then recognised
    by its time, which is 0 at all locations although the region was entered.

    Returns:
        ``bool[call path]``.
    """
    folded = np.zeros(len(experiment.call_paths), dtype=bool)
    if UNTIMED_VISITS.name in experiment:
        folded |= np.nan_to_num(experiment.exclusive(UNTIMED_VISITS.name)).any(axis=1)
    if experiment.notes.throttled and "wall_time" in experiment:
        regions = {Region.from_descriptor(each) for each in experiment.notes.throttled}
        throttled = np.array([path.region in regions for path in experiment.call_paths], dtype=bool)
        throttled &= ~np.nan_to_num(experiment.exclusive("wall_time")).any(axis=1)
        if "visits" in experiment and "difference" not in experiment.notes.derived_by:  # visits in differences may be 0
            throttled &= np.nan_to_num(experiment.exclusive("visits")).any(axis=1)
        folded |= throttled
    return folded


def left_out(experiment: Experiment) -> tuple[Exclude, ...]:
    """Return plan rules that exclude the regions that a run throttled, each with the reason.

    A region that was throttled on one call path is not excluded if it is significant on another: at some location, its
    own CPU and file I/O time is at least 1 % of the time of the longest thread, and each visit takes at least as long
    as 1/``max_overhead`` probe pairs (20 at 5 %). Regions without a file, such as MPI functions without probes, need no
    rule.
    """
    if not experiment.notes.throttled:
        return ()
    from .plan import Exclude, Pattern  # noqa: PLC0415 - nothing is throttled in most runs

    throttled = {Region.from_descriptor(each): reason for each, reason in experiment.notes.throttled.items()}
    kept = _weighing(experiment)
    return tuple(
        Exclude(Pattern.of(region), reason, texts=(region.text,) if region.text else ())
        for region, reason in throttled.items()
        if region.file and region not in kept
    )


def _weighing(experiment: Experiment) -> frozenset[Region]:
    """Return the regions that are significant on at least one call path whose entries were all timed.

    Time means CPU time plus time waiting for files, as during measurement, because wall time depends on other programs.
    """
    notes, shape = experiment.notes, (len(experiment.call_paths), len(experiment.locations))

    def own(name: str) -> npt.NDArray[np.float64]:
        return np.nan_to_num(experiment.exclusive(name)) if name in experiment else np.zeros(shape)

    timed = "cpu_time" in experiment
    time = own("cpu_time") - own("io_cpu_time") + own("io_time") if timed else own("wall_time")
    long = (notes.probe_ns or 0.0) * 1e-9 / (notes.max_overhead or _MOST_OVERHEAD)
    weighs = (time > 0) & (time >= long * own("visits")) & (time >= _WEIGHS * time.sum(axis=0).max(initial=0.0))
    weighs[untimed_paths(experiment)] = False
    return frozenset(experiment.call_paths[path].region for path in np.flatnonzero(weighs.any(axis=1)))
