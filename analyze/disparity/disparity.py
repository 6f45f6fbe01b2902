"""Regions that are more expensive than others (Liu et al. 2011, sections 4.2.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..run.code_regions import CodeRegion, descendants
from ..run.criteria import CRITERIA, THRESHOLD
from .classes import HIGH, classify

__all__ = ["Disparity", "find_disparity"]


@dataclass(frozen=True)
class Disparity:
    """The weight of each region.

    Attributes:
        values: CRNM of each code region (Eq. 2), or what was chosen in its place, in the order of the regions.
        classes: Severity class of each, 0 to 4; empty if there are fewer than two different values.
        critical: Positions of the critical code regions.
        culprits: Positions of the regions responsible: if a critical region only contains expensive ones, its culprit
            is below it. Also the innermost of the other regions whose causes are worth a fix.
    """

    values: tuple[float, ...]
    classes: tuple[int, ...] = ()
    critical: tuple[int, ...] = ()
    culprits: tuple[int, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether a region stands out."""
        return bool(self.culprits)


def find_disparity(
    regions: Sequence[CodeRegion],
    *,
    values: Sequence[float],
    shares: Sequence[float],
    additive: bool = True,
    least: float,
    costly: Collection[int] = (),
    in_turn: Collection[int] = (),
    waiting: Collection[int] = (),
) -> Disparity:
    """Classify the regions and find the critical ones and their culprits (definitions 14 and 15).

    Args:
        regions: The code-region tree.
        values: CRNM of each region, or what it is classed by.
        shares: Share of each region's wall time in the program's.
        additive: Whether a region's value contains those of the regions below it: CRNM's does, CPI does not.
        least: The share that a critical region must have.
        costly: Regions that spend enough on a cause to be worth a fix.
        in_turn: Regions whose ranks work one after another: the innermost are named, whatever is heavy in them.
        waiting: Regions that wait for a part of their time: where one of those is in them, it is why they are heavy.
    """
    classes = classify(values) or []
    critical = [index for index, each in enumerate(classes) if each >= HIGH and shares[index] >= least]
    culprits = _Culprits(regions, values, shares, classes, frozenset(critical)) if additive else None
    below = [culprits.of(index) if culprits else _alone(regions, classes, index) for index in critical]
    found = {culprit for each in below for culprit in each}
    found.update(index for index in costly if found.union(costly).isdisjoint(descendants(regions, index)))
    named = {index for index in in_turn if set(in_turn).isdisjoint(descendants(regions, index))}
    told = {index for index in found.intersection(waiting) if not named.isdisjoint(descendants(regions, index))}
    found = found.difference(told) | named
    return Disparity(tuple(values), tuple(classes), tuple(critical), tuple(sorted(found)))


def _alone(regions: Sequence[CodeRegion], classes: Sequence[int], index: int) -> list[int]:
    """Return a critical region if its class is higher than each child's, for values that do not include children."""
    return [index] if all(classes[index] > classes[child] for child in regions[index].children) else []


@dataclass(frozen=True)
class _Culprits:
    """Finds where critical regions are expensive: in themselves, or in regions that they contain.

    Attributes:
        regions: The code-region tree.
        values: Of each region; they contain those of the regions below.
        shares: Share of each one's wall time in the program's.
        classes: Severity class of each.
        critical: Positions of the critical ones.
    """

    regions: Sequence[CodeRegion]
    values: Sequence[float]
    shares: Sequence[float]
    classes: Sequence[int]
    critical: frozenset[int]

    def of(self, index: int) -> list[int]:
        """Return the culprits of a critical region, without those of the critical regions below it.

        The region itself is one if its class is higher than each child's, and if its part outside expensive children is
        as large as a critical region. If it only contains expensive but no critical regions, the largest one below is
        the culprit.
        """
        lowest = min(self.values[each] for each in self.critical)
        weighing, rest = self._parts(index)
        if rest >= lowest and all(self.classes[index] > self.classes[child] for child in self.regions[index].children):
            return [index]
        if not self.critical.isdisjoint(descendants(self.regions, index)):
            return []
        return self._heaviest(index, weighing, rest)

    def _heaviest(self, index: int, weighing: Sequence[int], rest: float) -> list[int]:
        """Return the region itself if most of its weight is its own or in small parts, otherwise the heavy parts."""
        most = max(weighing, key=lambda child: self.values[child], default=index)
        stands_alone = (
            self.values[most] >= CRITERIA.outweighs * (self.values[index] - self.values[most])
            or self.shares[most] >= THRESHOLD
        )
        if rest >= self.values[most] or not stands_alone:
            return [index]
        return [culprit for child in weighing for culprit in self._heaviest(child, *self._parts(child))]

    def _parts(self, index: int) -> tuple[list[int], float]:
        """Return the children that would be critical by their time, and the region's remaining value without them."""
        weighing = [child for child in self.regions[index].children if self.shares[child] >= CRITERIA.least_weight]
        return weighing, self.values[index] - sum(self.values[child] for child in weighing)
