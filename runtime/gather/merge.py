"""Merge the shards of a run's processes into one experiment.

Several processes may do this together: each has read some of the shards and keeps their values. Process 0 gets the
heads and call paths of all shards, and decides where everything belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain
from math import inf
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment import CallPath, Experiment, Location, Notes
from ...experiment.communicator import Alone, Communicator
from ...experiment.delay import Delay, longest_first
from ...experiment.folding import fold
from ...experiment.grouping import to_callers
from ...experiment.metric import ENTRIES, UNTIMED_VISITS, Metric
from ...experiment.severities import LazySeverities, Severity
from ..facts import RunFacts
from .call_lines import with_call_lines
from .call_sites import call_site_names
from .code_chains import code_chains, said_of_changes, said_of_code
from .columns import MACHINE, Columns, Placing, Timing
from .critical_path import PATH_FIELDS, CriticalPath
from .folder_shards import FolderShards
from .forest import Forest
from .head import Head
from .message_sums import MessageSums
from .own_shards import OwnShards
from .processes import number_processes
from .recorded_metrics import (
    FIELDS,
    SCALES,
    SYSTEM_FIELDS,
    counted_metrics,
    event_metrics,
    metrics_of_processes,
    path_metrics,
    timed_metrics,
)
from .recorded_values import counters_left_out
from .run_notes import run_notes
from .sample_sums import SampleSums
from .sampled_nodes import spread_over, spread_path
from .shard import Shard
from .shard_layout import COUNTERS
from .topologies import mpi_topologies

__all__ = ["Merged", "Run", "merge", "merge_shards"]

_MEASURED: Final = "measured:"  # prefix of the sources of hardware events, which can be paused


def merge_shards(shards: Iterable[Shard], facts: RunFacts, *, remarks: Sequence[str] = ()) -> Experiment:
    """Merge the trees of all threads by their regions; each thread becomes a location.

    The program is the root: C's ``main``, or Fortran's main program. Events outside it (before or after it, or in
    threads started elsewhere) are placed below it as well. A process whose program has no probes gets its executable as
    root. A call path that was throttled anywhere is folded everywhere, unless it was timed again and the number of
    untimed visits is the same in all threads, to within 1 % of the timed visits.

    Args:
        shards: At least one shard, in any order.
        facts: Facts that the processes cannot record themselves.
        remarks: Warnings from gathering.
    """
    own = OwnShards()
    for shard in shards:
        own.take(shard)
    return merge(Alone(), own, Run(own.told, range(len(own.told.heads)), facts, remarks)).experiment


@dataclass(frozen=True)
class Run:
    """Process 0's data about a run.

    Attributes:
        shards: All shards, in the order of the processes that read them.
        chosen: The indices of the shards that belong to the run, in the order of their files.
        facts: Facts that the processes cannot record themselves.
        remarks: Warnings from gathering.
    """

    shards: FolderShards
    chosen: Sequence[int]
    facts: RunFacts
    remarks: Sequence[str] = ()

    @cached_property
    def places(self) -> dict[int, int]:
        """Process → the index of its shard."""
        place = {id(self.shards.heads[each].shard): each for each in self.chosen}
        numbered = number_processes(self.shards.heads[each].shard for each in self.chosen)
        return {process: place[id(shard)] for process, shard in numbered.items()}

    @property
    def samples(self) -> SampleSums:
        """The samples of all threads' code; none if they include samples of an earlier run."""
        if not self._is_whole:
            return SampleSums()
        shards = self.shards
        return shards.samples if shards.helpers else shards.samples.joined(shards.samples_alone)

    @property
    def messages(self) -> MessageSums:
        """The messages between ranks; none if they include messages of an earlier run."""
        return self.shards.messages if self._is_whole else MessageSums()

    @property
    def _is_whole(self) -> bool:
        """Whether all shards except those of helpers belong to the run."""
        return len(self.chosen) >= len(self.shards.heads) - len(self.shards.helpers)

    @cached_property
    def heads(self) -> dict[int, Head]:
        """Process → its head."""
        return {process: self.shards.heads[place] for process, place in self.places.items()}

    @cached_property
    def processes(self) -> dict[int, Shard]:
        """Process → its shard."""
        return {process: head.shard for process, head in self.heads.items()}

    @cached_property
    def locations(self) -> list[Location]:
        """The threads of all processes."""
        return [
            Location(MACHINE, head.shard.host, process, thread)
            for process, head in sorted(self.heads.items())
            for thread in head.columns
        ]


