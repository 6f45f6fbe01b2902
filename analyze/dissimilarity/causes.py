"""Why ranks differ (paper 001, section 4.4.2, Fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..attributes import BYTES_PER_SECOND, LATENCY, LEAST_PART, LEAST_RATE, Attribute
from ..decision_table import DecisionTable, Row
from .clusters import cluster
from .dissimilarity import Dissimilarity
from .performance import Performance

__all__ = ["Difference", "DissimilarityCauses", "find_dissimilarity_causes"]

Values = npt.NDArray[np.float64]

_SAME: Final = 0.01  # counts that differ by no more are the same work (definitions 12)
_FAIR: Final = 0.25  # of the difference in time, that a cause must differ by, or explain
_TELLING: Final = 0.1  # of the widest difference in time: regions that differ less are not asked
_TWICE: Final = 2.0  # noise makes nobody slower than that
_ORDER: Final = ("io_bytes", "mpi_bytes", "instructions", "l2_miss_rate", "l1_miss_rate")  # of equal spreads
_VOLUMES: Final = ("io_bytes", "mpi_bytes")


@dataclass(frozen=True, slots=True)
class Difference:
    """A root cause: an attribute's rate, or its mean amount, in each cluster of ranks."""

    attribute: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class DissimilarityCauses:
    """What makes the ranks differ.

    Attributes:
        table: A row each rank; values are clusters by one attribute, the decision is the cluster by time.
        differences: Root causes, in the regions that part the ranks together, widest relative spread first.
        of_core: Those of them that part the ranks in one core.
        same_work: Cores in which all ranks did the same work at different speed.
        alike: Groups of ranks in different clusters that did the same work in all the cores.
    """

    table: DecisionTable
    differences: tuple[Difference, ...] = ()
    of_core: Mapping[int, tuple[Difference, ...]] = field(default_factory=dict)
    same_work: frozenset[int] = frozenset()
    alike: tuple[tuple[int | str, ...], ...] = ()

    @property
    def noise(self) -> bool:
        """Whether all that parts the ranks is their speed."""
        return any(len(group) == len(self.table.rows) for group in self.alike)


def find_dissimilarity_causes(
    found: Dissimilarity,
    performance: Performance,
    attributes: Mapping[str, Attribute],
    *,
    program_time: float,
) -> DissimilarityCauses:
    """Build the decision table of the ranks, reduce it, and read the causes from it (definitions 12, 17 and 19).

    The vectors of an attribute hold its values in the cores: elsewhere the ranks are alike, and what they do there
    only hides the difference. Without cores, the 1-code regions. Beyond the paper a cause must rise over the ranks with
    what is compared, and differ by a fair part of how this does: who reads less is not late because of that.

    Args:
        found: The clusters and the cores.
        performance: What they were found in. If it is an attribute that is compared, that is the first cause. A
            different ``compute_time`` for the same work is a different speed; other times contain waiting.
        attributes: Those that can be had, of the ranks that take part.
        program_time: Mean W_program in seconds.
    """
    names, labels = tuple(attributes), performance.labels
    if not found.exists:
        return DissimilarityCauses(DecisionTable(names))
    places = list(found.cccr or performance.top)
    comparison = _Comparison(performance, attributes, program_time)
    table = comparison.table(places, found.clusters)
    of_core = {core: comparison.differences([core], found.clusters) for core in found.cccr}
    same_work = frozenset(core for core in found.cccr if comparison.worked_alike([core], range(len(labels))))
    column = {label: number for number, label in enumerate(labels)}
    alike = tuple(
        group for group in table.inconsistent if comparison.worked_alike(places, [column[each] for each in group])
    )
    causes = comparison.differences(places, found.clusters)
    return DissimilarityCauses(table, causes, of_core, same_work, alike)


