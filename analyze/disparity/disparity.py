"""Find regions that take more time than others (Liu et al. 2011, sections 4.2.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..run.code_regions import CodeRegion, descendants
from ..run.criteria import CRITERIA, THRESHOLD
from .classes import HIGH, classify

__all__ = ["Disparity", "find_disparity"]


@dataclass(frozen=True)
class Disparity:
    """Severity classes of the regions, and the culprits.

    Attributes:
        values: CRNM of each code region (Eq. 2), or another chosen metric.
        classes: Severity class of each code region, 0 to 4; empty if there are fewer than two different values.
        critical: Positions of the critical code regions.
        culprits: Positions of the regions responsible. If a critical region is expensive only because it contains
            expensive regions, the culprits are among the latter. The innermost regions whose causes are worth a fix are
            culprits, too.
    """

    values: tuple[float, ...]
    classes: tuple[int, ...] = ()
    critical: tuple[int, ...] = ()
    culprits: tuple[int, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether there is a culprit."""
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
    """Classify the regions, and find the critical regions and their culprits.

    Args:
        regions: The code-region tree.
        values: CRNM of each region, or another metric to classify by.
        shares: Each region's wall time as a share of the program's time.
        additive: Whether a region's value includes the values of the regions below it, as with CRNM but not CPI.
        least: The share of the program's time below which no region is critical.
        costly: Regions that spend enough time on one cause to be worth a fix.
        in_turn: Regions whose ranks work one after another. The innermost of these regions are always culprits.
        waiting: Regions that spend part of their time waiting. Such a region is no culprit if it contains a culprit
            from ``in_turn``, which explains the waiting.
    """
    classes = classify(values) or []
    critical = [index for index, each in enumerate(classes) if each >= HIGH and shares[index] >= least]
    culprits = _Culprits(regions, values, shares, classes, frozenset(critical)) if additive else None
    below = [culprits.of(index) if culprits else _alone(regions, classes, index) for index in critical]
    found = {culprit for each in below for culprit in each}
    found.update(index for index in costly if found.union(costly).isdisjoint(descendants(regions, index)))
    named = {index for index in in_turn if set(in_turn).isdisjoint(descendants(regions, index))}
    explained = {index for index in found.intersection(waiting) if not named.isdisjoint(descendants(regions, index))}
    found = found.difference(explained) | named
    return Disparity(tuple(values), tuple(classes), tuple(critical), tuple(sorted(found)))


def _alone(regions: Sequence[CodeRegion], classes: Sequence[int], index: int) -> list[int]:
    """Return the given critical region in a list, or an empty list if a child's class is at least as high as its own.

    This is for metrics such as CPI, in which a region's value does not include the values of the regions below it.
    """
    return [index] if all(classes[index] > classes[child] for child in regions[index].children) else []


@dataclass(frozen=True)
class _Culprits:
    """Finds out whether critical regions are expensive in their own code or in the regions that they contain.

    Attributes:
        regions: The code-region tree.
        values: Value of each region, including the regions below.
        shares: Each region's wall time as a share of the program's time.
        classes: Severity class of each region.
        critical: Positions of the critical regions.
    """

    regions: Sequence[CodeRegion]
    values: Sequence[float]
    shares: Sequence[float]
    classes: Sequence[int]
    critical: frozenset[int]

    def of(self, index: int) -> list[int]:
        """Return the culprits of a critical region, without the culprits of critical regions below it.

        The region itself is a culprit if its class is higher than the class of each child, and its value without its
        large children is at least the value of the smallest critical region. If it is not, and contains no critical
        regions, the culprits are the largest regions below it, or the region itself if no region below is large.
        """
        lowest = min(self.values[each] for each in self.critical)
        weighing, rest = self._parts(index)
        if rest >= lowest and all(self.classes[index] > self.classes[child] for child in self.regions[index].children):
            return [index]
        if not self.critical.isdisjoint(descendants(self.regions, index)):
            return []
        return self._heaviest(index, weighing, rest)

    def _heaviest(self, index: int, weighing: Sequence[int], rest: float) -> list[int]:
        """Return the region itself, or the largest regions below it.

        The regions below are returned if the largest child meets two conditions: its value is larger than that of the
        region without its large children, and it takes two thirds of the region, or 10 % of the program's time.
        """
        most = max(weighing, key=lambda child: self.values[child], default=index)
        stands_alone = (
            self.values[most] >= CRITERIA.outweighs * (self.values[index] - self.values[most])
            or self.shares[most] >= THRESHOLD
        )
        if rest >= self.values[most] or not stands_alone:
            return [index]
        return [culprit for child in weighing for culprit in self._heaviest(child, *self._parts(child))]

    def _parts(self, index: int) -> tuple[list[int], float]:
        """Return the children that take at least 3 % of the program's time, and the region's value without them."""
        weighing = [child for child in self.regions[index].children if self.shares[child] >= CRITERIA.least_weight]
        return weighing, self.values[index] - sum(self.values[child] for child in weighing)
