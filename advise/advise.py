"""Derive advice from findings and the source code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain
from pathlib import PurePath
from typing import Final

import numpy as np

from ..analyze import Findings
from ..analyze.dissimilarity.events import LONGEST
from ..analyze.refinement.opening import is_of_a_library
from ..analyze.run.code_regions import CodeRegion
from ..analyze.run.selection import Selection, complete
from ..analyze.run.summary import summary
from ..analyze.verdict import Finding, Kind
from ..analyze.verdict.confidence import is_speed
from ..analyze.verdict.gain import gain_of_balance, gain_of_weight
from ..analyze.verdict.teams import slow_in_turn
from ..experiment import Region
from . import (
    allocation,
    chunks,
    copies,
    division_of_work,
    indirection,
    input_output,
    loop_order,
    messages,
    pipeline,
    repeated_work,
    thread_loops,
)
from .advice import HIGH, LOW, MEDIUM, Advice, Site
from .calls import bare
from .nest import Loop, Procedure, SourceFile
from .reading import Found, Reading, is_cxx, is_readable
from .uneven import once_a_turn

__all__ = ["KINDS", "Advised", "advise"]

# Causes → the function that gives advice on them.
KINDS: Final[tuple[tuple[frozenset[str], Callable[[Site], Iterator[Advice]]], ...]] = (
    (loop_order.CAUSES, loop_order.order_of_loops),
    (indirection.CAUSES, indirection.indirection),
    (repeated_work.CAUSES, repeated_work.repeated_work),
    (allocation.OF_ALLOCATIONS, allocation.allocations),
    (copies.CAUSES, copies.copies),
    (input_output.CAUSES, input_output.input_output),
    (messages.CAUSES, messages.messages),
    (division_of_work.CAUSES, division_of_work.division_of_work),
    (pipeline.CAUSES, pipeline.pipeline),
    (thread_loops.CAUSES, thread_loops.thread_loops),
    (chunks.CAUSES, chunks.chunks),
)
# Kinds of findings that are not about busy time → the kinds of advice that concern them.
_ABOUT: Final = {
    Kind.MESSAGES: (messages.KIND, pipeline.KIND),
    Kind.TRANSFER: (messages.KIND, pipeline.KIND),
    Kind.LATE: (messages.KIND, pipeline.KIND, division_of_work.KIND),
    Kind.ONE_AFTER_ANOTHER: (messages.KIND, pipeline.KIND),
    Kind.FILE_IO: (input_output.KIND,),
}
_SUREST: Final = {HIGH: 0, MEDIUM: 1, LOW: 2}
_BY_CALLERS: Final = division_of_work.CAUSES | pipeline.CAUSES  # causes whose advice also needs the callers' files
_MOST: Final = 5  # largest number of suggestions per finding
_MOST_FILES: Final = 12  # limit on the callers' files per region, and on other files to search for a division of work
_DEAR: Final = 4  # a C++ file counts as this many files: with library headers, reading it takes 0.5 s instead of 0.1 s
_AMOUNTS: Final = ("visits", "io_calls", "io_bytes", "mpi_calls", "mpi_bytes")
_APART: Final = ("visits", "instructions")


@dataclass(frozen=True)
class Advised:
    """The advice on all findings.

    Attributes:
        of_ranks: Culprit in which ranks differ → advice on it, most certain first.
        of_regions: Hot spot → advice on it, most certain first.
        of_teams: Call path of a thread team whose slowest thread differs between executions → advice on it.
        remarks: Messages about files for which the advice is incomplete.
        lacking: Messages about source files of findings that could not be used.
    """

    of_ranks: Mapping[int, tuple[Advice, ...]] = field(default_factory=dict)
    of_regions: Mapping[int, tuple[Advice, ...]] = field(default_factory=dict)
    of_teams: Mapping[int, tuple[Advice, ...]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    def on(self, finding: Finding) -> tuple[Advice, ...]:
        """Return the advice on a finding, starting with the advice on its main cause."""
        of_ranks = self.of_ranks.get(finding.difference, ()) if finding.difference is not None else ()
        of_region = self.of_regions.get(finding.weight, ()) if finding.weight is not None else ()
        of_team = self.of_teams.get(finding.region.id, ()) if finding.region and finding.is_of_teams else ()
        of_both = (*of_ranks, *of_team, *of_region) if finding.kind is Kind.IMBALANCE else (*of_region, *of_ranks)
        found: dict[str, Advice] = {}
        for each in of_both:
            found.setdefault(each.text, each)
        about = _ABOUT.get(finding.kind)
        return tuple(each for each in found.values() if about is None or each.kind in about)


def advise(findings: Findings, find: Callable[[str], Found]) -> Advised:
    """Return advice on the findings whose sources are available.

    Args:
        findings: The findings.
        find: Finds a file by its name on the compiler's command line.
    """
    built: dict[str, set[int]] = {}
    for path in findings.experiment.call_paths:
        built.setdefault(path.region.file, set()).add(path.region.first_line)
    reading = Reading(find, built, findings.experiment.notes.compiled)
    adviser = _Adviser(findings, reading)
    of_ranks = {culprit: adviser.on_ranks(culprit) for culprit in findings.culprits_by_difference}
    of_regions = {culprit: adviser.on_weight(culprit) for culprit in findings.culprits_by_weight}
    return Advised(
        {culprit: advice for culprit, advice in of_ranks.items() if advice},
        {culprit: advice for culprit, advice in of_regions.items() if advice},
        {
            findings.vectors.regions[place if culprit is None else culprit].id: adviser.on_team(place)
            for place, culprit in slow_in_turn(findings).items()
        },
        (*dict.fromkeys(reading.remarks), *adviser.remarks),
        tuple(dict.fromkeys(adviser.lacking)),
    )


class _Adviser:
    def __init__(self, findings: Findings, reading: Reading) -> None:
        self._findings, self._reading = findings, reading
        self.lacking: list[str] = []
        self._callers: dict[str, None] = {}  # a dict used as an ordered set
        files = {each.region.file for each in findings.experiment.call_paths}
        self._others = sorted(filter(is_readable, files), key=lambda name: (len(PurePath(name).parts), name))
        self._unread: set[str] = set()

    @property
    def remarks(self) -> tuple[str, ...]:
        """A warning that states how many files may divide the work but were not read; empty if all were read."""
        number = len(self._unread - self._reading.sources.keys())
        files = f"{number} more {'files' if number > 1 else 'file'} that may divide work among ranks"
        were = "were" if number > 1 else "was"
        most = f"limit: {_MOST_FILES} files; each C++ file counts as {_DEAR}"
        return (f"{files} {were} not read for advice ({most})",) if number else ()

    def on_ranks(self, culprit: int) -> tuple[Advice, ...]:
        """Return the advice on a culprit in which ranks or threads differ."""
        findings = self._findings
        if is_speed(findings, [culprit]):
            return ()
        causes = {each.attribute for each in findings.causes_of_differences.get(culprit, ())} - {"unexplained"}
        # If instructions were counted, an uneven division of work would be among the causes. Cache misses and events
        # have other reasons.
        counted = "instructions" not in findings.lacking and findings.experiment.notes.counts_by_rank
        if not (causes or counted) or not all(each.endswith("_rate") or each in LONGEST for each in causes):
            causes.add("threads" if findings.vectors.threads else "ranks")
        gain = gain_of_balance(findings, [culprit])
        numbers = cache(partial(_numbers, findings.differences.selection, culprit))
        served = frozenset(causes - {"instructions"})
        return self._on(findings.vectors.regions[culprit], served, gain.seconds if gain else None, numbers)

    def on_team(self, place: int) -> tuple[Advice, ...]:
        """Return the advice on a region in which the slowest thread differs between executions."""
        numbers = cache(partial(_numbers, self._findings.run.weighed, place))
        return self._on(self._findings.vectors.regions[place], frozenset((thread_loops.IN_TURN,)), None, numbers)

    def on_weight(self, culprit: int) -> tuple[Advice, ...]:
        """Return the advice on a hot spot, most certain first."""
        findings, split = self._findings, self._findings.explanation.seconds
        causes = {each.attribute for each in findings.parts.causes(culprit)}
        if not split.has_polling[culprit]:  # if ranks poll, changing the messages would not help
            causes |= {self._why_it_waits(culprit)} if split.waits[culprit] else set()
            causes |= {"small_calls"} if split.has_small_calls[culprit] else set()
        gain = gain_of_weight(findings, culprit)
        numbers = cache(partial(_numbers, findings.run.weighed, culprit))
        region = findings.run.weighed.regions[culprit]
        paths, throttled = findings.experiment.call_paths, findings.throttled.get(culprit, ())
        within = [paths[each.path].region for each in throttled]
        return self._on(region, frozenset(causes), gain.seconds if gain else None, numbers, within)

    def _why_it_waits(self, culprit: int) -> str:
        """Return how ranks wait in a culprit: ``one_after_another``, ``late`` ranks, or ``waiting`` if unknown."""
        explanation = self._findings.explanation
        found = explanation.serialisation
        is_known = self._findings.in_turn[culprit] or culprit in explanation.waiting.awaited
        if found is None or found.in_doubt[culprit] or not is_known:
            return "waiting"
        return "one_after_another" if found.passes_on[culprit] else "late"

    def _on(
        self,
        region: CodeRegion,
        causes: frozenset[str],
        gain: float | None,
        numbers: Callable[[], Mapping[str, float]],
        within: Sequence[Region] = (),
    ) -> tuple[Advice, ...]:
        kinds = [kind for served, kind in KINDS if served & causes]
        places = [*filter(None, [_with_source(self._findings, region)]), *(each for each in within if each.file)]
        if not kinds or not places or is_of_a_library(self._findings.experiment, region.id):
            return ()
        if causes & _BY_CALLERS:
            self._read_callers(region)
        found = chain.from_iterable(self._at(place, kinds, causes, gain, numbers) for place in places)
        unique = {each.text: each for each in found}
        return tuple(sorted(unique.values(), key=lambda each: _SUREST[each.confidence])[:_MOST])

    def _read_callers(self, region: CodeRegion) -> None:
        """Read the files of a region's callers, then a limited number of other files: they may divide the work."""
        paths = self._findings.experiment.call_paths
        number: int | None = region.id
        names: list[str] = []
        while number is not None:
            names.append(paths[number].region.file)
            number = paths[number].parent
        self._callers |= dict.fromkeys([*dict.fromkeys(filter(None, names))][:_MOST_FILES])
        left = _MOST_FILES - sum(map(_cost, self._callers))
        for name in (*self._callers, *(each for each in self._others if each not in self._callers)):
            left -= 0 if name in self._callers else _cost(name)
            if left >= 0 or name in self._callers:
                self._reading.read(name)
            else:
                self._unread.add(name)

    def _at(
        self,
        place: Region,
        kinds: Sequence[Callable[[Site], Iterator[Advice]]],
        causes: frozenset[str],
        gain: float | None,
        numbers: Callable[[], Mapping[str, float]],
    ) -> tuple[Advice, ...]:
        source = self._reading.read(place.file)
        procedure = _procedure(source, place) if source else None
        if source is None or procedure is None:
            return self._nothing_on(place.file)
        is_all = place.kind in ("function", "program") or not place.first_line
        first, last = (procedure.line, procedure.last_line) if is_all else (place.first_line, place.last_line)
        site = Site(
            source,
            procedure,
            first,
            last or procedure.last_line,
            causes,
            gain,
            numbers(),
            self._reading.sources,
            partial(_turns_apart, self._findings.differences.selection),
        )
        try:
            found = [each for kind in kinds for each in kind(site)]
            if "mpi_bytes" in causes and not any(each.kind == messages.KIND for each in found):
                found += messages.moved(site)
        except RecursionError:
            self._reading.give_up(place.file, "expressions are nested too deeply")
            return self._nothing_on(place.file)
        return tuple(filter(self._is_of_what_was_built, found)) or self._nothing_on(place.file)

    def _is_of_what_was_built(self, advice: Advice) -> bool:
        """Return whether all lines that a suggestion names were certainly compiled."""
        for place in advice.places:
            name, _, line = place.rpartition(":")
            source = self._reading.sources.get(name)
            if source is not None and int(line) in source.doubtful:
                self._reading.doubt(name, int(line))
                return False
        return True

    def _nothing_on(self, file: str) -> tuple[Advice, ...]:
        if file in self._reading.lacking:
            self.lacking.append(self._reading.lacking[file])
        return ()


