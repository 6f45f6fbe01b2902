"""Describe which ranks wait in MPI, and for which other ranks.

In all functions, ``culprit`` is the index of a region in ``findings.run.weighed.regions``.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...analyze import Findings
from ...analyze.run.criteria import CRITERIA
from ...analyze.verdict import Finding, Wait
from ...experiment import Region
from ..place import Place
from ..times import time_of
from ..units import count, ranks, volume
from .parts import ALL

__all__ = ["how_long", "waited_in", "who_for_whom", "who_waits", "why_in_mpi"]


def who_waits(wait: Wait) -> str:
    """Return the ranks that wait, with the verb: ``rank 0 waits``, ``ranks 1-3 wait``, or ``ranks wait`` if all do."""
    if not wait.waiting:
        return "ranks wait"
    return f"{ranks(wait.waiting)} {'waits' if len(wait.waiting) == 1 else 'wait'}"


def how_long(findings: Findings, wait: Wait) -> str:
    """Return the waiting time of a single rank, or the mean over several ranks, as text: ``560 ms on average``."""
    mean = "" if len(wait.waiting) == 1 else " on average"
    return f"{time_of(findings.experiment, wait.mean or wait.seconds)}{mean}"


def who_for_whom(findings: Findings, wait: Wait, whom: str) -> str:
    """Return which ranks wait for which, as text: ``rank 0 waits for rank 3: 560 ms, in energy (main.c:20)``.

    Args:
        findings: The findings.
        wait: The wait.
        whom: The words after "wait for" if the late ranks are unknown.
    """
    late, longest = _latest(findings, wait), ""
    others = {*wait.ranks}.difference(wait.waiting)
    if len(others) > 1 and (not wait.waiting or len(wait.ranks) == findings.workers):
        whom = "each other" if not wait.waiting else "the others" if len(wait.waiting) == 1 else "other ranks"
        longest = f"; longest for {ranks(late)}" * (0 < 2 * len(late) <= findings.workers)
    elif len(wait.waiting) > 1 and {*wait.waiting} <= {*wait.ranks}:
        whom = f"each other and {ranks(sorted(others))}" if others else "each other"
    elif late:
        whom = ranks(late)
    where = Place.of_region(wait.region).in_words
    return f"{who_waits(wait)} for {whom}: {how_long(findings, wait)}, in {where}{longest}"


def waited_in(findings: Findings, culprit: int) -> Region | None:
    """Return the region in which ranks wait because others are still busy in ``culprit``.

    None if all ranks are busy in ``culprit`` at the same time.
    """
    found = findings.explanation.serialisation
    return found.because_of(culprit) if found and findings.in_turn[culprit] else None


def why_in_mpi(findings: Findings, finding: Finding, culprit: int) -> str:
    """Return a phrase that explains why a region spends time in MPI: ranks wait, poll, or send small messages."""
    explanation = findings.explanation
    if explanation.serialisation and findings.in_turn[culprit]:
        return _in_turn(findings, finding, culprit)
    otherwise = explanation.seconds.has_small_calls[culprit] or culprit in explanation.waiting.shares
    if (late := explanation.waiting.awaited.get(culprit)) and not otherwise:
        busy = Place.of_region(late).in_words
        time = findings.run.weighed_costs[culprit].mpi_time or 0.0
        return f"{_in_calls(findings, culprit, time)}: ranks wait for other ranks that are still busy in {busy}"
    return _estimated(findings, culprit)


def _latest(findings: Findings, wait: Wait) -> tuple[int, ...]:
    """Return the ranks for which others wait; if these are all ranks, only the one for which others wait longest."""
    late = [each for each in wait.ranks if (each,) != wait.waiting]  # a single waiting rank does not wait for itself
    if len(wait.ranks) == findings.workers:
        return tuple(late[:1])
    return tuple(sorted({*late}.difference(wait.waiting) or late or wait.ranks))


def _in_turn(findings: Findings, finding: Finding, culprit: int) -> str:
    """Return a phrase for ranks that work one after another, or whose slowest rank differs between synchronisations."""
    found, waiting = findings.explanation.serialisation, waited_in(findings, culprit)
    at = f" in {Place.of_region(waiting).in_words}" if waiting else ""
    if found and found.passes_on[culprit]:
        return f"each rank waits{at} for the rank before it"
    if found and found.in_doubt[culprit]:
        return f"each rank waits{at} for the rank before it, or a different rank is slowest each time"
    late = next((_latest(findings, each) for each in finding.waits if each.region == waiting), ())
    longest = f"; longest for {ranks(late)}" if late else ""
    return f"a different rank is slowest each time; the others wait{at}{longest}"


def _in_calls(findings: Findings, culprit: int, time: float) -> str:
    """Return a phrase with the time in a region's MPI calls, and their number and bytes summed over all ranks.

    ``time`` is the mean over the ranks, in seconds.
    """
    cost, number = findings.run.weighed_costs[culprit], len(findings.run.weighed.ranks)
    each, moved = cost.mpi_calls or 0.0, cost.mpi_bytes or 0.0
    calls = f"{count(each * number)} MPI calls" if each >= 2 else "MPI calls"
    that_transfer = f" that transfer {volume(moved * number)}" if moved else ""  # 0 if unknown
    return f"{time_of(findings.experiment, time)} in {calls}{that_transfer}"


def _estimated(findings: Findings, culprit: int) -> str:
    """Return the likely reason why a region spends time in MPI, judged by its calls, its bytes, and late ranks."""
    cost, waiting, seconds = (
        findings.run.weighed_costs[culprit],
        findings.explanation.waiting,
        findings.explanation.seconds,
    )
    each, time = cost.mpi_calls or 0.0, cost.mpi_time or 0.0
    if seconds.has_small_calls[culprit]:
        small = float(seconds.small_calls[culprit])
        small, per_call = time if small >= ALL * time else small, f"{volume((cost.mpi_bytes or 0.0) / each)} per call"
        if seconds.has_polling[culprit]:
            calls = f"{count(each * len(findings.run.weighed.ranks))} MPI calls that test or complete requests"
            return f"polling: {time_of(findings.experiment, small)} in {calls}, {per_call}"
        what = "barriers and other calls without data" if seconds.has_empty_calls[culprit] else "small messages"
        return f"{what}: {_in_calls(findings, culprit, small)}, {per_call}"
    line = _in_calls(findings, culprit, time)
    if culprit in waiting.shares:
        return f"{line}: {_for_late_ranks(findings, waiting.shares[culprit], time)}"
    if not each or time <= CRITERIA.call * each:
        return f"{line}: latency, or ranks that arrive late"
    if seconds.turns and culprit in waiting.hints:
        late = _for_late_ranks(findings, waiting.hints[culprit], time)
        return f"{line}: {late}; the rest may be waiting for a core"
    turn = ", or wait for a core" if seconds.turns else ""
    return f"{line}, {time_of(findings.experiment, time / each)} per call: ranks that arrive late{turn}"


def _for_late_ranks(findings: Findings, shares: Mapping[int, float], time: float) -> str:
    """Return a phrase with the ranks for which others wait longest, the region in which they are late, and the time.

    Args:
        findings: The findings.
        shares: Index of a region in which ranks are late → seconds that others wait because they are late there.
        time: Time in MPI, in seconds.
    """
    late = max(shares, key=shares.__getitem__)
    place, waited = Place.of(findings.experiment, findings.vectors.regions[late]), shares[late]
    part = "waiting" if waited >= ALL * time else f"{time_of(findings.experiment, waited)} of it waiting"
    known = (each for each in findings.verdict.findings if each.difference == late)
    slowest = next((each.slowest for each in known), ())
    who = ranks(slowest) if slowest else "the ranks that take longest"
    return f"{part} for {who}, which {'takes' if len(slowest) == 1 else 'take'} longest in {place.in_words}"
