"""What ``perf script`` prints: samples of events with their stacks.

Each sample stands for the number of events since the one before; of ``cpu-clock`` and ``task-clock`` these are
nanoseconds of CPU time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...errors import InputError
from ..experiment import Experiment
from ..notes import Notes
from ..region import Region
from ..source import Source
from .profile import Profile, function
from .text import is_last_line_whole, lines

__all__ = ["read"]

_SAMPLE: Final = re.compile(
    r"(?P<command>\S.{0,30}?)\s+(?P<number>\d+)(?:/(?P<thread>\d+))?\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+"
    r"(?:(?P<period>\d+)\s+)?(?P<event>[A-Za-z]\S{0,200}):(?:\s+(?P<frame>\S.*))?\s*$"
)
_ADDRESS: Final = re.compile(r"[0-9a-f]{1,16}")
_OFFSET: Final = re.compile(r"\+0x[0-9a-f]+$")
_UNKNOWN: Final = "[unknown]"
_INLINED: Final = "inlined"  # in place of a file
_CLOCK: Final = re.compile(r"(cpu|task)-clock(:|$)")
_NANOSECONDS: Final = 1e9
_MPI: Final = ("MPI_", "PMPI_")


class _Sample(NamedTuple):
    """A sample: who was running, what was counted, the stack, the innermost function first, and whether it is whole."""

    command: str
    process: int
    thread: int | None
    event: str
    period: int | None
    frames: list[str]
    is_whole: bool = True


def read(source: Source) -> Experiment:
    """Read samples.

    Raises:
        InputError: There are none.
    """
    profile = Profile("perf")
    found = _Samples(profile)
    for sample in _samples(source):
        found.add(sample)
    return found.experiment()


def _samples(source: Source) -> Iterator[_Sample]:
    """Give the samples; the last one is not whole if its line has no end, or its stack no empty line after it."""
    current: _Sample | None = None
    is_ended = is_stack = False
    stacked: set[str] = set()  # events whose samples end in an empty line
    for line in lines(source):
        head = None if line.startswith("#") else _SAMPLE.match(line.strip())  # without stacks, commands are padded
        if head:
            if current:
                yield current
            is_ended = is_stack = False
            thread = head["thread"]
            current = _Sample(
                head["command"],
                int(head["number"]),
                None if thread is None else int(thread),
                head["event"],
                None if head["period"] is None else int(head["period"]),
                [],
            )
        name = _name((head["frame"] or "") if head else line)
        if current and name is not None:
            current.frames.append(name)
            is_stack |= not head
        if current and not line:
            is_ended = True
            stacked.add(current.event)
    if current:
        on_one_line = not is_stack and (current.frames or current.event not in stacked)
        is_cut = not is_last_line_whole(source)
        is_whole = bool(is_ended or (on_one_line and not (is_cut and (head or not current.frames))))
        yield current._replace(is_whole=is_whole)
        if is_cut and is_whole:  # within the first line of the next one
            yield current._replace(is_whole=False)


def _name(line: str) -> str | None:
    """Name the function of a line of a stack: ``55d0 main+0x10 (/bin/ring)``; None of another line.

    One without a name is named by the file that it is in, in brackets; by nothing if that is unknown as well.
    """
    address, _, rest = line.strip().partition(" ")
    symbol, _, place = rest.rpartition(" (")
    name = _OFFSET.sub("", symbol.strip())
    inside = place.removesuffix(")")
    if not (name and _ADDRESS.fullmatch(address)) or inside == place or {"(", ")"} & set(inside):
        return None
    if name != _UNKNOWN:
        return name
    return "" if inside in (_UNKNOWN, _INLINED) else f"[{inside.rpartition('/')[2].strip('[]')}]"


class _Samples:
    """Adds samples up."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._sums: defaultdict[tuple[str, int, tuple[int, int]], float] = defaultdict(float)
        self._commands: Counter[str] = Counter()
        self._told_apart = True
        self._untold = 0
        self._is_cut = False

    def add(self, sample: _Sample) -> None:
        if not sample.is_whole:
            self._is_cut = True
            return
        self._commands[sample.command] += 1
        self._told_apart &= sample.thread is not None
        place = sample.process, sample.thread if sample.thread is not None else sample.process
        path = self._path(sample.command, sample.frames)
        if sample.period is None:
            self._untold += 1
            self._sums["samples", path, place] += 1
        elif _CLOCK.match(sample.event):
            seconds = sample.period / _NANOSECONDS
            self._sums["cpu_time", path, place] += seconds
            self._sums["mpi_cpu_time", path, place] += seconds if _in_mpi(sample.frames) else 0.0
        else:
            self._sums[f"perf:{sample.event}", path, place] += sample.period

    def experiment(self) -> Experiment:
        if not self._sums:
            found = "a part of one: the text is cut off" if self._is_cut else "none"
            raise InputError(f"expected samples of perf script, found {found}")
        numbers: defaultdict[int, set[int]] = defaultdict(set)
        for _, _, (process, thread) in self._sums:
            numbers[process].add(thread)
        places = {
            (process, thread): self._profile.location(rank, number)
            for rank, process in enumerate(sorted(numbers))
            for number, thread in enumerate(sorted(numbers[process]))
        }
        for (metric, path, place), value in self._sums.items():
            self._profile.add(self._profile.metric(metric, "occ"), path, places[place], value)
        apart = "" if self._told_apart else ", each of which may be a thread: perf script -F +pid tells them apart"
        self._profile.remarks.append(
            f"perf: no ranks: processes in the order of their numbers{apart}; no visits, no bytes; by samples"
        )
        if self._untold:
            self._profile.remarks.append(f"perf: {self._untold} samples without a period are only counted")
        if self._is_cut:
            self._profile.remarks.append("perf: the text is cut off within its last sample, which is left out")
        return self._profile.experiment(Notes(program=self._commands.most_common(1)[0][0]))

    def _path(self, command: str, frames: Sequence[str]) -> int:
        """Give the call path of a stack; a recursive call is the first one."""
        path = self._profile.path(Region("program", command, "", command))
        above: dict[str, int] = {}
        for name in reversed(frames):
            if name:
                path = above[name] if name in above else self._profile.path(function(name), path)
                above.setdefault(name, path)
        return path


def _in_mpi(frames: Sequence[str]) -> bool:
    return any(name.startswith(_MPI) for name in frames)