def _with_source(findings: Findings, region: CodeRegion) -> Region | None:
    """Return the innermost region with a source, starting at ``region`` and going outwards; None if there is none."""
    paths = findings.experiment.call_paths
    number: int | None = region.id
    while number is not None:
        found = paths[number].region
        if found.file and found.kind in ("function", "program", "loop", "parallel", "user"):
            return found
        number = paths[number].parent
    return None


def _procedure(source: SourceFile, region: Region) -> Procedure | None:
    """Return the procedure that is or contains a region. It is found by line or, if no line is known, by name."""
    if region.first_line and (found := source.procedure_at(region.first_line)):
        return found
    name = (region.function or region.name).rpartition("::")[2]
    named = [each for each in source.procedures if each.name.rpartition("::")[2] == name]
    return named[0] if len(named) == 1 else None


def _cost(name: str) -> int:
    return _DEAR if is_cxx(name) else 1


def _numbers(selection: Selection, culprit: int) -> dict[str, float]:
    """Return a region's measurements, as sums and as ratios between ranks, if every rank has a value."""
    found = {name: float(selection.sums(name)[culprit]) for name in _AMOUNTS if complete(selection.experiment, name)}
    if complete(selection.experiment, "visits"):
        found |= _entries(selection, culprit)
    for name in _APART:
        if complete(selection.experiment, name):
            row = selection.rows(name, [culprit])[0]
            least, most = float(np.min(row)), float(np.max(row))
            if name == "visits":  # if each rank enters a procedure only once, its allocations are not repeated
                found["visits_per_rank"] = most
            if least > 0:
                found[f"{name}_apart"] = most / least
    return found


