"""Explain what causes a region's time.

In all functions, ``culprit`` is the index of a region in ``findings.run.weighed.regions``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...analyze import Findings
from ...analyze.account import EVENTS
from ...analyze.dissimilarity.events import is_by_call_path
from ...analyze.evidence.attributes import MISS_RATES
from ...analyze.run.code_regions import call_line_of, caller_of
from ...analyze.run.foreign_metrics import replaced
from ...analyze.run.selection import complete
from ...analyze.run.summary import summary
from ...analyze.verdict import Cause, Finding, Kind
from ...analyze.verdict.parts import IN_SYSTEM, PAGE
from ..causes import NAMES, evidence, of_the_program
from ..counted_events import ranks_without
from ..place import Place, at_line, short
from ..rerun import COUNT, REBUILD, with_command
from ..times import time_of
from ..units import count, percent, ranks, volume

__all__ = [
    "ALL",
    "NEW_PAGES",
    "NOT_SAMPLED",
    "NO_PROBES",
    "OF_CODE",
    "TO_COUNT",
    "TO_REBUILD",
    "UNCOUNTED",
    "can_be_followed",
    "can_be_rerun",
    "follow",
    "has_no_probes",
    "has_page_faults",
    "in_files",
    "is_in_mpi",
    "is_wall_known",
    "not_counted",
    "of_whole",
    "parts",
]

NO_PROBES: Final = f"rebuild with probes: {REBUILD}"
NOT_SAMPLED: Final = "sample the program: autoanalyzer run --sample auto (or rebuild with aa-mpicc or aa-mpifort)"
TO_COUNT: Final = f": {COUNT} (5-20 times slower)"  # the end of a line about unknown causes
NO_COUNTS: Final = "the file has no instruction counts"  # a file of another tool
TO_REBUILD: Final = "to count instructions, rebuild with aa-mpicc or aa-mpifort"  # samples have no counts
UNCOUNTED: Final = (TO_COUNT, TO_REBUILD, NO_COUNTS)  # the ends of lines about causes that only counts can show
UNKNOWN_INSIDE: Final = "unknown: the program has no probes, so only its MPI calls and file I/O were measured"
NEW_PAGES: Final = "next: autoanalyzer run --usage page_faults (shows whether the region waits for new pages)"
ALL: Final = 0.9  # a larger share of a time is written as "all"
_IN_MPI: Final = (Kind.LATE, Kind.MESSAGES, Kind.TRANSFER)
OF_CODE: Final = (Kind.MEMORY, Kind.HOT_SPOT)
_OF: Final = {
    **dict.fromkeys(MISS_RATES, Kind.MEMORY),
    "io_bytes": Kind.FILE_IO,
    "mpi_bytes": Kind.TRANSFER,
    "page_faults": Kind.PAGE_FAULTS,
    "allocations": Kind.ALLOCATION,
}
_NO_PRICE: Final = "; to measure the time per event: autoanalyzer calibrate"


def is_in_mpi(finding: Finding) -> bool:
    """Return whether a finding is about time in MPI, rather than about work that may keep other ranks waiting."""
    return finding.kind in _IN_MPI and not finding.is_in_turn


def not_counted(findings: Findings) -> list[str]:
    """Return the line for a cause that is unknown because instructions were not counted, with the next step."""
    where = ranks_without(findings.experiment, "instructions")
    if can_be_rerun(findings):
        if findings.experiment.notes.samples:
            return [f"unknown; {TO_REBUILD}"]
        of_some = f" on {ranks(where)}, too" if where else ""
        return [f"unknown; count instructions{of_some}{TO_COUNT}"]
    of_some = f"on {ranks(where)} " if where else ""
    return [f"unknown, and no fix is known, because {of_some}{NO_COUNTS}"]


def can_be_followed(findings: Findings) -> bool:
    """Return whether this run did not record the critical path, but a repeated run could."""
    return findings.critical_path is None and can_be_rerun(findings)


def follow(findings: Findings) -> str:
    """Return a phrase with the command that shows which ranks wait for which."""
    return f"{with_command(findings.experiment, 'autoanalyzer run --path always')} (shows which ranks wait for which)"


def can_be_rerun(findings: Findings) -> bool:
    """Return whether the run can be repeated with other options; False if another tool measured it."""
    return "imported:" not in findings.experiment.metric("wall_time").source


def is_wall_known(findings: Findings) -> bool:
    """Return whether wall time was measured, rather than replaced by CPU time or samples."""
    return not replaced(findings.experiment, "wall_time")


def parts(findings: Findings, finding: Finding, culprit: int) -> Iterator[tuple[str, Kind]]:
    """Yield a line for each cause of a region's time, the largest first, then a line about its instructions.

    Each line comes with its kind of fault.
    """
    for each in findings.parts.causes(culprit):
        if each.attribute == "io_calls":
            yield f"why: {in_files(findings, [culprit])}{_of_the_time(findings, each)}", Kind.FILE_IO
        elif each.attribute in IN_SYSTEM.values():
            yield f"why: {_in_system(findings, each, culprit)}", _OF.get(each.attribute, Kind.HOT_SPOT)
        elif each.attribute in EVENTS:
            yield f"why: {_event(findings, each.attribute, culprit)} take {_taken(findings, each)}", Kind.HOT_SPOT
        elif each.attribute in findings.explanation.attributes and each.attribute != "instructions":
            yield f"why: {_part(findings, each, culprit)}", _OF[each.attribute]
    if finding.kind in OF_CODE:
        yield from ((line, Kind.HOT_SPOT) for line in _of_code(findings, finding, culprit))


def _of_code(findings: Findings, finding: Finding, culprit: int) -> Iterator[str]:
    if "instructions" in findings.lacking:
        bare = has_no_probes(findings, finding)
        yield from (f"why: {UNKNOWN_INSIDE if bare else each}" for each in not_counted(findings))
        return
    cycles = findings.parts.cycles(culprit)
    if findings.parts.is_explained(culprit):
        yield "why: " * (finding.kind is Kind.HOT_SPOT) + _executes(findings, culprit, cycles)
        return
    why = ": no count explains the time"
    if cycles is not None:
        why = f"; {1 / cycles:.2g} instructions per {_cycle(findings)}: {_long_latencies(findings, culprit)}"
    yield f"why: unknown{why}"
    yield from _look_further(findings, culprit)


def _long_latencies(findings: Findings, culprit: int) -> str:
    """Return, as text, the long-latency events that may explain a region's time, or that too few were counted."""
    found = findings.parts.candidates(culprit)
    if found is None:
        return "long latencies (memory, divisions, mispredicted branches)"
    if found:
        named = ", ".join(_event(findings, name, culprit) for name in found)
        priced = {*findings.account.splitting.counted.events}
        return f"perhaps {named}{'' if priced.issuperset(found) else _NO_PRICE}"
    counted = [name for name in EVENTS if complete(findings.experiment, name)]
    named = ", ".join(NAMES[name] for name in counted[:-1]) + " or " * (len(counted) > 1) + NAMES[counted[-1]]
    return f"long latencies; too few {named} to explain them"