class _Comparison:
    """The ranks, by the attributes of some regions."""

    def __init__(self, performance: Performance, attributes: Mapping[str, Attribute], program_time: float) -> None:
        self.performance = performance
        self.attributes = attributes
        self.program_time = program_time

    def table(self, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> DecisionTable:
        """Put the cluster of each rank by each attribute, and by what is compared, into a row a rank (Table 3)."""
        labels = self._labels(places, clusters).tolist()
        rows = (
            Row(name, tuple(values), decision)
            for name, (*values, decision) in zip(self.performance.labels, labels, strict=True)
        )
        return DecisionTable(tuple(self.attributes), tuple(rows))

    def differences(self, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> tuple[Difference, ...]:
        """Give the root causes in some regions: in any reduct, and raised where the ranks take long."""
        vectors = {name: self._vectors(self.attributes[name], places) for name in self.attributes}
        # With an index it does not import numpy.ma, which takes as long as the analysis of a small run.
        different = np.unique(self._labels(places, clusters), axis=0, return_index=True)[0].tolist()
        rows = (Row(number, tuple(values), decision) for number, (*values, decision) in enumerate(different))
        telling = DecisionTable(tuple(self.attributes), tuple(rows)).telling
        names = [name for name in telling if self._rises(vectors[name], places)]
        first, last = self.performance.metric, "mpi_bytes"  # which hardly explains time outside MPI
        there = [self._there(places, each) for each in clusters]
        names.sort(key=lambda name: (name != first, name == last, -self._spread(vectors[name]), _ORDER.index(name)))
        return tuple(
            Difference(name, tuple(self.attributes[name].of_members(list(places), each) for each in there))
            for name in names
        )

    def _there(self, places: Sequence[int], columns: Sequence[int]) -> list[int]:
        """Leave out threads that have a part in none of some regions, unless all of them are such."""
        has_part = np.logical_not(np.isnan(self.performance.measured[list(places)]).all(axis=0))
        chosen = np.asarray(columns)
        return chosen[has_part[chosen]].tolist() or list(columns)

    def worked_alike(self, places: Sequence[int], columns: npt.ArrayLike) -> bool:
        """Whether some ranks did the same work in some regions, and take as long as noise can make it.

        They executed equally many instructions, and the misses of none explain a fair part of the time that parts
        them. Regions in which they hardly differ are not asked.
        """
        if self.performance.metric != "compute_time" or "instructions" not in self.attributes:
            return False
        asked, chosen = set(np.asarray(columns).tolist()), np.asarray(places)
        groups = [group for each in self.performance.groups if len(group := sorted(asked.intersection(each))) > 1]
        return bool(groups) and all(self._worked_alike(chosen, group) for group in groups)

    def _worked_alike(self, places: npt.NDArray[np.intp], columns: list[int]) -> bool:
        chosen = np.asarray(columns)
        apart = np.ptp(self.performance.values[np.ix_(places, chosen)], axis=1)
        cells = np.ix_(places[apart >= _TELLING * apart.max()], chosen)
        times = self.performance.values[cells]
        executed = self._amount("instructions", cells)
        most = executed.max(axis=1)
        if not most.any() or (most - executed.min(axis=1) > _SAME * most).any():
            return False
        if (times.max(axis=1) > _TWICE * times.min(axis=1)).any():
            return False
        files = self._amount("io_bytes", cells) if "io_bytes" in self.attributes else None
        if files is not None and (np.ptp(files, axis=1) / BYTES_PER_SECOND > _FAIR * np.ptp(times, axis=1)).any():
            return False
        misses = ((name, self._amount(name, cells)) for name in LATENCY if name in self.attributes)
        apart = np.ptp(times, axis=1)
        return not any((np.ptp(amount, axis=1) * LATENCY[name] >= _FAIR * apart).any() for name, amount in misses)

    def _amount(self, name: str, cells: tuple[npt.NDArray[np.intp], ...]) -> Values:
        """Give an attribute's amount in the cells of ``np.ix_`` of regions and ranks."""
        regions, columns = (each.ravel() for each in cells)
        return self.attributes[name].amount(regions.tolist())[:, columns]

    def _labels(self, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> npt.NDArray[np.intp]:
        """Number the cluster of each rank by each attribute, and last by what is compared; ``int[rank, number]``."""
        decision = np.zeros(len(self.performance.ranks), dtype=np.intp)
        for number, each in enumerate(clusters):
            decision[list(each)] = number
        programs = self.performance.programs
        labels = [cluster(self._vectors(each, places), groups=programs) for each in self.attributes.values()]
        return np.stack([*labels, decision], axis=1)

    def _vectors(self, attribute: Attribute, places: Sequence[int]) -> Values:
        """Give an attribute of some regions, 0 where it is not worth it; ``float64[rank, place]``."""
        values = np.array([attribute.of_ranks(place) for place in places])
        if attribute.name in _VOLUMES:
            worth = values.max(axis=1) / BYTES_PER_SECOND >= LEAST_PART * self.program_time
        else:
            worth = attribute.parts[list(places)] >= LEAST_PART
            if attribute.is_rate:
                worth &= [self._misses_matter(attribute, place) for place in places]
        return np.where(worth[:, None], values, 0.0).T

    def _misses_matter(self, attribute: Attribute, place: int) -> bool:
        """Whether a rank misses often, and the misses of one more than of another explain some of the time."""
        if attribute.of_ranks(place).max() <= LEAST_RATE:
            return False
        amount, time = attribute.amount([place])[0], self.performance.values[place]
        return any(
            float(np.ptp(amount[group])) * LATENCY[attribute.name] >= _FAIR * float(np.ptp(time[group]))
            for group in self.performance.groups
        )

    def _rises(self, vectors: Values, places: Sequence[int]) -> bool:
        """Whether an attribute rises with what is compared, and by a fair part of it, in any region of any program."""
        return any(
            _rise(vectors[each], self.performance.values[list(places)].T[each]) for each in self.performance.groups
        )

    def _spread(self, vectors: Values) -> float:
        """Measure how far apart ranks of a program lie in the region where that is the most."""
        return max(float(_spreads(vectors[each]).max()) for each in self.performance.groups)


def _rise(vectors: Values, times: Values) -> bool:
    together = ((vectors - vectors.mean(axis=0)) * (times - times.mean(axis=0))).sum(axis=0)
    return bool(((together > 0) & (_spreads(vectors) >= _FAIR * _spreads(times))).any())


def _spreads(vectors: Values) -> Values:
    """Measure how far apart ranks lie, relative to the largest, in each region; ``float64[place]``."""
    largest = vectors.max(axis=0)
    spread = largest - vectors.min(axis=0)
    return np.asarray(np.divide(spread, largest, out=np.zeros_like(spread), where=largest > 0))
