"""Facts that accompany the numbers: missing data, how the run was measured, and the overhead of the measurement."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from math import isfinite
from typing import Any, Final

from ..errors import InputError
from .compiled import Compiled
from .delay import Delay
from .file_use import FileUse
from .inside import Inside, inside_from_json, is_inside
from .messages import Messages
from .thread_wait import ThreadWait

__all__ = ["DIVIDED", "Notes"]

DIVIDED: Final = "each rank gets an equal part"  # ends warnings about files that contain only sums over ranks

_MOST: Final = 1 << 63
_APART: Final = ("inside", "sampled", "messages")
_NEWER: Final = ("one_sided", "path_is_partial")  # written only if set, because earlier versions reject unknown notes
_SAMPLED: Final = {"samples", "seconds", "probes"}
_CUT: Final = re.compile(r"select\((?:subtree=(.*?)(?:, (?:processes|metrics)=|\)\Z))?|flat\Z", re.DOTALL)
_OPERATION: Final = re.compile(r"(?:.+ = )?(difference|merge|mean|sum|min|max|stddev|ratio)\(", re.DOTALL)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and isfinite(value))


def _is_file_use(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {each.name for each in fields(FileUse)}
        and isinstance(value["name"], str)
        and all(_is_whole(value[name]) for name in ("processes", "calls", "bytes_read", "bytes_written"))
        and _is_number(value["seconds"])
    )


def _is_delay(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {each.name for each in fields(Delay)}
        and all(isinstance(value[name], str) for name in ("waiting", "late"))
        and all(_is_number(value[name]) for name in ("seconds", "by_messages"))
    )


def _is_thread_wait(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {each.name for each in fields(ThreadWait)}:
        return False
    lists = [value[name] for name in ("threads", "entries", "contended", "seconds", "cpu_seconds")]
    return (
        all(isinstance(value[name], str) for name in ("region", "kind", "file"))
        and all(_is_whole(value[name]) and value[name] >= least for name, least in (("line", 0), ("processes", 1)))
        and all(isinstance(each, list) and len(each) == len(lists[0]) > 0 for each in lists)
        and all(map(_is_whole, lists[0]))
        and all(_is_number(number) for each in lists for number in each)
    )


def _is_compiled(value: Any) -> bool:
    with suppress(ValueError):
        return bool(Compiled.from_json(value))
    return False


_FITS: Final[dict[str, Callable[[Any], bool]]] = {
    "str": lambda value: isinstance(value, str),
    "tuple[str, ...]": lambda value: isinstance(value, tuple) and all(isinstance(each, str) for each in value),
    "tuple[int, ...]": lambda value: isinstance(value, tuple) and all(map(_is_whole, value)),
    "dict[str, str]": lambda value: isinstance(value, dict) and all(isinstance(each, str) for each in value.values()),
    "dict[str, float]": lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    "dict[str, int]": lambda value: isinstance(value, dict) and all(map(_is_whole, value.values())),
    "int": _is_whole,
    "int | None": lambda value: value is None or _is_whole(value),
    "float | None": lambda value: value is None or _is_number(value),
    "bool": lambda value: isinstance(value, bool),
    "tuple[Delay, ...]": lambda value: isinstance(value, tuple) and all(map(_is_delay, value)),
    "tuple[Compiled, ...]": lambda value: isinstance(value, tuple) and all(map(_is_compiled, value)),
    "tuple[FileUse, ...]": lambda value: isinstance(value, tuple) and all(map(_is_file_use, value)),
    "tuple[Inside, ...]": lambda value: isinstance(value, tuple) and all(map(is_inside, value)),
    "tuple[ThreadWait, ...]": lambda value: isinstance(value, tuple) and all(map(_is_thread_wait, value)),
}


@dataclass(frozen=True)
class Notes:
    """Facts about a run that are not severities.

    Attributes:
        program: The name of the executable; empty if unknown.
        command: The command line that was run.
        program_status: Exit status of the command; None if unknown.
        expected_processes: The number of processes of the run; None if unknown.
        started: Processes that ranks forked or spawned, and that are therefore not ranks of the launcher.
        missing: Ranks without data.
        unfinished: Ranks that did not enter MPI_Finalize.
        not_instrumented: Sources, regions or programs without probes.
        remarks: Warnings about data that were lost, repaired or collapsed.
        clocks: The names of the clocks for ``wall`` and ``cpu``, and ``ticks_per_second`` of the wall clock.
        probe_ns: Overhead of entering and leaving a region once, in nanoseconds; None if unknown.
        throttled_ns: Overhead of entering and leaving a throttled region once, in nanoseconds; None if unknown.
        call_ns: Overhead of measuring one MPI or file I/O call, without that of its region's probes, in nanoseconds;
            None if unknown.
        path_seconds: Time taken to record the critical path, in seconds, summed over ranks; None if the critical path
            was not recorded.
        path_is_partial: Whether only the beginning of the critical path was recorded.
        max_overhead: The share of the busy time that all probes together may take before regions are throttled; None
            if unknown.
        throttled: Descriptor of a region that was throttled on any call path, so that its time was attributed to the
            caller → the reason.
        unprobed: Descriptor of a region → the functions without probes that it calls, one per line.
        compiled: For each file whose regions were entered, the compiler options that affect parsing.
        untimed: Number of entries to throttled regions that were not timed.
        repairs: Number of times a region was closed because the program jumped over its closing probe.
        processors: The number of cores available on the machine on which all ranks ran; None if unknown, or if there
            were several machines.
        run_delay: Rank → the seconds for which the process's first thread was ready to run but waited for a core.
        involuntary_switches: Rank → the number of times that a thread was preempted.
        processor_use: The use of the machine's cores during the run, in seconds: ``elapsed`` is wall time, ``busy`` is
            the time for which cores were in use, summed over all cores, and ``own`` is the part of ``busy`` due to the
            launcher and the processes that it waited for. Empty if unknown.
        counts_by_rank: Whether each rank's counts and times were measured for the same work.
        environment: The recorded environment variables, with their values.
        files: The use of each file, longest time first.
        thread_waits: The places where OpenMP threads wait for each other, longest waits first.
        inside: The code inside regions, as found by sampling, most samples first.
        sampled: ``samples`` is the number of samples of the code that threads execute, ``seconds`` is the CPU time that
            one sample represents, and ``probes`` is the number of samples in probes, outside of calls. Empty if there
            are no samples.
        delays: The delays between regions, longest first.
        messages: The point-to-point messages between pairs of ranks; None if there are none or they were not counted.
        prices: The machine's times for single operations, named as in ``Prices``.
        calibrated: Where and when ``prices`` were measured: host, MPI, launcher and day.
        samples: Sampled metric → the amount that one sample represents, in the metric's unit.
        runs: If this experiment is the mean of several runs of one command, the number of these runs.
        left_out: Metric that was removed by selecting a part → the remaining metric that includes it.
        one_sided: Metrics of a derived experiment that are missing in an operand, so that their values are not true
            differences or means.
        history: The operations that produced a derived experiment.
    """

    program: str = ""
    command: tuple[str, ...] = ()
    program_status: int | None = None
    expected_processes: int | None = None
    started: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    unfinished: tuple[int, ...] = ()
    not_instrumented: tuple[str, ...] = ()

    remarks: tuple[str, ...] = ()
    clocks: dict[str, str] = field(default_factory=dict)
    probe_ns: float | None = None
    throttled_ns: float | None = None
    call_ns: float | None = None
    path_seconds: float | None = None
    path_is_partial: bool = False
    max_overhead: float | None = None
    throttled: dict[str, str] = field(default_factory=dict)
    unprobed: dict[str, str] = field(default_factory=dict)
    compiled: tuple[Compiled, ...] = ()
    untimed: int = 0
    repairs: int = 0
    processors: int | None = None
    run_delay: dict[str, float] = field(default_factory=dict)
    involuntary_switches: dict[str, int] = field(default_factory=dict)
    processor_use: dict[str, float] = field(default_factory=dict)
    counts_by_rank: bool = True
    environment: dict[str, str] = field(default_factory=dict)
    files: tuple[FileUse, ...] = ()
    thread_waits: tuple[ThreadWait, ...] = ()
    inside: tuple[Inside, ...] = ()
    sampled: dict[str, float] = field(default_factory=dict)
    delays: tuple[Delay, ...] = ()
    messages: Messages | None = None
    prices: dict[str, float] = field(default_factory=dict)
    calibrated: dict[str, str] = field(default_factory=dict)
    samples: dict[str, float] = field(default_factory=dict)
    runs: int = 1
    left_out: dict[str, str] = field(default_factory=dict)
    one_sided: tuple[str, ...] = ()
    history: tuple[str, ...] = ()

    @property
    def derived_by(self) -> tuple[str, ...]:
        """The operations of the algebra that produced the experiment; empty for a run."""
        steps = (_OPERATION.match(step) for step in self.history if not _CUT.match(step))
        return tuple(dict.fromkeys(found[1] for found in steps if found))

    @property
    def is_difference(self) -> bool:
        """Whether the experiment is the difference of two experiments."""
        return self.derived_by[-1:] == ("difference",)

    @property
    def cut_to(self) -> tuple[str, ...]:
        """The parts of the call tree that were selected one after the other; ``flat`` for a flat profile."""
        steps = (_CUT.match(step) for step in self.history)
        return tuple(found[1] or found[0] for found in steps if found and (found[1] or found[0] == "flat"))

    def to_json(self) -> str:
        """Return the notes as a JSON object, without the notes on samples and messages."""
        return json.dumps(
            {
                name: value
                for name, value in asdict(replace(self, messages=None)).items()
                if name not in _APART and (value or name not in _NEWER)
            },
            ensure_ascii=False,
        )

    def samples_to_json(self) -> str:
        """Return the notes on samples as a JSON object; empty if there are none.

        ``to_json`` does not contain these notes, because earlier versions reject unknown notes.
        """
        parts = [{**asdict(each), "parts": [list(astuple(part)) for part in each.parts]} for each in self.inside]
        return json.dumps({"inside": parts, "sampled": self.sampled}, ensure_ascii=False) if self.sampled else ""

    @classmethod
    def from_json(cls, text: str, samples: str = "", messages: str = "") -> Notes:
        """Parse notes, notes on samples, and messages from JSON; unknown keys of later versions become warnings.

        Raises:
            InputError: A text is not a JSON object, or a value has the wrong type.
        """
        found = {**_object(text), **_object(samples or "{}")}
        known: dict[str, Any] = {}
        for each in fields(cls):
            if each.name in found and each.name != "messages":
                value = found.pop(each.name)
                known[each.name] = _checked(each.name, tuple(value) if isinstance(value, list) else value, each.type)
        if found:
            rest = "; ".join(f"{key}: {value}" for key, value in sorted(found.items()))
            known["remarks"] = (*known.get("remarks", ()), f"notes written by a later version: {rest}")
        known["delays"] = tuple(Delay(**each) for each in known.get("delays", ()))
        known["compiled"] = tuple(map(Compiled.from_json, known.get("compiled", ())))
        known["files"] = tuple(FileUse(**each) for each in known.get("files", ()))
        sampled = known.get("sampled", {})
        if sampled and (sampled.keys() != _SAMPLED or min(sampled["samples"], sampled["seconds"]) <= 0):
            raise InputError(f"notes: expected samples, seconds and probes in sampled, found {sampled!r:.80}")
        known["inside"] = tuple(map(inside_from_json, known.get("inside", ())))
        known["thread_waits"] = tuple(_thread_wait(each) for each in known.get("thread_waits", ()))
        made = cls(**known)
        if not messages:
            return made
        return replace(made, messages=Messages.from_json(messages, signed="difference" in made.derived_by))


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"expected notes as a JSON object: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"expected notes as a JSON object, found {type(found).__name__}")
    return found


def _thread_wait(found: dict[str, Any]) -> ThreadWait:
    values: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in found.items()}
    return ThreadWait(**values)


def _checked(name: str, value: Any, annotation: Any) -> Any:
    """Return a JSON value if it has the type of its field in the notes.

    Raises:
        InputError: The value has another type.
    """
    wanted = str(annotation)
    if _FITS[wanted](value):
        return value
    raise InputError(f"notes: expected {name} of type {wanted}, found {value!r:.40}")
