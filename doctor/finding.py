"""What a check has found: data, without a word of how it is printed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Finding", "Outcome"]


class Outcome(StrEnum):
    """What came of a check."""

    WORKS = "works"
    FAILS = "fails"  # it is there, and does not do what it should
    ABSENT = "not here"  # it is no failure to do without
    UNTRIED = "not tried"
    NOTE = "note"  # a fact that neither works nor fails


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the examination.

    Attributes:
        area: What it is about: ``MPI``, ``counts``, ``folders``.
        name: What was tried; unique in its area.
        outcome: What came of it.
        found: What was done and seen, or why it does not work, in the words of the program that says so.
        advice: What to do; empty if there is nothing to do.
        essential: Whether nothing can be measured without it.
        varying: What differs from node to node without meaning anything, such as the room on a disk.
    """

    area: str
    name: str
    outcome: Outcome
    found: str
    advice: str = ""
    essential: bool = False
    varying: str = ""

    def document(self) -> dict[str, Any]:
        """Give what JSON holds of it."""
        return asdict(self)

    @classmethod
    def read(cls, document: dict[str, Any]) -> Finding:
        """Read what ``document`` gave."""
        return cls(**{**document, "outcome": Outcome(document["outcome"])})
