"""An element of a CUBE file that something is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Item"]


@dataclass(slots=True)
class Item:
    """An element, what its attributes say, and what the elements right below it say as text."""

    tag: str
    attributes: Mapping[str, str]
    above: Item | None
    texts: dict[str, str] = field(default_factory=dict)

    def text(self, tag: str) -> str:
        """Give the text of the first element ``tag`` in it; empty if there is none."""
        return self.texts.get(tag, "").strip()

    def number(self, name: str) -> int:
        """Give an attribute as a whole number."""
        return int(self.attributes[name])
