"""Time in MPI that is waiting for ranks that compute longer, and the imbalance that makes them wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .code_regions import CodeRegion
from .dissimilarity.dissimilarity import Dissimilarity
from .dissimilarity.performance import Performance
from .selection import Selection, complete
from .summary import summary

__all__ = ["Waiting", "find_waiting"]

Values = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_LATE: Final = -0.5  # correlation over the ranks: who computes longer waits less
_TELLING: Final = 0.25  # of the time in MPI: less than that is not worth naming anybody
_MOST: Final = 0.5  # of the time in MPI: a region below that has it says what it is


@dataclass(frozen=True)
class Waiting:
    """What ranks wait for.

    Attributes:
        seconds: ``float64[region]``: the part of the time in MPI that is waiting for ranks that compute longer, a mean
            over the ranks; 0 where there is none.
        late: Region → the core of dissimilarity whose slower ranks it waits for.
    """

    seconds: Values
    late: Mapping[int, int] = field(default_factory=dict)


def find_waiting(weighed: Selection, found: Dissimilarity, performance: Performance, selection: Selection) -> Waiting:
    """Attribute time in MPI to ranks that come late, but no more than their lateness explains.

    What ranks spend in a region's MPI calls beyond the rank that spends least can be waiting; but at most as much as
    they were ahead of the last rank, by what was computed before: anything on a rank that never enters the region, as
    workers do not enter what their master does. It is waiting if both go together over the ranks. A region agrees with
    the one below it that has most of its time in MPI.

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
    if performance.metric == "mpi_bytes":
        return Waiting(every.seconds[list(every.says)])
    compared, late = every, dict[int, int]()
    if of_every_rank is not performance:
        compared = _Waits.of(replace(selection, regions=regions), performance)
    times = {core: performance.values[core] - performance.values[core].mean() for core in found.cccr}
    for region, says in enumerate(compared.says):
        earlier = [core for core in found.cccr if compared.can_precede(core, says)] if compared.seconds[says] else []
        together = {core: float(times[core] @ compared.in_mpi(says)) for core in earlier}
        latest = min(together, key=together.__getitem__, default=None)
        if latest is not None and together[latest] < 0:
            late[region] = latest
    return Waiting(every.seconds[list(every.says)], late)


@dataclass(frozen=True)
class _Waits:
    """What ranks wait in each region.

    Attributes:
        selection: The ranks.
        performance: Their times.
        seconds: ``float64[region]``, as in ``Waiting``, of each region alone.
        says: The region below each that has most of its time in MPI, and says what it is; or itself.
        reaches: As ``_reaches`` gives it.
    """

    selection: Selection
    performance: Performance
    seconds: Values
    says: tuple[int, ...]
    reaches: Sequence[int]

    @classmethod
    def of(cls, selection: Selection, performance: Performance) -> _Waits:
        """Compare the times in MPI of some ranks with what they computed before."""
        regions, reaches = selection.regions, _reaches(selection.experiment, performance.regions)
        found = _Together.of(selection, performance, reaches)
        spent = found.spent
        explained = np.minimum(spent - found.least, found.most - found.before)
        waits = (found.correlation <= _LATE) & (explained >= _TELLING * spent) & (explained > 0)
        says = list(range(len(regions)))
        for region in reversed(range(len(regions))):  # children before parents
            inner = [child for child in regions[region].children if spent[child] >= _MOST * spent[region] > 0]
            says[region] = says[inner[0]] if inner else region
        return cls(selection, performance, np.where(waits, explained, 0.0), tuple(says), reaches)

    def in_mpi(self, region: int) -> Values:
        """Give the time that each rank is in a region's MPI calls; ``float64[rank]``."""
        if region not in self._in_mpi:
            self._in_mpi[region] = self.selection.rows("mpi_time", [region])[0]
        return self._in_mpi[region]

    @cached_property
    def _in_mpi(self) -> dict[int, Values]:
        return {}

    def can_precede(self, core: int, region: int) -> bool:
        """Whether some rank can have been in a core before others were in a region."""
        if core < self.reaches[region] or self.performance.regions[core].own_code:
            return True
        enters = self.selection.rows(_entries(self.selection.experiment), [region])[0] > 0
        return bool(self.performance.values[core][~enters].any())


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


