"""An element of a CUBE file that something is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Item"]

_KEPT: Final = frozenset({"uniq_name", "disp_name", "dtype", "uom", "descr", "name", "rank", "type"})


@dataclass(slots=True)
class Item:
    """An element, what its attributes say, and what those elements right below it say as text that are made use of."""

    tag: str
    attributes: Mapping[str, str]
    above: Item | None
    texts: dict[str, str] = field(default_factory=dict)

    def keep(self, tag: str, text: str) -> None:
        """Take the text of an element in it; the first of a tag counts, and what nobody asks for is not kept."""
        if tag in _KEPT:
            self.texts.setdefault(tag, text)

    def text(self, tag: str) -> str:
        """Give the text of the first element ``tag`` in it; empty if there is none."""
        return self.texts.get(tag, "").strip()

    def number(self, name: str) -> int:
        """Give an attribute as a whole number."""
        return int(self.attributes[name])
