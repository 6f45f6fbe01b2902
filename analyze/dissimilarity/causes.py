"""Why ranks differ (paper 001, section 4.4.2, Fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..evidence.attributes import LEAST_RATE, Attribute
from ..evidence.decision_table import DecisionTable, Row
from ..run.arrays import Indices, Values, ratio
from ..run.criteria import CRITERIA
from ..run.selection import complete
from .clusters import cluster
from .dissimilarity import Dissimilarity
from .rank_vectors import RankVectors

__all__ = ["Difference", "DissimilarityCauses", "find_dissimilarity_causes"]

_ORDER: Final = ("io_bytes", "mpi_bytes", "instructions", "l2_miss_rate", "l1_miss_rate")  # of equal spreads
# What is compared → the times in the calls that move files and messages, which are part of it.
_CALLS: Final[Mapping[str, Mapping[str, str]]] = {
    "compute_time": {"io_bytes": "io_cpu_time"},
    "cpu_time": {"io_bytes": "io_cpu_time", "mpi_bytes": "mpi_cpu_time"},
    "wall_time": {"io_bytes": "io_time", "mpi_bytes": "mpi_time"},
    "off_processor_time": {"io_bytes": "io_time"},
}


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
    performance: RankVectors,
    attributes: Mapping[str, Attribute],
) -> DissimilarityCauses:
    """Build the decision table of the ranks, reduce it, and read the causes from it (definitions 12, 17 and 19).

    The vectors of an attribute hold its values in the cores: elsewhere the ranks are alike, and what they do there
    only hides the difference. Without cores, the 1-code regions. Beyond the paper they are 0 where the seconds of the
    attribute do not differ as what is compared does: who reads less is not late because of that.

    Args:
        found: The clusters and the cores.
        performance: What they were found in. If it is an attribute that is compared, that is the first cause. A
            different ``compute_time`` for the same work is a different speed; other times contain waiting.
        attributes: Those that can be had, of the ranks that take part.
    """
    names, labels = tuple(attributes), performance.labels
    if not found.exists:
        return DissimilarityCauses(DecisionTable(names))
    places = list(found.cccr or performance.top)
    comparison = _Comparison(performance, attributes)
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

    def __init__(self, performance: RankVectors, attributes: Mapping[str, Attribute]) -> None:
        self.performance = performance
        self.attributes = attributes

    def table(self, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> DecisionTable:
        """Put the cluster of each rank by each attribute, and by what is compared, into a row a rank (Table 3)."""
        labels = self._labels(places, clusters).tolist()
        rows = (
            Row(name, tuple(values), decision)
            for name, (*values, decision) in zip(self.performance.labels, labels, strict=True)
        )
        return DecisionTable(tuple(self.attributes), tuple(rows))

    def differences(self, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> tuple[Difference, ...]:
        """Give the root causes in some regions: those in any reduct."""
        vectors = {name: self._vectors(self.attributes[name], places) for name in self.attributes}
        # With an index it does not import numpy.ma, which takes as long as the analysis of a small run.
        different = np.unique(self._labels(places, clusters), axis=0, return_index=True)[0].tolist()
        rows = (Row(number, tuple(values), decision) for number, (*values, decision) in enumerate(different))
        telling = DecisionTable(tuple(self.attributes), tuple(rows)).telling
        # Any attribute tells programs apart, even if it is 0 in all of them.
        names = [name for name in telling if self._spread(vectors[name]) > 0]
        first, last = self.performance.metric, "mpi_bytes"  # which hardly explains time outside MPI
        there = [self._there(places, each) for each in clusters]
        names.sort(key=lambda name: (name != first, name == last, -self._spread(vectors[name]), _ORDER.index(name)))
        return tuple(
            Difference(name, tuple(self.attributes[name].of_members(list(places), each) for each in there))
            for name in names
        )

    def _there(self, places: Sequence[int], columns: Sequence[int]) -> list[int]:
        """Leave out threads that have a part in none of some regions, unless all of them are such."""
        if not self.performance.threads:
            return list(columns)
        has_part = np.logical_not(np.isnan(self.performance.measured(places)).all(axis=0))
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
        groups = [
            group for each in self.performance.groups if len(group := sorted(asked.intersection(each.tolist()))) > 1
        ]
        return bool(groups) and all(self._worked_alike(chosen, group) for group in groups)

    def _worked_alike(self, places: Indices, columns: list[int]) -> bool:
        chosen = np.asarray(columns)
        apart = np.ptp(self.performance.values[np.ix_(places, chosen)], axis=1)
        cells = np.ix_(places[apart >= CRITERIA.part * apart.max()], chosen)
        times = self.performance.values[cells]
        executed = self.attributes["instructions"].amount(cells[0].ravel().tolist())[:, columns]
        most = executed.max(axis=1)
        if not most.any() or (most - executed.min(axis=1) > CRITERIA.same_work * most).any():
            return False
        if (times.min(axis=1) < (1 - CRITERIA.most_noise) * times.max(axis=1)).any():
            return False
        others = [name for name in self.attributes if name != "instructions"]
        asked = cells[0].ravel().tolist()
        return all(abs(self._slope(name, place, columns)) < CRITERIA.part for name in others for place in asked)

    def _labels(self, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> Indices:
        """Number the cluster of each rank by each attribute, and last by what is compared; ``int[rank, number]``."""
        decision = np.zeros(len(self.performance.ranks), dtype=np.intp)
        for number, each in enumerate(clusters):
            decision[list(each)] = number
        programs = self.performance.programs
        labels = [cluster(self._vectors(each, places), groups=programs) for each in self.attributes.values()]
        return np.stack([*labels, decision], axis=1)

    def _vectors(self, attribute: Attribute, places: Sequence[int]) -> Values:
        """Give an attribute of some regions, 0 where it does not tell ranks apart; ``float64[rank, place]``."""
        values = np.array([attribute.of_ranks(place) for place in places])
        tells = [
            max(self._slope(attribute.name, place, group) for group in self.performance.groups) >= CRITERIA.part
            for place in places
        ]
        if attribute.is_rate:
            tells &= values.max(axis=1) > LEAST_RATE
        return np.where(np.array(tells)[:, None], values, 0.0).T

    def _slope(self, name: str, place: int, columns: Sequence[int] | Indices) -> float:
        """Give the part that an attribute's seconds explain of what some ranks differ by in a region.

        It is the slope of the line of least squares through the seconds over the times.
        """
        seconds, times = self._seconds(name, place, columns), self.performance.values[place][columns]
        apart = times - times.mean()
        squares = float((apart * apart).sum())  # not by BLAS, whose threads wait for each other on a busy machine
        return float((seconds * apart).sum()) / squares if squares > 0 else 0.0

    def _seconds(self, name: str, place: int, columns: Sequence[int] | Indices) -> Values:
        """Give what an attribute takes of what is compared, in seconds, on some ranks.

        What some ranks take longer than the fastest does for as many instructions is what all their misses took: so
        much each. Instructions take what they take together. So do bytes, if the time in their calls was not measured.
        """
        performance, attribute = self.performance, self.attributes[name]
        amount, times = attribute.amount([place])[0][columns], performance.values[place][columns]
        total = amount.sum()
        if name == performance.metric or not total:
            return np.asarray(amount)
        time = times.sum()
        if attribute.is_rate:
            time = self._beyond_instructions(place, columns, times).sum()
        elif name != "instructions":
            metric = _CALLS.get(performance.metric, {}).get(name)
            if metric and complete(performance.experiment, metric):
                time = attribute.selection.rows(metric, [place])[0][columns].sum()
            elif name == "mpi_bytes":
                time = 0.0
        return np.asarray(amount * (time / total))

    def _beyond_instructions(self, place: int, columns: Sequence[int] | Indices, times: Values) -> Values:
        if "instructions" not in self.attributes:
            return np.asarray(times - times.min())
        executed = self.attributes["instructions"].amount([place])[0][columns]
        some = executed > 0
        fastest = (times[some] / executed[some]).min() if some.any() else 0.0
        return np.asarray(np.maximum(times - fastest * executed, 0.0))

    def _spread(self, vectors: Values) -> float:
        """Measure how far apart ranks of a program lie, relative to the largest, in the region where that is most."""
        programs = (vectors[each] for each in self.performance.groups)
        return max(float(ratio(np.ptp(each, axis=0), each.max(axis=0)).max()) for each in programs)
