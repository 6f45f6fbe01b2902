"""The first lines of a verdict: program, time, efficiency, and overhead."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ...analyze import Findings
from ...analyze.run.criteria import CRITERIA
from ...analyze.run.overhead import Overhead
from ..causes import FOLLOW
from ..place import Place
from ..times import time_of
from ..title import title_of
from ..units import percent, ranks, seconds
from .parts import can_be_followed, who_waits

__all__ = ["balanced", "efficiency", "headline", "master", "processes", "too_short", "what_is_busy"]

_PATH_COST: Final = 0.05  # percent of the run: less is not worth mentioning


def headline(findings: Findings, file: Path | None) -> list[str]:
    """Return the parts of the first line: the program, its ranks, its time, the base of all gains, and the overhead."""
    experiment, verdict = findings.experiment, findings.verdict
    started = len({place.process for place in experiment.locations}.intersection(experiment.notes.started))
    more = f" and {started} more {'process' if started == 1 else 'processes'}" if started else ""
    number, expected = processes(findings)
    of_all = f" of {expected}" if number < expected else ""
    run, base = (time_of(experiment, each) for each in (findings.run.program_time, verdict.base.seconds))
    what = "critical path" if verdict.base.is_path else "busiest rank" if expected > 1 else "busy"
    return [
        title_of(experiment, file),
        f"{number}{of_all} {'rank' if number == 1 and not of_all else 'ranks'}{more}",
        *([f"run {run} wall", f"{what} {base}"] if base != run else [f"run {run}"]),
        *_overhead(findings.run.overhead),
    ]


def what_is_busy(findings: Findings) -> list[str]:
    """Explain the times of the first line; empty if that is not needed."""
    base, run = findings.verdict.base, findings.run.program_time
    if time_of(findings.experiment, base.seconds) == time_of(findings.experiment, run):
        return []
    path = "critical path: run time with enough cores, free messages; " if base.is_path else ""
    return [f"{path}busy time: computing + file I/O, no MPI"]


def _overhead(cost: Overhead) -> list[str]:
    """Return the overhead relative to busy time, and that of recording the critical path relative to the run."""
    if cost.of_computing is not None:
        has_path = (cost.of_path or 0.0) >= _PATH_COST
        path = f", path {percent(cost.of_path or 0.0)}" if has_path else ""
        return [f"measuring overhead {percent(cost.of_computing)}{path}"]
    return [] if cost.percent is None else [f"measuring overhead {percent(cost.percent)}"]


def efficiency(findings: Findings) -> list[str]:
    """Return the ranks' efficiency, and what is lost to what; empty if the critical path is unknown.

    If ranks share cores, or waited for one, the time of transfer is unknown.
    """
    found = findings.efficiency
    if found is None:
        return []
    whole = found.known_transfer * found.serialisation * found.load_balance
    lost = {
        "unequal work": found.lost_to_imbalance,
        "waiting for each other": found.lost_in_turn,
        "MPI transfer": 1 - found.known_transfer,
    }
    parts = [f"{percent(100 * share)} to {what}" for what, share in lost.items() if share >= CRITERIA.least_gain]
    but = "" if "transfer" in found.reliable else f" without transfer{_with_transfer(findings, whole)}"
    lost_to = "; lost: " + ", ".join(parts) if parts else ""
    return [f"efficiency {percent(100 * whole)}{but}{lost_to}{_longest_wait(findings)}"]


def _with_transfer(findings: Findings, efficiency: float) -> str:
    """Return the ranks' efficiency with that of messages, by number and size, if these matter."""
    moved, base = findings.verdict.transfer, findings.verdict.base.seconds
    if moved < CRITERIA.least_gain * base:
        return ""
    return f", {percent(100 * efficiency * base / (base + moved))} with {time_of(findings.experiment, moved)} of it"


def _longest_wait(findings: Findings) -> str:
    wait = findings.verdict.longest_wait
    if wait is None:
        return ""
    late = (
        f", while others are in {Place.of_region(wait.late).in_words}" if wait.late not in (None, wait.region) else ""
    )
    time = time_of(findings.experiment, wait.mean or wait.seconds)
    each = "" if len(wait.waiting) == 1 else " each"
    return f"; {who_waits(wait)} most in {Place.of_region(wait.region).in_words}{late}: {time}{each}"


def balanced(findings: Findings) -> list[str]:
    """Report that ranks do not differ, if no efficiency is given, and that no region stands out, without findings."""
    verdict = findings.verdict
    if verdict.too_short or not verdict.balanced:
        return []
    present, expected = processes(findings)
    if efficiency(findings) or (len(findings.vectors.labels) < 2 and expected < 2):
        return [] if verdict.findings else ["no region stands out"]
    excluded = {place.process for place in findings.experiment.locations}.difference(findings.vectors.ranks)
    without = f" without {ranks(sorted(excluded))}" if excluded else ""
    programs = findings.dissimilarity.programs
    of_each = f" of each of the {programs} programs" if programs > 1 else ""
    as_far = f" as far as the data of {present} of {expected} ranks show" if present < expected else ""
    who = "threads" if findings.vectors.threads else "ranks"
    line = f"balanced{as_far}: {who}{of_each}{without} differ in no region enough to matter"
    line += "" if verdict.findings else "; no region stands out"
    if verdict.not_followed and can_be_followed(findings):
        line += f"; {percent(100 * verdict.not_followed)} of the run is in MPI: {FOLLOW}"
    return [line]


def master(findings: Findings) -> list[str]:
    """Report which rank is a master, if one is."""
    rank = findings.verdict.master
    if rank is None:
        return []
    return [f"rank {rank} computes next to nothing: a master, left out of comparisons (keep it: --include-rank {rank})"]


def processes(findings: Findings) -> tuple[int, int]:
    """Return the number of ranks with data, and the number expected."""
    experiment = findings.experiment
    present = len({place.process for place in experiment.locations}.difference(experiment.notes.started))
    return present, present + len(experiment.notes.missing)


def too_short() -> str:
    """Return the message that a run is too short to judge."""
    return f"too short to judge: expected a program of at least {seconds(CRITERIA.resolution)}"
