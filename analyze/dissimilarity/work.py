"""How many seconds of the differences between ranks are explained by the ranks' work in each region."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..evidence.attributes import LEAST_RATE, Attribute
from ..run.arrays import Indices, Values, ratio
from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, THRESHOLD, TICK
from ..run.selection import complete
from .dissimilarity import Dissimilarity
from .events import LONGEST
from .rank_vectors import RankVectors
from .speed import are_as_fast_elsewhere

__all__ = ["Difference", "SameWork", "Work"]

# The order in which attributes with equal spreads are listed.
_ORDER: Final = ("io_bytes", "mpi_bytes", "instructions", "l2_miss_rate", "l1_miss_rate")
_BUSY: Final = ("compute_time", "cpu_time")  # metrics that include the time of counted events
# Compared metric → the times in I/O and MPI calls that the metric includes.
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
class SameWork:
    """Ranks that did the same work and differ only in speed.

    Attributes:
        culprits: Culprits in which all ranks did the same work.
        groups: Groups of ranks in different clusters that did the same work in all culprits, or in all regions if there
            are no culprits.
        everywhere: Whether all ranks are one such group.
        only_here: Those of ``culprits`` whose slower ranks are as fast as the other ranks in all other regions.
    """

    culprits: frozenset[int] = frozenset()
    groups: tuple[tuple[int | str, ...], ...] = ()
    everywhere: bool = False
    only_here: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Work:
    """The ranks' attributes, which show how much work they do in each region.

    Attributes:
        vectors: The compared vectors. If their metric is an attribute, it comes first among the attributes that
            distinguish ranks. Only in ``compute_time`` do different times for the same work mean different speed; other
            times include waiting.
        attributes: The available attributes of the compared ranks.
        events: The counted events; see ``events_of``.
    """

    vectors: RankVectors
    attributes: Mapping[str, Attribute]
    events: Mapping[str, Attribute] = field(default_factory=dict)

    def differences(
        self, places: Sequence[int], clusters: Sequence[Sequence[int]], among: Collection[str] | None = None
    ) -> tuple[Difference, ...]:
        """Return the attributes that differ between ranks in the same way as their times, in the given regions.

        The compared metric comes first, and ``mpi_bytes`` last, because volume hardly explains time outside MPI. The
        others are sorted by decreasing spread.

        Args:
            places: The regions.
            clusters: Columns of the ranks of each cluster.
            among: The attributes to test; all if None.
        """
        spreads = {name: self._spread(name, places) for name in (self.attributes if among is None else among)}
        first, last = self.vectors.metric, "mpi_bytes"
        there = [self._taking_part(places, each) for each in clusters]
        names = [name for name, spread in spreads.items() if spread > THRESHOLD]
        names.sort(key=lambda name: (name != first, name == last, -spreads[name], _ORDER.index(name)))
        return tuple(
            Difference(name, tuple(self.attributes[name].of_members(list(places), each) for each in there))
            for name in names
        )

    def differing_events(self, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> tuple[Difference, ...]:
        """Return the events that are more frequent per instruction on slow ranks, most frequent event first.

        The time of an event need not be known. An event is returned if, at its longest possible time, it would explain
        a material share of the difference between ranks.

        Args:
            places: The regions.
            clusters: Columns of the ranks of each cluster.
        """
        if self.vectors.metric not in _BUSY or "instructions" not in self.attributes:
            return ()
        there = [self._taking_part(places, each) for each in clusters]
        found = [
            Difference(name, tuple(each.of_members(places, columns) for columns in there))
            for name, each in self.events.items()
            if any(self._follows(name, places, group) for group in self.vectors.groups)
        ]
        return tuple(sorted(found, key=lambda each: -max(each.values)))

    def same_work(self, found: Dissimilarity) -> SameWork:
        """Return the ranks that did the same work."""
        if not found.exists:
            return SameWork()
        everyone, places = range(len(self.vectors.labels)), list(found.culprits or self.vectors.top)
        culprits = frozenset(culprit for culprit in found.culprits if self.worked_alike([culprit], everyone))
        only_here = frozenset(filter(self._is_slow_only_here, culprits))
        if self.vectors.programs is None and self.worked_alike(places, everyone):
            return SameWork(culprits, (self.vectors.labels,), everywhere=True, only_here=only_here)
        return SameWork(culprits, tuple(self._alike(found.clusters, places)), only_here=only_here)

    def _is_slow_only_here(self, region: int) -> bool:
        times = self.vectors.values[region]
        apart = [group for group in self.vectors.groups if np.ptp(times[group]) >= TICK]
        return bool(apart) and all(are_as_fast_elsewhere(self.vectors, region, group) for group in apart)

    def _alike(self, clusters: Sequence[Sequence[int]], places: Sequence[int]) -> Iterator[tuple[int | str, ...]]:
        """Yield the labels of the ranks in each group of clusters with the same work, fewest instructions first."""
        if "instructions" not in self.attributes:
            return
        executed, labels = self.attributes["instructions"].amount(places).sum(axis=0), self.vectors.labels
        groups: list[list[Indices]] = []
        for columns in sorted(map(np.asarray, clusters), key=lambda each: float(executed[each].mean())):
            both = np.concatenate([groups[-1][0], columns]) if groups else columns
            if groups and len(self._by_program(both)) == 1 and self.worked_alike(places, both):
                groups[-1].append(columns)
            else:
                groups.append([columns])
        times = self.vectors.values[list(places)].sum(axis=0)
        for group in groups:
            if len(group) > 1 and np.ptp(times[np.concatenate(group)]) >= TICK:
                yield tuple(labels[column] for column in np.sort(np.concatenate(group)).tolist())

    def _by_program(self, columns: Indices) -> list[Indices]:
        programs = self.vectors.programs
        if programs is None:
            return [columns]
        return [columns[programs[columns] == each] for each in np.unique(programs[columns])]

    def worked_alike(self, places: Sequence[int], columns: npt.ArrayLike) -> bool:
        """Return whether ranks did the same work in the given regions, so that only speed or noise changes their times.

        The ranks must have executed the same number of instructions. No other attribute, such as misses, and no counted
        event may explain a material share of their difference in time. No rank may take more than twice as long in one
        region and in no other, because a slow or shared core does not explain that. Regions in which the ranks hardly
        differ are not tested.
        """
        return self._holds(self._worked_alike, places, columns)

    def executed_alike(self, places: Sequence[int], columns: npt.ArrayLike) -> bool:
        """Return whether ranks executed equally many instructions in the given regions, regardless of their times."""
        return self._holds(self._executed_alike, places, columns)

    def _holds(self, test: Callable[[Indices, Indices], bool], places: Sequence[int], columns: npt.ArrayLike) -> bool:
        if self.vectors.metric != "compute_time" or "instructions" not in self.attributes:
            return False
        groups = [group for group in self._by_program(np.sort(columns)) if len(group) > 1]
        return bool(groups) and all(test(np.asarray(places), group) for group in groups)

    def _executed_alike(self, places: Indices, columns: Indices) -> bool:
        executed = self.attributes["instructions"].amount(places.tolist())[:, columns]
        most = executed.max(axis=1)
        return bool(most.any() and (most - executed.min(axis=1) <= CRITERIA.same_work * most).all())

    def _worked_alike(self, places: Indices, columns: Indices) -> bool:
        apart = np.ptp(self.vectors.values[np.ix_(places, columns)], axis=1)
        cells = np.ix_(places[apart >= CRITERIA.part * apart.max()], columns)
        times = self.vectors.values[cells]
        if not self._executed_alike(cells[0].ravel(), columns):
            return False
        least, longest = times.min(axis=1), times.max(axis=1)
        if (least < (1 - CRITERIA.most_noise) * longest).any():
            return False
        stands_out = (longest > CRITERIA.outweighs * least) & (longest - least >= CRITERIA.burst)
        if any(are_as_fast_elsewhere(self.vectors, place, columns) for place in cells[0].ravel()[stands_out].tolist()):
            return False
        others = [name for name in self.attributes if name != "instructions"]
        tested = cells[0].ravel().tolist()
        if not all(abs(self._slope(name, place, columns)) < CRITERIA.part for name in others for place in tested):
            return False
        return not any(self._matters(name, [place], columns) for name in self.events for place in tested)

    def _matters(self, name: str, places: Sequence[int], columns: Indices) -> bool:
        """Return whether slow ranks have more of an event that may explain a material share of their extra time."""
        times, more, most = self._beyond_work(name, places, columns)
        apart = times - times.mean()
        squares, together = float((apart * apart).sum()), float((more * apart).sum())
        return bool(np.ptp(more) > THRESHOLD * most) and LONGEST[name] * together >= CRITERIA.part * squares > 0

    def _follows(self, name: str, places: Sequence[int], columns: Indices) -> bool:
        """Return whether an event ``_matters``, and times explain most of the variance of its excess counts."""
        if len(columns) < 2 or not self._matters(name, places, columns):
            return False
        times, more, _ = self._beyond_work(name, places, columns)
        times, more = times - times.mean(), more - more.mean()
        together = float((times * more).sum())
        return together > 0 and is_mostly(together**2, float((times * times).sum() * (more * more).sum()))

    def _beyond_work(self, name: str, places: Sequence[int], columns: Indices) -> tuple[Values, Values, float]:
        """Return the given ranks' times, their excess counts of an event, and the event's largest count on any rank.

        The excess is the count beyond that of the rank with the fewest events per instruction.
        """
        of_event, executed = (
            each.amount(places).sum(axis=0)[columns] for each in (self.events[name], self.attributes["instructions"])
        )
        times = self.vectors.values[list(places)].sum(axis=0)[columns]
        some = executed > THRESHOLD * executed.mean()  # the rate of a rank that is nearly idle is meaningless
        least = float((of_event[some] / executed[some]).min()) if some.any() else 0.0
        return times, of_event - least * executed, float(of_event.max(initial=0.0))

    def _taking_part(self, places: Sequence[int], columns: Sequence[int]) -> list[int]:
        """Return the columns of threads that work in the given regions; all columns if no thread does."""
        if not self.vectors.threads:
            return list(columns)
        has_part = np.logical_not(np.isnan(self.vectors.measured(places)).all(axis=0))
        chosen = np.asarray(columns)
        return chosen[has_part[chosen]].tolist() or list(columns)

    def attribute_vectors(self, attribute: Attribute, places: Sequence[int]) -> Values:
        """Return an attribute in each region, or 0 if it does not explain the difference: ``float64[rank, region]``."""
        values = np.array([attribute.of_ranks(place) for place in places])
        explains = [
            max(self._slope(attribute.name, place, group) for group in self.vectors.groups) >= CRITERIA.part
            for place in places
        ]
        if attribute.is_rate:
            explains &= values.max(axis=1) > LEAST_RATE
        return np.where(np.array(explains)[:, None], values, 0.0).T

    def _slope(self, name: str, place: int, columns: Sequence[int] | Indices) -> float:
        """Return the share of the given ranks' difference in time that an attribute's seconds explain in one region.

        The share is the slope of the least-squares line of these seconds over the times.
        """
        seconds, times = self._seconds(name, place, columns), self.vectors.values[place][columns]
        apart = times - times.mean()
        squares = float((apart * apart).sum())  # avoids BLAS, whose threads wait for each other on a busy machine
        return float((seconds * apart).sum()) / squares if squares > 0 else 0.0

    def _seconds(self, name: str, place: int, columns: Sequence[int] | Indices) -> Values:
        """Return how much of the compared time an attribute takes on each given rank, in seconds.

        Time beyond what the fastest rank needs for the same number of instructions is attributed to misses, in equal
        amounts per miss. Instructions take their average time. Bytes take the time of their calls; if that time was not
        measured, bytes of files take their average time, and bytes of messages take none.
        """
        vectors, attribute = self.vectors, self.attributes[name]
        amount, times = attribute.amount([place])[0][columns], vectors.values[place][columns]
        total = amount.sum()
        if name == vectors.metric or not total:
            return np.asarray(amount)
        time = times.sum()
        if attribute.is_rate:
            time = self._beyond_instructions(place, columns, times).sum()
        elif name != "instructions":
            metric = _CALLS.get(vectors.metric, {}).get(name)
            if metric and complete(vectors.experiment, metric):
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

    def _spread(self, name: str, places: Sequence[int]) -> float:
        """Return the largest relative range of the ranks' values in any given region and program."""
        vectors = self.attribute_vectors(self.attributes[name], places)
        programs = (vectors[each] for each in self.vectors.groups)
        return max(float(ratio(np.ptp(each, axis=0), each.max(axis=0)).max()) for each in programs)
