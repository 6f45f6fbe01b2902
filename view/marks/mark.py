"""What all marks have in common: they give HTML without style and script, for a page that allows neither.

Colours are classes: ``c0`` … ``c7`` are clusters or series (Okabe and Ito), ``s-5`` … ``s5`` are signs from less to
more, ``r0`` … ``r9`` are sizes from little to much; ``marks.css`` says what they are in the light and in the dark.
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
        """Give the picture as HTML."""


def element(name: str, *content: str, **attributes: object) -> str:
    """Write an element around content that is HTML already.

    Args:
        name: Of the element.
        content: In it, one after the other.
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
    """Let what is wider than the page be moved sideways."""
    return element("div", table, class_="wide", tabindex=0, role="group")


def text(name: object) -> str:
    """Write text for HTML."""
    return escape(visible(str(name)))


def short(name: object, longest: int = _LONGEST) -> str:
    """Shorten a name: a long one loses its middle."""
    written = visible(str(name))
    if len(written) <= longest:
        return written
    return f"{written[: longest // 2]}…{written[-(longest // 2 - 1) :]}"
