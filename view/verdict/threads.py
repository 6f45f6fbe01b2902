"""Describe which OpenMP threads wait for each other, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from ...analyze import Findings
from ...analyze.run.criteria import THRESHOLD
from ...analyze.run.overhead import TIMES
from ...analyze.verdict import Finding, Kind, Why
from ...analyze.verdict.queueing import threads_that_wait
from ...analyze.verdict.teams import slow_in_turn
from ...experiment.thread_wait import BARRIERS, ThreadWait, added
from ..place import Place, at_line
from ..times import time_of
from ..units import count, ranks

__all__ = [
    "OF_THREADS",
    "against_waiting",
    "is_of_threads",
    "mean_of_threads",
    "time_of_threads",
    "waits_inside",
    "who_waits_at_barriers",
    "why_threads_wait",
]

OF_THREADS: Final = (Kind.LOCK, Kind.BARRIERS)
_MOST: Final = 3  # maximum number of locks to name
_NAMES: Final = {"lock": "omp_set_lock"}
_TO_TRY: Final = {
    Kind.LOCK: "combine the threads' results at the end (reduction), use atomic for one variable, or use one lock"
    " per part of the data; do less work while holding a lock",
    Kind.BARRIERS: "do more work between barriers: add nowait where no thread needs the others' results, put one"
    " parallel region around several loops, or parallelise the outer loop",
    Kind.LATE: "balance each execution of the region: smaller chunks, schedule(dynamic), or tasks",
}


def is_of_threads(finding: Finding) -> bool:
    """Return whether the main reason for a finding is that threads wait for each other."""
    is_slowest = finding.gain is not None and [each.why for each in finding.gain.parts[:1]] == [Why.EACH_TIME]
    return finding.kind in OF_THREADS or is_slowest


def why_threads_wait(findings: Findings, finding: Finding) -> Iterator[tuple[str, Kind]]:
    """Yield lines that explain why threads wait in a finding's region, each with its kind of fault.

    There are three reasons: the slowest thread differs between executions, threads queue for locks, or there are too
    many barriers.
    """
    if finding.is_of_teams:
        when = (
            "before each barrier" if _barriers(findings, finding) else f"each time {_what_runs(findings, finding)} runs"
        )
        yield f"why: a different thread is slowest {when}", Kind.LATE
    found = findings.thread_waits
    few = "; part of the waiting may be for a core" if found.shared else ""
    for position in _positions(findings, finding):
        for each in found.queues.get(position, ())[:_MOST]:
            taken = f"{count(sum(each.contended))} of {count(sum(each.entries))} entries had to wait"
            yield f"why: threads queue at {_where(each)}: {taken}{few}", Kind.LOCK
        if barriers := found.barriers.get(position):
            at = f", most at {_where(barriers.places[0])}" if barriers.places else ", at the region's end"
            work = time_of(findings.experiment, barriers.work)
            yield f"why: {count(barriers.number)} barriers per thread, {work} of work before each{at}", Kind.BARRIERS


def who_waits_at_barriers(findings: Findings, finding: Finding) -> Iterator[str]:
    """Yield a line if threads wait for the slowest: ``threads 0.1-0.3 wait for thread 0.0: 560 ms on average, at …``.

    If these are threads of several ranks, whose slowest threads are not all known, the line names none of them.
    """
    waiting = threads_that_wait(findings, finding)
    if not waiting or not finding.region:
        return
    places = _barriers(findings, finding)
    at = _where(places[0]) if places else "the region's end"
    mean = time_of(findings.experiment, sum(waiting.values()) / len(waiting))
    verb, each, their = ("waits", "", "its") if len(waiting) == 1 else ("wait", " on average", "their")
    who, whom = ranks([*waiting]), ranks(finding.slowest)
    if not _ranks_of(waiting) <= _ranks_of(finding.slowest):  # a thread may be the slowest in some executions only
        whom = f"the slowest thread of {their} rank"
        who = who if len(waiting) == 1 else f"threads of {ranks(sorted(map(int, _ranks_of(waiting))))}"
    time = "" if findings.thread_waits.shared else f": {mean}{each}"  # the time may include waiting for a core
    yield f"{who} {verb} for {whom}{time}, at {at}"


def against_waiting(findings: Findings, finding: Finding) -> dict[str, Kind]:
    """Map advice that reduces waiting of threads to its kind of fault; empty if no thread waits in the region."""
    return {_TO_TRY[kind]: kind for _, kind in why_threads_wait(findings, finding)}


def time_of_threads(findings: Findings, finding: Finding) -> str:
    """Return a phrase with the mean waiting time per thread; empty if the finding is not about waiting threads."""
    if finding.kind not in OF_THREADS or not finding.causes or finding.causes[0].seconds is None:
        return ""
    return f"a thread waits {time_of(findings.experiment, finding.causes[0].seconds)} on average"


def mean_of_threads(findings: Findings, finding: Finding) -> str:
    """Return a phrase with the mean time per thread of a team; empty if no team executes the finding's region."""
    teams, vectors = findings.explanation.teams, findings.vectors
    ids = [each.id for each in vectors.regions]
    if teams is None or finding.region is None or finding.region.id not in ids:
        return ""
    place = ids.index(finding.region.id)
    times = vectors.values[place]
    are_alike = vectors.metric in TIMES and float(np.ptp(times)) <= THRESHOLD * float(times.max())
    mean = time_of(findings.experiment, float(teams.per_thread[place]))
    return f"all threads alike in total: {mean} each" if are_alike else f"on average: {mean} per thread"


def waits_inside(findings: Findings, finding: Finding) -> bool:
    """Return whether threads wait for each other in a finding's region or below it; if so, less work does not help."""
    found, experiment = findings.thread_waits, findings.experiment
    paths = {findings.run.weighed.regions[each].id for each in (*found.queues, *found.barriers)}
    below = [*experiment.walk(finding.region.id)] if finding.region else []
    return not paths.isdisjoint(below)


def _what_runs(findings: Findings, finding: Finding) -> str:
    """Return, as text, the region (the finding's or a related one) whose slowest thread differs between executions."""
    regions = findings.vectors.regions
    around = next((place for place, each in slow_in_turn(findings).items() if each == finding.difference), None)
    if finding.difference is None or around is None or around == finding.difference:
        return "the region"
    return Place.of(findings.experiment, regions[around]).in_words


def _barriers(findings: Findings, finding: Finding) -> tuple[ThreadWait, ...]:
    """Return the barriers inside a finding's region, the longest waits first; without the barrier at its end."""
    paths = findings.experiment.walk(finding.region.id) if finding.region else ()
    known = findings.thread_waits.by_path
    return added((wait for path in paths for wait in known.get(path, ()) if wait.kind in BARRIERS), same=True)


def _ranks_of(threads: Iterable[int | str]) -> set[str]:
    """Return the ranks of threads that are named ``rank.thread``."""
    return {str(each).partition(".")[0] for each in threads}


def _positions(findings: Findings, finding: Finding) -> list[int]:
    paths = {finding.region.id, *finding.others} if finding.region else set()
    return [index for index, each in enumerate(findings.run.weighed.regions) if each.id in paths]


def _where(wait: ThreadWait) -> str:
    name = _NAMES.get(wait.kind, wait.kind)
    return f"{name} ({at_line(wait.file, wait.line)})" if wait.line else name
