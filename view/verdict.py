"""The verdict: findings in at most fifteen lines, numbers with units, nothing that needs a manual."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..analyze import Findings
from ..analyze.classes import LABELS
from ..analyze.clusters import THRESHOLD
from ..analyze.costs import Cost
from .place import Place
from .units import percent, ranks, seconds

__all__ = ["verdict_lines"]

_MOST_LINES: Final = 15
_COSTLY: Final = 10  # percent
_SHORTEST: Final = 0.01  # seconds: what the clocks resolve well enough to judge by
_WEAK: Final = 0.25  # below this severity the noise of a shared machine can part ranks, too
# What ranks do, and what one rank does, for the time that is compared.
_VERBS: Final = {
    "compute_time": ("compute", "computes"),
    "cpu_time": ("are on a processor for", "is on a processor for"),
    "wall_time": ("take", "takes"),
}


def verdict_lines(findings: Findings, file: Path | None = None) -> list[str]:
    """Put findings into words.

    Args:
        findings: What was found.
        file: Where the experiment is, for the last line.

    Returns:
        At most fifteen lines; what had to be left out is said.
    """
    head = [_headline(findings), ""]
    tail = [*_said(findings), *([f"data {file}"] if file else [])]
    if findings.program_time < _SHORTEST:
        return [*head, f"too short to judge: {seconds(_SHORTEST)} of program at least wanted", "", *tail]
    items = [*_imbalances(findings), *_heavies(findings)]
    body = _balanced(findings, stands_out=bool(items))
    shown = 0
    room = _MOST_LINES - len(head) - len(body) - len(tail) - 2
    for lines in items:
        if room < len(lines):
            break
        room -= len(lines)
        shown += 1
        body += [f"{shown:2}  {lines[0]}", *(f"    {line}" for line in lines[1:])]
    if shown < len(items):
        body.append(f"    … and {len(items) - shown} more: analyze --json lists all")
    return [*head, *body, "", *tail]


def _balanced(findings: Findings, *, stands_out: bool) -> list[str]:
    """Acquit the ranks, and the regions too if nothing else is said."""
    if findings.dissimilarity.exists:
        return []
    excluded = {place.process for place in findings.experiment.locations}.difference(findings.performance.ranks)
    without = f" without {ranks(sorted(excluded))}" if excluded else ""
    severity = findings.dissimilarity.severity
    spread = f", S = {severity:.2f}" if severity <= THRESHOLD else f", differences under {seconds(findings.floor)}"
    line = f"balanced: one cluster{without}{spread if len(findings.performance.ranks) > 1 else ''}"
    return [line, ""] if stands_out else [f"{line}; no region stands out"]


def _headline(findings: Findings) -> str:
    experiment = findings.experiment
    processes = len({place.process for place in experiment.locations})
    regions = len({(experiment.call_paths[each.id].region, each.own_code) for each in findings.performance.regions})
    parts = [
        experiment.notes.program or "experiment",
        f"{processes} {'rank' if processes == 1 else 'ranks'}",
        seconds(findings.program_time),
        f"{regions} {'region' if regions == 1 else 'regions'}",
    ]
    cost = findings.overhead.percent
    return "   ".join(parts) + ("" if cost is None else f"      measuring cost {percent(cost)}")


def _imbalances(findings: Findings) -> Iterator[list[str]]:
    found = findings.dissimilarity
    if not found.exists:
        return
    word = "IMBALANCE " if found.severity >= _WEAK else "IMBALANCE?"
    last = f"{len(found.clusters)} clusters, S = {found.severity:.2f}"
    values = findings.performance.values
    cores = sorted(found.cccr, key=lambda core: values[core].min() - values[core].max())
    for number, core in enumerate(cores):
        lines = [f"{word}  {_where(findings, core)}", _cluster_times(findings, core)]
        if number == 0:
            lines[1] += f"      {last}"
            lines += _hints(findings)
        yield lines
    if not cores:
        yield [f"{word}  spread over all regions", last, *_hints(findings)]


def _hints(findings: Findings) -> Iterator[str]:
    found = findings.dissimilarity
    if found.odd_one is not None:
        yield _odd_one(findings, found.odd_one)
    if found.severity < _WEAK:
        yield "a small difference, which a noisy machine can make as well: repeat the run before you act on it"


def _odd_one(findings: Findings, column: int) -> str:
    rank = findings.performance.ranks[column]
    totals = findings.performance.values[list(findings.performance.top)].sum(axis=0)
    line = f"rank {rank} differs from all others, which are alike"
    if totals[column] > totals.min():
        return line
    return f"{line}: a master? then --exclude-rank {rank}"


def _cluster_times(findings: Findings, region: int) -> str:
    performance, clusters = findings.performance, findings.dissimilarity.clusters
    values = performance.values[region]
    if len(clusters) > 5:
        slowest = performance.ranks[int(values.argmax())]
        return f"from {seconds(values.min())} to {seconds(values.max())}, slowest rank {slowest}"
    verb = _VERBS[performance.metric][len(clusters[0]) == 1]
    parts: list[str] = []
    for each in clusters:
        who = ranks([performance.ranks[column] for column in each])
        parts.append(f"{who}{'' if parts else ' ' + verb} {seconds(float(values[list(each)].mean()))}")
    return ", ".join(parts)


def _heavies(findings: Findings) -> Iterator[list[str]]:
    found = findings.disparity
    for core in sorted(found.cccr, key=lambda index: -found.values[index]):
        cost = findings.costs[core]
        label = LABELS[found.classes[core]]
        line = f"HEAVY       {_where(findings, core)}      {percent(100 * cost.share)} of the run, {label}"
        yield [line + _mostly(cost)]


def _mostly(cost: Cost) -> str:
    """Say of a region whether it is MPI or I/O rather than code of the program's own."""
    for what, time in (("in MPI", cost.mpi_time), ("in file I/O", cost.io_time)):
        if time is not None and cost.wall_time and time > 0.5 * cost.wall_time:
            return f"; {percent(100 * time / cost.wall_time)} of it {what}"
    return ""


