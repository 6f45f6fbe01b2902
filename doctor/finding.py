"""The finding of a check, as data without presentation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Finding", "Outcome"]


class Outcome(StrEnum):
    """The outcome of a check."""

    WORKS = "works"
    FAILS = "fails"  # it exists, but does not work as it should
    ABSENT = "not here"  # it is missing, which is no failure
    UNTRIED = "not tried"
    NOTE = "note"  # a fact that neither works nor fails


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the examination.

    Attributes:
        area: The area: ``MPI``, ``counts``, ``folders``.
        name: The thing that was tested; unique in its area.
        outcome: The outcome of the check.
        found: What was done and seen, or why it failed, in the failing program's words.
        advice: What to do; empty if there is nothing to do.
        essential: Whether nothing can be measured without it.
        varying: Details that differ between nodes without significance, such as the room on a disk.
    """

    area: str
    name: str
    outcome: Outcome
    found: str
    advice: str = ""
    essential: bool = False
    varying: str = ""

    def document(self) -> dict[str, Any]:
        """Return the finding as JSON data."""
        return asdict(self)

    @classmethod
    def read(cls, document: dict[str, Any]) -> Finding:
        """Read the output of ``document``."""
        return cls(**{**document, "outcome": Outcome(document["outcome"])})