@dataclass(frozen=True)
class Merged:
    """The result of merging a run's shards.

    Attributes:
        experiment: This process's share; the whole experiment if there is only one process.
        whole: The experiment without its values, on process 0.
        columns: The columns of this process's locations in the whole experiment.
        processes: Process → its shard, on process 0.
        places: Process and thread → the call path of each node, for threads with a time line.
        callers: Folded call path → the call path that gets its time.
    """

    experiment: Experiment
    whole: Experiment | None
    columns: npt.NDArray[np.intp]
    processes: Mapping[int, Shard]
    places: Mapping[tuple[int, int], npt.NDArray[np.intp]]
    callers: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Structure:
    """The experiment's structure, which process 0 has determined for all processes.

    Attributes:
        metrics: The experiment's metrics.
        call_paths: The experiment's call paths.
        moved: Index of a call path before folding → its index after folding.
        folded: Pairs of a folded call path and its caller.
        events: Metric → field of a node, for the events that the user has named.
        sampled: The call paths that are known only from samples, which have no values except times.
    """

    metrics: tuple[Metric, ...]
    call_paths: tuple[CallPath, ...]
    moved: npt.NDArray[np.intp]
    folded: tuple[tuple[int, int], ...]
    events: Mapping[str, str]
    sampled: npt.NDArray[np.intp]


def merge(communicator: Communicator, own: OwnShards, run: Run | None) -> Merged:
    """Merge the shards that all processes have read; see ``merge_shards``.

    Args:
        communicator: The processes.
        own: The shards that this process has read.
        run: Process 0's data about the run; None on all other processes.
    """
    counts = communicator.allgather(len(own.kept))
    decisions = _Decisions(run) if run else None
    placing: Placing = communicator.scatter(decisions.placings(counts) if decisions else None)
    columns = Columns(own, placing)
    timing = communicator.reduce(columns.timing(), Timing.joined)
    structure: _Structure = communicator.broadcast(decisions.structure(timing) if decisions and timing else None)

    def read(name: str) -> Severity:
        if name in PATH_FIELDS:
            values = columns.on_path(PATH_FIELDS[name], structure.moved)
        elif name == "program_time":
            values = columns.program_time(structure.moved)
        elif name in SYSTEM_FIELDS:
            values = columns.of_processes(SYSTEM_FIELDS[name], structure.moved, by_path=structure.events.get(name))
        else:
            values = columns.values(FIELDS.get(name, (structure.events.get(name, name),)), structure.moved)
            values *= SCALES.get(name, 1)
        if name not in ENTRIES:
            to_callers(values, structure.folded)
        if len(structure.sampled) and (name in ENTRIES or name in COUNTERS or name in structure.events):
            values[structure.sampled] = np.nan
        return values

    names = [metric.name for metric in structure.metrics]
    experiment = Experiment(
        metrics=structure.metrics,
        call_paths=structure.call_paths,
        locations=columns.locations,
        severities=LazySeverities(names, read),
    )
    whole = None
    if run and decisions:
        parts: dict[str, Any] = {"notes": decisions.notes, "topologies": mpi_topologies(run.processes)}
        if communicator.size == 1:
            experiment = whole = experiment.replaced(**parts)
        else:
            severities = LazySeverities(names, _elsewhere)
            whole = experiment.replaced(locations=run.locations, severities=severities, **parts)
    return Merged(
        experiment,
        whole,
        columns.places,
        run.processes if run else {},
        dict(columns.nodes(structure.moved)) if any(head.shard.tracing for head in own.told.heads) else {},
        dict(structure.folded),
    )


def _elsewhere(name: str) -> Severity:
    raise InputError(f"the values of {name} are not in this process")