def _event(findings: Findings, name: str, culprit: int) -> str:
    """Return the number of events of a kind in a region as text: ``4.0e7 mispredicted branches of 1.0e8``."""
    sums = findings.run.weighed.sums
    said = f"{count(float(sums(name)[culprit]))} {NAMES[name]}"
    if name == "branch_misses" and complete(findings.experiment, "branches"):
        said += f" of {count(float(sums('branches')[culprit]))}"
    return said


def _taken(findings: Findings, cause: Cause) -> str:
    """Return how much of a region's time a cause takes: ``310 ms of the region's 400 ms``."""
    spent, whole = of_whole(findings, cause)
    return f"{'all' if (cause.share or 0.0) >= ALL else spent} of the region's {whole}"


def of_whole(findings: Findings, cause: Cause) -> tuple[str, str]:
    """Return two times as text: the time that a cause takes, and the total that contains it."""
    assert cause.seconds is not None and cause.share
    return time_of(findings.experiment, cause.seconds), time_of(findings.experiment, cause.seconds / cause.share)


def _part(findings: Findings, cause: Cause, culprit: int) -> str:
    """Return a phrase with a cause's name and amount in a region, and its time unless it is misses or messages."""
    said = evidence(findings.explanation.attributes[cause.attribute], culprit, findings.run.weighed_costs[culprit])
    if cause.attribute == "mpi_bytes":
        said += _call_that_moves(findings, culprit)
    if cause.attribute in MISS_RATES:
        said += _further_misses(findings, culprit)
    if cause.attribute in findings.parts.unpriced(culprit):
        said += "; the time per miss is not known"
    is_of_gain = cause.attribute in (*MISS_RATES, "mpi_bytes")
    return f"{NAMES[cause.attribute]}: {said}{'' if is_of_gain else _of_the_time(findings, cause)}"


def _further_misses(findings: Findings, culprit: int) -> str:
    """Return a phrase with a region's L3 misses (in percent of its L2 misses) and its TLB misses, if counted."""
    experiment, sums = findings.experiment, findings.run.weighed.sums
    said = ""
    if complete(experiment, "l3_misses") and (of_l2 := float(sums("l2_misses")[culprit])) > 0:
        said += f"; {percent(100 * float(sums('l3_misses')[culprit]) / of_l2)} of L2 misses also miss L3"
    if complete(experiment, "tlb_misses"):
        said += f"; {count(float(sums('tlb_misses')[culprit]))} TLB misses"
    return said


def _of_the_time(findings: Findings, cause: Cause) -> str:
    """Return ``; it takes 1.5 s of the region's 2.6 s``; empty if the cause takes all the time or an unknown time."""
    is_part = cause.seconds is not None and cause.share and cause.share < ALL
    return f"; it takes {_taken(findings, cause)}" if is_part else ""


