"""A finding: one place in the program, and all that is known of what it costs."""

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
    """What is wrong at a place."""

    IMBALANCE = "imbalance"
    ONE_AFTER_ANOTHER = "one_after_another"
    LATE = "late"
    MESSAGES = "messages"
    TRANSFER = "transfer"
    FILE_IO = "file_io"
    MEMORY = "memory"
    PAGE_FAULTS = "page_faults"
    ALLOCATION = "allocation"
    HOT_SPOT = "hot_spot"
    SLOW_CORE = "slow_core"


class Doubt(StrEnum):
    """What a difference between ranks, or waiting, may be, if not different work."""

    SAME_WORK = "same_work"
    MEASURING = "measuring"
    COUNTS_ALONE = "counts_alone"
    SPEED = "speed"
    CHANCE = "chance"
    CORES = "cores"


class Why(StrEnum):
    """What a perfect fix makes even or fast, or what it makes take no time."""

    EVEN = "even"  # the work is shared evenly
    FASTEST = "fastest"  # all ranks are as fast as the fastest
    AT_ONCE = "at_once"  # ranks work at the same time, and as much each
    MISSES = "misses"  # nothing waits for cache misses
    ALLOCATION = "allocation"
    FAULTS = "faults"  # no page is touched for the first time
    FILES = "files"
    TRANSFER = "transfer"
    MESSAGES = "messages"
    WAITING = "waiting"  # in MPI for others


_IN_MPI: Final = frozenset({Why.TRANSFER, Why.MESSAGES, Why.WAITING})


@dataclass(frozen=True, slots=True)
class Saved:
    """A part of a gain: the seconds that something takes, and those that a perfect fix leaves.

    Attributes:
        why: What the fix changes.
        before: On the critical path if ``on_path``; of the slowest rank if work is shared evenly; else a mean.
        after: What is left of it.
        on_path: Whether the critical path shows it.
    """

    why: Why
    before: float
    after: float = 0.0
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Gain:
    """What a perfect fix saves at most.

    Attributes:
        seconds: Of the run.
        share: The same by the verdict's base; more than 1 where the transfer of data takes longer than all work.
        parts: What it is made of, the largest first; see ``is_less``.
    """

    seconds: float
    share: float
    parts: tuple[Saved, ...] = ()

    @property
    def is_less(self) -> bool:
        """Whether it is less than its parts, because ranks with less work here have more elsewhere."""
        return self.seconds < (1 - THRESHOLD) * sum(each.before - each.after for each in self.parts)

    @property
    def is_of_transfer(self) -> bool:
        """Whether all of it is in MPI, of which nothing is busy time."""
        return {each.why for each in self.parts} <= _IN_MPI and bool(self.parts)


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks, or threads, that are alike in a region.

    Attributes:
        labels: Numbers of ranks, or ``rank.thread``.
        value: Their mean, in the unit of what was compared.
    """

    labels: tuple[int | str, ...]
    value: float


def slowest(groups: Sequence[Group]) -> tuple[int | str, ...]:
    """Return the ranks, or threads, that have most; empty if all are alike."""
    return max(groups, key=lambda group: group.value).labels if len(groups) > 1 else ()


@dataclass(frozen=True, slots=True)
class Cause:
    """What explains a difference or a time.

    Attributes:
        attribute: Its name, such as ``l2_miss_rate``.
        seconds: What it takes of the time that is explained: that of a region, a mean over the ranks, or what the
            slowest ranks, or threads, have more of it than the others. None if only amounts are known.
        share: The same by that time; None likewise.
    """

    attribute: str
    seconds: float | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """Where others wait for a place.

    Attributes:
        region: The region whose MPI calls they wait in.
        seconds: How long they wait for that work, a mean over the ranks.
        late: The region for whose work they wait there longest; None where that is the place itself, or not known.
        ranks: Those for whose work, that with most first; empty where that is not known, or they are all.
        waiting: Those that wait; empty where all do. Who waits less than a quarter of the longest is not one of them.
        mean: How long these wait, a mean over them; None where all do.
    """

    region: Region
    seconds: float
    late: Region | None = None
    ranks: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    mean: float | None = None


@dataclass(frozen=True)
class Finding:
    """One place, and what is known of it. Where both a difference and a weight are, they are of the same region.

    Attributes:
        kind: What is wrong there.
        region: The region; None where ranks differ over all regions.
        difference: Its position among the regions that were compared, if ranks differ in it.
        weight: Its position among the regions that were weighed, if it takes much time on one call path.
        procedure: What it takes over all call paths, if that is what makes it a finding.
        others: More call paths of the same region, of which the same is true.
        groups: Ranks that are alike in it, the first rank's group first; empty if it was not compared.
        causes: What the time is, or what ranks differ by; the largest first.
        gain: What a perfect fix saves; None where that is not known.
        bound: The most that the base can shrink without the region, in seconds; None where nobody is busy.
        share: Of all ranks' busy time; of the run's where nobody is busy, or ``of_run``.
        of_run: Whether the share is of the run's time, as that of a region in which ranks wait.
        doubt: What the difference may be instead; None if nothing speaks for that.
        level: Confidence: ``high``, ``medium`` or ``low``.
        reason: Why it is no higher, or so high.
        waits: Where other ranks wait for it, the longest first.
        repeatability: In how many runs it was found; None of a single run.
    """

    kind: Kind
    region: CodeRegion | None
    difference: int | None = None
    weight: int | None = None
    procedure: HeavyProcedure | None = None
    others: tuple[int, ...] = ()
    groups: tuple[Group, ...] = ()
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
    def is_in_turn(self) -> bool:
        """Whether it would save time if ranks did the region's work at the same time."""
        return self.gain is not None and any(part.why is Why.AT_ONCE for part in self.gain.parts)

    @property
    def is_of_waiting(self) -> bool:
        """Whether it is that ranks differ, or wait for each other."""
        return bool(self.groups or self.waits) or self.is_in_turn or self.kind in (Kind.IMBALANCE, Kind.LATE)

    @property
    def is_of_ranks(self) -> bool:
        """Whether it is that ranks differ in sum; else that a region takes much time, in which they may differ, too."""
        return bool(self.groups) and self.kind in (Kind.IMBALANCE, Kind.SLOW_CORE)

    @property
    def is_doubtful(self) -> bool:
        """Whether it is that ranks differ, or wait for each other, and that is uncertain."""
        return self.doubt is not None and (self.is_of_ranks or self.doubt is Doubt.CORES)

    @property
    def slowest(self) -> tuple[int | str, ...]:
        """The ranks, or threads, that have most; empty if it was not compared, or all are alike."""
        return slowest(self.groups)
