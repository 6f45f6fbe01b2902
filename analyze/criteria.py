"""All numbers that decide what a verdict says, each with its unit, its reason and its source."""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any

__all__ = ["CRITERIA", "Criteria", "criterion_fields"]


def _number(value: float, unit: str, reason: str) -> Any:
    return field(default=value, metadata={"unit": unit, "reason": reason})


@dataclass(frozen=True, slots=True)
class Criteria:
    """The numbers; ``criterion_fields`` gives each with its unit and reason."""

    least_gain: float = _number(0.01, "of what the ranks compute", "an imbalance that costs less is not worth a look")
    same_work: float = _number(
        0.01, "of a count", "counts that differ by no more are of the same work (definitions 12)"
    )
    resolution: float = _number(
        0.01, "s", "scheduler ticks and cold caches part equal ranks by this; counts do not depend on them"
    )
    noise: float = _number(
        6.0,
        "standard deviations",
        "of this run's noise, that the fastest and the slowest rank may be apart in a region of equal work; four normal"
        " values are farther apart once in 10,000 regions",
    )
    most_noise: float = _number(0.5, "of a region's longest time", "noise makes nobody take more than twice as long")
    burst: float = _number(
        0.1, "s", "a neighbour on the same processor can take as much of one rank: by times alone, less is doubtful"
    )
    unknown_noise: float = _number(
        0.25, "of a region's time", "noise of a shared machine, where a run has too few regions to tell its own"
    )


CRITERIA = Criteria()


def criterion_fields() -> tuple[Field[Any], ...]:
    """Give the fields: name, default, and in ``metadata`` ``unit`` and ``reason``."""
    return fields(Criteria)
