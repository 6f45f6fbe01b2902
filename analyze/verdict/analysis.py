"""The results of each stage of an analysis, from which the verdict is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ...experiment import Experiment
from ..account import Account, find_account
from ..choices import OURS
from ..critical_path.critical_path import CriticalPath, Efficiency, find_critical_path
from ..disparity.causes import DisparityCauses
from ..disparity.disparity import Disparity
from ..disparity.procedures import Procedures
from ..disparity.weights import Weights
from ..dissimilarity.causes import DissimilarityCauses
from ..dissimilarity.differences import Differences
from ..dissimilarity.dissimilarity import Dissimilarity
from ..dissimilarity.master import find_master
from ..dissimilarity.rank_vectors import RankVectors
from ..dissimilarity.work import Difference, SameWork, Work
from ..evidence.attributes import lacking
from ..evidence.throttled import Throttled, throttled_within
from ..run.arrays import Values
from ..run.preparation import Prepared
from ..run.selection import complete
from .base import Base, base_in
from .causes import causes_of_differences, groups_in
from .culprits import culprits_by_weight
from .explanation import Explanation, attributes_of_ranks, unprobed_callees
from .finding import Cause, Group
from .parts import Parts
from .repeatability import Repetition

__all__ = ["Analysis"]
_BUSY: Final = ("compute_time", "cpu_time")  # metrics that are busy time


@dataclass(frozen=True)
class Analysis:
    """The results of each stage of an analysis.

    Attributes:
        run: What was analysed, and what it costs.
        differences: Ranks that differ.
        weights: Regions that weigh.
        explanation: What time went into.
        repetition: In how many runs each finding stands, where the experiment is the mean of several; see ``repeated``.
        method: One of ``METHODS``.
        include_ranks: Ranks that are no master, whatever they do.
        root_causes: Those of ranks and regions by the paper; None by our method, which looks at seconds.
    """

    run: Prepared
    differences: Differences
    weights: Weights
    explanation: Explanation
    repetition: Repetition
    method: str = OURS
    include_ranks: tuple[int, ...] = ()
    root_causes: tuple[DissimilarityCauses, DisparityCauses] | None = None

    @property
    def experiment(self) -> Experiment:
        """The run, with metrics under our own names."""
        return self.run.experiment

    @cached_property
    def lacking(self) -> tuple[str, ...]:
        """The attributes that this experiment does not have."""
        return lacking(self.experiment)

    @property
    def vectors(self) -> RankVectors:
        """The performance vectors; positions elsewhere are positions in its ``regions``."""
        return self.differences.vectors

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
        """Whether only some ranks and regions, or threads, were compared."""
        return self.differences.selection.is_part

    @cached_property
    def culprits_by_difference(self) -> tuple[int, ...]:
        """The culprits in which ranks differ: real imbalance first, then the widest difference."""
        values, alike = self.vectors.values, self.same_work.culprits
        return tuple(
            sorted(self.dissimilarity.culprits, key=lambda culprit: (culprit in alike, -float(np.ptp(values[culprit]))))
        )

    @cached_property
    def culprits_by_weight(self) -> tuple[int, ...]:
        """The hot spots that the verdict names, in its order."""
        return culprits_by_weight(self.run, self.disparity, self.parts)

    @cached_property
    def work(self) -> Work:
        """The work of the compared ranks."""
        return Work(self.vectors, attributes_of_ranks(self.differences))

    @cached_property
    def same_work(self) -> SameWork:
        """Where ranks did the same work, and only their speed differs."""
        return self.work.same_work(self.dissimilarity) if self.method == OURS else SameWork()

    @cached_property
    def told_apart(self) -> Mapping[int | None, tuple[Difference, ...]]:
        """The ranks' differences that match their time, by culprit; under None in all together, or in no region."""
        clusters, culprits = self.dissimilarity.clusters, self.dissimilarity.culprits
        if self.root_causes:
            by_paper, _ = self.root_causes
            return {
                culprit: by_paper.differences if culprit is None else by_paper.of_culprit[culprit]
                for culprit in (None, *culprits)
            }
        return {culprit: self.work.differences(each, clusters) for culprit, each in self._places.items()}

    @property
    def _places(self) -> Mapping[int | None, Sequence[int]]:
        culprits = self.dissimilarity.culprits
        return {None: culprits or self.vectors.top, **{culprit: [culprit] for culprit in culprits}}

    @cached_property
    def groups(self) -> Mapping[int | None, tuple[Group, ...]]:
        """The time of each cluster of ranks, by culprit; under None, in all culprits together, or in all regions."""
        return {culprit: groups_in(self.differences, each, self.master) for culprit, each in self._places.items()}

    @cached_property
    def causes_of_differences(self) -> Mapping[int | None, tuple[Cause, ...]]:
        """What makes the slowest ranks, or threads, busy longer, in seconds; by culprit, and under None in all."""
        is_busy = self.vectors.metric in _BUSY and self.experiment.notes.counts_by_rank
        account = self.account if self._is_counted and is_busy and not self.root_causes else None
        executed = self.work.attributes.get("instructions")
        return causes_of_differences(account, self.differences, executed, self.told_apart, self.groups)

    def main_cause(self, culprit: int | None) -> Cause | None:
        """Return the largest cause of a difference, unexplained only where nothing tells the ranks apart."""
        key = culprit if culprit in self.causes_of_differences else None
        causes = self.causes_of_differences.get(key, ())
        counted = (each for each in causes if each.attribute != "unexplained" or not self.told_apart.get(key))
        return next(counted, None)

    @cached_property
    def parts(self) -> Parts:
        """The parts of each region's time."""
        account = self.account if self._is_counted or self._uses_memory else None
        by_paper = self.root_causes[1] if self.root_causes else None
        return Parts(self.run, self.weights, self.explanation, account, self.in_turn, by_paper)

    @property
    def _uses_memory(self) -> bool:
        return any(complete(self.experiment, name) for name in ("system_time", "allocations"))

    @property
    def _is_counted(self) -> bool:
        return "instructions" not in self.lacking

    @cached_property
    def unprobed(self) -> Mapping[int, tuple[str, ...]]:
        """Functions without probes whose time is a region's own, by its position."""
        return unprobed_callees(self.experiment, self.run.weighed.regions)

    @cached_property
    def throttled(self) -> Mapping[int, tuple[Throttled, ...]]:
        """Throttled regions with a material share of a region's time, by its position."""
        return throttled_within(self.experiment, self.run.weighed.regions)

    @cached_property
    def procedures(self) -> Procedures:
        """The regions over all their call paths."""
        return Procedures(self.run, self.culprits_by_weight)

    @cached_property
    def critical_path(self) -> CriticalPath | None:
        """The critical path of the run; None if not recorded."""
        alone = not self.explanation.seconds.turns
        return find_critical_path(self.experiment, self.run.program_time, alone=alone, master=self.master_rank)

    @cached_property
    def efficiency(self) -> Efficiency | None:
        """How busy the ranks are by the critical path; None where that is not known of all of them, or not reliable."""
        found = self.critical_path.efficiency if self.critical_path and not self.compares_a_part else None
        return found if found and {"load_balance", "serialisation"} <= {*found.reliable} else None

    @cached_property
    def account(self) -> Account:
        """The seconds of each region, split by cause."""
        return find_account(self.run)

    @cached_property
    def master(self) -> int | None:
        """The column of the rank that hands out work, which is left out of balance and gains; None without one."""
        return find_master(self.vectors, self.include_ranks) if self.method == OURS else None

    @property
    def master_rank(self) -> int | None:
        """The master's number."""
        return None if self.master is None else self.vectors.ranks[self.master]

    @property
    def workers(self) -> int:
        """How many ranks there are but a master."""
        return len(self.run.weighed.ranks) - (self.master is not None)

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
        """The time that gains and shares are relative to; the run's where no rank is busy."""
        whole, run = float(self.base_in_regions[list(self.run.weighed.top)].sum()), self.run.program_time
        return Base(min(whole, run) if whole > 0 else run, is_path=self.explanation.serialisation is not None)

    @cached_property
    def idle(self) -> float:
        """The seconds that the critical path has beyond what ranks, but a master, are busy on average.

        Infinite where that is not known, or only some ranks, or threads, are compared.
        """
        path, run = self.explanation.serialisation, self.run
        if path is None or self.compares_a_part or self.vectors.metric != "compute_time":
            return float("inf")
        whole, mean, busiest = (
            float(each[list(run.weighed.top)].sum()) for each in (path.on_path, path.mean, path.busiest)
        )
        return max(max(whole, busiest) - mean * len(run.weighed.ranks) / self.workers, 0.0)

    @cached_property
    def base_in_regions(self) -> Values:
        """The seconds of the base in each region and below: ``float64[region]``."""
        return base_in(self.run, self.explanation.serialisation)
