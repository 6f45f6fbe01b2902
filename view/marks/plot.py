"""Draw the frame of a picture that is as wide as the page: x coordinates are in percent, y coordinates in pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .mark import element, text

__all__ = ["Plot", "Tick", "at", "key_item"]

_LEFT: Final = 14.0  # margin in percent of the width, with room for "100 ms" on a narrow screen
_RIGHT: Final = 4.0
_TOP: Final = 26  # margin in pixels, with the title of the vertical axis
_BOTTOM: Final = 36
_LETTER: Final = 0.025  # width of a letter as a share of the distance between the axes on a narrow screen
_GAP: Final = 0.02  # minimum distance between two labels below the picture, as a share of the distance between the axes

Tick = tuple[float, str]  # a position from 0 to 1, and its label


@dataclass(frozen=True)
class Plot:
    """A frame with two axes. Positions are given from 0 to 1, from the left or from the bottom.

    Attributes:
        title: Title of the vertical axis.
        noun: Title of the horizontal axis.
        up: Labels on the vertical axis, each with a grid line.
        across: Labels below the picture, from left to right. The last one is always shown; others are left out if there
            is not enough room.
        height: Height in pixels.
    """

    title: str
    noun: str
    up: Sequence[Tick]
    across: Sequence[Tick]
    height: int = 300

    def x(self, place: float) -> str:
        """Convert a position on the horizontal axis to an SVG attribute, in percent of the picture's width."""
        return f"{_LEFT + place * (100 - _LEFT - _RIGHT):.2f}%"

    def y(self, place: float) -> float:
        """Convert a position on the vertical axis, 0 at the bottom, to pixels from the top of the picture."""
        return self.height - _BOTTOM - place * (self.height - _TOP - _BOTTOM)

    @staticmethod
    def wide(share: float) -> str:
        """Convert a share of the horizontal axis to an SVG width, in percent of the picture's width."""
        return f"{share * (100 - _LEFT - _RIGHT):.2f}%"

    def high(self, share: float) -> float:
        """Convert a share of the vertical axis to pixels."""
        return share * (self.height - _TOP - _BOTTOM)

    def html(self, *drawn: str) -> str:
        """Return the picture as SVG."""
        what = f"{self.title} against {self.noun}"
        return element(
            "svg", *self._axes(), *drawn, class_="chart", width="100%", height=self.height, role="img", aria_label=what
        )

    def _axes(self) -> Iterator[str]:
        yield element("text", text(self.title), x=0, y=13)
        for place, label in self.up:
            y = self.y(place)
            yield element("line", class_="rule", x1=self.x(0), x2=self.x(1), y1=y, y2=y)
            yield element("text", text(label), x=self.x(0), dx=-6, y=y + 4, text_anchor="end")
        end = float("inf")
        for place, label in reversed(self.across):
            half = _LETTER * len(label) / 2
            if place + half <= end:
                yield element("text", text(label), x=self.x(place), y=self.height - 20, text_anchor="middle")
                end = place - half - _GAP
        yield element("text", text(self.noun), x=self.x(0.5), y=self.height - 4, text_anchor="middle")


def at(name: object, noun: str) -> str:
    """Return a number with a noun: ``1 rank``, ``4 ranks``.

    Args:
        name: The number.
        noun: The noun in the plural.
    """
    return f"{name} {noun.removesuffix('s') if str(name) == '1' else noun}"


def key_item(mark: str, name: str) -> str:
    """Return an item of a legend, with a name and a mark of 14 x 12 pixels as SVG."""
    return element("li", element("svg", mark, width=14, height=12, aria_hidden="true"), f" {text(name)}")
