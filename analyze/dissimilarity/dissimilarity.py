"""Ranks that behave differently, and the regions that make them differ (paper 001, sections 4.2.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..run.arrays import Indices, Values
from ..run.code_regions import outermost
from ..run.criteria import CRITERIA, THRESHOLD
from .clusters import Labels, cluster, members, refined, severity
from .rank_vectors import RankVectors

__all__ = ["Dissimilarity", "clusters_in", "find_dissimilarity", "odd_one"]


@dataclass(frozen=True)
class Dissimilarity:
    """What tells ranks apart.

    Attributes:
        clusters: Columns of the performance vectors, by cluster.
        severity: S; see ``clusters.severity``.
        ccr: Positions of the critical code regions, parents before children.
        cccr: Those of them in which ranks differ by more than in what is critical below them: the cores.
        composite: Whether several cores make these clusters, each by itself.
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


def find_dissimilarity(performance: RankVectors, *, floor: float) -> Dissimilarity:
    """Find the regions in which ranks differ, and cluster the ranks by these (definitions 8 to 12, and beyond).

    Algorithm 2 asks of each region whether the clusters by all regions change without it. Several imbalances hide each
    other from it, and what is less than a tenth of everything is in no cluster. So each region is asked alone, from the
    leaves up. Ranks differ in it if they are further apart than noise can part them, and it matters: to share its work
    evenly would save ``floor``, or it parts ranks by as much as parts them in Algorithm 1. A region is a core if most
    of its difference is in no core below it. Ranks are in one cluster if they are in each core.

    Without a core, ranks are clustered by all regions. If that parts them, and the run does not tell how large noise
    is, the difference is searched among those that noise can make, too.

    Cost: some passes over the vectors, and sorting the ranks once for each core.

    Args:
        performance: The vectors.
        floor: Seconds, or what else is compared, that matter.
    """
    programs = len(performance.groups)
    vectors = performance.values[list(performance.top)].T
    spread = max(severity(vectors[columns]) for columns in performance.groups)
    search = _Search(performance, floor)
    cores = search.cores(performance.noise)
    if cores:
        labels = search.labels(cores)
    else:
        chance = performance.bursts if performance.is_noise_guessed else performance.noise
        floor = max(floor, float(np.linalg.norm(chance[list(performance.top)])), performance.totals_by_sampling)
        labels = cluster(vectors, floor=floor, groups=performance.programs)
        if labels.max(initial=0) + 1 > programs and performance.is_noise_guessed:
            cores = search.cores(np.maximum(THRESHOLD * performance.values.max(axis=1), performance.bursts))
            labels = search.labels(cores) if cores else labels
    clusters = tuple(tuple(each) for each in members(labels))
    if len(clusters) == programs:
        return Dissimilarity(clusters, spread, programs=programs)
    makers = (core for core in cores if (search.labels([core]) == labels).all())
    composite = len([*islice(makers, 2)]) > 1
    return Dissimilarity(
        clusters, spread, search.leading_to(cores), tuple(cores), composite, odd_one(clusters), programs
    )


class _Search:
    """The search for regions in which ranks of the same program differ."""

    def __init__(self, performance: RankVectors, floor: float) -> None:
        self.performance = performance
        self.floor = floor
        self.programs: list[Indices | slice] = [*performance.groups] if len(performance.groups) > 1 else [slice(None)]
        totals = performance.values[list(performance.top)].sum(axis=0)
        self.wide = THRESHOLD * float(totals.max(initial=0.0))

    def differ(self, values: Values, noise: float) -> bool:
        """Whether ranks differ by more than noise, and it matters; values are ``float64[rank]``."""
        return any(self._differ(values[columns], noise) for columns in self.programs)

    def _differ(self, values: Values, noise: float) -> bool:
        most, least = float(values.max()), float(values.min())
        if most - least <= max(noise, float(self.performance.by_sampling(least, most))):
            return False
        return most - float(values.mean()) >= self.floor or most - least > max(self.wide, self.floor)

    def cores(self, noise: Values) -> list[int]:
        """Find the cores, parents before children.

        Args:
            noise: ``float64[region]``: what ranks may part by in each region and be alike.
        """
        performance = self.performance
        regions, values = performance.regions, performance.values
        found: dict[int, list[int]] = {}  # region: the cores in it
        for index in reversed(range(len(regions))):
            below = [core for child in regions[index].children for core in found[child]]
            found[index] = below
            if not self.differ(values[index], float(noise[index])):
                continue
            if below:
                outer = outermost(regions, below)
                rest = values[index] - values[outer].sum(axis=0)
                left = max(float(noise[index] - noise[outer].sum()), float(performance.bursts[index]))
                if CRITERIA.outweighs * np.ptp(rest) <= np.ptp(values[index]) or not self.differ(rest, left):
                    continue
            found[index] = [index, *below]
        return sorted(core for top in performance.top for core in found[top])

    def leading_to(self, cores: Sequence[int]) -> tuple[int, ...]:
        """List the cores, and the regions around them in which ranks differ, too: parents before children."""
        performance, noise = self.performance, self.performance.noise
        parents = {child: index for index, each in enumerate(performance.regions) for child in each.children}
        found = set(cores)
        for core in cores:
            around = parents.get(core)
            while around is not None:
                if self.differ(performance.values[around], float(noise[around])):
                    found.add(around)
                around = parents.get(around)
        return tuple(sorted(found))

    def labels(self, cores: Sequence[int]) -> Labels:
        """Cluster ranks that no core parts."""
        performance = self.performance
        labels = np.zeros(len(performance.ranks), np.intp) if performance.programs is None else performance.programs
        for core in cores:
            own = np.zeros_like(labels)
            for columns in self.programs:
                values = performance.values[core][columns]
                if self._differ(values, 0.0):
                    own[columns] = performance.levels(values)
            labels = refined(labels, own)
        return labels


def clusters_in(performance: RankVectors, found: Dissimilarity, regions: Sequence[int]) -> list[list[int]]:
    """List the clusters that a core makes by itself, and others may part; of several regions, those of all.

    Args:
        performance: The vectors.
        found: What parts the ranks.
        regions: The core, or regions that make the difference together.
    """
    if len(regions) != 1 or regions[0] not in found.cccr:
        return [[*each] for each in found.clusters]
    values = performance.values[regions[0]]
    alike = [
        columns[own]
        for columns in performance.groups
        for own in map(np.array, members(performance.levels(values[columns])))
    ]
    return sorted((each.tolist() for each in alike), key=lambda each: each[0])


def odd_one(clusters: tuple[tuple[int, ...], ...]) -> int | None:
    """Find the one location without which there is one cluster (definitions 12)."""
    if len(clusters) != 2 or len(clusters[0]) + len(clusters[1]) < 3:
        return None
    return next((each[0] for each in clusters if len(each) == 1), None)
