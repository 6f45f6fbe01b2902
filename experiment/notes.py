"""What must be said beside the numbers: what is missing, how it was measured, at what cost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from typing import Any, Final

from ..errors import InputError
from .compiled import Compiled
from .delay import Delay
from .file_use import FileUse

__all__ = ["Notes"]

_MOST: Final = 1 << 63
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
}


@dataclass(frozen=True)
class Notes:
    """Facts about a run that no severity holds.

    Attributes:
        program: Name of the executable; empty if unknown.
        command: The command line that was run.
        program_status: Exit status of the command; None if unknown.
        expected_processes: How many processes the run had; None if unknown.
        started: Processes that are none of the launcher's ranks: these forked or spawned them.
        missing: Ranks of which nothing came back.
        unfinished: Ranks that never entered MPI_Finalize.
        not_instrumented: Sources, regions or programs without probes.
        remarks: Sentences about data that was lost, repaired or collapsed.
        clocks: Name of the clock for ``wall`` and ``cpu``; ``ticks_per_second`` of the former.
        probe_ns: Cost of one enter and exit, in nanoseconds; None if unknown.
        throttled_ns: The same of a throttled region.
        call_ns: What measuring a call of MPI or file I/O costs, but for a region that it is; None if unknown.
        path_seconds: What it took to record the critical path, in seconds of all ranks together; None if none was.
        max_overhead: Share of the time that measuring may take before regions are throttled; None if unknown.
        throttled: Descriptors of regions whose time was attributed to their callers, on any call path, each with the
            reason.
        unprobed: Descriptors of regions, each with the functions without probes that it calls, a line each.
        compiled: The options by which the files of entered regions were compiled, as far as they decide how these are
            read.
        untimed: Entries of these whose time is not known.
        repairs: Regions closed because a probe was jumped over.
        processors: How many processors the machine gave on which all ran; None if unknown, or if there were several.
        run_delay: By rank, seconds that a process's first thread was ready to run while others had the processor.
        involuntary_switches: By rank, how often a thread had to leave its processor to others.
        processor_use: Seconds of the run: ``elapsed`` by the clock, all its processors ``busy`` together, and their
            ``own`` of the launcher and the processes that it waited for; empty if unknown.
        counts_by_rank: Whether a rank's counts are of the work that it did when timed.
        environment: The few variables that are kept.
        files: What was read and written, by file; those that took longest first.
        delays: What ranks waited for in each other's regions; the longest first.
        prices: What the machine takes for single things, as ``Prices`` names them.
        calibrated: Where these were measured: host, MPI, launcher and day.
        samples: The amount that one sample stands for, by metric and in its unit; only of metrics that were sampled.
        runs: Of how many runs of one command it is the mean.
        left_out: Metrics that a cut left out, each with the one that is left and includes it.
        history: How a derived experiment came about.
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
    delays: tuple[Delay, ...] = ()
    prices: dict[str, float] = field(default_factory=dict)
    calibrated: dict[str, str] = field(default_factory=dict)
    samples: dict[str, float] = field(default_factory=dict)
    runs: int = 1
    left_out: dict[str, str] = field(default_factory=dict)
    history: tuple[str, ...] = ()

    @property
    def derived_by(self) -> tuple[str, ...]:
        """Name the operations of the algebra that led to the experiment, which is no run then; of a run none."""
        steps = (_OPERATION.match(step) for step in self.history if not _CUT.match(step))
        return tuple(dict.fromkeys(found[1] for found in steps if found))

    @property
    def cut_to(self) -> tuple[str, ...]:
        """Say step by step to which part of its call tree the experiment was cut; ``flat`` of flat profiles."""
        steps = (_CUT.match(step) for step in self.history)
        return tuple(found[1] or found[0] for found in steps if found and (found[1] or found[0] == "flat"))

    def to_json(self) -> str:
        """Give the notes as one JSON object."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Notes:
        """Read what ``to_json`` wrote; keys of a later version are kept as remarks.

        Raises:
            InputError: The text is no JSON object.
        """
        try:
            found = json.loads(text)
        except ValueError as error:
            raise InputError(f"expected notes as a JSON object: {error}") from None
        if not isinstance(found, dict):
            raise InputError(f"expected notes as a JSON object, found {type(found).__name__}")
        known: dict[str, Any] = {}
        for each in fields(cls):
            if each.name in found:
                value = found.pop(each.name)
                known[each.name] = _checked(each.name, tuple(value) if isinstance(value, list) else value, each.type)
        if found:
            rest = "; ".join(f"{key}: {value}" for key, value in sorted(found.items()))
            known["remarks"] = (*known.get("remarks", ()), f"notes of a later version: {rest}")
        known["delays"] = tuple(Delay(**each) for each in known.get("delays", ()))
        known["compiled"] = tuple(map(Compiled.from_json, known.get("compiled", ())))
        known["files"] = tuple(FileUse(**each) for each in known.get("files", ()))
        return cls(**known)


def _checked(name: str, value: Any, annotation: Any) -> Any:
    """Give a value of the field's type back.

    Raises:
        InputError: It is of another type.
    """
    wanted = str(annotation)
    if _FITS[wanted](value):
        return value
    raise InputError(f"notes: expected {name} of type {wanted}, found {value!r:.40}")
