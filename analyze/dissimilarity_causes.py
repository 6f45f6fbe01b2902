"""Why ranks differ (paper 001, section 4.4.2, Fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from .attributes import BYTES_PER_SECOND, LEAST_MISSES, LEAST_PART, Attribute, per_data_access
from .clusters import cluster
from .decision_table import DecisionTable, Row
from .dissimilarity import Dissimilarity

__all__ = ["Difference", "DissimilarityCauses", "find_dissimilarity_causes"]

Values = npt.NDArray[np.float64]

_SAME: Final = 0.01  # counts that differ by no more are the same work (definitions 12)


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
    alike: tuple[tuple[int, ...], ...] = ()

    @property
    def noise(self) -> bool:
        """Whether all that parts the ranks is their speed."""
        return any(len(group) == len(self.table.rows) for group in self.alike)


def find_dissimilarity_causes(
    found: Dissimilarity,
    attributes: Mapping[str, Attribute],
    *,
    ranks: Sequence[int],
    top: Sequence[int],
    program_time: float,
    metric: str = "compute_time",
) -> DissimilarityCauses:
    """Build the decision table of the ranks, reduce it, and read the causes from it (definitions 12, 17 and 19).

    The vectors of an attribute hold its values in the cores: elsewhere the ranks are alike, and what they do there
    only hides the difference. Without cores, the 1-code regions.

    Args:
        found: The clusters and the cores.
        attributes: Those that can be had, of the ranks that take part.
        ranks: Number of each rank that takes part.
        top: Positions of the 1-code regions.
        program_time: Mean W_program in seconds.
        metric: What is compared. If it is an attribute, that is the first cause. A different ``compute_time`` for the
            same work is a different speed; other times contain waiting.
    """
    names = tuple(attributes)
    if not found.exists:
        return DissimilarityCauses(DecisionTable(names))
    places = list(found.cccr or top)
    vectors = {name: _vectors(attribute, attributes, places, program_time) for name, attribute in attributes.items()}
    table = _table(vectors, found.clusters, ranks)
    order = sorted(table.telling, key=lambda name: (name != metric, -_spread(vectors[name]), -names.index(name)))
    parted = {name: {place for i, place in enumerate(places) if _parts(vectors[name][:, [i]])} for name in names}
    instructions = attributes.get("instructions") if metric == "compute_time" else None
    same_work = frozenset(
        core
        for core in found.cccr
        if not any(core in parted[name] for name in names) and _worked_alike(instructions, [core], range(len(ranks)))
    )
    alike = tuple(
        group for group in table.inconsistent if _worked_alike(instructions, places, np.searchsorted(ranks, group))
    )

    def differences(among: Sequence[str], regions: list[int]) -> tuple[Difference, ...]:
        return tuple(
            Difference(name, tuple(attributes[name].of_members(regions, list(each)) for each in found.clusters))
            for name in among
        )

    of_core = {core: differences([name for name in order if core in parted[name]], [core]) for core in found.cccr}
    return DissimilarityCauses(table, differences(order, places), of_core, same_work, alike)


def _table(vectors: Mapping[str, Values], clusters: Sequence[Sequence[int]], ranks: Sequence[int]) -> DecisionTable:
    """Put the cluster of each rank by each attribute, and by time, into a row a rank (Table 3)."""
    decision = {column: number for number, each in enumerate(clusters) for column in each}
    labels = [cluster(each).tolist() for each in vectors.values()]
    rows = (Row(rank, tuple(each[column] for each in labels), decision[column]) for column, rank in enumerate(ranks))
    return DecisionTable(tuple(vectors), tuple(rows))


def _vectors(
    attribute: Attribute, attributes: Mapping[str, Attribute], places: Sequence[int], program_time: float
) -> Values:
    """Give an attribute of some regions, 0 where it is not worth it; ``float64[rank, place]``."""
    values = np.array([attribute.of_ranks(place) for place in places])
    if attribute.name.endswith("_bytes"):
        worth = values.max(axis=1) / BYTES_PER_SECOND >= LEAST_PART * program_time
    else:
        worth = attribute.parts[list(places)] >= LEAST_PART
        if attribute.accesses is not None:
            data = per_data_access(attribute, attributes)
            worth &= [data.of_ranks(place).max() > LEAST_MISSES[attribute.name] for place in places]
    return np.where(worth[:, None], values, 0.0).T


def _parts(vectors: Values) -> bool:
    """Whether vectors fall into more than one cluster."""
    return bool(cluster(vectors).any())


def _spread(vectors: Values) -> float:
    """Measure how far apart ranks lie, relative to the largest, in the region where that is the most."""
    largest = vectors.max(axis=0)
    spread = largest - vectors.min(axis=0)
    return float(np.divide(spread, largest, out=np.zeros_like(spread), where=largest > 0).max())


def _worked_alike(instructions: Attribute | None, places: Sequence[int], columns: npt.ArrayLike) -> bool:
    """Whether some ranks executed equally many instructions in each of some regions, and any at all."""
    if instructions is None:
        return False
    executed = instructions.amount[np.ix_(np.asarray(places), np.asarray(columns))]
    most = executed.max(axis=1)
    return bool(most.any() and (most - executed.min(axis=1) <= _SAME * most).all())