def _turns_apart(selection: Selection, source: SourceFile, loop: Loop) -> float | None:
    """Return a loop's largest number of iterations on any rank, divided by its smallest number; None if unknown.

    The number of iterations is the number of entries into a region that each iteration enters exactly once.
    """
    experiment = selection.experiment
    once, paths = once_a_turn(loop), experiment.call_paths
    throttled = {Region.from_descriptor(each) for each in experiment.notes.throttled}
    counted: dict[Region, list[int]] = {}
    for index, each in enumerate(selection.regions):
        region, parent = paths[each.id].region, paths[each.id].parent
        around = None if parent is None else paths[parent].region
        if around is None or (around.kind, around.file, around.first_line) != ("loop", source.path, loop.line):
            continue
        if region.kind == "loop":
            is_once = region.file == source.path and region.first_line in once.loops
        else:
            is_once = region.kind == "function" and bare(region.function or region.name) in once.functions
        if is_once and throttled.isdisjoint((region, around)):
            counted.setdefault(region, []).append(index)
    if not counted or not complete(experiment, "visits"):
        return None
    visits = selection.rows("visits", next(iter(counted.values())), own=True).sum(axis=0)
    taken = visits[visits > 0]  # a rank that runs another program never enters the loop
    return float(taken.max() / taken.min()) if len(taken) else None


def _entries(selection: Selection, culprit: int) -> dict[str, float]:
    """Return the numbers of entries into a region and into its parent: ``entries`` and ``entries_around``."""
    paths, own = selection.experiment.call_paths, summary(selection.experiment, "visits").sums
    path = selection.regions[culprit].id
    parent = paths[path].parent
    return {"entries": float(own[path])} | ({} if parent is None else {"entries_around": float(own[parent])})
