"""Write HTML for all marks, without style attributes and scripts, which our pages forbid.

Colours are classes, which ``marks.css`` defines for light and dark themes: ``c0`` … ``c7`` for clusters or series
(Okabe and Ito), ``s-5`` … ``s5`` for signed values, and ``r0`` … ``r9`` for sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, Protocol

from ..place import visible

__all__ = ["COLOURS", "Mark", "element", "folded", "short", "table", "text", "wide"]

COLOURS: Final = 8
_LONGEST: Final = 24


class Mark(Protocol):
    """A drawing in a picture, such as a chart."""

    def html(self) -> str:
        """Return the drawing as HTML."""


def element(name: str, *content: str, **attributes: object) -> str:
    """Return an HTML or SVG element.

    Args:
        name: Name of the element.
        content: Content of the element, as HTML.
        attributes: Attributes of the element, written as ``text_anchor`` for ``text-anchor`` and ``class_`` for
            ``class``. Attributes with the value None are left out. Numbers are written with one decimal.
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
    """Return HTML in a box that scrolls sideways if the content is wider than the page."""
    return element("div", table, class_="wide", tabindex=0, role="group")


def table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with column titles as HTML, in a box that scrolls sideways if necessary."""
    head = element("tr", *(element("th", text(title), scope="col") for title in header))
    body = (element("tr", *(element("td", text(cell)) for cell in row)) for row in rows)
    return wide(element("table", element("thead", head), element("tbody", *body)))


def folded(title: str, body: str) -> str:
    """Return HTML that is folded below a title, and that a reader can unfold."""
    return element("details", element("summary", text(title)), body)


def text(name: object) -> str:
    """Return text escaped for HTML."""
    return escape(visible(str(name)))


def short(name: object, longest: int = _LONGEST) -> str:
    """Return a name as text, shortened in the middle if it is long."""
    written = visible(str(name))
    if len(written) <= longest:
        return written
    return f"{written[: longest // 2]}…{written[-(longest // 2 - 1) :]}"
