"""Repeated runs of one command: count the runs that confirm each finding on their mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ..experiment import Experiment
from ..experiment.algebra import integrate
from .dissimilarity.rank_vectors import RankVectors
from .findings import Findings
from .run.arrays import Indices
from .run.code_regions import CodeRegion
from .run.costs import MOSTLY
from .run.location_blocks import WORKERS
from .run.overhead import TIMES
from .verdict.repeatability import Repeatability, Repetition

__all__ = ["repeated"]

_Place: TypeAlias = tuple[int, bool]  # index of the call path in the mean, and whether only its own code counts
_Kind: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class _Halves:
    """The slow ranks (or threads) and the others, split at the midpoint between the smallest and the largest value.

    A rank's value is its sum over the given regions. If ranks run several programs, only the ranks of the program in
    which they differ most are split.
    """

    slow: frozenset[int | str]
    others: frozenset[int | str]

    @classmethod
    def of(cls, vectors: RankVectors, regions: Sequence[int]) -> _Halves:
        values, labels = vectors.values[list(regions)].sum(axis=0), vectors.labels
        columns = np.array(max(vectors.groups, key=lambda group: float(np.ptp(values[group]))))
        among = values[columns]
        slow = among > (among.min() + among.max()) / 2
        return cls(*(frozenset(labels[each] for each in columns[which].tolist()) for which in (slow, ~slow)))

    def is_like(self, other: _Halves) -> bool:
        return len(self.slow & other.slow) >= MOSTLY * len(self.slow | other.slow)

    def apart(self, vectors: RankVectors, regions: Sequence[int]) -> float | None:
        """Return how many seconds longer the slow ranks took than the other ranks; None if some ranks are missing.

        Threads that do not work in the regions count as 0.
        """
        column = {label: number for number, label in enumerate(vectors.labels)}
        if not self.slow or not self.slow | self.others <= column.keys():
            return None
        values = np.nansum(vectors.measured(regions), axis=0)
        slow, others = (sorted(column[each] for each in part) for part in (self.slow, self.others))
        return float(values[slow].mean() - values[others].mean())


@dataclass(frozen=True)
class _Difference:
    """A difference between ranks, in one culprit, or in all regions if the culprit is None."""

    culprit: int | None
    regions: tuple[int, ...]
    halves: _Halves


@dataclass(frozen=True)
class _Analysed:
    """Findings, mapped to the call paths of the mean.

    Attributes:
        findings: The findings of the mean, or of one run.
        rows: For each call path of the findings, its index in the mean.
    """

    findings: Findings
    rows: Indices

    @cached_property
    def differences(self) -> dict[_Kind, _Difference]:
        """The differences between ranks, by kind of finding and place."""
        return dict(self._differences())

    def _differences(self) -> Iterator[tuple[_Kind, _Difference]]:
        findings, vectors = self.findings, self.findings.vectors
        found, same = findings.dissimilarity, findings.same_work
        how = (vectors.metric, bool(vectors.threads), found.jobs)
        for culprit in found.culprits:
            kind = (*how, culprit in same.culprits, self.place(vectors.regions[culprit]))
            yield kind, _Difference(culprit, (culprit,), _Halves.of(vectors, [culprit]))
        if found.exists and not found.culprits:
            top = vectors.top
            yield (*how, same.everywhere, None), _Difference(None, top, _Halves.of(vectors, top))

    @cached_property
    def weights(self) -> dict[_Place, int]:
        """The hot spots, by place."""
        regions = self.findings.run.weighed.regions
        return {self.place(regions[culprit]): culprit for culprit in self.findings.disparity.culprits}

    def place(self, region: CodeRegion) -> _Place:
        return int(self.rows[region.id]), region.own_code


def repeated(findings: Findings, runs: Sequence[Experiment], analyse: Callable[[Experiment], Findings]) -> Findings:
    """Return the findings of a mean with, for each, the number of runs that confirm it and its seconds in each run.

    A run confirms a finding if its own analysis has a finding of the same kind in the same region. For a difference
    between ranks, at least half of the ranks that are slow in either finding must be slow in both.

    Args:
        findings: The findings of the mean.
        runs: The runs that the mean was computed from.
        analyse: A function that analyses a run with the same options as the mean.
    """
    joined = integrate([findings.experiment, *runs], exact=True)
    mean = _Analysed(findings, joined.rows[0])
    in_runs = dict.fromkeys([*mean.differences, *mean.weights], 0)
    seconds: dict[_Kind, list[float | None]] = {each: [] for each in in_runs}
    token = WORKERS.set(None)  # the worker processes have opened only the mean, so they cannot read the runs
    try:
        for experiment, rows in zip(joined.operands[1:], joined.rows[1:], strict=True):
            run = _Analysed(analyse(experiment), rows)
            vectors = _compared_as(findings, run.findings)
            for kind, difference in mean.differences.items():
                same = run.differences.get(kind)
                in_runs[kind] += same is not None and difference.halves.is_like(same.halves)
                seconds[kind].append(_apart(mean, difference, run, vectors))
            for place in mean.weights:
                in_runs[place] += place in run.weights
                seconds[place].append(_taken(run, place))
    finally:
        WORKERS.reset(token)
    repeatabilities = {kind: Repeatability(in_runs[kind], _complete(seconds[kind])) for kind in in_runs}
    of_ranks = {each.culprit: repeatabilities[kind] for kind, each in mean.differences.items()}
    of_regions = {culprit: repeatabilities[place] for place, culprit in mean.weights.items()}
    return replace(findings, repetition=Repetition(len(runs), of_ranks, of_regions))


def _compared_as(mean: Findings, run: Findings) -> RankVectors | None:
    """Return a run's vectors for the mean's metric; None if the mean was not compared by the times of regions."""
    metric, threads = mean.vectors.metric, bool(mean.vectors.threads)
    if metric not in TIMES or mean.dissimilarity.jobs:
        return None
    own = run.vectors
    if (own.metric, bool(own.threads), run.dissimilarity.jobs) == (metric, threads, False):
        return own
    return RankVectors.selected(run.run.compared.by_thread() if threads else run.run.compared, metric=metric)


def _apart(mean: _Analysed, difference: _Difference, run: _Analysed, vectors: RankVectors | None) -> float | None:
    """Return how many seconds longer than other ranks the mean's slow ranks take in a run."""
    if vectors is None:
        return None
    wanted = {mean.place(mean.findings.vectors.regions[each]) for each in difference.regions}
    there = [index for index, each in enumerate(vectors.regions) if run.place(each) in wanted]
    return difference.halves.apart(vectors, there)


def _taken(run: _Analysed, place: _Place) -> float | None:
    """Return the wall time of a region in a run, mean over the ranks, in seconds; 0 if the run lacks the region."""
    regions, costs = run.findings.run.weighed.regions, run.findings.run.weighed_costs
    return next((cost.wall_time for each, cost in zip(regions, costs, strict=True) if run.place(each) == place), 0.0)


def _complete(values: Sequence[float | None]) -> tuple[float, ...]:
    known = tuple(each for each in values if each is not None)
    return known if len(known) == len(values) else ()
