"""Draw a row of a tree as a line of a terminal."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from ..browser import Row
from ..browser.written import written
from ..place import visible

__all__ = ["colour", "line"]

# Colours for sizes: cividis (Nuñez, Anderton, Renslow 2018), as in the page.
_SIZES: Final = (
    (0x00, 0x22, 0x4E), (0x12, 0x35, 0x70), (0x3B, 0x49, 0x6C), (0x57, 0x5D, 0x6D), (0x70, 0x71, 0x73),
    (0x8A, 0x86, 0x78), (0xA5, 0x9C, 0x74), (0xC3, 0xB3, 0x69), (0xE1, 0xCC, 0x55), (0xFE, 0xE8, 0x38),
)  # fmt: skip
_TOGGLES: Final = {"open": "▾", "closed": "▸", "leaf": " ", "folded": "…"}
_SIGNS: Final = {"raised": "▲", "sunken": "▼"}
_CHANGES: Final = {"raised": "▼", "sunken": "▲"}  # a gain is less than before
_BAR: Final = " ▏▎▍▌▋▊▉█"
_WIDTH: Final = 4  # width of a bar in columns
_VALUE: Final = 8  # width of the longest value with its unit in columns
_DEEPEST: Final = 24  # depth from which the indent no longer grows
_NARROW: Final = 40  # a tree with fewer columns has no bars, and smaller indents


def colour(place: float) -> str:
    """Return the colour, as ``#rrggbb``, at a position on the scale, from 0 to 1."""
    at = max(0.0, min(1.0, place)) * (len(_SIZES) - 1)
    low = min(int(at), len(_SIZES) - 2)
    mixed = (round(one + (at - low) * (two - one)) for one, two in zip(_SIZES[low], _SIZES[low + 1], strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def line(row: Row, width: int, *, signed: bool, gains: bool = False) -> Text:
    """Return a row as styled text: a square (its colour shows the size), value, bar, and indented name.

    Args:
        row: The row.
        width: Width in columns; a longer name is cut, and ends with ``…``.
        signed: Whether to mark the sign of the value.
        gains: Whether values are gains, so that positive values became less. Their mark then replaces the sign.
    """
    text, _ = written(row.value, row.unit)
    missing = row.value.amount is None
    text = text.removeprefix("-") if gains else text
    drawn = Text("›" if row.selected else " ", no_wrap=True, end="")
    if row.colour is None:
        drawn.append("░ " if missing else "  ", Style(dim=True))
    else:
        drawn.append("■ ", Style(color=colour(row.colour)))
    if signed:
        drawn.append(
            (_CHANGES if gains else _SIGNS).get(row.relief, " "),
            Style(color="bright_blue" if row.relief == "raised" else "bright_red"),
        )
    drawn.append(_cut(text, _VALUE).rjust(_VALUE), Style(dim=missing, italic=missing))
    drawn.append("~" if row.value.gap == "partial" else " ", Style(bold=True))
    narrow = width < _NARROW
    if not narrow:
        drawn.append(f"{_bar(row.part or 0.0)} ", Style(dim=True))
    step = " " if narrow else "  "
    drawn.append(f"{step * min(row.depth, _DEEPEST)}{_TOGGLES[row.state]} ", Style(dim=True))
    drawn.append(_cut(visible(row.label), max(1, width - drawn.cell_len)), Style(italic=row.state == "folded"))
    return drawn


def _bar(place: float) -> str:
    eighths = round(place * _WIDTH * 8)
    return "".join(_BAR[max(0, min(8, eighths - 8 * cell))] for cell in range(_WIDTH))


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…"