@dataclass(frozen=True)
class _Together:
    """How ranks' times in MPI go with what they computed before; ``float64[region]`` each, over the ranks.

    Attributes:
        ranks: How many.
        spent: The mean of the time in MPI.
        least: The least of it.
        before: The mean of what was computed before.
        most: The most of that.
        squares: Sums of squares of both times' deviations from their means; ``float64[2, region]``.
        products: Sums of products of the deviations.
    """

    ranks: int
    spent: Values
    least: Values
    before: Values
    most: Values
    squares: Values
    products: Values

    @classmethod
    def of(cls, selection: Selection, performance: Performance, reaches: Sequence[int]) -> _Together:
        """Go over the ranks in blocks, whose times are at hand."""
        experiment, end = selection.experiment, 0
        in_mpi = selection.sums("mpi_time") != 0
        terms = [_before(performance.regions, reach) for reach in [*reaches, len(performance.regions)]]
        entries = _entries(experiment)
        least = summary(experiment, entries).least
        some = np.array([least[each.id] <= 0 for each in selection.regions])
        parts = []
        for columns in [slice(None)] if selection.threads else experiment.location_blocks():
            part = selection if selection.threads else selection.within(experiment.of_locations(columns), columns)
            times = performance.values[:, end : end + len(part.ranks)]
            end += len(part.ranks)
            if part.ranks:
                parts.append(cls._of_block(part, times, terms, in_mpi, in_mpi & some, entries))
        return reduce(cls._with, parts)

    @classmethod
    def _of_block(  # noqa: PLR0917
        cls,
        selection: Selection,
        times: Values,
        terms: Sequence[_Terms],
        rows: Mask,
        entered_by_some: Mask,
        entries: str,
    ) -> _Together:
        experiment, (regions, ranks) = selection.experiment, (len(selection.regions), times.shape[1])
        spent, before = selection.by_rank(experiment.exclusive("mpi_time")), np.zeros((regions, ranks))
        for region in np.flatnonzero(rows).tolist():
            before[region] = terms[region].of(times)
        if entered_by_some.any():
            enters = selection.by_rank(experiment.exclusive(entries)) > 0
            total = terms[-1].of(times)
            for region in np.flatnonzero(entered_by_some).tolist():
                before[region] = np.where(enters[region], before[region], total)
        means = [np.where(rows, each.mean(axis=1), 0.0) for each in (spent, before)]
        one, other = (each[rows] - mean[rows, None] for each, mean in zip((spent, before), means, strict=True))
        squares, products = np.zeros((2, regions)), np.zeros(regions)
        squares[:, rows] = (one * one).sum(axis=1), (other * other).sum(axis=1)
        products[rows] = (one * other).sum(axis=1)
        return cls(ranks, means[0], spent.min(axis=1), means[1], before.max(axis=1), squares, products)

    def _with(self, other: _Together) -> _Together:
        """Put the moments of two parts of the ranks together (Chan, Golub and LeVeque 1983)."""
        ranks, share = self.ranks + other.ranks, other.ranks / (self.ranks + other.ranks)
        apart = np.array([other.spent - self.spent, other.before - self.before])
        weight = self.ranks * share
        return _Together(
            ranks,
            self.spent + share * apart[0],
            np.minimum(self.least, other.least),
            self.before + share * apart[1],
            np.maximum(self.most, other.most),
            self.squares + other.squares + weight * apart**2,
            self.products + other.products + weight * apart[0] * apart[1],
        )

    @property
    def correlation(self) -> Values:
        """Correlate both over the ranks; 0 where one of them is the same for all."""
        lengths = np.sqrt(self.squares[0]) * np.sqrt(self.squares[1])
        return np.asarray(np.divide(self.products, lengths, out=np.zeros(len(lengths)), where=lengths > 0))


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
