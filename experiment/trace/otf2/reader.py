"""OTF2 archives as traces of ours: events become equal steps of time, in which regions, messages and counters are.

What a metric means is told by the archive: roles of regions, records of messages and of file I/O. Counters keep their
names, for they count what MPI does, too, which ours leave out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from ....errors import InputError
from ...experiment import CallPath, Location
from ...metric import STORED_METRICS, Metric
from ...region import Region
from ..time_line import TimeLine, Trace
from .history import History
from .library import name_of, opened

__all__ = ["OTF2_SUFFIX", "SOURCE", "TIMES", "Reading", "read_otf2"]

OTF2_SUFFIX: Final = ".otf2"

_STEPS: Final = 10_000  # of a trace: half as many samples as ``run --trace`` keeps of a process at most
_UNKNOWN: Final = 2**64 - 1  # OTF2_UNDEFINED_UINT64
_WITHIN: Final = "MPI"  # what stands in place of a file

# Ours → whether the time in a region of a paradigm and a role counts to it.
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
    """Read an archive; its events are read once, and all that is kept of them are steps.

    Args:
        path: The anchor file, ``traces.otf2``.

    Raises:
        InputError: The package ``otf2`` is not installed, the archive is damaged, or has no entries of regions.
    """
    if not path.is_file():
        raise InputError(f"{path}: expected an OTF2 archive, found none")
    with opened(path) as archive:
        return Reading(path, archive).trace()


class Reading:
    """An archive that is read.

    Args:
        path: Its anchor file.
        archive: As OTF2's own reader opened it.
        history: What takes the events of a location.

    Attributes:
        call_paths: Those that were entered.
    """

    def __init__(self, path: Path, archive: Any, history: Callable[[], History] = History) -> None:
        self._path = path
        self._archive = archive
        clock = archive.definitions.clock_properties
        self._origin = int(clock.global_offset)
        self._resolution = float(clock.timer_resolution)
        if self._resolution <= 0:
            raise ValueError(f"{self._resolution:g} ticks of its clock a second")
        self._regions: dict[int, Region] = {}
        self._kinds: dict[int, tuple[str, str]] = {}
        self._paths: dict[tuple[int | None, int], int] = {}
        self.call_paths: list[CallPath] = []
        self._region_of: list[int] = []
        self._histories: defaultdict[int, History] = defaultdict(history)
        self._members: dict[str, Any] = {}
        self._unread: set[str] = set()
        self._last = 0

    def take_events(self) -> dict[Location, History]:
        """Take all events, and leave what is still open at the end; give what each location took.

        Raises:
            InputError: No region was entered.
        """
        takes = self._takes()
        for location, event in self._archive.events:
            name = type(event).__name__
            take = takes.get(name)
            if take is None:
                self._unread.add(name)
                continue
            self._last = max(self._last, event.time)
            take(self._histories[location._ref], (event.time - self._origin) / self._resolution, event)
        places = self._places()
        if not self.call_paths:
            found = ", ".join(sorted(self._unread)) or "no events"
            raise InputError(f"{self._path}: expected entries of regions, found {found[:200]}")
        for history in self._histories.values():
            history.end(self._end)
        return {place: self._histories[number] for number, place in places.items()}

    @property
    def _end(self) -> float:
        return max((self._last - self._origin) / self._resolution, 1 / self._resolution)

    def trace(self) -> Trace:
        """Give what passed in equal steps.

        Raises:
            InputError: No region was entered.
        """
        found = self.take_events()
        places, histories = [*found], [*found.values()]
        edges = np.linspace(0.0, self._end, _STEPS + 1)
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

    def _takes(self) -> Mapping[str, Callable[[History, float, Any], None]]:
        return {
            "Enter": self._enter,
            "Leave": lambda history, time, event: history.leave(time),
            "Metric": self._metric,
            "MpiSend": lambda history, time, event: _moved(history, time, event.msg_length, 0),
            "MpiIsend": lambda history, time, event: _moved(history, time, event.msg_length, 0),
            "MpiRecv": lambda history, time, event: _moved(history, time, 0, event.msg_length),
            "MpiIrecv": lambda history, time, event: _moved(history, time, 0, event.msg_length),
            "MpiCollectiveEnd": lambda history, time, event: _moved(
                history, time, event.size_sent, event.size_received
            ),
            "IoOperationBegin": _begin_io,
            "IoOperationComplete": _end_io,
        }

    def _enter(self, history: History, time: float, event: Any) -> None:
        region = event.region._ref
        parent = history.stack[-1] if history.stack else None
        path = self._recursive(parent, region)
        if path is None:
            path = self._paths.get((parent, region))
        if path is None:
            path = self._paths[parent, region] = len(self.call_paths)
            self.call_paths.append(CallPath(self._region(event.region), parent))
            self._region_of.append(region)
        history.enter(time, path)
        history.amounts["visits"].add(time, 1)
        paradigm, role = self._kinds[region]
        if TIMES["mpi_time"](paradigm, role) and role != "FUNCTION":
            history.amounts["mpi_calls"].add(time, 1)

    def _recursive(self, above: int | None, region: int) -> int | None:
        """Find the call path that a recursive call collapses into."""
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
        """Give ranks to processes, and numbers to their threads."""
        definitions = self._archive.definitions
        ranks: dict[int, int] = {}
        for group in definitions.groups:
            if name_of(group.group_type) == "COMM_LOCATIONS" and name_of(group.paradigm) == "MPI":
                for rank, location in enumerate(group.members):
                    ranks.setdefault(location.group._ref, rank)
        found: dict[int, Location] = {}
        threads: defaultdict[int, int] = defaultdict(int)
        for location in definitions.locations:
            if location._ref not in self._histories:
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
        """Give the paradigm and the role of a call path's region."""
        return self._kinds[self._region_of[path]]

    @property
    def unread(self) -> list[str]:
        """The kinds of events that were left out."""
        return sorted(self._unread)

    def metrics(self) -> list[Metric]:
        """Give the columns: times that the archive can tell first, then amounts that it has, and its counters."""
        seen = {name for history in self._histories.values() for name in history.amounts}
        seen |= {name for name, kind in TIMES.items() if any(kind(*each) for each in self._kinds.values())}
        ours = sorted((each for each in STORED_METRICS if each.name in seen), key=lambda each: each.name not in TIMES)
        found = [replace(each, parent=each.parent if each.parent in seen else None) for each in ours]
        for name, member in self._members.items():
            level = name_of(member.metric_mode).startswith(_ABSOLUTE)
            unit = (member.unit or "").strip("#") or "occ"
            found.append(Metric(name, unit, None, member.description or "", additive=not level))
        return [replace(each, source=SOURCE) for each in found]


def _moved(history: History, time: float, sent: int, received: int) -> None:
    """Count the bytes of a message, or of a part in a collective."""
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
