"""Ranks that behave differently, and the regions that make them differ (paper 001, sections 4.2.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..code_regions import descendants
from .clusters import THRESHOLD, Labels, are_clusters, cluster, members, severity
from .performance import Performance

__all__ = ["Dissimilarity", "find_dissimilarity", "odd_one"]

# Parts of the widest difference under which others are noise: each step of a search wants the same clusters again.
_COARSE: Final = (0.2, 0.4)


@dataclass(frozen=True)
class Dissimilarity:
    """What tells ranks apart.

    Attributes:
        clusters: Columns of the performance vectors, by cluster.
        severity: S; see ``clusters.severity``.
        ccr: Positions of the critical code regions, parents before children.
        cccr: Those of them that have no critical child: their core.
        composite: Whether only several adjacent regions together made the difference.
        odd_one: A column without which all others are one cluster.
        programs: How many programs the ranks run; those of different ones are in different clusters.
        jobs: Whether threads are told apart by their totals, having nothing in common; see ``jobs.differing_jobs``.
    """

    clusters: tuple[tuple[int, ...], ...]
    severity: float
    ccr: tuple[int, ...] = ()
    cccr: tuple[int, ...] = ()
    composite: bool = False
    odd_one: int | None = None
    programs: int = 1
    jobs: bool = False

    @property
    def exists(self) -> bool:
        """Whether there is more than one cluster of ranks that run the same program."""
        return len(self.clusters) > self.programs


def find_dissimilarity(performance: Performance, *, floor: float) -> Dissimilarity:
    """Cluster the ranks and search the regions that part them (Algorithms 1 and 2).

    Cost: at most two clusterings a region, and thrice that where no leaf is found; for composites one for each of the
    n/s of every size s that is tried.

    Args:
        performance: The vectors.
        floor: A difference in seconds that is never one; see ``clusters.cluster``.
    """
    search = _Search(performance, floor)
    clusters = tuple(tuple(each) for each in members(search.original))
    programs = len(performance.groups)
    spread = max(severity(search.vectors[columns]) for columns in performance.groups)
    if len(clusters) == programs:
        return Dissimilarity(clusters, spread, programs=programs)
    found = search.result()
    distance = spread * float(np.linalg.norm(search.vectors, axis=1).max())
    for part in _COARSE:
        if not _can_go_deeper(performance, found.core):
            break
        coarse = _Search(performance, max(floor, part * distance)).result()
        found = _refined(performance, found, coarse)
    return Dissimilarity(clusters, spread, found.critical, found.core, found.composite, odd_one(clusters), programs)


@dataclass(frozen=True)
class _Found:
    """Critical regions, those of them without critical children, and whether several together make the difference."""

    critical: tuple[int, ...]
    core: tuple[int, ...]
    composite: bool


def _can_go_deeper(performance: Performance, core: tuple[int, ...]) -> bool:
    """Whether anything stands below the core that parts the ranks the most."""
    widest = max(core, key=lambda each: float(np.ptp(performance.values[each])), default=None)
    return widest is None or bool(performance.regions[widest].children)


def _refined(performance: Performance, fine: _Found, coarse: _Found) -> _Found:
    """Take from a coarse search what lies below the cores of a fine one, which has found more of them."""
    if not fine.core:
        return coarse
    below = {core: set(descendants(performance.regions, core)) for core in fine.core}
    deeper = [core for core in coarse.core if any(core in each for each in below.values())]
    kept = [core for core in fine.core if below[core].isdisjoint(deeper)]
    leading = [each for each in coarse.critical if any(each in below[core] for core in fine.core)]
    return _Found(tuple(sorted({*fine.critical, *leading})), tuple(sorted([*kept, *deeper])), fine.composite)


class _Search:
    """Algorithm 2: regions are set to 0 and restored in turn, and the clusters compared with the original ones."""

    def __init__(self, performance: Performance, floor: float, *, without: Sequence[int] = ()) -> None:
        self.performance = performance
        self.floor = floor
        self.top = tuple(region for region in performance.top if region not in without)
        self.vectors = performance.values[list(self.top)].T.copy()
        self.original = self.partition(self.vectors)

    def partition(self, vectors: npt.NDArray[np.float64]) -> Labels:
        return cluster(vectors, floor=self.floor, groups=self.performance.programs)

    def makes(self, vectors: npt.NDArray[np.float64], wanted: Labels) -> bool:
        """Whether vectors make the wanted clusters."""
        return are_clusters(wanted, vectors, floor=self.floor, groups=self.performance.programs)

    def parts(self, labels: Labels) -> bool:
        """Whether there is more than one cluster of ranks that run the same program."""
        return int(labels.max(initial=0)) + 1 > len(self.performance.groups)

    def alone(self, region: int) -> Labels:
        """Cluster by one region alone."""
        return self.partition(self.performance.values[region][:, None])

    def parts_alone(self, region: int) -> bool:
        """Whether one region alone parts the ranks of any program."""
        together = (
            np.zeros(len(self.vectors), np.intp) if self.performance.programs is None else self.performance.programs
        )
        return not self.makes(self.performance.values[region][:, None], together)

    def result(self) -> _Found:
        """Search the whole tree."""
        found = self.single_regions()
        composite = not found
        found += self.composite_regions() if composite else self.unexplained(found)
        critical = set(found)
        core = tuple(each for each in found if critical.isdisjoint(self.performance.regions[each].children))
        return _Found(tuple(found), core, composite)

    def single_regions(self) -> list[int]:
        """Find the 1-code regions without which the clusters change, and what is critical below them.

        Beyond the paper, such a region must part the ranks when it is alone, too: to set a large balanced one to 0
        shrinks every vector, and with it the threshold, until noise elsewhere counts as a change.
        """
        found: list[int] = []
        for column, region in enumerate(self.top):
            if self._changes(slice(column, column + 1)) and self.parts_alone(region):
                found.append(region)
                found.extend(self._restored(region, self.vectors.copy(), column, self.original))
        return found

    def composite_regions(self) -> list[int]:
        """Find the members of the smallest composite of adjacent 1-code regions that changes the clusters."""
        count = len(self.top)
        for size in range(2, count + 1):
            composites = [slice(start, start + size) for start in range(0, count, size)]
            changing = [each for each in composites if self._changes(each)]
            if changing:
                return [region for each in changing for region in self._members_that_part(each)]
        return []

    def unexplained(self, found: list[int]) -> list[int]:
        """Search on among the differences that remain without the 1-code regions that were found.

        Beyond the paper, which stops at the first: one rank may take 1.5 times as long in a region that all share
        while another does something else altogether. What remains must part ranks by ``THRESHOLD`` of the longest
        original vector, not of what is left of it, lest noise be searched.
        """
        longest = float(np.linalg.norm(self.vectors, axis=1).max())
        rest = _Search(self.performance, max(self.floor, THRESHOLD * longest), without=found)
        if not rest.parts(rest.original):
            return []
        return rest.single_regions() or rest.composite_regions()

    def _changes(self, columns: slice) -> bool:
        """Whether the clusters change without these 1-code regions."""
        before = self.vectors[:, columns].copy()
        self.vectors[:, columns] = 0.0
        changed = not self.makes(self.vectors, self.original)
        self.vectors[:, columns] = before
        return changed

    def _members_that_part(self, columns: slice) -> Iterator[int]:
        for column in range(len(self.top))[columns]:
            alone = self.alone(self.top[column])
            if self.parts(alone):
                yield self.top[column]
                yield from self._restored(self.top[column], np.zeros_like(self.vectors), column, alone)

    def _restored(self, parent: int, vectors: npt.NDArray[np.float64], column: int, wanted: Labels) -> Iterator[int]:
        """Restore each child alone in its parent's place, in ``vectors``: critical if the wanted clusters come back."""
        for child in self.performance.regions[parent].children:
            vectors[:, column] = self.performance.values[child]
            if self.makes(vectors, wanted) and self.parts_alone(child):
                yield child
                yield from self._restored(child, vectors, column, wanted)


def odd_one(clusters: tuple[tuple[int, ...], ...]) -> int | None:
    """Find the one location without which there is one cluster (definitions 12)."""
    if len(clusters) != 2 or len(clusters[0]) + len(clusters[1]) < 3:
        return None
    return next((each[0] for each in clusters if len(each) == 1), None)
