"""Sums over the ranks of one run, by call path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ...experiment import Experiment
from ..run.arrays import Flags, Indices, Values
from ..run.busy import InTeams, busy_of_threads, busy_times
from ..run.code_regions import startup_paths
from ..run.criteria import CRITERIA
from ..run.location_blocks import over_locations
from ..run.selection import complete

__all__ = ["COUNTS", "sums_of"]

COUNTS: Final = ("instructions", "visits", "mpi_bytes_sent")


def sums_of(experiment: Experiment, *, of_path: bool = False) -> dict[str, Values]:
    """Return sums and extremes over ranks by name: ``float64[call path]``, exclusive; see ``Series``.

    Extremes of a count are, for example, ``least instructions`` and ``most instructions``. ``busiest`` and ``team``,
    the largest number of threads in a team, are single numbers; ``shared`` and ``same`` are 1 for true and 0 for false.

    Args:
        experiment: A run.
        of_path: As for ``busy_times``.
    """
    names = [name for name in COUNTS if complete(experiment, name)]
    blocks = [*over_locations(experiment, _of_block, names, InTeams.of(experiment), of_path)]
    found: dict[str, Values] = {}
    for name in blocks[0]:
        kind = name.partition(" ")[0]
        join = {"longest": np.max, "busiest": np.max, "team": np.max, "most": np.max, "least": np.min}.get(kind, np.sum)
        found[name] = np.asarray(join([each[name] for each in blocks], axis=0))
    number = len({place.process for place in experiment.locations})
    if number == 1:  # a recorded path may begin with the first message, and one rank may send none
        found["path"] = found["busy"]
    executed = found["instructions"] if "instructions" in found else found["busy"]
    found["shared"] = np.where(executed > 0, found["least"] * number >= executed / 2, False).astype(np.float64)
    is_same = found["most"] - found["least"] <= CRITERIA.same_work * found["most"]
    found["same"] = (is_same & (found["most"] > 0) & ("instructions" in found)).astype(np.float64)
    return found


def _of_block(part: Experiment, _: slice, names: list[str], teams: InTeams, of_path: bool) -> dict[str, Values]:
    hidden = list(startup_paths(part))
    processes, columns = np.unique([place.process for place in part.locations], return_inverse=True)

    def by_rank(values: Values) -> Values:
        values = np.array(values)
        values[hidden] = 0.0
        found = np.zeros((len(values), len(processes)))
        np.add.at(found.T, columns.ravel(), values.T)
        return found

    def of_metric(name: str, threads: Sequence[bool] | None = None) -> Values:
        if name not in part:
            return np.zeros_like(busy)
        values = np.nan_to_num(part.exclusive(name))
        return by_rank(values if threads is None else values * threads)

    busy = by_rank(busy_times(part, teams, of_path=of_path))
    in_team, of_threads = teams.alone | teams.waiting, busy.sum(axis=1)
    if in_team.any():
        of_threads = np.where(in_team, by_rank(busy_of_threads(part)).sum(axis=1), of_threads)
    counted = {name: of_metric(name) for name in names}
    executed = counted.get("instructions", busy)
    first = [place.thread == 0 for place in part.locations]
    return {
        "busy": busy.sum(axis=1),
        "of_threads": of_threads,
        "team": np.array(_largest_team(part, in_team, columns.ravel())),
        "longest": busy.max(axis=1),
        "least": executed.min(axis=1),
        "most": executed.max(axis=1),
        "busiest": busy.sum(axis=0).max(),
        "files": of_metric("io_time").sum(axis=1),
        "path": of_metric("path_time").sum(axis=1),
        "in_mpi": (of_metric("mpi_time", first) - of_metric("wait_time")).sum(axis=1),
        **{name: values.sum(axis=1) for name, values in counted.items()},
        **{f"least {name}": values.min(axis=1) for name, values in counted.items()},
        **{f"most {name}": values.max(axis=1) for name, values in counted.items()},
    }


def _largest_team(part: Experiment, in_team: Flags, processes: Indices) -> int:
    """Return the largest number of threads that work in the teams of one process; 1 without teams."""
    there = np.zeros(len(part.locations), dtype=bool)
    for name in ("visits", "cpu_time", "omp_time"):
        if name in part and in_team.any():
            there |= (np.nan_to_num(part.exclusive(name))[in_team] > 0).any(axis=0)
    return max(1, int(np.bincount(processes[there]).max(initial=0)))
