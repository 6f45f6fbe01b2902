"""Read mpiP's report: each rank's time in the program and in MPI, and its calls at each call site.

A call site is placed below the functions of its stack. The program's own time is a rank's total time minus the time of
its call sites. Because the report's numbers have only three digits, the sum over the call sites may differ from the
rank's time in MPI. If rounding explains the difference, the call sites are scaled so that their sum equals this time.
Without scaling, the rounding error of a rank that mostly waits could exceed the program's own time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...errors import InputError
from ..experiment import Experiment
from ..notes import Notes
from ..region import Region
from ..source import Source
from .profile import Profile, function
from .text import lines

__all__ = ["read"]

_SECTION: Final = re.compile(r"@-+ (.*)$")
_FACT: Final = re.compile(r"@ ([^:]*): (.*)$")
_TASK: Final = re.compile(r"\s*(\d+)\s+(\S+)\s+(\S+)\s+\S+$")
_FRAME: Final = re.compile(r"\s*(\d+)\s+(\d+)\s+(\S+)\s+(?:(\d+)\s+)?(\S.*)$")
_SITE: Final = re.compile(r"(\w+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?:\s+(\S+))?$")
_UNKNOWN: Final = "[unknown]"
_IO: Final = "File_"
_END: Final = "End of Report"
_TIMES: Final = "Callsite Time statistics"
# Section that contains bytes per call site → the metric for these bytes.
_VOLUMES: Final = {
    "Callsite Message Sent statistics": "mpi_bytes_sent",
    "Callsite I/O statistics": "io_bytes",
    "Callsite RMA Target statistics": "rma_bytes",
}
_MILLISECONDS: Final = 1e3
_DIGITS: Final = 0.01  # differences up to this share of a sum are explained by rounding to three digits
_OTHERS: Final = "other calls to MPI"  # all calls without a call site in the report


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame of a call site's stack: function, file and line, and in the innermost frame also the called function."""

    function: str
    file: str
    line: int
    called: str


def read(source: Source) -> Experiment:
    """Read mpiP's report.

    Raises:
        InputError: The report is cut off, has no times per rank, or contains an invalid number.
    """
    return _Reading(source).experiment()


class _Reading:
    """Reads a report section by section, and converts it to an experiment."""

    def __init__(self, source: Source) -> None:
        self._facts: dict[str, str] = {}
        self._tasks: dict[int, tuple[float, float]] = {}
        self._frames: defaultdict[int, list[_Frame]] = defaultdict(list)
        self._rows: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
        section = ""
        for section, line in _sections(source):
            if not section and (fact := _FACT.match(line)):
                self._facts.setdefault(fact[1].strip(), fact[2].strip())
            elif section == "MPI Time" and (task := _TASK.match(line)):
                self._tasks[int(task[1])] = float(task[2]), float(task[3])
            elif section == "Callsites" and (frame := _FRAME.match(line.rstrip())):
                self._add_frame(frame)
            elif row := _SITE.match(line):
                self._rows[section].append(row.groups(""))
        if section != _END:
            place = f'in "@--- {section}"' if section else "before its first section"
            raise InputError(
                f'expected a report that ends with "@--- {_END}", found one that is truncated {place};'
                " use the complete file, or run the program again until it has called MPI_Finalize"
            )
        if not self._tasks:
            raise InputError(
                "expected times per task (@--- MPI Time), found none; concise reports (-c) do not contain them"
            )
        command = self._facts.get("Command", "").split()
        program = command[0].rpartition("/")[2] if command else "program"
        self._notes = Notes(program=program, command=tuple(command))
        self._profile = Profile(f"mpiP {self._facts.get('Version', '')}".strip())
        self._root = self._profile.path(Region("program", program, "", program))
        for name in ("wall_time", "mpi_time", "io_time", "visits"):
            self._profile.metric(name)

    def experiment(self) -> Experiment:
        spent = self._spent()
        scales: dict[int, float] = {}
        for rank, (whole, inside) in self._tasks.items():
            place = self._profile.location(rank)
            rest = inside - spent[rank]
            if rest > _DIGITS * inside:
                path = self._profile.path(Region("mpi", _OTHERS, "", _OTHERS), self._root)
                self._profile.add("wall_time", path, place, rest)
                self._profile.add("mpi_time", path, place, rest)
            elif spent[rank] and -rest <= _DIGITS * inside:
                scales[rank] = inside / spent[rank]
            listed = inside if rank in scales else max(inside, spent[rank])
            self._profile.add("wall_time", self._root, place, whole - listed)
        self._add_times(scales)
        for section, metric in _VOLUMES.items():
            self._add_volumes(section, metric)
        self._profile.remarks.append("mpiP: no times for functions outside MPI, no threads; numbers have three digits")
        return self._profile.experiment(self._notes)

    def _spent(self) -> defaultdict[int, float]:
        """Map each rank to the total time of its call sites, in seconds."""
        spent: defaultdict[int, float] = defaultdict(float)
        for _, _, rank, count, _, mean, *_ in self._rows[_TIMES]:
            spent[int(rank)] += _seconds(count, mean)
        return spent

    def _add_times(self, scales: Mapping[int, float]) -> None:
        """Add the time of call sites, scaled by a factor per rank."""
        for name, site, rank, count, _, mean, *_ in self._rows[_TIMES]:
            path, place = self._path(name, int(site)), self._profile.location(int(rank))
            seconds = _seconds(count, mean) * scales.get(int(rank), 1.0)
            for metric in ("wall_time", "io_time" if name.startswith(_IO) else "mpi_time"):
                self._profile.add(metric, path, place, seconds)
            self._profile.add("visits", path, place, int(count))

    def _add_volumes(self, section: str, metric: str) -> None:
        for name, site, rank, _, _, _, _, amount, *_ in self._rows[section]:
            path, place = self._path(name, int(site)), self._profile.location(int(rank))
            ways = [metric]
            if metric == "io_bytes":
                ways.append("io_bytes_read" if "read" in name else "io_bytes_written")
            for each in ways:
                self._profile.add(self._profile.metric(each, "bytes"), path, place, float(amount))

    def _add_frame(self, frame: re.Match[str]) -> None:
        number, level, file, line, rest = frame.groups("")
        words = rest.rsplit(None, 1)
        named = level == "0" and len(words) == 2
        self._frames[int(number)].append(
            _Frame(words[0] if named else rest, "" if file.startswith("0x") else file, int(line or 0), words[-1])
        )

    def _path(self, name: str, site: int) -> int:
        """Return the call path of a call site, below the named functions of its stack."""
        frames = self._frames.get(site, [])
        path: int | None = self._root
        known = [each for each in reversed(frames) if each.function != _UNKNOWN]
        above: int | None = None
        for each in known:
            path, above = self._profile.path(function(each.function, each.file), path, above), each.line or None
        kind = "io" if name.startswith(_IO) else "mpi"
        return self._profile.path(Region(kind, f"MPI_{name}", "", f"MPI_{name}"), path, above)


def _seconds(count: str, mean: str) -> float:
    return int(count) * float(mean) / _MILLISECONDS


def _sections(source: Source) -> Iterator[tuple[str, str]]:
    """Yield each line as (section, line); the section is named without its unit, and empty before the first section.

    A heading becomes an empty line of its section.
    """
    section = ""
    for line in lines(source):
        if found := _SECTION.match(line):
            section = re.split(r"[(:]", found[1])[0].strip(" -")
        yield section, "" if found else line
