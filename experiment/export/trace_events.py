"""Write JSON that Perfetto and Chrome can show: nested slices and counters for each process and thread.

The format is Google's Trace Event Format: event ``B`` begins a slice, ``E`` ends the last slice, ``C`` sets a counter,
and ``M`` names a process or thread.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from ...atomic_file import replacing
from ..call_path import CallPath
from ..region import Region
from .call_stacks import CallStacks

__all__ = ["Lane", "TraceEvents", "trace_events"]

_MICRO: Final = 1000  # nanoseconds per microsecond, the format's unit of time


class TraceEvents:
    """Writes events; see ``trace_events``.

    Args:
        stream: The output stream.
        call_paths: The call paths to which slices refer.
    """

    def __init__(self, stream: IO[bytes], call_paths: Sequence[CallPath]) -> None:
        self.stacks = CallStacks(call_paths)
        self._stream = stream
        self._slices = [_slice(path.region) for path in call_paths]
        self._some = False
        self._process: int | None = None
        self._lanes = 0

    def put(self, event: str) -> None:
        """Write an event, given as the text of a JSON object."""
        self._stream.write(f"{',' if self._some else ''}\n{event}".encode())
        self._some = True

    def lane(self, process: int, process_name: str, thread_name: str) -> Lane:
        """Return a thread's lane; if the process is new, write its name first.

        Threads are numbered from 1 across all processes, because Perfetto treats thread 0 as the idle thread.
        """
        self._lanes += 1
        if process != self._process:
            self._process = process
            self._name("process_name", {"pid": process}, {"name": process_name})
            self._name("process_sort_index", {"pid": process}, {"sort_index": process})
        ids = {"pid": process, "tid": self._lanes}
        self._name("thread_name", ids, {"name": thread_name})
        return Lane(self, json.dumps(ids, separators=(",", ":"))[1:-1])

    def _name(self, kind: str, ids: dict[str, int], found: dict[str, str | int]) -> None:
        self.put(json.dumps({"ph": "M", "name": kind, **ids, "args": found}))

    def edge(self, kind: str, path: int, ids: str, at: int) -> None:
        """Begin (``B``) or end (``E``) a slice. Both events have the same members, by which speedscope matches them."""
        self.put(f'{{"ph":"{kind}",{ids},"ts":{_microseconds(at)},{self._slices[path]}}}')


class Lane:
    """A thread's slices, which begin and end as the thread moves from call path to call path.

    Args:
        events: The writer of events.
        ids: The members of an event that identify the thread.
    """

    def __init__(self, events: TraceEvents, ids: str) -> None:
        self._events = events
        self._ids = ids
        self._open: tuple[int, ...] = ()

    @property
    def path(self) -> int | None:
        """The thread's current call path; None if no slice is open."""
        return self._open[-1] if self._open else None

    def move(self, path: int | None, at: int) -> None:
        """Move to a call path: end the open slices that do not contain it, and begin those that are missing.

        Args:
            path: The call path; None to end all slices.
            at: The time in nanoseconds, not before that of the previous call.
        """
        wanted = () if path is None else self._events.stacks.paths_of(path)
        common = 0
        for one, other in zip(self._open, wanted, strict=False):
            if one != other:
                break
            common += 1
        for each in reversed(self._open[common:]):
            self._events.edge("E", each, self._ids, at)
        for each in wanted[common:]:
            self._events.edge("B", each, self._ids, at)
        self._open = wanted

    def count(self, title: str, unit: str, value: float, at: int) -> None:
        """Write the new value of a counter, which Perfetto shows with the title and unit."""
        named, of = json.dumps(title), json.dumps(unit)
        self._events.put(
            f'{{"ph":"C",{self._ids},"ts":{_microseconds(at)},"name":{named},"args":{{{of}:{value:.9g}}}}}'
        )


@contextmanager
def trace_events(path: Path, call_paths: Sequence[CallPath], facts: Mapping[str, str]) -> Iterator[TraceEvents]:
    """Yield a writer of events to a file, which is replaced when the block ends without an error.

    Args:
        path: The file.
        call_paths: The call paths to which slices refer.
        facts: Further facts to write: name → text.

    Raises:
        InputError: The file cannot be written.
    """
    with replacing(path) as stream:
        head = json.dumps({"displayTimeUnit": "ms", "otherData": {"producer": "autoanalyzer", **facts}})
        stream.write(f'{head[:-1]},\n"traceEvents":['.encode())
        yield TraceEvents(stream, call_paths)
        stream.write(b"\n]}\n")


def _microseconds(nanoseconds: int) -> str:
    """Format a time in microseconds, the format's unit, with all digits."""
    whole, part = divmod(nanoseconds, _MICRO)
    return f"{whole}.{part:03d}"


def _slice(region: Region) -> str:
    about: dict[str, Any] = {"name": region.name, "cat": region.kind}
    if region.file:
        about["args"] = {"source": f"{region.file}:{region.first_line}" if region.first_line > 0 else region.file}
    return json.dumps(about, separators=(",", ":"))[1:-1]