class _Decisions:
    """Decides, on process 0, where the data of all processes belong in the experiment."""

    def __init__(self, run: Run) -> None:
        self._run = run
        shapes = run.shards.shapes
        calls = (region for shape in shapes for region in shape.regions)
        waits = (wait.place for head in run.heads.values() for wait in head.shard.waits)
        self._names = call_site_names(chain(calls, waits))
        chosen = sorted({run.shards.shape_of[place] for place in run.places.values()})
        self._chains = code_chains((shapes[each] for each in chosen), self._names)
        self._forest = Forest(self._chains)
        for _, place in sorted(run.places.items()):
            shape = run.shards.shape_of[place]
            self._forest.add(shape, shapes[shape])
        self._paths, self._placed = self._forest.ordered()
        self._path = _critical_path(run)
        self.notes = Notes()

    def placings(self, counts: Sequence[int]) -> list[Placing]:
        """Return the placing for each gathering process; ``counts`` are the numbers of shards that they read."""
        run = self._run
        processes, columns = [-1] * len(run.shards.heads), [0] * len(run.shards.heads)
        ordered = sorted(run.places.items())
        first = accumulate((len(run.shards.heads[place].columns) for _, place in ordered), initial=0)
        for (process, place), column in zip(ordered, first, strict=False):
            processes[place], columns[place] = process, column
        trees = [tree for head in run.heads.values() for tree in head.shard.threads]
        throttled, again = any(tree.throttled for tree in trees), any(tree.timed_again for tree in trees)
        found = []
        for end, count in zip(accumulate(counts), counts, strict=True):
            part = slice(end - count, end)
            shapes = run.shards.shape_of[part]
            placed = {shape: self._placed[shape] for shape in set(shapes) if shape in self._placed}
            path = [*map(self._on_path, processes[part])] if self._path.is_known else []
            size = len(self._paths)
            found.append(Placing(processes[part], columns[part], shapes, placed, size, throttled, again, path))
        return found

    def _on_path(self, process: int) -> npt.NDArray[np.void]:
        found = self._path.of(process)
        return spread_path(found, self._run.heads[process].spread) if process >= 0 else found

    def _delays(self) -> tuple[Delay, ...]:
        """Add up the delays by pairs of regions: the region that waited, and the region that was late."""
        run, found = self._run, dict[tuple[str, str], list[float]]()
        if self._path.counted or not self._path.is_known:
            return ()

        def region(place: tuple[int, int, int]) -> str:
            process, thread, node = place
            trees = self._placed[run.shards.shape_of[run.places[process]]].trees
            descriptor: str = self._paths[trees[thread][node]].region.descriptor
            return descriptor

        for each in self._path.waits():
            process, thread, late = each.late
            for node, part in spread_over(thread, late, run.heads[process].spread):
                both = found.setdefault((region(each.waiting), region((process, thread, node))), [0.0, 0.0])
                both[each.by_message] += each.amount * part
        return longest_first(Delay(*pair, sum(both), by_messages=both[True]) for pair, both in found.items())

    def structure(self, timing: Timing) -> _Structure:
        """Return the experiment's structure, and create the notes, once it is known which call paths lack times."""
        run = self._run
        shards = [shard for shard in run.processes.values() if shard.threads]
        paused = _paused(shards)
        counted = counted_metrics(shards, but=paused)
        lost = timing.lost
        began = min((head.shard.start_realtime for head in run.heads.values()), default=inf)
        self.notes = run_notes(
            run.heads,
            run.facts,
            (*run.remarks, *_said_of(paused), *said_of_code(self._chains), *said_of_changes(self._chains, began)),
            folded={self._paths[path].region for path in np.flatnonzero(lost).tolist()},
            regions={id(region): region for shape in run.shards.shapes for region in shape.regions}.values(),
            names=self._names,
            samples=run.samples,
        )
        messages = run.messages.matrix(waits=self._path.is_known and not self._path.counted)
        self.notes = replace(self.notes, delays=self._delays(), messages=messages)
        folding = fold(with_call_lines(self._paths, self.notes.compiled, self.notes.unprobed), lost)
        untimed = [UNTIMED_VISITS] if timing.throttled.any() else []
        events = event_metrics(shards)
        path = self._path
        on_path = path_metrics(counted=path.counted, has_teams=path.has_teams) if path.is_known else ()
        system = metrics_of_processes(events.values())
        metrics = (*timed_metrics(shards), *on_path, *untimed, *counted, *events.values(), *system)
        fields = {metric.name: field for field, metric in events.items()}
        sampled = np.array(sorted({int(folding.places[each]) for each in self._forest.sampled}), dtype=np.intp)
        return _Structure(metrics, tuple(folding.call_paths), folding.places, tuple(folding.folded), fields, sampled)


def _critical_path(run: Run) -> CriticalPath:
    """Return the path of the launcher's ranks; spawned processes have a different MPI_COMM_WORLD."""
    shards = {process: shard for process, shard in run.processes.items() if not (shard.spawned or shard.forked_from)}
    return CriticalPath({process: shard.chains for process, shard in shards.items() if shard.chains})


def _paused(shards: Iterable[Shard]) -> list[str]:
    """Return the events whose counts do not cover the whole run, because a policy paused them."""
    return sorted(
        {
            name
            for shard in shards
            for name in counters_left_out(shard.tracing.left_out if shard.tracing else 0)
            if shard.sources.get(name, "").startswith(_MEASURED)
        }
    )


def _said_of(paused: Sequence[str]) -> Iterator[str]:
    if paused:
        yield (
            "events counted only in the time lines (trace.npz), because the policy paused them at times: "
            f"{', '.join(paused)}"
        )
