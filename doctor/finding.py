"""The result of one check, which is printed, written as JSON, or sent between nodes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Finding", "Outcome"]


class Outcome(StrEnum):
    """The outcome of a check."""

    WORKS = "works"
    FAILS = "fails"
    ABSENT = "not here"  # missing, but not needed
    UNTRIED = "not tried"
    NOTE = "note"  # information, neither success nor failure


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        area: The group of checks, such as ``counts`` or ``folders``.
        name: Name of the thing that was tested, unique in its area.
        outcome: The outcome of the check.
        found: What was found, or why the check failed.
        advice: What the user can do; empty if nothing needs to be done.
        essential: Whether the tool cannot measure anything if this check fails.
        varying: Details that usually differ between nodes, such as the free space on a disk.
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
        """Return the finding from the JSON data that ``document`` returned."""
        return cls(**{**document, "outcome": Outcome(document["outcome"])})