def _where(findings: Findings, region: int) -> str:
    """Say where a region is: ``rays.c:41   loop in propagate  ‹ work rays.c:60``."""
    regions = findings.performance.regions
    place = Place.of(findings.experiment, regions[region])
    where = f"{place.source}   {place.title}" if place.file else place.title
    for parent in findings.experiment.ancestors(place.id):
        caller = findings.experiment.call_paths[parent].region
        if caller.function != place.function and not regions[region].own_code:
            line = f" {caller.file.rpartition('/')[2]}:{caller.first_line}" if caller.file else ""
            return f"{where}  ‹ {caller.function or caller.name}{line}"
    return where


def _said(findings: Findings) -> Iterator[str]:
    """Say what is missing and how the numbers came about."""
    notes = findings.experiment.notes
    if notes.missing:
        yield f"missing: {ranks(list(notes.missing))} of {notes.expected_processes}: nothing came back from there"
    if notes.unfinished:
        yield f"unfinished: {ranks(list(notes.unfinished))} {_how_unfinished(findings)}"
    if notes.not_instrumented:
        more = f" and {len(notes.not_instrumented) - 1} more" if len(notes.not_instrumented) > 1 else ""
        yield f"not instrumented: {notes.not_instrumented[0]}{more}"
    if notes.repairs:
        what = "region was" if notes.repairs == 1 else "regions were"
        yield f"{notes.repairs} {what} left by a jump and closed afterwards"
    if notes.remarks:
        more = f" (and {len(notes.remarks) - 1} more: analyze --json)" if len(notes.remarks) > 1 else ""
        yield notes.remarks[0] + more
    if findings.overhead.percent is not None and findings.overhead.percent >= _COSTLY:
        yield "measuring is costly here: small functions and loops that are entered often look larger than they are"
    if "instructions" not in findings.experiment:
        yield "nothing was counted: shares of the wall time alone were classed, and no causes are given"


def _how_unfinished(findings: Findings) -> str:
    experiment = findings.experiment
    if "program_time" in experiment and not experiment.exclusive("program_time").any():
        return "ended before the program did; the data end there"
    return "never entered MPI_Finalize; the data end early"
