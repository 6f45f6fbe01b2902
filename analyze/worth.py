"""What a finding is worth: the time that a perfect fix would save at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .findings import Findings
from .foremost import is_by_counts_alone
from .off_path import on_path
from .overhead import TIMES

__all__ = ["Worth", "lasting", "worth_of_balance", "worth_of_weight"]

_NOTHING: Final = 1e-6  # of the run: a rounding


@dataclass(frozen=True, slots=True)
class Worth:
    """What a perfect fix saves at most.

    Attributes:
        seconds: Of the run.
        whole: Of how many: the program's time, or what its longest rank is busy for.
    """

    seconds: float
    whole: float

    @property
    def share(self) -> float:
        """Give it as a part of the whole."""
        return self.seconds / self.whole

    @classmethod
    def of(cls, seconds: float, whole: float) -> Worth | None:
        """Give it; no more than all of the run; None where there is nothing to save."""
        saved = min(max(seconds, 0.0), whole)
        return cls(saved, whole) if saved > _NOTHING * whole else None


def lasting(findings: Findings) -> float:
    """Give how long the program takes; what its longest rank is busy for, where ranks wait for processors."""
    seconds, performance = findings.explanation.seconds, findings.performance
    if not seconds.turns or performance.metric != "compute_time":
        return findings.run.program_time
    if found := findings.explanation.serialisation:
        return min(float(found.on_path[list(findings.run.weighed.top)].sum()), findings.run.program_time)
    longest = performance.values[list(performance.top)].sum(axis=0).max()
    mean = seconds.computing[list(findings.run.weighed.top)].sum()
    return min(float(max(longest - mean, 0.0)) + seconds.busy, findings.run.program_time)


def worth_of_balance(findings: Findings, regions: Sequence[int]) -> Worth | None:
    """Give what it would save if all ranks computed equally long in some regions; None of what is no time.

    That is what the critical path has more of them than the ranks on average, or, where misses make a rank slow, than
    the fastest: work can be shared evenly, misses can be avoided. It is no more than what the slowest rank has more,
    unless ranks are late in turn; and that where the path is not known. Ranks of different programs have nothing to
    share. None where it is doubtful who is slowest.

    Args:
        findings: What was found.
        regions: Positions among the regions that were compared; none is below another.
    """
    performance, causes = findings.performance, findings.explanation.of_ranks
    if performance.metric not in TIMES or is_by_counts_alone(findings, regions):
        return None
    times = performance.values[list(regions)].sum(axis=0)
    first = [found[:1] for core in regions for found in [causes.of_core.get(core, causes.differences)]]
    avoidable = all(found and found[0].attribute.endswith("_rate") for found in first)
    groups = [times[group] for group in performance.groups]
    saved = max(float(each.max() - (each.min() if avoidable else each.mean())) for each in groups)
    serialisation = findings.explanation.serialisation
    if serialisation and performance.metric == "compute_time" and len(groups) == 1 and not findings.compares_a_part:
        both = findings.run.weighed.regions, performance.regions
        by_path = sum(on_path(serialisation, *both, each) for each in regions) - float(
            times.min() if avoidable else times.mean()
        )
        is_in_turn = any(serialisation.beyond[list(regions)] > 0)
        saved = by_path if is_in_turn else min(saved, by_path)
    return Worth.of(saved, lasting(findings))


def worth_of_weight(findings: Findings, core: int) -> Worth | None:
    """Give the time of the causes that were found for a region's weight; None where no fix is known that saves it.

    None of instructions, as all code executes some; and of waiting where ranks wait for processors, since what else
    they wait for is then not known, unless they work one after another, or are late in turn: the critical path tells
    that. Misses of both caches are the same time.

    Args:
        findings: What was found.
        core: Position among the regions that were weighed.
    """
    causes, seconds = findings.explanation.of_regions, findings.explanation.seconds
    spent = {each.attribute: float(seconds.of[each.attribute][core]) for each in causes.causes.get(core, ())}
    spent.pop("instructions", None)
    missing = [spent.pop(name) for name in ("l1_miss_rate", "l2_miss_rate") if name in spent]
    moving = spent.pop("mpi_bytes", 0.0)
    saved = sum(spent.values()) + moving + (float(seconds.misses[core]) if missing else 0.0)
    if seconds.chained[core]:
        saved += float(seconds.chained[core])
    elif core in causes.small_calls:
        saved += float(seconds.small_calls[core])
    elif core in causes.waiting and not seconds.turns:
        without_turns = float(seconds.time[core] - seconds.computing[core])
        saved += max(min(float(seconds.mpi[core]), without_turns) - moving, 0.0)
    return Worth.of(saved, lasting(findings))
