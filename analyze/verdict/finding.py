"""A finding: one place in the program, what is wrong there, why, and what a fix would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ...experiment import Region
from ..disparity.procedures import HeavyProcedure
from ..run.code_regions import CodeRegion
from ..run.criteria import THRESHOLD
from .repeatability import Repeatability

__all__ = ["Cause", "Doubt", "Finding", "Gain", "Group", "Kind", "Saved", "Wait", "Why", "slowest"]


class Kind(StrEnum):
    """The kind of a finding."""

    IMBALANCE = "imbalance"
    ONE_AFTER_ANOTHER = "one_after_another"
    LATE = "late"
    LOCK = "lock"
    BARRIERS = "barriers"
    MESSAGES = "messages"
    TRANSFER = "transfer"
    FILE_IO = "file_io"
    MEMORY = "memory"
    PAGE_FAULTS = "page_faults"
    ALLOCATION = "allocation"
    HOT_SPOT = "hot_spot"
    SLOW_CORE = "slow_core"


class Doubt(StrEnum):
    """A reason, other than unequal work, why ranks may have differed or waited."""

    SAME_WORK = "same_work"
    MEASURING = "measuring"
    COUNTS_ALONE = "counts_alone"
    UNFINISHED = "unfinished"
    SPEED = "speed"
    CHANCE = "chance"
    CORES = "cores"
    NO_MPI = "no_mpi"  # the file has no time in MPI


class Why(StrEnum):
    """The effect of a perfect fix: busy time in a region is shared differently, or a part of the time disappears."""

    EVEN = "even"  # the work is shared evenly
    FASTEST = "fastest"  # all ranks are as fast as the fastest
    AT_ONCE = "at_once"  # all ranks are busy simultaneously, and for the same time
    EACH_TIME = "each_time"  # all threads of a team are busy for the same time in each execution
    MISSES = "misses"  # cache misses
    ALLOCATION = "allocation"
    FAULTS = "faults"  # page faults
    FILES = "files"
    TRANSFER = "transfer"
    MESSAGES = "messages"
    WAITING = "waiting"  # for other ranks, in MPI
    LOCKS = "locks"  # for other threads, to get a lock
    BARRIERS = "barriers"  # for other threads, at barriers


_IN_MPI: Final = frozenset({Why.TRANSFER, Why.MESSAGES, Why.WAITING})
_IN_OPENMP: Final = frozenset({Why.LOCKS, Why.BARRIERS})


@dataclass(frozen=True, slots=True)
class Saved:
    """One part of a saving, in seconds: the time that something takes before and after a perfect fix.

    Attributes:
        why: What the fix changes.
        before: The time on the critical path if ``on_path``; the time of the slowest rank if the fix shares work
            evenly; otherwise the mean over the ranks.
        after: The time after the fix.
        on_path: Whether ``before`` is time on the critical path that differs from the mean over the ranks.
    """

    why: Why
    before: float
    after: float = 0.0
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Gain:
    """The estimated saving of a perfect fix.

    Attributes:
        seconds: The time by which the run gets shorter.
        share: ``seconds`` divided by the verdict's base; more than 1 if messages take longer than all work.
        parts: The parts of the saving, the largest first. Their sum may be larger than ``seconds``; see ``is_less``.
    """

    seconds: float
    share: float
    parts: tuple[Saved, ...] = ()

    @property
    def is_less(self) -> bool:
        """Whether the saving is less than the sum of its parts, because other ranks have more work in other regions."""
        return self.seconds < (1 - THRESHOLD) * sum(each.before - each.after for each in self.parts)

    @property
    def of_base(self) -> float:
        """The seconds of the saving that are part of the base: all except time in MPI and waiting in OpenMP."""
        spent = (each for each in self.parts if each.why not in _IN_MPI | _IN_OPENMP)
        return min(self.seconds, sum(each.before - each.after for each in spent))

    @property
    def is_in_mpi(self) -> bool:
        """Whether all of the saving is time in MPI."""
        return {each.why for each in self.parts} <= _IN_MPI and bool(self.parts)

    @property
    def is_beside(self) -> bool:
        """Whether the saving is only time in MPI, or only threads' waiting, so that it is not part of the base."""
        return self.is_in_mpi or ({each.why for each in self.parts} <= _IN_OPENMP and bool(self.parts))


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks, or threads, that are alike in a region.

    Attributes:
        labels: Numbers of ranks, or ``rank.thread``.
        value: Mean of the group's values, in the unit of the compared metric.
        least: The smallest value.
        most: The largest value.
    """

    labels: tuple[int | str, ...]
    value: float
    least: float
    most: float


def slowest(groups: Sequence[Group]) -> tuple[int | str, ...]:
    """Return the ranks, or threads, of the group with the largest mean; empty if there is only one group."""
    return max(groups, key=lambda group: group.value).labels if len(groups) > 1 else ()


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of a region's time, or of a difference between ranks.

    Attributes:
        attribute: Name of the attribute, such as ``l2_miss_rate``.
        seconds: The part of the region's time that is due to the cause, mean over the ranks; or the part of the
            additional time of the slowest ranks, or threads. None if only the cause's amount is known, not its time.
        share: ``seconds`` divided by the region's time, or by the additional time, 0 to 1; None without ``seconds``.
    """

    attribute: str
    seconds: float | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """A region in whose MPI calls ranks wait until other ranks finish some work.

    Attributes:
        region: The region in whose MPI calls ranks wait.
        seconds: Seconds for which ranks wait for that work, mean over all ranks.
        late: The region in which most of that work is; None if that is the region of the finding, or unknown.
        ranks: The ranks that other ranks wait for, the longest wait first; empty if all ranks are alike, or if they are
            unknown.
        waiting: The ranks that wait at least a quarter as long as the rank that waits longest; empty if all ranks wait
            this long.
        mean: Seconds for which the ranks in ``waiting`` wait, mean over these ranks; None if all ranks wait.
    """

    region: Region
    seconds: float
    late: Region | None = None
    ranks: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    mean: float | None = None