def in_files(findings: Findings, regions: Sequence[int]) -> str:
    """Return the file I/O of some regions as text: ``file I/O: 1.6e6 writes of 96 B``.

    If the number of calls or bytes is unknown, the text contains only the other one; if both are unknown, it is empty.
    """

    def total(metric: str) -> float:
        known = complete(findings.experiment, metric)
        return float(findings.run.weighed.sums(metric)[list(regions)].sum()) if known else 0.0

    calls, moved, read, written = map(total, ("io_calls", "io_bytes", "io_bytes_read", "io_bytes_written"))
    if not moved:
        return f"file I/O: {count(calls)} calls" if calls else ""
    what = "reads" if read >= ALL * moved else "writes" if written >= ALL * moved else "calls"
    return f"file I/O: {f'{count(calls)} {what} of {volume(moved / calls)}' if calls else volume(moved)}"


def _in_system(findings: Findings, cause: Cause, culprit: int) -> str:
    """Return the page faults, allocations or kernel time of a region: ``page faults: 1.0e6 …; 310 ms of …``."""
    said = _taken(findings, cause)
    if cause.attribute != "system_time":
        number = float(findings.run.weighed.sums(cause.attribute)[culprit])
        said = f"{count(number)}{_of_these(findings, cause, culprit, number)}; {said}"
    return f"{NAMES[cause.attribute]}: {said}"


def _of_these(findings: Findings, cause: Cause, culprit: int, number: float) -> str:
    """Return, in parentheses, the memory that page faults provided, or the number of allocations per entry."""
    if cause.attribute == "page_faults":
        return f" (at least {volume(PAGE * number)} touched for the first time)"
    visits = float(findings.run.weighed.sums("visits")[culprit]) if complete(findings.experiment, "visits") else 0.0
    return f" ({count(number / visits)} per entry)" if visits > 0 else ""


def _call_that_moves(findings: Findings, culprit: int) -> str:
    """Return a phrase with the MPI call that moves the most bytes in a region, its line, and its bytes per call.

    Empty if the call was not recorded, or if it is the region itself, whose location is already shown.
    """
    experiment, most = findings.experiment, findings.parts.call_that_moves(culprit)
    if most is None:
        return ""
    moved, calls = (summary(experiment, name).sums for name in ("mpi_bytes", "mpi_calls"))
    own = experiment.call_paths[most].region
    caller, line = caller_of(experiment.call_paths, most), call_line_of(experiment.call_paths, most)
    at = at_line(caller.file, line) if caller and caller.file and line else ""
    is_itself = most == findings.run.weighed.regions[culprit].id
    if is_itself and (own.file or not at):
        return ""
    at = Place.of_region(own).source if own.file else at
    each = "" if is_itself else f", {volume(float(moved[most] / calls[most]))} per call"
    named = f"{short(own.name.partition('@')[0])}{f' ({at})' if at else ''}"
    return f"; {named} transfers {volume(float(moved[most]))}{each}"


def _look_further(findings: Findings, culprit: int) -> Iterator[str]:
    """Yield a line with a region's page faults, or the command that counts them; nothing if their time is known."""
    if complete(findings.experiment, "system_time") or not complete(findings.experiment, "page_faults"):
        return
    if has_page_faults(findings):
        yield f"the region has {count(float(findings.run.weighed.sums('page_faults')[culprit]))} page faults"
    else:
        yield NEW_PAGES


def has_page_faults(findings: Findings) -> bool:
    """Return whether page faults were recorded by call path, rather than only per process."""
    return is_by_call_path(findings.experiment, "page_faults")


def _executes(findings: Findings, culprit: int, cycles: float | None) -> str:
    """Return a phrase with the instructions that a region executes and, if cycles were counted, those per cycle.

    ``cycles`` is the number of cycles per instruction; None if cycles were not counted.
    """
    executed = findings.run.weighed.sums("instructions")
    own, of_all = float(executed[culprit]), float(executed[list(findings.run.weighed.top)].sum())
    part = next((each for each in findings.parts.causes(culprit) if each.attribute == "instructions"), None)
    said = f"the region executes {of_the_program(count(own), count(of_all))} instructions"
    if part and part.seconds and (part.share or 0.0) < ALL:
        said += f" in {time_of(findings.experiment, part.seconds)}"
    return f"{said}, {1 / cycles:.2g} per {_cycle(findings)}" if cycles else said


def _cycle(findings: Findings) -> str:
    """Return the unit of the cycles that were counted: a reference cycle is often longer than a cycle of the core."""
    return "reference cycle" if findings.weights.cycles == "ref_cycles" else "cycle"


def has_no_probes(findings: Findings, finding: Finding) -> bool:
    """Return whether a finding covers all code of a program that was built without probes."""
    region, notes = finding.region, findings.experiment.notes
    if finding.kind is not Kind.HOT_SPOT or region is None or not region.own_code:
        return False
    name = findings.experiment.call_paths[region.id].region.name
    said = [each for each in notes.not_instrumented if each.startswith(f"{name}: ")]
    return bool(said) and not any("--python-functions" in each for each in said)
