"""What must be said beside findings: what is missing, what disturbs, and how the numbers came about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..analyze import Findings
from ..experiment import Region
from .causes import NAMES
from .units import ranks, seconds

__all__ = ["caveats"]

_MOST: Final = 6
_COSTLY: Final = 10  # percent


def caveats(findings: Findings) -> list[str]:
    """Give a few lines at most, lest they leave no room for findings; the last one says how was counted."""
    said = list(_all(findings))
    if len(said) <= _MOST:
        return said
    kept = said[: _MOST - 2]
    return [*kept, f"… and {len(said) - len(kept) - 1} more notes: analyze --json", said[-1]]


def _all(findings: Findings) -> Iterator[str]:
    notes = findings.experiment.notes
    if notes.history:
        yield f"derived: {notes.history[-1]}"
    if notes.missing:
        yield f"missing: {ranks(list(notes.missing))} of {notes.expected_processes}: nothing came back from there"
    if notes.unfinished:
        yield f"unfinished: {ranks(list(notes.unfinished))} {_how_unfinished(findings)}"
    if notes.not_instrumented:
        more = f" and {len(notes.not_instrumented) - 1} more" if len(notes.not_instrumented) > 1 else ""
        yield f"not instrumented: {notes.not_instrumented[0]}{more}"
    yield from _crowded(findings)
    if "," in notes.clocks.get("cpu", "") and "syscall" in notes.clocks["cpu"]:
        yield f"CPU clocks of ranks differ ({notes.clocks['cpu']}): those with syscall look slower than they are"
    if findings.outside:
        yield f"{seconds(findings.outside)} of it before MPI_Init or after MPI_Finalize"
    if notes.repairs:
        what = "region was" if notes.repairs == 1 else "regions were"
        yield f"{notes.repairs} {what} left by a jump and closed afterwards"
    if notes.throttled:
        names = [Region.from_descriptor(each).name for each in notes.throttled]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"throttled: {names[0]}{more}: time counted to callers since measuring took too much (--max-overhead)"
    if notes.remarks:
        more = f" (and {len(notes.remarks) - 1} more: analyze --json)" if len(notes.remarks) > 1 else ""
        yield notes.remarks[0] + more
    if (findings.overhead.of_computing or 0.0) >= _COSTLY:
        yield "measuring is costly here: small functions and loops that are entered often look larger than they are"
    yield _how_counted(findings)


def _crowded(findings: Findings) -> Iterator[str]:
    """Say that ranks, or their threads, took turns."""
    processors = findings.experiment.notes.processors
    processes = len({each.process for each in findings.experiment.locations})
    threads = len(findings.performance.threads)
    if processors is not None and max(processes, threads) > processors:
        where = "one processor" if processors == 1 else f"{processors} processors"
        who = f"{threads} threads" if threads > processes else f"{processes} ranks"
        yield f"{who} on {where}: they take turns, and who waits in MPI waits for that, too"


def _how_counted(findings: Findings) -> str:
    """Say where counts come from, and which are not there."""
    if "instructions" in findings.lacking:
        imported = "imported:" in findings.experiment.metric("wall_time").source
        way = "" if imported else " (--counters simulated)"
        return f"nothing was counted{way}: time alone is classed, no causes in instructions and misses"
    source = findings.experiment.metric("instructions").source.rpartition(" of ")[2]
    simulated = re.fullmatch(r"simulated:\w+ (.*)", source)
    said = f"counts simulated ({re.sub(r' (?=L2=)', ', ', simulated[1]).replace('=', ' ')})" if simulated else ""
    parts = [said or f"counts {source}"]
    if findings.cycles is None:
        parts.append("no cycles: shares of the wall time were classed")
    elif findings.cycles == "ref_cycles":
        parts.append("cycles from CPU time")
    if findings.lacking:
        parts.append(f"not counted: {', '.join(NAMES[each] for each in findings.lacking)}")
    return ", ".join(parts)


def _how_unfinished(findings: Findings) -> str:
    experiment = findings.experiment
    if "program_time" in experiment and not experiment.exclusive("program_time").any():
        return "ended before the program did; the data end there"
    return "never entered MPI_Finalize; the data end early"
