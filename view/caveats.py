"""Describe the source of counts, and warn about the data; each warning begins with its consequence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from ..analyze import Findings
from ..analyze.choices import PAPER
from ..analyze.evidence.attributes import ATTRIBUTES
from ..analyze.run.oversubscription import oversubscription, share_of_others, time_asleep
from ..analyze.run.summary import summary
from ..experiment import Experiment, Region
from ..experiment.metric import MPI_WAIT
from ..experiment.throttling import left_out
from ..runtime.papi.sources import counted
from ..runtime.usage.names import ALLOCATION, USAGE
from .causes import NAMES
from .counted_events import counted_events, ranks_without
from .place import Place
from .rerun import COUNT
from .times import time_of
from .units import count, many, percent, ranks, seconds

__all__ = ["TRUST", "caveats", "how_counted", "shared_cores"]

TRUST: Final = "trust busy time, not wall time"

_MOST: Final = 2  # number of warnings to show by default; another line contains the number of further warnings
_COSTLY: Final = 10  # minimum overhead in percent that causes a warning
_OUTSIDE: Final = 0.1  # minimum time in seconds before MPI_Init and after MPI_Finalize that causes a warning


def caveats(
    findings: Findings, *, most: int = _MOST, everything: bool = False, besides: Sequence[str] = ()
) -> list[str]:
    """Return the most important warnings, and a line with the number of further warnings.

    Args:
        findings: The findings.
        most: The maximum number of warnings to return.
        everything: Whether to return all warnings, with all names.
        besides: Further warnings, less important than the warnings about the run.
    """
    said = [*_all(findings, names=everything), *besides]
    if everything or len(said) <= most:
        return said
    return [*said[:most], f"… and {many(len(said) - most, 'more warning')}: autoanalyzer analyze --all"]


def _all(findings: Findings, *, names: bool) -> Iterator[str]:
    """Yield the warnings, most important first; lists of names are complete if ``names``, otherwise shortened."""
    notes = findings.experiment.notes
    remarks = iter(notes.remarks)
    yield from _derived(findings, names)
    if notes.missing:
        yield f"sums are too small, because {ranks(list(notes.missing))} (of {notes.expected_processes}) wrote no data"
    if notes.unfinished:
        yield f"the data end early: {ranks(list(notes.unfinished))} {_how_unfinished(findings)}"
        yield from remarks  # these show in which region each unfinished rank was
    if notes.not_instrumented:
        yield f"not instrumented: {_names(notes.not_instrumented, names)}"
    yield from _crowded(findings)
    yield from _asleep(findings)
    if findings.run.nested_teams:
        yield "nested OpenMP teams are not compared, because their threads differ each time"
    if "," in notes.clocks.get("cpu", "") and "syscall" in notes.clocks["cpu"]:
        clocks = notes.clocks["cpu"]
        yield f"ranks that read their CPU clock by system call look slower than they are (clocks: {clocks})"
    if findings.run.outside >= _OUTSIDE:
        outside = time_of(findings.experiment, findings.run.outside)
        yield f"{outside} of the run is not judged: it is before MPI_Init or after MPI_Finalize"
    if notes.repairs:
        what = "region was" if notes.repairs == 1 else "regions were"
        yield f"callers may be wrong: {notes.repairs} {what} left by a jump and closed afterwards"
    if notes.throttled:
        throttled = _names([Region.from_descriptor(each).name for each in notes.throttled], names)
        yield f"times of callers include {throttled}, too small to measure separately (--max-overhead)"
    yield from remarks
    if (findings.run.overhead.of_computing or 0.0) >= _costly_from(findings):
        yield _costly(findings)


def _derived(findings: Findings, everything: bool) -> Iterator[str]:
    """Yield warnings if the data are not from a single ordinary run, or if the method of Liu et al. 2011 was chosen."""
    notes = findings.experiment.notes
    if findings.method == PAPER:
        yield "analysed as in Liu et al. 2011 (--method paper): even the smallest differences and regions count"
    if MPI_WAIT.name in findings.experiment:
        yield "times include added barriers: --split-waiting inserts one before each collective"
    if notes.runs > 1:
        yield f"mean of {notes.runs} runs"
    elif notes.history:
        yield f"derived: {notes.history[-1]}"
    if notes.left_out:
        wholes = ", ".join(dict.fromkeys(notes.left_out.values()))
        yield f"removed from the file, but still included in {wholes}: {_names([*notes.left_out], everything)}"


def _names(names: Sequence[str], everything: bool) -> str:
    """Return names as text: all names, or the first name and the number of further names."""
    if everything or len(names) == 1:
        return ", ".join(names)
    return f"{names[0]} and {len(names) - 1} more"


def _costly(findings: Findings) -> str:
    if findings.run.overhead.paths_cost_most:
        paths = count(findings.run.overhead.call_paths)
        return f"regions look slower than they are: creating {paths} call paths took about 1 us each"
    return f"small functions and loops look slower than they are: {_cheaper(findings)}"


def _cheaper(findings: Findings) -> str:
    if left_out(findings.experiment):
        return "rebuild with the plan that this run wrote"
    if _reads_usage(findings):
        return "--usage makes a system call at each entry; measure without it"
    if not _throttles(findings):
        return "counters are read at each entry; measure with --counters none"
    return "a lower --max-overhead, such as 1%, leaves more of them out"


def _throttles(findings: Findings) -> bool:
    told = (counted(each.source.rpartition(" of ")[2]) for each in findings.experiment.metrics)
    return all(each is None or each.calls for each in told) and not _reads_usage(findings)


def _reads_usage(findings: Findings) -> bool:
    """Return whether probes read usage counters by a system call at each entry."""
    asked = set(USAGE) - set(ALLOCATION)
    return any(each.name in asked and each.source.startswith("measured:") for each in findings.experiment.metrics)


def _costly_from(findings: Findings) -> float:
    """Return the minimum overhead, in percent, that causes a warning: 10 or, if it is lower, ``--max-overhead``.

    The limit ``--max-overhead`` counts only if it had no effect, because the run could not throttle probes.
    """
    share = findings.experiment.notes.max_overhead
    return min(100 * share, _COSTLY) if share and not _throttles(findings) else _COSTLY


def shared_cores(experiment: Experiment) -> str | None:
    """Return a warning that ranks, or their threads, share cores; None if each had its own core."""
    if not (sharing := oversubscription(experiment)):
        return None
    threads = sharing > len({each.process for each in experiment.locations})
    return f"{sharing} {'threads' if threads else 'ranks'} share {many(experiment.notes.processors or 0, 'core')}"


def _crowded(findings: Findings) -> Iterator[str]:
    """Yield warnings if ranks shared cores, waited for cores, or competed with other programs for cores."""
    others = share_of_others(findings.experiment)
    cores = shared_cores(findings.experiment)
    if others and cores:
        cores += f", of which other programs took {percent(100 * others)}"
    elif others:
        cores = f"other programs took {percent(100 * others)} of the cores' time"
    if why := [*filter(None, [cores, _delayed(findings)])]:
        unknown = "; MPI transfer is not known, because the kernel does not report waiting for cores"
        known = unknown if findings.run.waits_for_cores_unknown else ""
        yield f"{TRUST}: {'; '.join(why)}{known}"
    if findings.differences.not_judged:
        vectors, found = findings.differences.not_judged
        culprit = max(found.culprits, key=lambda each: float(np.ptp(vectors.values[each])))
        place = Place.of(findings.experiment, vectors.regions[culprit])
        most = int(vectors.values[culprit].argmax())
        who, time = ranks([vectors.labels[most]]), seconds(float(vectors.measured([culprit])[0, most]))
        yield f"not judged: {who} is off the core for {time} in {place.in_words}, asleep or waiting for a core"


def _delayed(findings: Findings) -> str:
    """Return a warning if ranks waited for a core although there were enough cores, otherwise an empty text."""
    wait = findings.run.wait_for_core
    if findings.run.oversubscription or not wait:
        return ""
    return f"{ranks([wait.process])} waited for a core for {percent(100 * wait.seconds / wait.of)} of its time"


def _asleep(findings: Findings) -> Iterator[str]:
    """Yield a warning if busy time, MPI, file I/O and waiting for cores leave too much of the run unexplained."""
    if rest := time_asleep(findings.experiment):
        of = seconds(float(summary(findings.experiment, "wall_time").first.sum()) / len(findings.run.weighed.ranks))
        yield (
            f"{seconds(rest)} of {of} per rank are not covered by any finding: time asleep, or waiting for a child"
            " process, a device or a thread"
        )


def how_counted(findings: Findings, not_counted: str = "") -> str:
    """Return a text with the source of counts, the counts that are missing, and the reason."""
    if "instructions" in findings.lacking and not ranks_without(findings.experiment, "instructions"):
        counted = counted_events(findings.experiment.metrics)
        is_imported = "imported:" in findings.experiment.metric("wall_time").source
        cannot_count = is_imported or bool(findings.experiment.notes.samples)
        to_do = "" if not_counted or cannot_count else f": {COUNT}"
        return f"{counted}{f' ({not_counted})' if not_counted else to_do}"
    source = findings.experiment.metric("instructions").source.rpartition(" of ")[2]
    simulated = re.fullmatch(r"simulated:\w+ (.*)", source)
    said = f"counts simulated ({re.sub(r' (?=L2=)', ', ', simulated[1]).replace('=', ' ')})" if simulated else ""
    parts = [said or f"counts {source}"]
    if findings.weights.cycles is None:
        parts.append("no cycles")
    elif findings.weights.cycles == "ref_cycles":
        parts.append("cycles from CPU time")
    if findings.lacking:
        parts.append(f"not counted: {', '.join(_lacking(findings))}")
    return ", ".join(parts)


def _lacking(findings: Findings) -> Iterator[str]:
    """Yield the name of each attribute that was not counted, with the ranks without counts unless these are all."""
    for each in findings.lacking:
        without = (ranks_without(findings.experiment, name) for name in ATTRIBUTES[each] if name)
        where = next(filter(None, without), None)
        yield f"{NAMES[each]}{f' ({ranks(where)})' if where else ''}"


def _how_unfinished(findings: Findings) -> str:
    experiment = findings.experiment
    if "program_time" in experiment and not summary(experiment, "program_time").positive:
        return "ended before the program did"
    return "never entered MPI_Finalize"
