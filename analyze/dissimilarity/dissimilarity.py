"""Find ranks that behave differently, and the regions in which they differ (Liu et al. 2011, 4.2.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..run.arrays import Indices, Values
from ..run.code_regions import of_recursion, outermost
from ..run.compute_time import part_by_noise
from ..run.criteria import CRITERIA, THRESHOLD
from .clusters import Labels, cluster, members, refined, severity
from .rank_vectors import RankVectors

__all__ = ["Dissimilarity", "clusters_in", "find_dissimilarity", "odd_one"]


@dataclass(frozen=True)
class Dissimilarity:
    """How ranks differ.

    Attributes:
        clusters: Columns of the performance vectors, by cluster.
        severity: How much ranks differ: S as in ``clusters.severity``.
        critical: Positions of the critical code regions, parents before children.
        culprits: Positions of the critical regions with most of their difference outside the culprits below them.
        composite: Whether each of several culprits produces these clusters on its own. With the method of Liu et al.,
            whether only several regions together produce the clusters.
        odd_one: The column without which all other columns are one cluster; None if there is no such column.
        programs: The number of programs that the ranks run; ranks of different programs are in different clusters.
        jobs: Whether threads are compared by their totals, because they have no region in common; see
            ``thread_roles.differing_jobs``.
    """

    clusters: tuple[tuple[int, ...], ...]
    severity: float
    critical: tuple[int, ...] = ()
    culprits: tuple[int, ...] = ()
    composite: bool = False
    odd_one: int | None = None
    programs: int = 1
    jobs: bool = False

    @property
    def exists(self) -> bool:
        """Whether there is more than one cluster of ranks that run the same program."""
        return len(self.clusters) > self.programs


def find_dissimilarity(vectors: RankVectors, *, floor: float) -> Dissimilarity:
    """Find the regions in which ranks differ, and cluster the ranks by these regions.

    Algorithm 2 of Liu et al. clusters ranks by all regions together, and tests whether the clusters change if a region
    is left out. Then several imbalances hide each other, and a difference of less than a tenth of the total forms no
    cluster. So here each region is tested separately, from the leaves up. Ranks differ in a region if the difference
    exceeds the noise, and either balancing would save ``floor``, or the difference separates ranks in Algorithm 1. A
    region is a culprit if most of its difference is outside the culprits below it. Ranks are in one cluster if they
    share a cluster in each culprit.

    If there is no culprit, ranks are clustered by all regions of depth 1 together or, if samples divided measured times
    among the regions, by the totals alone. If this results in several clusters, and the noise of the run is unknown,
    the search is repeated with a limit of a tenth of each region's longest time.

    Cost: some passes over the vectors, and sorting the ranks once for each culprit.

    Args:
        vectors: The vectors.
        floor: The smallest saving that matters, in the metric's unit.
    """
    programs = len(vectors.groups)
    of_top = vectors.values[list(vectors.top)].T
    spread = max(severity(of_top[columns]) for columns in vectors.groups)
    search = _Search(vectors, floor)
    culprits = search.culprits(vectors.noise)
    if culprits:
        labels = search.labels(culprits)
    else:
        if vectors.are_totals_measured:
            of_top = of_top.sum(axis=1, keepdims=True)
            longest = float(of_top.max(initial=0.0))
            floor = max(floor, part_by_noise(None) * longest, min(longest, CRITERIA.resolution))
        else:
            chance = vectors.bursts if vectors.is_noise_guessed else vectors.noise
            floor = max(floor, float(np.linalg.norm(chance[list(vectors.top)])), vectors.totals_by_sampling)
        labels = cluster(of_top, floor=floor, groups=vectors.programs)
        if labels.max(initial=0) + 1 > programs and vectors.is_noise_guessed:
            culprits = search.culprits(np.maximum(THRESHOLD * vectors.values.max(axis=1), vectors.bursts))
            labels = search.labels(culprits) if culprits else labels
    clusters = tuple(tuple(each) for each in members(labels))
    if len(clusters) == programs:
        return Dissimilarity(clusters, spread, programs=programs)
    makers = (culprit for culprit in culprits if (search.labels([culprit]) == labels).all())
    composite = len([*islice(makers, 2)]) > 1
    return Dissimilarity(
        clusters, spread, search.leading_to(culprits), tuple(culprits), composite, odd_one(clusters), programs
    )


class _Search:
    """Searches for regions in which ranks of the same program differ."""

    def __init__(self, vectors: RankVectors, floor: float) -> None:
        self.vectors = vectors
        self.floor = floor
        self.programs: list[Indices | slice] = [*vectors.groups] if len(vectors.groups) > 1 else [slice(None)]
        totals = vectors.values[list(vectors.top)].sum(axis=0)
        self.wide = THRESHOLD * float(totals.max(initial=0.0))

    def differ(self, values: Values, noise: float) -> bool:
        """Return whether ranks differ materially, and by more than noise; values are ``float64[rank]``."""
        return any(self._differ(values[columns], noise) for columns in self.programs)

    def _differ(self, values: Values, noise: float) -> bool:
        most, least = float(values.max()), float(values.min())
        if most - least <= max(noise, float(self.vectors.by_sampling(least, most))):
            return False
        return most - float(values.mean()) >= self.floor or most - least > max(self.wide, self.floor)

    def culprits(self, noise: Values) -> list[int]:
        """Return the culprits, parents before children.

        Args:
            noise: ``float64[region]``: the difference within which ranks are alike.
        """
        vectors = self.vectors
        regions, values = vectors.regions, vectors.values
        found: dict[int, list[int]] = {}  # region → the culprits in it
        for index in reversed(range(len(regions))):
            below = [culprit for child in regions[index].children for culprit in found[child]]
            found[index] = below
            if not self.differ(values[index], float(noise[index])):
                continue
            if below:
                outer = outermost(regions, below)
                rest = values[index] - values[outer].sum(axis=0)
                left = max(float(noise[index] - noise[outer].sum()), float(vectors.bursts[index]))
                if CRITERIA.outweighs * np.ptp(rest) <= np.ptp(values[index]) or not self.differ(rest, left):
                    continue
            found[index] = [index, *below]
        innermost = sorted(culprit for top in vectors.top for culprit in found[top])
        return of_recursion(vectors.experiment, regions, innermost)

    def leading_to(self, culprits: Sequence[int]) -> tuple[int, ...]:
        """Return the culprits, and the regions around them in which ranks differ as well, parents before children."""
        vectors, noise = self.vectors, self.vectors.noise
        parents = {child: index for index, each in enumerate(vectors.regions) for child in each.children}
        found = set(culprits)
        for culprit in culprits:
            around = parents.get(culprit)
            while around is not None:
                if self.differ(vectors.values[around], float(noise[around])):
                    found.add(around)
                around = parents.get(around)
        return tuple(sorted(found))

    def labels(self, culprits: Sequence[int]) -> Labels:
        """Return each rank's cluster, ``int[rank]``; ranks share a cluster if no culprit separates them."""
        vectors = self.vectors
        labels = np.zeros(len(vectors.ranks), np.intp) if vectors.programs is None else vectors.programs
        for culprit in culprits:
            own = np.zeros_like(labels)
            for columns in self.programs:
                values = vectors.values[culprit][columns]
                if self._differ(values, 0.0):
                    own[columns] = vectors.levels(values)
            labels = refined(labels, own)
        return labels


def clusters_in(vectors: RankVectors, found: Dissimilarity, regions: Sequence[int]) -> list[list[int]]:
    """Return the clusters in one culprit, regardless of other culprits; for several regions, the clusters of the run.

    Args:
        vectors: The vectors.
        found: The differences between ranks.
        regions: The culprit, or several regions in which ranks differ together.
    """
    if len(regions) != 1 or regions[0] not in found.culprits:
        return [[*each] for each in found.clusters]
    values = vectors.values[regions[0]]
    alike = [
        columns[own] for columns in vectors.groups for own in map(np.array, members(vectors.levels(values[columns])))
    ]
    return sorted((each.tolist() for each in alike), key=lambda each: each[0])


def odd_one(clusters: tuple[tuple[int, ...], ...]) -> int | None:
    """Return the one location without which there is a single cluster; None if there is no such location."""
    if len(clusters) != 2 or len(clusters[0]) + len(clusters[1]) < 3:
        return None
    return next((each[0] for each in clusters if len(each) == 1), None)
