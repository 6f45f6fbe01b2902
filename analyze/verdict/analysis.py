"""The results of each stage of an analysis, from which the verdict is derived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ...experiment import Experiment, Region
from ...experiment.inside import ENOUGH_SAMPLES, Inside
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
from ..dissimilarity.events import events_of
from ..dissimilarity.master import find_master
from ..dissimilarity.rank_vectors import RankVectors
from ..dissimilarity.work import Difference, SameWork, Work
from ..evidence.attributes import lacking
from ..evidence.throttled import Throttled, throttled_within
from ..run.arrays import Values
from ..run.criteria import CRITERIA
from ..run.foreign_metrics import NOTHING, replaced
from ..run.preparation import Prepared
from ..run.selection import complete
from .base import Base, base_in, mean_busy_in
from .causes import causes_of_differences, groups_in
from .culprits import culprits_by_weight
from .explanation import Explanation, attributes_of_ranks, unprobed_callees
from .finding import Cause, Group
from .parts import Parts
from .repeatability import Repetition
from .threads import ThreadWaits

__all__ = ["Analysis"]
_BUSY: Final = ("compute_time", "cpu_time")  # metrics of busy time


@dataclass(frozen=True, eq=False)
class Analysis:
    """The results of each stage of an analysis.

    A region is identified by its position. Regions in which ranks are *compared* include all regions below them. When
    regions are *weighed* against each other, a region around the whole program counts only with its own code.
    *Culprits* are the regions that the verdict names.

    Attributes:
        run: The analysed run, with its regions and their costs.
        differences: How ranks differ, and in which regions.
        weights: The regions, classified by the time that they take.
        explanation: What the time of each region was spent on, and which ranks wait for which.
        repetition: If the experiment is the mean of several runs, the number of runs that confirm each finding.
        method: One of ``METHODS``.
        include_ranks: Ranks that are never treated as a master.
        root_causes: The root causes for ranks and for regions by Liu et al. 2011; None if ``method`` is our own, which
            compares the seconds that each cause takes.
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
        """The run, with its metrics renamed to our own names."""
        return self.run.experiment

    @cached_property
    def lacking(self) -> tuple[str, ...]:
        """The attributes that this experiment does not have."""
        return lacking(self.experiment)

    @property
    def vectors(self) -> RankVectors:
        """The performance vectors of the compared ranks; the position of a region is its index in their ``regions``."""
        return self.differences.vectors

    @property
    def dissimilarity(self) -> Dissimilarity:
        """The clusters of ranks, and the regions in which they differ."""
        return self.differences.dissimilarity

    @property
    def disparity(self) -> Disparity:
        """The severity classes of the regions, and the regions that take much time."""
        return self.weights.disparity

    @property
    def is_mpi_unknown(self) -> bool:
        """Whether the run has several ranks, but comes from another tool that did not measure time in MPI."""
        return replaced(self.experiment, "mpi_time") == NOTHING and len(self.run.weighed.ranks) > 1

    @property
    def compares_a_part(self) -> bool:
        """Whether the comparison left out ranks or regions, or was a comparison of threads."""
        return self.differences.selection.is_part

    @cached_property
    def culprits_by_difference(self) -> tuple[int, ...]:
        """The culprits in which ranks differ, those with different work first; both groups by decreasing difference."""
        values, alike = self.vectors.values, self.same_work.culprits
        return tuple(
            sorted(self.dissimilarity.culprits, key=lambda culprit: (culprit in alike, -float(np.ptp(values[culprit]))))
        )

    @cached_property
    def culprits_by_weight(self) -> tuple[int, ...]:
        """The hot spots that the verdict names, largest first."""
        return culprits_by_weight(self.run, self.disparity, self.parts)

    @cached_property
    def work(self) -> Work:
        """The counts of the compared ranks, such as instructions and bytes, by which their work is compared."""
        return Work(self.vectors, attributes_of_ranks(self.differences), events_of(self.differences.selection))

    @cached_property
    def same_work(self) -> SameWork:
        """The ranks and regions with the same work, but different speed; empty if ``method`` is not our own."""
        return self.work.same_work(self.dissimilarity) if self.method == OURS else SameWork()

    @cached_property
    def differing_attributes(self) -> Mapping[int | None, tuple[Difference, ...]]:
        """Culprit → the attributes (with our own method, also events) that differ between ranks as their times do.

        The key None holds the attributes of all culprits together, or of the whole program if there is no culprit.
        """
        clusters, culprits = self.dissimilarity.clusters, self.dissimilarity.culprits
        if self.root_causes:
            by_paper, _ = self.root_causes
            return {
                culprit: by_paper.differences if culprit is None else by_paper.of_culprit[culprit]
                for culprit in (None, *culprits)
            }
        return {
            culprit: (*self.work.differences(each, clusters), *self.work.differing_events(each, clusters))
            for culprit, each in self._places.items()
        }

    @property
    def _places(self) -> Mapping[int | None, Sequence[int]]:
        culprits = self.dissimilarity.culprits
        return {None: culprits or self.vectors.top, **{culprit: [culprit] for culprit in culprits}}

    @cached_property
    def groups(self) -> Mapping[int | None, tuple[Group, ...]]:
        """Culprit → the groups of ranks that are alike, with their times; for None, see ``differing_attributes``."""
        return {culprit: groups_in(self.differences, each, self.master) for culprit, each in self._places.items()}

    @cached_property
    def causes_of_differences(self) -> Mapping[int | None, tuple[Cause, ...]]:
        """Culprit → why the slowest ranks are busy longer, in seconds; for None, see ``differing_attributes``."""
        is_busy = self.vectors.metric in _BUSY and self.experiment.notes.counts_by_rank
        account = self.account if self._has_parts and is_busy and not self.root_causes else None
        executed = self.work.attributes.get("instructions")
        return causes_of_differences(account, self.differences, executed, self.differing_attributes, self.groups)

    def main_cause(self, culprit: int | None) -> Cause | None:
        """Return the largest cause of a difference; ``unexplained`` only if no attribute differs like the times."""
        key = culprit if culprit in self.causes_of_differences else None
        causes = self.causes_of_differences.get(key, ())
        counted = (each for each in causes if each.attribute != "unexplained" or not self.differing_attributes.get(key))
        return next(counted, None)

    @cached_property
    def parts(self) -> Parts:
        """The time of each region, split by cause, and which of these causes have a remedy."""
        account = self.account if self._has_parts else None
        by_paper = self.root_causes[1] if self.root_causes else None
        return Parts(self.run, self.weights, self.explanation, account, self.in_turn, by_paper, self.master_rank)

    @cached_property
    def thread_waits(self) -> ThreadWaits:
        """Where OpenMP threads wait for each other."""
        least = self.run.least_gain * self.base.seconds
        return ThreadWaits(self.run, least, shared=self.explanation.seconds.turns)

    @property
    def _has_parts(self) -> bool:
        """Whether instructions, system time or allocations are known, so that busy time can be split by cause."""
        known = (complete(self.experiment, name) for name in ("system_time", "allocations"))
        return "instructions" not in self.lacking or any(known)

    @cached_property
    def unprobed(self) -> Mapping[int, tuple[str, ...]]:
        """Position of a region → the functions without probes whose time is part of the region's own time."""
        return unprobed_callees(self.experiment, self.run.weighed.regions)

    @cached_property
    def inside(self) -> Mapping[Region, Inside]:
        """The functions, lines and libraries inside regions, as sampled; only for regions with enough samples."""
        notes = self.experiment.notes
        least = max(ENOUGH_SAMPLES, CRITERIA.least_weight * notes.sampled.get("samples", 0.0))
        found = (each for each in notes.inside if each.samples >= least)
        return {Region.from_descriptor(each.region): each for each in found}

    @cached_property
    def throttled(self) -> Mapping[int, tuple[Throttled, ...]]:
        """Position of a region → the throttled regions that take a material share of the region's own time."""
        return throttled_within(self.experiment, self.run.weighed.regions)

    @cached_property
    def procedures(self) -> Procedures:
        """The regions, each summed over all its call paths."""
        return Procedures(self.run, self.culprits_by_weight)

    @cached_property
    def critical_path(self) -> CriticalPath | None:
        """The critical path of the run; None if it was not recorded."""
        alone = not self.explanation.seconds.turns
        return find_critical_path(self.experiment, self.run.program_time, alone=alone, master=self.master_rank)

    @cached_property
    def efficiency(self) -> Efficiency | None:
        """How busy the ranks are relative to the critical path.

        None if this is unknown or unreliable, or if ``compares_a_part``.
        """
        found = self.critical_path.efficiency if self.critical_path and not self.compares_a_part else None
        return found if found and {"load_balance", "serialisation"} <= {*found.reliable} else None

    @cached_property
    def account(self) -> Account:
        """The seconds of each region, split into counts times prices, calls, waiting and remaining time."""
        return find_account(self.run)

    @cached_property
    def master(self) -> int | None:
        """The column of the rank that hands out work, left out of comparisons and savings; None if there is none."""
        return find_master(self.vectors, self.include_ranks) if self.method == OURS else None

    @property
    def master_rank(self) -> int | None:
        """The number of the rank that is the master; None if there is none."""
        return None if self.master is None else self.vectors.ranks[self.master]

    @property
    def workers(self) -> int:
        """The number of ranks, not counting a master."""
        return len(self.run.weighed.ranks) - (self.master is not None)

    @cached_property
    def in_turn(self) -> Values:
        """The seconds that the run would save if the ranks were busy in a region at the same time: ``float64[region]``.

        Regions in which ranks are already busy at the same time have the value 0. All values are 0 if a rank was
        excluded, or if there is a master: its workers continue in the order in which it answers, which differs from run
        to run.
        """
        chained = self.explanation.seconds.chained
        is_excluded = len(self.run.compared.ranks) < len(self.run.weighed.ranks)
        return np.zeros_like(chained) if is_excluded or self.master is not None else chained

    @cached_property
    def base(self) -> Base:
        """The time that all savings and shares refer to; the time of the run if no rank is busy."""
        whole, run = float(self.base_in_regions[list(self.run.weighed.top)].sum()), self.run.program_time
        return Base(min(whole, run) if whole > 0 else run, is_path=self.explanation.serialisation is not None)

    @cached_property
    def idle(self) -> float:
        """The length of the critical path minus the mean busy time of the ranks (without a master), in seconds.

        Never negative. If the path is unknown, or ``compares_a_part``, this is the run's time minus the mean over the
        compared ranks, or threads. Infinite if the compared metric is not ``compute_time``.
        """
        path, run = self.explanation.serialisation, self.run
        if self.vectors.metric != "compute_time":
            return float("inf")
        if path is None or self.compares_a_part:
            busy = self.vectors.values[list(self.vectors.top)].sum(axis=0)
            everyone = (group[group != self.master] for group in self.vectors.groups)
            least = min((float(busy[each].mean()) for each in everyone if len(each)), default=0.0)
            return max((self.base.seconds if path else run.program_time) - least, 0.0)
        whole, mean, busiest = (
            float(each[list(run.weighed.top)].sum()) for each in (path.on_path, path.mean, path.busiest)
        )
        return max(max(whole, busiest) - mean * len(run.weighed.ranks) / self.workers, 0.0)

    @cached_property
    def mean_busy(self) -> Values:
        """The mean busy time of the ranks in each region; for a team, of its slowest thread: ``float64[region]``."""
        path = self.explanation.serialisation
        return path.mean if path else mean_busy_in(self.run)

    @cached_property
    def base_in_regions(self) -> Values:
        """The part of the base that each region takes, with the regions below it: ``float64[region]``, in seconds."""
        return base_in(self.run, self.explanation.serialisation)
