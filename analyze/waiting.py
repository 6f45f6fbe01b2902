"""Time in MPI that is waiting for ranks that compute longer, and the imbalances that make them wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .code_regions import CodeRegion
from .criteria import CRITERIA
from .dissimilarity.dissimilarity import Dissimilarity
from .dissimilarity.performance import Performance
from .selection import Selection, complete
from .summary import summary

__all__ = ["Waiting", "find_waiting"]

Values = npt.NDArray[np.float64]

_MOST: Final = 0.5  # of the time in MPI: a region below that has it says what it is
_ROUNDING: Final = 1e-9  # of a mean


@dataclass(frozen=True)
class Waiting:
    """What ranks wait for.

    Attributes:
        seconds: ``float64[region]``: the part of the time in MPI that is waiting for ranks that compute longer, a mean
            over the ranks; 0 where there is none.
        shares: Region → the cores of dissimilarity whose slower ranks it waits for → the seconds for each.
    """

    seconds: Values
    shares: Mapping[int, Mapping[int, float]] = field(default_factory=dict)

    @cached_property
    def late(self) -> dict[int, int]:
        """Region → the core for whose ranks it waits longest."""
        return {region: max(shares, key=shares.__getitem__) for region, shares in self.shares.items()}


def find_waiting(weighed: Selection, found: Dissimilarity, performance: Performance, selection: Selection) -> Waiting:
    """Attribute time in MPI to ranks that come late, but no more than their lateness explains.

    What ranks spend in a region's MPI calls beyond the rank that spends least can be waiting; but at most as much as
    they were ahead, by what was computed before, of the last of those that hardly wait: anything on a rank that never
    enters the region, as workers do not enter what their master does. It is shared out over the cores before it, as
    far as ranks were late in these. A region agrees with the one below it that has most of its time in MPI.

    Args:
        weighed: All ranks, and the regions as they are weighed.
        found: The regions that part the ranks that are compared.
        performance: The times of these; those of a core that comes after a region make nobody wait there.
        selection: The same ranks.
    """
    experiment, regions = weighed.experiment, weighed.regions
    if not all(complete(experiment, each) for each in ("mpi_time", "cpu_time", "mpi_cpu_time")):
        return Waiting(np.zeros(len(regions)))
    of_every_rank = _as_weighed(weighed, performance, selection)
    every = _Waits.of(weighed, of_every_rank)
    seconds = every.seconds[list(every.says)]
    if performance.metric == "mpi_bytes":
        return Waiting(seconds)
    compared = every
    if of_every_rank is not performance:
        compared = _Waits.of(replace(selection, regions=regions), performance)
    shares = {says: compared.shares(says, found.cccr, performance.values) for says in {*compared.says}}
    return Waiting(seconds, {region: shares[says] for region, says in enumerate(compared.says) if shares[says]})


@dataclass(frozen=True)
class _Waits:
    """What ranks wait in each region.

    Attributes:
        selection: The ranks.
        performance: Their times.
        mean: ``float64[region]``: the time in MPI.
        seconds: ``float64[region]``, as in ``Waiting``, of each region alone.
        says: The region below each that has most of its time in MPI, and says what it is; or itself.
        reaches: As ``_reaches`` gives it.
    """

    selection: Selection
    performance: Performance
    mean: Values
    seconds: Values
    says: tuple[int, ...]
    reaches: Sequence[int]

    @classmethod
    def of(cls, selection: Selection, performance: Performance) -> _Waits:
        """Compare the times in MPI of some ranks with what they computed before."""
        regions, reaches = selection.regions, _reaches(selection.experiment, performance.regions)
        mean = selection.sums("mpi_time") / len(selection.ranks)
        least, late = _least_and_late(selection, performance, mean, reaches)
        waits = np.minimum(mean - least, late)
        says = list(range(len(regions)))
        for region in reversed(range(len(regions))):  # children before parents
            inner = [child for child in regions[region].children if mean[child] >= _MOST * mean[region] > 0]
            says[region] = says[inner[0]] if inner else region
        enough = (waits > 0) & (waits >= CRITERIA.part * mean)
        return cls(selection, performance, mean, np.where(enough, waits, 0.0), tuple(says), reaches)

    def shares(self, region: int, cores: Sequence[int], times: Values) -> dict[int, float]:
        """Share out what ranks wait in a region over the cores before it, as far as those that hardly wait were late.

        Args:
            region: Its position.
            cores: Those that can be before it, or not.
            times: ``float64[core, rank]``.
        """
        if not self.seconds[region]:
            return {}
        last = _hardly_wait(self.selection.rows("mpi_time", [region]), self.mean[[region]])[0]
        late = {
            core: float(times[core][last].max() - times[core].mean())
            for core in cores
            if self._can_precede(core, region)
        }
        together = sum(each for each in late.values() if each > 0)
        part = min(1.0, float(self.seconds[region]) / together) if together > 0 else 0.0
        return {core: part * each for core, each in late.items() if each > 0}

    def _can_precede(self, core: int, region: int) -> bool:
        """Whether some rank can have been in a core before others were in a region."""
        if core < self.reaches[region] or self.performance.regions[core].own_code:
            return True
        enters = self.selection.rows(_entries(self.selection.experiment), [region])[0] > 0
        return bool(self.performance.values[core][~enters].any())


def _hardly_wait(in_mpi: Values, mean: Values) -> npt.NDArray[np.bool_]:
    """Tell which ranks spend no more than the mean in MPI: ``bool[region, rank]``."""
    return np.asarray(in_mpi <= (1 + _ROUNDING) * mean[:, None])


def _least_and_late(
    selection: Selection, performance: Performance, mean: Values, reaches: Sequence[int]
) -> tuple[Values, Values]:
    """Give the least time in MPI, and by how much the last of the ranks that hardly wait come late.

    ``float64[region]`` each. The ranks are gone over in blocks, whose times are at hand.
    """
    experiment, end = selection.experiment, 0
    in_mpi = np.flatnonzero(mean)
    entries = _entries(experiment)
    enter = summary(experiment, entries).least[[selection.regions[each].id for each in in_mpi]] > 0
    terms = {region: _before(performance.regions, reaches[region]) for region in in_mpi.tolist()}
    blocks: list[tuple[Values, Values, Values]] = []
    for columns in [slice(None)] if selection.threads else experiment.location_blocks():
        part = selection if selection.threads else selection.within(experiment.of_locations(columns), columns)
        times = performance.values[:, end : end + len(part.ranks)]
        end += len(part.ranks)
        if part.ranks:
            spent = part.by_rank(part.experiment.exclusive("mpi_time"))[in_mpi]
            before = np.array([each.of(times) for each in terms.values()]).reshape(spent.shape)
            if not enter.all():  # who never does has computed all before
                entered = part.by_rank(part.experiment.exclusive(entries))[in_mpi] > 0
                before = np.where(entered | enter[:, None], before, times[list(performance.top)].sum(axis=0))
            late = np.where(_hardly_wait(spent, mean[in_mpi]), before, -np.inf)
            blocks.append((spent.min(axis=1), before.sum(axis=1), late.max(axis=1)))
    least, late = np.zeros((2, len(mean)))
    lowest, before, last = (np.array(each) for each in zip(*blocks, strict=True))
    least[in_mpi] = lowest.min(axis=0)
    late[in_mpi] = last.max(axis=0) - before.sum(axis=0) / len(selection.ranks)
    return least, late


def _as_weighed(weighed: Selection, performance: Performance, selection: Selection) -> Performance:
    """Give the compute times of all ranks, a region around the whole program as its own code; taken where they are."""
    if performance.metric != "compute_time" or selection.is_part:
        return Performance.selected(weighed)
    shells = [index for index, each in enumerate(weighed.regions) if each != performance.regions[index]]
    if not shells:
        return performance
    values = performance.values.copy()
    for index in shells:
        if weighed.regions[index].own_code:
            values[index] -= performance.values[list(performance.regions[index].children)].sum(axis=0)
    return replace(performance, regions=weighed.regions, values=values)


def _entries(experiment: Experiment) -> str:
    return "visits" if complete(experiment, "visits") else "wall_time"


@dataclass(frozen=True, slots=True)
class _Terms:
    """Regions whose times add up to what is computed before a place in their order, and those to be taken off."""

    added: tuple[int, ...]
    taken_off: tuple[int, ...]

    def of(self, times: Values) -> Values:
        """Add up inclusive times, ``float64[region, rank]``."""
        return np.asarray(times[list(self.added)].sum(axis=0) - times[list(self.taken_off)].sum(axis=0))


def _before(regions: Sequence[CodeRegion], reach: int) -> _Terms:
    """Tell what is computed in the regions before a place, in the order of call paths.

    A region that is before it counts with all below it but what is not. The own code of an entry procedure can stand
    anywhere.
    """
    added = [index for index, each in enumerate(regions) if each.depth == 1 and (index < reach or each.own_code)]
    off = [child for each in regions[:reach] for child in each.children if child >= reach]
    return _Terms(tuple(added), tuple(off))


def _reaches(experiment: Experiment, regions: Sequence[CodeRegion]) -> list[int]:
    """Give for each region the position up to which regions can come before it.

    Those are the ones entered first before it, and all that take turns with it: in the same loop, or entered again and
    again as it is.
    """
    visits = summary(experiment, "visits").most if "visits" in experiment else np.zeros(len(experiment.call_paths))
    again = [not each.own_code and bool(visits[each.id] > 1) for each in regions]
    ends = list(range(1, len(regions) + 1))
    for index in reversed(range(len(regions))):
        ends[index] = max((ends[child] for child in regions[index].children), default=ends[index])
    reaches, shared = ends.copy(), [0] * len(regions)
    tops = [index for index, each in enumerate(regions) if each.depth == 1]
    for parent, children in [(-1, tops), *((index, list(each.children)) for index, each in enumerate(regions))]:
        in_turns = max((ends[child] for child in children if again[child]), default=0)
        for child in children:
            if parent >= 0 and (shared[parent] or experiment.call_paths[regions[parent].id].region.kind == "loop"):
                shared[child] = shared[parent] or ends[parent]
            elif again[child]:
                shared[child] = in_turns
            reaches[child] = shared[child] or ends[child]
    return reaches
