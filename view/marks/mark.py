"""The common base of marks: HTML without styles and scripts, for pages that allow neither.

Colours are classes: ``c0`` … ``c7`` for clusters or series (Okabe and Ito), ``s-5`` … ``s5`` for signed values, ``r0``
… ``r9`` for sizes; ``marks.css`` defines them for light and dark themes.
"""

from __future__ import annotations

from html import escape
from typing import Final, Protocol

from ..place import visible

__all__ = ["COLOURS", "Mark", "element", "short", "text", "wide"]

COLOURS: Final = 8
_LONGEST: Final = 24


class Mark(Protocol):
    """A picture."""

    def html(self) -> str:
        """Return the picture as HTML."""


def element(name: str, *content: str, **attributes: object) -> str:
    """Return an element around content that is already HTML.

    Args:
        name: Name of the element.
        content: Its content, in order.
        attributes: ``text_anchor`` is ``text-anchor``, ``class_`` is ``class``; None leaves one out. Numbers have one
            digit after the point.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(visible(_number(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(content)}</{name}>"


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def wide(table: str) -> str:
    """Make a table scrollable sideways if it is wider than the page."""
    return element("div", table, class_="wide", tabindex=0, role="group")


def text(name: object) -> str:
    """Escape text for HTML."""
    return escape(visible(str(name)))


def short(name: object, longest: int = _LONGEST) -> str:
    """Shorten a long name in the middle."""
    written = visible(str(name))
    if len(written) <= longest:
        return written
    return f"{written[: longest // 2]}…{written[-(longest // 2 - 1) :]}"
