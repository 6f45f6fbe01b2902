"""The code inside a region, as found by sampling: functions without probes, and the region's own lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

__all__ = ["ENOUGH_SAMPLES", "Inside", "InsidePart", "added_insides", "inside_from_json", "is_inside", "largest_parts"]

ENOUGH_SAMPLES: Final = 25
"""The smallest sample count that is reported; with fewer samples, the standard deviation exceeds 20 %."""

_MOST_PARTS: Final = 20  # maximum number of parts per region; the smallest parts are left out


@dataclass(frozen=True, slots=True)
class InsidePart:
    """A function, a line or a library in which a region spends part of its own time.

    Attributes:
        name: The function; empty for a line of the region itself, or if the function is unknown.
        library: The library that contains the code, such as ``libm``; empty for the program itself.
        file: The source file with most of the samples; empty if unknown.
        line: The line in this file with most of the samples; 0 if unknown.
        samples: The number of samples.
    """

    name: str
    library: str
    file: str
    line: int
    samples: float


@dataclass(frozen=True, slots=True)
class Inside:
    """The samples in a region's own code, outside MPI calls and file I/O, over all ranks and call paths.

    Attributes:
        region: The region's descriptor.
        samples: The number of samples.
        probes: The number of these samples in the probes themselves.
        parts: The code with the other samples, most samples first. Samples in unknown code and in omitted small parts
            belong to no part.
    """

    region: str
    samples: float
    probes: float
    parts: tuple[InsidePart, ...]


def largest_parts(parts: Iterable[InsidePart]) -> tuple[InsidePart, ...]:
    """Return up to 20 parts with the most samples, in descending order of samples."""
    return tuple(sorted(parts, key=lambda each: (-each.samples, each.name, each.file, each.line))[:_MOST_PARTS])


def added_insides(insides: Iterable[Inside]) -> tuple[Inside, ...]:
    """Add up the samples of several runs by region; regions with the most samples come first."""
    regions: dict[str, list[Inside]] = {}
    for each in insides:
        regions.setdefault(each.region, []).append(each)
    found = (
        Inside(
            region, sum(each.samples for each in same), sum(each.probes for each in same), largest_parts(_added(same))
        )
        for region, same in regions.items()
    )
    return tuple(sorted(found, key=lambda each: (-each.samples, each.region)))


def _added(same: Iterable[Inside]) -> Iterator[InsidePart]:
    parts: dict[tuple[Any, ...], list[InsidePart]] = {}
    for part in (part for each in same for part in each.parts):
        line = 0 if part.name else part.line
        parts.setdefault((part.name, part.library, part.file, line), []).append(part)
    for found in parts.values():
        first = max(found, key=lambda each: each.samples)
        yield InsidePart(first.name, first.library, first.file, first.line, sum(each.samples for each in found))


def is_inside(value: Any) -> bool:
    """Return whether a value is the JSON form of an ``Inside``, in which each part is a list of its fields."""
    return (
        isinstance(value, Mapping)
        and value.keys() == {"region", "samples", "probes", "parts"}
        and isinstance(value["region"], str)
        and all(map(_is_amount, (value["samples"], value["probes"])))
        and isinstance(value["parts"], list | tuple)
        and all(map(_is_part, value["parts"]))
    )


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0


def _is_part(value: Any) -> bool:
    if not (isinstance(value, list | tuple) and len(value) == len(InsidePart.__dataclass_fields__)):
        return False
    *texts, line, samples = value
    return all(isinstance(each, str) for each in texts) and isinstance(line, int) and line >= 0 and _is_amount(samples)


def inside_from_json(value: Any) -> Inside:
    """Convert a JSON value for which ``is_inside`` is true."""
    return Inside(**{**value, "parts": tuple(InsidePart(*part) for part in value["parts"])})
