"""Convert OTF2 archives to our own traces: events become equal time steps with regions, messages and counters.

Metrics are computed from the roles of regions, and from the records of messages and file I/O. Counters keep the names
that they have in the archive, because they include the work of MPI, which our own counters exclude.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from ....errors import InputError
from ...call_path import CallPath
from ...experiment import Location
from ...metric import STORED_METRICS, Metric
from ...region import Region
from ..time_line import TimeLine, Trace
from .events import NUMBERS, Take, read_events
from .history import History
from .library import name_of, opened

__all__ = ["OTF2_SUFFIX", "SOURCE", "TIMES", "Reading", "read_otf2"]

OTF2_SUFFIX: Final = ".otf2"

_STEPS: Final = 10_000  # steps per trace, half of the maximum number of samples per process in ``run --trace``
_UNKNOWN: Final = 2**64 - 1  # OTF2_UNDEFINED_UINT64
_WITHIN: Final = "MPI"  # the file name for regions without a source file

# Our metric → returns whether it includes the time in regions of a paradigm and role.
TIMES: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "wall_time": lambda paradigm, role: True,
    "mpi_time": lambda paradigm, role: paradigm == "MPI",
    "mpi_barrier_time": lambda paradigm, role: paradigm == "MPI" and role == "BARRIER",
    "mpi_collective_time": lambda paradigm, role: paradigm == "MPI" and role.startswith("COLL_"),
    "mpi_all_to_all_time": lambda paradigm, role: paradigm == "MPI" and role == "COLL_ALL2ALL",
    "mpi_point_to_point_time": lambda paradigm, role: paradigm == "MPI" and role == "POINT2POINT",
    "mpi_one_sided_time": lambda paradigm, role: paradigm == "MPI" and role in ("RMA", "ATOMIC"),
    "io_time": lambda paradigm, role: paradigm != "MPI" and role.startswith("FILE_IO"),
    "omp_time": lambda paradigm, role: paradigm == "OPENMP" and role in ("BARRIER", "IMPLICIT_BARRIER", "FORK"),
}
_CALLS: Final = ("mpi_time", "io_time", "omp_time")
_ABSOLUTE: Final = "ABSOLUTE"
SOURCE: Final = "imported:OTF2"


def read_otf2(path: Path) -> Trace:
    """Read an archive; its events are read once, and only steps are kept in memory.

    Args:
        path: The anchor file, ``traces.otf2``.

    Raises:
        InputError: The package ``otf2`` is not installed, or the archive is damaged, or no region was entered.
    """
    if not path.is_file():
        raise InputError(f"{path}: expected an OTF2 archive, found none")
    with opened(path) as archive:
        return Reading(path, archive, lambda _: History()).trace()


class Reading:
    """An archive that is being read.

    Args:
        path: The anchor file.
        archive: The archive, opened by OTF2's own reader.
        history: Creates the history of a location, given the location's number.

    Attributes:
        call_paths: The call paths that were entered.
        histories: Number of a location → its history.
    """

    def __init__(self, path: Path, archive: Any, history: Callable[[int], History]) -> None:
        self._path = path
        self._archive = archive
        clock = archive.definitions.clock_properties
        self._origin = int(clock.global_offset)
        self._resolution = float(clock.timer_resolution)
        if self._resolution <= 0:
            raise ValueError(f"its clock has {self._resolution:g} ticks per second")
        self._regions: dict[int, Region] = {}
        self._kinds: dict[int, tuple[str, str]] = {}
        self._paths: dict[tuple[int | None, int], int] = {}
        self.call_paths: list[CallPath] = []
        self._region_of: list[int] = []
        self._is_call: list[bool] = []  # whether each call path is an MPI call
        self._in_mpi: list[bool] = []
        self.histories: dict[int, History] = _ByLocation(history)
        self._process = {each._ref: each.group._ref for each in archive.definitions.locations}
        self._teams: defaultdict[int, list[int | None]] = defaultdict(list)  # process → call paths that opened teams
        self._members: dict[str, Any] = {}
        self._unread: set[str] = set()
        self._last = 0

    def take_events(self, more: Mapping[str, Take] | None = None) -> dict[int, Location]:
        """Process all events, then leave the call paths that are still open.

        Args:
            more: Kind of event → an additional handler, which is called after the usual one, with the location's
                number, the time in seconds, and the event's attributes.

        Returns:
            Number of a location with events → the location, in the order of ranks and threads.

        Raises:
            InputError: No region was entered.
        """
        read_events(self._archive, self._takes(more or {}), self._take_object)
        places = self._places()
        if not self.call_paths:
            found = ", ".join(sorted(self._unread)) or "no events"
            raise InputError(f"{self._path}: expected region entries, found {found[:200]}")
        for history in self.histories.values():
            history.end(self.end)
        return places

    @property
    def end(self) -> float:
        """The time of the last event, in seconds since the start."""
        return max((self._last - self._origin) / self._resolution, 1 / self._resolution)

    def trace(self) -> Trace:
        """Return the trace in equal time steps.

        Raises:
            InputError: No region was entered.
        """
        found = self.take_events()
        places, histories = [*found.values()], [self.histories[number] for number in found]
        edges = np.linspace(0.0, self.end, _STEPS + 1)
        metrics = self.metrics()
        kinds = np.array(
            [
                [TIMES[each.name](*self._kinds[region]) for region in self._region_of]
                for each in metrics
                if each.name in TIMES
            ]
        )
        calls = np.array([any(TIMES[name](*self._kinds[region]) for name in _CALLS) for region in self._region_of])
        levels = {each.name for each in metrics if not each.additive}
        names = [each.name for each in metrics]

        def read(location: int) -> TimeLine:
            return histories[location].line(edges, names, kinds, calls, levels)

        facts = {"interval": float(edges[1]), "left_out": sorted(self._unread)}
        return Trace(metrics, self.call_paths, places, [_STEPS] * len(places), read, facts)

    def _takes(self, more: Mapping[str, Take]) -> Mapping[str, Take]:
        """Map each kind of event to a handler that updates the sums and then calls the handler in ``more``."""
        ours: Mapping[str, Take] = {
            "MpiSend": lambda history, time, to, comm, tag, size: _moved(history, time, size, 0),
            "MpiIsend": lambda history, time, to, comm, tag, size, request: _moved(history, time, size, 0),
            "MpiRecv": lambda history, time, sender, comm, tag, size: _moved(history, time, 0, size),
            "MpiIrecv": lambda history, time, sender, comm, tag, size, request: _moved(history, time, 0, size),
            "MpiMrecv": lambda history, time, message, size: _moved(history, time, 0, size),
            "MpiImrecv": lambda history, time, request, size: _moved(history, time, 0, size),
            "MpiCollectiveEnd": lambda history, time, kind, comm, root, *sizes: _moved(history, time, *sizes),
            "NonBlockingCollectiveComplete": lambda history, time, kind, comm, root, sent, received, request: _moved(
                history, time, sent, received
            ),
        }
        found: dict[str, Take] = {kind: self._both(kind, ours.get(kind), more.get(kind)) for kind in NUMBERS}
        teams = {kind: self._forked(found[kind]) for kind in ("ThreadFork", "OmpFork")}
        teams |= {kind: self._joined(found[kind]) for kind in ("ThreadJoin", "OmpJoin")}
        return found | teams | {"Enter": self._enter, "Leave": self._leave}

    def _forked(self, further: Take) -> Take:
        def take(location: int, ticks: int, *numbers: int) -> None:
            self._teams[self._process[location]].append(self._current(location))
            further(location, ticks, *numbers)

        return take

    def _joined(self, further: Take) -> Take:
        def take(location: int, ticks: int, *numbers: int) -> None:
            if teams := self._teams[self._process[location]]:
                teams.pop()
            further(location, ticks, *numbers)

        return take

    def _current(self, location: int) -> int | None:
        """Return a location's call path; for a thread outside all regions, the call path that created its team."""
        if (history := self.histories[location]).stack:
            return history.stack[-1]
        teams = self._teams.get(self._process[location])
        return teams[-1] if teams else None

    def _both(self, kind: str, ours: Take | None, more: Take | None) -> Take:
        histories, unread, origin, resolution = self.histories, self._unread, self._origin, self._resolution

        def take(location: int, ticks: int, *numbers: int) -> None:
            if ours is None and more is None:
                unread.add(kind)
                return
            self._last = max(self._last, ticks)
            time = (ticks - origin) / resolution
            if ours is not None:
                ours(histories[location], time, *numbers)
            if more is not None:
                more(location, time, *numbers)

        return take

    def _take_object(self, kind: str, location: int, event: Any) -> None:
        takes: Mapping[str, Callable[[History, float, Any], None]] = {
            "Metric": self._metric,
            "IoOperationBegin": _begin_io,
            "IoOperationComplete": _end_io,
        }
        if kind not in takes:
            self._unread.add(kind)
            return
        self._last = max(self._last, event.time)
        takes[kind](self.histories[location], (event.time - self._origin) / self._resolution, event)

    def _leave(self, location: int, ticks: int, _region: int) -> None:
        self._last = max(self._last, ticks)
        self.histories[location].leave((ticks - self._origin) / self._resolution)

    def _enter(self, location: int, ticks: int, region: int) -> None:
        self._last = max(self._last, ticks)
        history = self.histories[location]
        parent = self._current(location)
        path = self._paths.get((parent, region))
        if path is None:
            path = self._path_of(parent, region)
        time = (ticks - self._origin) / self._resolution
        history.enter(time, path)
        history.amounts["visits"].add(time, 1)
        if self._is_call[path]:
            history.amounts["mpi_calls"].add(time, 1)

    def _path_of(self, parent: int | None, region: int) -> int:
        """Return the call path for a region's first entry from a parent, which is new unless the call is recursive."""
        path = self._recursive(parent, region)
        if path is None:
            path = len(self.call_paths)
            self.call_paths.append(CallPath(self._region(self._archive.definitions.regions[region]), parent))
            self._region_of.append(region)
            paradigm, role = self._kinds[region]
            in_mpi = TIMES["mpi_time"](paradigm, role)
            self._is_call.append(in_mpi and role != "FUNCTION")
            self._in_mpi.append(in_mpi or (parent is not None and self._in_mpi[parent]))
        self._paths[parent, region] = path
        return path

    def _recursive(self, above: int | None, region: int) -> int | None:
        """Return the call path into which a recursive call is merged; None if the call is not recursive."""
        while above is not None:
            if self._region_of[above] == region:
                return above
            above = self.call_paths[above].parent
        return None

    def _region(self, definition: Any) -> Region:
        if definition._ref not in self._regions:
            paradigm, role = name_of(definition.paradigm), name_of(definition.region_role)
            self._kinds[definition._ref] = paradigm, role
            file = definition.source_file or ""
            name = definition.name or "?"
            self._regions[definition._ref] = Region(
                kind=_kind(paradigm, role),
                name=name,
                file="" if file == _WITHIN else file,
                function=definition.canonical_name or name,
                first_line=definition.begin_line_number or 0,
                last_line=definition.end_line_number or 0,
            )
        return self._regions[definition._ref]

    def _metric(self, history: History, time: float, event: Any) -> None:
        members = getattr(event.metric, "metric_class", event.metric).members
        for member, value in zip(members, event.values, strict=True):
            self._members.setdefault(member.name, member)
            scale = (2.0 if name_of(member.base) == "BINARY" else 10.0) ** member.exponent
            if name_of(member.metric_mode).startswith("RELATIVE"):
                history.amounts[member.name].add(time, value * scale)
            else:
                history.counters[member.name].add(time, value * scale)

    def _places(self) -> dict[int, Location]:
        """Return the locations with events by number, with ranks for processes and numbers for their threads."""
        definitions = self._archive.definitions
        ranks: dict[int, int] = {}
        for group in definitions.groups:
            if name_of(group.group_type) == "COMM_LOCATIONS" and name_of(group.paradigm) == "MPI":
                for rank, location in enumerate(group.members):
                    ranks.setdefault(location.group._ref, rank)
        found: dict[int, Location] = {}
        threads: defaultdict[int, int] = defaultdict(int)
        for location in definitions.locations:
            if location._ref not in self.histories:
                continue
            process = location.group
            rank = ranks.setdefault(process._ref, max(ranks.values(), default=-1) + 1)
            node = process.system_tree_parent
            machine = node
            while machine is not None and machine.parent is not None:
                machine = machine.parent
            names = [each.name if each is not None else "" for each in (machine, node)]
            found[location._ref] = Location(names[0], names[1], rank, threads[rank])
            threads[rank] += 1
        return dict(sorted(found.items(), key=lambda each: (each[1].process, each[1].thread)))

    def kind(self, path: int) -> tuple[str, str]:
        """Return the paradigm and the role of a call path's region."""
        return self._kinds[self._region_of[path]]

    def computes(self, path: int) -> bool:
        """Return whether a call path's own time is busy time: neither in MPI nor waiting in OpenMP."""
        return not (self._in_mpi[path] or TIMES["omp_time"](*self.kind(path)))

    @property
    def unread(self) -> list[str]:
        """The kinds of events that were ignored."""
        return sorted(self._unread)

    def metrics(self) -> list[Metric]:
        """Return the metrics: first the times that the archive contains, then amounts and counters."""
        seen = {name for history in self.histories.values() for name in history.amounts}
        seen |= {name for name, kind in TIMES.items() if any(kind(*each) for each in self._kinds.values())}
        ours = sorted((each for each in STORED_METRICS if each.name in seen), key=lambda each: each.name not in TIMES)
        found = [replace(each, parent=each.parent if each.parent in seen else None) for each in ours]
        for name, member in self._members.items():
            level = name_of(member.metric_mode).startswith(_ABSOLUTE)
            unit = (member.unit or "").strip("#") or "occ"
            found.append(Metric(name, unit, None, member.description or "", additive=not level))
        return [replace(each, source=SOURCE) for each in found]


