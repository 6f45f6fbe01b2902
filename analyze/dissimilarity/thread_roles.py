"""Compare first threads with the worker threads that they started, if both do different work at the same time."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..run.costs import MOSTLY
from ..run.selection import Selection
from ..run.threads import Threads
from .clusters import cluster, members, severity
from .dissimilarity import Dissimilarity, odd_one
from .rank_vectors import RankVectors

__all__ = ["differing_jobs"]

_AT_WORK: Final = (
    0.5  # least CPU use of a busy first thread, relative to its workers' CPU use; waiting threads use almost none
)


def differing_jobs(selection: Selection, *, floor: float) -> tuple[RankVectors, Dissimilarity, Selection] | None:
    """Compare the totals of first threads and of their worker threads, which have no region in common.

    A first thread's own work is serial if the other threads wait meanwhile, as OpenMP's threads do. It is not serial if
    both work at the same time, so that their times add up to more than the run's time.

    Args:
        selection: The threads, which are alike in all regions that they have in common.
        floor: The smallest difference in seconds that counts.

    Returns:
        The times; the clusters by totals, without culprits; and the compared threads. None if all threads are alike.
    """
    threads = selection.threads
    at_work = _first_threads_at_work(selection, threads) if threads else []
    if threads is None or not at_work:
        return None
    workers = sorted({column for part in threads.parts if set(part.others) & set(at_work) for column in part.working})
    columns = [column for column in selection.all_columns.tolist() if column in {*workers, *at_work}]
    own = selection.with_threads(columns)
    vectors = RankVectors.selected(own)
    totals = vectors.values[list(vectors.top)].sum(axis=0)[:, None]
    floor = max(floor, vectors.totals_by_sampling)
    clusters = tuple(tuple(each) for each in members(cluster(totals, floor=floor, groups=vectors.programs)))
    programs = len(vectors.groups)
    if len(clusters) == programs:
        return None
    spread = max(severity(totals[each]) for each in vectors.groups)
    found = Dissimilarity(clusters, spread, odd_one=odd_one(clusters), programs=programs, jobs=True)
    return vectors, found, own


def _first_threads_at_work(selection: Selection, threads: Threads) -> list[int]:
    """Return the first threads that were busy during at least half of their workers' time."""
    experiment = selection.experiment
    wall, cpu = experiment.exclusive("wall_time"), experiment.exclusive("cpu_time")
    found = []
    for first in np.intersect1d(selection.all_columns, threads.first).tolist():
        apart = [part for part in threads.parts if first in part.others]
        if not apart:
            continue
        paths = sorted({path for part in apart for path in part.paths})
        workers = sorted({column for part in apart for column in part.working})
        took, computed = wall[np.ix_(paths, workers)].sum(axis=0), cpu[np.ix_(paths, workers)].sum(axis=0)
        if took.max() <= 0:
            continue
        busy = cpu[:, first] >= _AT_WORK * min(1.0, computed.sum() / took.sum()) * wall[:, first]
        together = wall[busy, first].sum() + took.max() - wall[:, first].sum()
        if together >= MOSTLY * took.max():
            found.append(first)
    return found
