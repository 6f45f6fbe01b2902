"""Time in MPI that is waiting for ranks that compute longer, and the imbalance that makes them wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .code_regions import CodeRegion
from .dissimilarity.dissimilarity import Dissimilarity
from .dissimilarity.performance import Performance
from .selection import Selection, complete

__all__ = ["Waiting", "find_waiting"]

Values = npt.NDArray[np.float64]

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
    every = _Waits.of(weighed, Performance.selected(weighed))
    if performance.metric == "mpi_bytes":
        return Waiting(every.seconds[list(every.says)])
    compared, late = _Waits.of(replace(selection, regions=regions), performance), dict[int, int]()
    times = performance.values - performance.values.mean(axis=1, keepdims=True)
    for region, says in enumerate(compared.says):
        earlier = [core for core in found.cccr if compared.can_precede(core, says)] if compared.seconds[says] else []
        together = {core: float(times[core] @ compared.in_mpi[says]) for core in earlier}
        latest = min(together, key=together.__getitem__, default=None)
        if latest is not None and together[latest] < 0:
            late[region] = latest
    return Waiting(every.seconds[list(every.says)], late)


@dataclass(frozen=True)
class _Waits:
    """What ranks wait in each region.

    Attributes:
        performance: Their times.
        seconds: ``float64[region]``, as in ``Waiting``, of each region alone.
        says: The region below each that has most of its time in MPI, and says what it is; or itself.
        in_mpi: ``float64[region, rank]``.
        enters: ``bool[region, rank]``.
        reaches: As ``_reaches`` gives it.
    """

    performance: Performance
    seconds: Values
    says: tuple[int, ...]
    in_mpi: Values
    enters: npt.NDArray[np.bool_]
    reaches: Sequence[int]

    @classmethod
    def of(cls, selection: Selection, performance: Performance) -> _Waits:
        """Compare the times in MPI of some ranks with what they computed before."""
        experiment, regions = selection.experiment, selection.regions
        in_mpi = selection.by_rank(experiment.exclusive("mpi_time"))
        entries = "visits" if complete(experiment, "visits") else "wall_time"
        enters = selection.by_rank(experiment.exclusive(entries)) > 0
        reaches = _reaches(experiment, performance.regions)
        total = _computed_before(performance, [len(regions)])
        before = np.where(enters, _computed_before(performance, reaches), total)
        spent = in_mpi.mean(axis=1)
        explained = np.minimum(spent - in_mpi.min(axis=1), before.max(axis=1) - before.mean(axis=1))
        waits = (_correlation(in_mpi, before) <= _LATE) & (explained >= _TELLING * spent) & (explained > 0)
        says = list(range(len(regions)))
        for region in reversed(range(len(regions))):  # children before parents
            inner = [child for child in regions[region].children if spent[child] >= _MOST * spent[region] > 0]
            says[region] = says[inner[0]] if inner else region
        return cls(performance, np.where(waits, explained, 0.0), tuple(says), in_mpi, enters, reaches)

    def can_precede(self, core: int, region: int) -> bool:
        """Whether some rank can have been in a core before others were in a region."""
        is_anywhere = self.performance.regions[core].own_code
        return (
            core < self.reaches[region]
            or is_anywhere
            or bool(self.performance.values[core][~self.enters[region]].any())
        )


def _computed_before(performance: Performance, reaches: Sequence[int]) -> Values:
    """Sum up what ranks compute, in the order of call paths, before they leave each region; ``float64[region, rank]``.

    The own code of an entry procedure can stand anywhere.
    """
    own = performance.values.copy()
    for index, region in enumerate(performance.regions):
        own[index] -= performance.values[list(region.children)].sum(axis=0)
    roots = np.array([region.own_code for region in performance.regions])
    anywhere = own[roots].sum(axis=0)
    own[roots] = 0.0
    return np.asarray(np.cumsum(own, axis=0)[np.array(reaches, dtype=np.intp) - 1] + anywhere)


def _reaches(experiment: Experiment, regions: Sequence[CodeRegion]) -> list[int]:
    """Give for each region the position up to which regions can come before it.

    Those are the ones entered first before it, and all that take turns with it: in the same loop, or entered again and
    again as it is.
    """
    visits = experiment.exclusive("visits") if "visits" in experiment else np.zeros((len(experiment.call_paths), 1))
    again = [not each.own_code and bool((visits[each.id] > 1).any()) for each in regions]
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


def _correlation(one: Values, other: Values) -> Values:
    """Correlate rows; 0 where values of a row are all the same."""
    one, other = (each - each.mean(axis=1, keepdims=True) for each in (one, other))
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray(np.divide((one * other).sum(axis=1), lengths, out=np.zeros(len(one)), where=lengths > 0))