class _ByLocation(dict[int, History]):
    """A dictionary that creates a location's history at its first event."""

    def __init__(self, make: Callable[[int], History]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, location: int) -> History:
        self[location] = found = self._make(location)
        return found


def _moved(history: History, time: float, sent: int, received: int) -> None:
    """Add the bytes that a location sent and received in a message or a collective."""
    history.amounts["mpi_bytes"].add(time, sent + received)
    history.amounts["mpi_bytes_sent"].add(time, sent)
    history.amounts["mpi_bytes_received"].add(time, received)


def _begin_io(history: History, time: float, event: Any) -> None:
    history.modes[event.handle._ref, event.matching_id] = name_of(event.mode)


def _end_io(history: History, time: float, event: Any) -> None:
    mode = history.modes.pop((event.handle._ref, event.matching_id), "")
    history.amounts["io_calls"].add(time, 1)
    if event.bytes_result != _UNKNOWN and mode in ("READ", "WRITE"):
        history.amounts["io_bytes_read" if mode == "READ" else "io_bytes_written"].add(time, event.bytes_result)
        history.amounts["io_bytes"].add(time, event.bytes_result)


def _kind(paradigm: str, role: str) -> str:
    if paradigm == "MPI":
        return "mpi"
    if role in ("LOOP", "PARALLEL"):
        return role.lower()
    return "io" if role.startswith("FILE_IO") else "function"
