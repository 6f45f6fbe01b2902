"""An element of a CUBE file that is converted to an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Item"]

_KEPT: Final = frozenset({"uniq_name", "disp_name", "dtype", "uom", "descr", "name", "rank", "type"})


@dataclass(slots=True)
class Item:
    """An element with its attributes, its parent, and the texts of the child elements that are used."""

    tag: str
    attributes: Mapping[str, str]
    above: Item | None
    texts: dict[str, str] = field(default_factory=dict)

    def keep(self, tag: str, text: str) -> None:
        """Keep the text of a child element if it is used and is the first child with this tag."""
        if tag in _KEPT:
            self.texts.setdefault(tag, text)

    def text(self, tag: str) -> str:
        """Return the text of the first child with this tag; empty if there is none."""
        return self.texts.get(tag, "").strip()

    def number(self, name: str) -> int:
        """Return an attribute as an integer."""
        return int(self.attributes[name])
