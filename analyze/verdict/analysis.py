"""The results of each stage of an analysis, from which the verdict is made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...experiment import Experiment
from ..account import Account, find_account
from ..critical_path.critical_path import CriticalPath, find_critical_path
from ..disparity.disparity import Disparity
from ..disparity.procedures import Procedures
from ..disparity.weights import Weights
from ..dissimilarity.differences import Differences
from ..dissimilarity.dissimilarity import Dissimilarity
from ..dissimilarity.master import find_master
from ..dissimilarity.rank_vectors import RankVectors
from ..evidence.attributes import lacking
from ..run.arrays import Values
from ..run.preparation import Prepared
from .base import Base, find_base
from .cores import cores_by_difference, cores_by_weight
from .explanation import Explanation
from .repeatability import Repetition

__all__ = ["METHODS", "OURS", "PAPER", "Analysis"]

OURS, PAPER = METHODS = ("autoanalyzer", "paper")


@dataclass(frozen=True)
class Analysis:
    """The results of each stage of an analysis.

    Attributes:
        run: What was analysed, and what it costs.
        differences: Ranks that differ.
        weights: Regions that weigh.
        explanation: Why they do.
        repetition: In how many runs each finding stands, where the experiment is the mean of several; see ``repeated``.
        method: One of ``METHODS``.
        include_ranks: Ranks that are no master, whatever they do.
    """

    run: Prepared
    differences: Differences
    weights: Weights
    explanation: Explanation
    repetition: Repetition
    method: str = OURS
    include_ranks: tuple[int, ...] = ()

    @property
    def experiment(self) -> Experiment:
        """The run, with metrics under our own names."""
        return self.run.experiment

    @cached_property
    def lacking(self) -> tuple[str, ...]:
        """The attributes that this experiment does not have."""
        return lacking(self.experiment)

    @property
    def performance(self) -> RankVectors:
        """The performance vectors; positions elsewhere are positions in its ``regions``."""
        return self.differences.performance

    @property
    def dissimilarity(self) -> Dissimilarity:
        """The clusters of ranks, and the regions in which they differ."""
        return self.differences.dissimilarity

    @property
    def disparity(self) -> Disparity:
        """How the regions are classed."""
        return self.weights.disparity

    @property
    def compares_a_part(self) -> bool:
        """Whether not all ranks and regions were compared, or threads were."""
        return self.differences.selection.is_part

    @cached_property
    def cores_by_difference(self) -> tuple[int, ...]:
        """The cores that part the ranks, in the verdict's order."""
        return cores_by_difference(self.differences, self.explanation)

    @cached_property
    def cores_by_weight(self) -> tuple[int, ...]:
        """The cores that weigh, and that the verdict names, in its order."""
        return cores_by_weight(self.run, self.disparity, self.explanation.of_regions)

    @cached_property
    def procedures(self) -> Procedures:
        """The regions over all their call paths."""
        return Procedures(self.run, self.cores_by_weight)

    @cached_property
    def critical_path(self) -> CriticalPath | None:
        """Where the run's length comes from; None if that was not recorded."""
        master = None if self.master is None else self.performance.ranks[self.master]
        alone = not self.run.oversubscription
        return find_critical_path(self.experiment, self.run.program_time, alone=alone, master=master)

    @cached_property
    def account(self) -> Account:
        """The seconds of each region, split by cause."""
        return find_account(self.run)

    @cached_property
    def master(self) -> int | None:
        """The column of the rank that hands out work, which is left out of balance and gains; None without one."""
        return find_master(self.performance, self.include_ranks) if self.method == OURS else None

    @cached_property
    def in_turn(self) -> Values:
        """The seconds that each region would save if ranks that work in turn worked at once: ``float64[region]``.

        0 if a master hands out the work, whether it was recognised or excluded: its workers continue in the order in
        which it answers, which differs from run to run.
        """
        chained = self.explanation.seconds.chained
        is_excluded = len(self.run.compared.ranks) < len(self.run.weighed.ranks)
        return np.zeros_like(chained) if is_excluded or self.master is not None else chained

    @cached_property
    def base(self) -> Base:
        """The time of which gains and shares are given."""
        return find_base(self.run, self.explanation.serialisation)