@dataclass(frozen=True)
class Finding:
    """One place in the program: what is wrong there, why, and what a fix would save.

    Attributes:
        kind: What is wrong there.
        region: The region; None if ranks differ only over all regions together.
        difference: The region's position among the compared regions, if ranks differ in it.
        weight: The region's position among the weighed regions, if it takes much time on one call path.
        procedure: The region's time over all its call paths, if only their sum is large.
        others: Further call paths of the same region that have the same problem.
        groups: The groups of ranks that are alike in the region, starting with the group of the first rank; empty if
            the region was not compared.
        alone: The ranks that differ because the other ranks, except a master, never enter the region; empty otherwise.
        causes: Why the region takes its time, or why ranks differ, the largest first.
        gain: The estimated saving of a perfect fix; None if unknown.
        bound: The region's part of the base in seconds, the most that a fix can save; None if no rank is busy.
        share: The region's share of the busy time of all ranks, or of the run's time if ``of_run`` or no rank is busy.
        of_run: Whether ``share`` is the share of the run's time, as for a region in which ranks wait.
        doubt: What may explain the difference instead of different work; None if it is certain.
        level: The confidence in the finding: ``high``, ``medium`` or ``low``.
        reason: Why the confidence has this level.
        waits: Where other ranks wait for the work in this region, the longest wait first.
        repeatability: How many runs confirm the finding; None for a single run.
    """

    kind: Kind
    region: CodeRegion | None
    difference: int | None = None
    weight: int | None = None
    procedure: HeavyProcedure | None = None
    others: tuple[int, ...] = ()
    groups: tuple[Group, ...] = ()
    alone: tuple[int, ...] = ()
    causes: tuple[Cause, ...] = ()
    gain: Gain | None = None
    bound: float | None = None
    share: float = 0.0
    of_run: bool = False
    doubt: Doubt | None = None
    level: str = "medium"
    reason: str = ""
    waits: Sequence[Wait] = ()
    repeatability: Repeatability | None = None

    @property
    def seconds(self) -> float:
        """The estimated saving in seconds; if it is unknown, the region's part of the base, or 0."""
        return self.gain.seconds if self.gain else self.bound or 0.0

    @property
    def is_in_turn(self) -> bool:
        """Whether time would be saved if the ranks were busy in the region at the same time."""
        return self.gain is not None and any(part.why is Why.AT_ONCE for part in self.gain.parts)

    @property
    def is_of_teams(self) -> bool:
        """Whether time would be saved if the threads were busy for the same time in each execution of the region."""
        return self.gain is not None and any(part.why is Why.EACH_TIME for part in self.gain.parts)

    @property
    def is_of_waiting(self) -> bool:
        """Whether ranks differ in the region, or wait for each other there."""
        return bool(self.groups or self.waits) or self.is_in_turn or self.kind in (Kind.IMBALANCE, Kind.LATE)

    @property
    def is_of_ranks(self) -> bool:
        """Whether the problem is that ranks differ; False for a hot spot, even if ranks differ in it."""
        return bool(self.groups) and self.kind in (Kind.IMBALANCE, Kind.SLOW_CORE)

    @property
    def is_doubtful(self) -> bool:
        """Whether the finding reports that ranks differ or wait for each other, but this is uncertain."""
        return self.doubt is not None and (self.is_of_ranks or self.doubt is Doubt.CORES)

    @property
    def slowest(self) -> tuple[int | str, ...]:
        """The ranks, or threads, that take longest in the region; empty if they were not compared, or all are alike."""
        return slowest(self.groups)
