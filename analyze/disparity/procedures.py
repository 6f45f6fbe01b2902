"""Regions by their exclusive time, per call path and over all call paths.

A procedure that is called from many places takes little time on each call path, but may take much time in total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...experiment import Experiment, Region
from ...experiment.region import CALL_KINDS
from ..run.arrays import Flags, Indices, Values
from ..run.code_regions import caller_of, startup_paths
from ..run.criteria import CRITERIA, SAMPLING, THRESHOLD
from ..run.preparation import Prepared
from ..run.selection import complete
from ..run.summary import summary

__all__ = ["HeavyProcedure", "Hot", "Procedure", "Procedures", "hot_regions"]


@dataclass(frozen=True, slots=True)
class Hot:
    """A region's exclusive time in seconds, mean over the processes.

    Attributes:
        region: Position among the code regions.
        own_wall_time: Time of each process's first thread.
        own_mpi_time: The part of ``own_wall_time`` in MPI calls; None if it was not measured.
    """

    region: int
    own_wall_time: float
    own_mpi_time: float | None


def hot_regions(run: Prepared) -> list[Hot]:
    """Return the regions with exclusive time, largest first."""
    experiment, everything = run.experiment, run.weighed
    wall, mpi = (
        (summary(experiment, name).first[[each.id for each in everything.regions]] / len(everything.ranks)).tolist()
        if complete(experiment, name)
        else [None] * len(everything.regions)
        for name in ("wall_time", "mpi_time")
    )
    found = [Hot(region, *times) for region, times in enumerate(zip(wall, mpi, strict=True)) if times[0] > 0]
    return sorted(found, key=lambda each: -each.own_wall_time)


@dataclass(frozen=True, slots=True)
class Procedure:
    """A function, a loop or another region, over all its call paths; seconds are means over the processes.

    Attributes:
        region: Position among the code regions at which it takes longest.
        own_wall_time: Exclusive time of each process's first thread.
        own_compute_time: Exclusive CPU time of all threads without MPI and waiting in OpenMP; None if not measured.
        own_mpi_time: The part of ``own_wall_time`` in MPI calls; None if it was not measured.
        with_small: ``own_wall_time`` plus the time in calls and small regions below; small regions take less than 3 %
            of the run over all their call paths. 0 for a call.
        wall_time: Inclusive wall time; with recursion, only the time of the outermost calls.
        callers: The number of functions that call the procedure.
    """

    region: int
    own_wall_time: float
    own_compute_time: float | None
    own_mpi_time: float | None
    with_small: float
    wall_time: float
    callers: int


@dataclass(frozen=True, slots=True)
class HeavyProcedure:
    """A procedure that takes more time than the verdict's hot spots show; shares are of the program's time.

    Attributes:
        region: Position among the code regions at which it takes longest.
        wall_time: Inclusive seconds, mean over the processes.
        share: ``wall_time`` as a share.
        with_small: ``wall_time`` without regions below that take at least 3 % of the run, as a share.
        compute_share: Like ``with_small``, but for compute time, as a share of all compute time; None if not measured.
        mpi_time: The part of ``wall_time`` in MPI calls; None if it was not measured.
        io_time: The part of ``wall_time`` in calls that read or write files; None if it was not measured.
        callers: Name of a function that calls the procedure → time of its calls as a share, largest first.
        paths: The call paths, without recursive calls.
    """

    region: int
    wall_time: float
    share: float
    with_small: float
    compute_share: float | None
    mpi_time: float | None
    io_time: float | None
    callers: tuple[tuple[str, float], ...]
    paths: tuple[int, ...]


@dataclass(frozen=True)
class _Merged:
    """Call paths grouped by region, with times: ``float64[call path]``, mean seconds per process.

    Attributes:
        regions: The regions, in the order of first entry.
        of_path: ``int[call path]``: the region of each call path.
        outermost: ``bool[call path]``: whether no call path above has the same region.
        holder: ``int[call path]``: the region that a call path's time is counted for: its own region, or the nearest
            region above, that takes at least 3 % of the run; -1 in MPI's start-up.
        wall: Exclusive time of first threads.
        inclusive: Inclusive time of first threads.
        compute: Exclusive CPU time without MPI and waiting in OpenMP; None if it was not measured.
        mpi: Exclusive time of first threads in MPI; None if it was not measured.
        files: Exclusive time of first threads in file I/O; None if it was not measured.
    """

    regions: tuple[Region, ...]
    of_path: Indices
    outermost: Flags
    holder: Indices
    wall: Values
    inclusive: Values
    compute: Values | None
    mpi: Values | None
    files: Values | None

    @classmethod
    def of(cls, run: Prepared) -> _Merged:
        """Group the call paths of a run by region."""
        experiment = run.experiment
        index = {region: number for number, region in enumerate(dict.fromkeys(p.region for p in experiment.call_paths))}
        of_path = np.array([index[path.region] for path in experiment.call_paths], dtype=np.intp)
        outermost = _outermost(experiment, of_path, len(index))
        hidden = startup_paths(experiment)

        def mean(metric: str, *, first: bool = True) -> Values | None:
            if not complete(experiment, metric):
                return None
            found = summary(experiment, metric)
            values = (found.first if first else found.sums) / len(run.weighed.ranks)
            values[list(hidden)] = 0.0
            return values

        wall = mean("wall_time")
        assert wall is not None  # a run without wall time is not analysed
        cpu, *others = (mean(name, first=False) for name in ("cpu_time", "mpi_cpu_time", "omp_cpu_time"))
        compute = None if cpu is None or others[0] is None else cpu - sum(each for each in others if each is not None)
        inclusive = experiment.summed_up(wall[:, None])[:, 0]
        total = np.bincount(of_path, np.where(outermost, inclusive, 0.0), len(index))
        weighs = total >= CRITERIA.least_weight * run.mean_time
        sample = experiment.notes.samples.get("wall_time", 0.0)
        weighs &= (total * len(run.weighed.ranks) > SAMPLING**2 * sample) | (sample == 0)
        weighs &= [region.kind not in CALL_KINDS for region in index]
        holder = np.full(len(of_path), -1)
        for path, each in enumerate(experiment.call_paths):
            if path not in hidden:
                top = each.parent is None or weighs[of_path[path]]
                holder[path] = of_path[path] if top else holder[each.parent]
        return cls(
            tuple(index), of_path, outermost, holder, wall, inclusive, compute, mean("mpi_time"), mean("io_time")
        )

    def own(self, values: Values) -> Values:
        """Sum values, ``float64[call path]``, by region; ``float64[region]``."""
        return np.asarray(np.bincount(self.of_path, values, len(self.regions)), dtype=np.float64)

    def held(self, values: Values) -> Values:
        """Sum values, ``float64[call path]``, by the region in ``holder``; ``float64[region]``."""
        counts = self.holder >= 0
        return np.asarray(np.bincount(self.holder[counts], values[counts], len(self.regions)), dtype=np.float64)

    def entered(self, region: int) -> list[int]:
        """Return the outermost call paths of a region, longest first."""
        paths = np.flatnonzero((self.of_path == region) & self.outermost)
        return sorted(paths.tolist(), key=lambda path: -self.inclusive[path])


@dataclass(frozen=True)
class Procedures:
    """The procedures of a run.

    Attributes:
        run: The analysed run.
        named: The culprits that the verdict names as hot spots.
    """

    run: Prepared
    named: Sequence[int]

    @cached_property
    def _merged(self) -> _Merged:
        return _Merged.of(self.run)

    @cached_property
    def every(self) -> tuple[Procedure, ...]:
        """The procedures that take time themselves or in small regions below, over all call paths, longest time first.

        If ranks wait for cores, procedures are sorted by compute time, because wall time includes this waiting.
        """
        run, merged, position = self.run, self._merged, self._positions
        wall, held = merged.own(merged.wall), merged.held(merged.wall)
        compute, mpi = (None if each is None else merged.own(each) for each in (merged.compute, merged.mpi))
        found = []
        for region in np.flatnonzero((wall > 0) | (held > 0)).tolist():
            paths = [path for path in merged.entered(region) if path in position]
            if paths:
                found.append(
                    Procedure(
                        position[paths[0]],
                        float(wall[region]),
                        None if compute is None else float(compute[region]),
                        None if mpi is None else float(mpi[region]),
                        float(held[region]),
                        float(merged.inclusive[paths].sum()),
                        len(_callers(run.experiment, merged, paths)),
                    )
                )
        found.sort(key=lambda each: -((each.own_compute_time or 0.0) if self.by_computing else each.own_wall_time))
        return tuple(found)

    @property
    def computing(self) -> float:
        """Compute time of all regions in seconds, mean over the processes; 0 if it was not measured."""
        return 0.0 if self._merged.compute is None else float(self._merged.compute.sum())

    @property
    def by_computing(self) -> bool:
        """Whether procedures are sorted by compute time instead of wall time."""
        return bool(self.run.oversubscription) and self._merged.compute is not None

    @cached_property
    def heavy(self) -> tuple[HeavyProcedure, ...]:
        """The procedures that take more time than the verdict's hot spots, largest first.

        A procedure's time is its exclusive time plus the time of small regions below. It must be at least a quarter of
        the run, or of all compute time. For a procedure with several call paths, as much time as the largest hot spot
        is enough, or a tenth of the run if there is no hot spot. The entry procedure, procedures with a call path that
        is already named, and procedures below 3 % of the run are left out.
        """
        run, merged = self.run, self._merged
        if run.mean_time <= 0:
            return ()
        culprits = [run.weighed_costs[culprit] for culprit in self.named]
        named = {int(merged.holder[run.weighed.regions[culprit].id]) for culprit in self.named}
        shares = {"wall_time": merged.held(merged.wall) / run.mean_time}
        most = {"wall_time": max((cost.share for cost in culprits), default=THRESHOLD)}
        if merged.compute is not None and (total := self.computing) > 0:
            shares["compute_time"] = merged.held(merged.compute) / total
            most["compute_time"] = max(((cost.compute_time or 0.0) / total for cost in culprits), default=THRESHOLD)
        found = []
        for region in np.flatnonzero(shares["wall_time"] >= CRITERIA.least_weight).tolist():
            paths = merged.entered(region)
            if region in named or run.experiment.call_paths[paths[0]].parent is None:
                continue
            least = {name: min(most[name], CRITERIA.part) if len(paths) > 1 else CRITERIA.part for name in shares}
            if any(each[region] >= least[name] for name, each in shares.items()):
                found.append(self._heavy(paths, {name: float(each[region]) for name, each in shares.items()}))
        return tuple(sorted(found, key=lambda each: -each.with_small))

    def _heavy(self, paths: Sequence[int], shares: Mapping[str, float]) -> HeavyProcedure:
        run, merged = self.run, self._merged
        time = float(merged.inclusive[paths].sum())
        in_mpi, in_files = (
            None if own is None else float(run.experiment.summed_up(own[:, None])[list(paths), 0].sum())
            for own in (merged.mpi, merged.files)
        )
        return HeavyProcedure(
            self._positions[paths[0]],
            time,
            min(1.0, time / run.mean_time),
            min(1.0, shares["wall_time"]),
            shares.get("compute_time"),
            in_mpi,
            in_files,
            tuple((name, each / run.mean_time) for name, each in _callers(run.experiment, merged, paths).items()),
            tuple(sorted(paths)),
        )

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {each.id: index for index, each in enumerate(self.run.weighed.regions)}


def _outermost(experiment: Experiment, of_path: Indices, regions: int) -> Flags:
    """Return which call paths are not below another call path of the same region: ``bool[call path]``."""
    found, above = np.ones(len(of_path), dtype=bool), np.zeros(regions, dtype=np.intp)
    way: list[int] = []
    for root in experiment.roots:
        for path in experiment.walk(root):
            while way and way[-1] != experiment.call_paths[path].parent:
                above[of_path[way.pop()]] -= 1
            found[path] = above[of_path[path]] == 0
            above[of_path[path]] += 1
            way.append(path)
    return found


def _callers(experiment: Experiment, merged: _Merged, paths: Sequence[int]) -> dict[str, float]:
    """Map each function that calls a region to the region's seconds in these calls, largest first."""
    times: dict[str, float] = {}
    for path in paths:
        caller = caller_of(experiment.call_paths, path)
        if caller is not None:
            name = caller.function or caller.name
            times[name] = times.get(name, 0.0) + float(merged.inclusive[path])
    return dict(sorted(times.items(), key=lambda each: -each[1]))
