"""Read the output of ``perf script``: samples of events with their stacks.

Each sample represents the number of events since the previous sample; the events of ``cpu-clock`` and ``task-clock``
are nanoseconds of CPU time. If the header contains the sampling frequency, each sample of a clock or of cycles
represents one interval of CPU time. Samples of other events, or with unknown periods, are only counted, so the profile
has no times.
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
from .perf_lines import frame, frequency, head, is_idle
from .profile import Profile, function
from .text import is_last_line_whole, lines

__all__ = ["read"]

_CLOCK: Final = re.compile(r"(cpu|task)-clock(:|$)")
# Events that occur a fixed number of times per second on a busy core.
_TICKS: Final = re.compile(r"(.*/)?((cpu|ref|bus)-)?cycles(/|:|$)")
_NANOSECONDS: Final = 1e9
_MPI: Final = ("MPI_", "PMPI_")
_UNNAMED: Final = "program"


class _Sample(NamedTuple):
    """A sample: process and thread, event, period, stack (innermost function first), and whether it is complete."""

    command: str
    process: int
    thread: int | None
    event: str
    period: int | None
    frames: list[str]
    is_whole: bool = True


def read(source: Source) -> Experiment:
    """Read samples as an experiment.

    Raises:
        InputError: There are no samples.
    """
    profile = Profile("perf")
    found = _Samples(profile)
    for sample in _samples(source, found):
        found.add(sample)
    return found.experiment()


def _samples(source: Source, found: _Samples) -> Iterator[_Sample]:
    """Yield the samples; the last one is incomplete if its newline, or the empty line after its stack, is missing."""
    current: _Sample | None = None
    is_ended = is_stack = False
    stacked: set[str] = set()  # events whose samples end with an empty line
    for line in lines(source):
        if line.startswith("#"):
            found.frequency = found.frequency or frequency(line)
            continue
        first = head(line)
        if first:
            if current:
                yield current
            is_ended = is_stack = False
            found.has_processes &= first.process is not None
            current = _Sample(
                first.command or _UNNAMED, first.process or 0, first.thread, first.event, first.period, []
            )
        name = frame(first.frame if first else line)
        if current and name is not None:
            current.frames.append(name)
            is_stack |= not first
        if current and not line:
            is_ended = True
            stacked.add(current.event)
    if current:
        on_one_line = not is_stack and (current.frames or current.event not in stacked)
        is_cut = not is_last_line_whole(source)
        is_whole = bool(is_ended or (on_one_line and not (is_cut and (first or not current.frames))))
        yield current._replace(is_whole=is_whole)
        if is_cut and is_whole:  # the text ends inside the first line of the next sample
            yield current._replace(is_whole=False)


class _Samples:
    """Adds up samples by call path.

    Attributes:
        frequency: Samples per second; None if the header does not contain the frequency.
        has_processes: Whether all samples have the number of their process or thread.
    """

    def __init__(self, profile: Profile) -> None:
        self.frequency: int | None = None
        self.has_processes = True
        self._profile = profile
        self._sums: defaultdict[tuple[str, int, tuple[int, int]], float] = defaultdict(float)
        self._worth: defaultdict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        self._commands: Counter[str] = Counter()
        self._told_apart = True
        self._untold: Counter[str] = Counter()
        self._is_cut = False
        self._idle = 0

    def add(self, sample: _Sample) -> None:
        if not sample.is_whole:
            self._is_cut = True
            return
        if is_idle(sample.command, sample.process):
            self._idle += 1
            return
        self._commands[sample.command] += 1
        self._told_apart &= sample.thread is not None
        place = sample.process, sample.thread if sample.thread is not None else sample.process
        path = self._path(sample.command, sample.frames)
        seconds = self._seconds(sample)
        if seconds is not None:
            self._add("cpu_time", path, place, seconds)
            self._sums["mpi_cpu_time", path, place] += seconds if _in_mpi(sample.frames) else 0.0
        elif sample.period is None:
            self._untold[sample.event] += 1
            self._add(sample.event, path, place, 1.0)
        else:
            self._add(f"perf:{sample.event or 'events'}", path, place, float(sample.period))

    def _seconds(self, sample: _Sample) -> float | None:
        """Return the seconds of CPU time that a sample represents; None if unknown."""
        is_clock = bool(_CLOCK.match(sample.event))
        if is_clock and sample.period is not None:
            return sample.period / _NANOSECONDS
        if self.frequency and (is_clock or _TICKS.match(sample.event)):
            return 1 / self.frequency
        return None

    def _add(self, metric: str, path: int, place: tuple[int, int], value: float) -> None:
        self._sums[metric, path, place] += value
        total, squares = self._worth[metric]
        self._worth[metric] = total + value, squares + value * value

    def experiment(self) -> Experiment:
        if not self._sums:
            found = "only a part of a sample, because the output is truncated" if self._is_cut else "none"
            found = "only samples of idle cores" if self._idle else found
            raise InputError(f"expected samples in the output of perf script, found {found}")
        numbers: defaultdict[int, set[int]] = defaultdict(set)
        for _, _, (process, thread) in self._sums:
            numbers[process].add(thread)
        places = {
            (process, thread): self._profile.location(rank, number)
            for rank, process in enumerate(sorted(numbers))
            for number, thread in enumerate(sorted(numbers[process]))
        }
        for (metric, path, place), value in self._sums.items():
            self._profile.add(self._profile.metric(self._named(metric), "occ"), path, places[place], value)
        for metric, (total, squares) in self._worth.items():
            if total > 0:  # samples with different periods have the same variance as equal samples of this size
                self._profile.samples[self._profile.metric(self._named(metric), "occ")] = squares / total
        apart = (
            ""
            if self._told_apart
            else (
                ", but each of these processes may in fact be a thread; to distinguish processes and threads, "
                "use perf script -F +pid"
            )
        )
        of_whom = f"processes are numbered in the order of their IDs{apart}" if self.has_processes else "one process"
        self._profile.remarks.append(f"perf: no ranks; {of_whom}; no visits or bytes; values come from samples")
        if untold := sum(self._untold.values()):
            self._profile.remarks.append(f"perf: {untold} samples have no period, so only their number is recorded")
        if self._idle:
            self._profile.remarks.append(f"perf: {self._idle} samples of idle cores (swapper) are left out")
        if self._is_cut:
            self._profile.remarks.append("perf: the output is truncated within its last sample, which is left out")
        return self._profile.experiment(Notes(program=self._commands.most_common(1)[0][0]))

    def _named(self, metric: str) -> str:
        """Return a metric's name; if an event's samples are only counted, it is ``samples`` or ``samples:EVENT``."""
        if metric not in self._untold:
            return metric
        return "samples" if len(self._untold) == 1 else f"samples:{metric or 'events'}"

    def _path(self, command: str, frames: Sequence[str]) -> int:
        """Return the call path of a stack; recursive calls are merged with the first call."""
        path = self._profile.path(Region("program", command, "", command))
        above: dict[str, int] = {}
        for name in reversed(frames):
            if name:
                path = above[name] if name in above else self._profile.path(function(name), path)
                above.setdefault(name, path)
        return path


def _in_mpi(frames: Sequence[str]) -> bool:
    return any(name.startswith(_MPI) for name in frames)
