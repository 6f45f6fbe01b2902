"""Show the text of a finding above the trees, shortened to fit a part of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.containers import Lines
from rich.text import Text
from textual.geometry import Size
from textual.widgets import Static

from ..place import visible
from ..verdict import Entry

__all__ = ["FindingView"]

_SEPARATOR: Final = " · "
_SHARE: Final = 0.55  # maximum share of the screen's height
_BESIDE: Final = 11  # number of lines that the headline, the trees and the keys need
_LEAST: Final = 2  # minimum number of lines
_LEFT_OUT: Final = "… enlarge the window to see more lines"


class FindingView(Static):
    """The text of a finding. If the last lines do not fit, a hint to enlarge the window replaces them."""

    DEFAULT_CSS = "FindingView { width: 100%; height: auto; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__(id="finding")
        self._said: Sequence[str] = ()

    def show_finding(self, start: str, finding: Entry, end: str) -> None:
        """Show a finding, with one text before its title and one after its lines.

        The first advice and the first reason come before the other lines, which may not fit.
        """
        lines = sorted(finding.lines[1:], key=lambda line: not line.startswith("try"))
        if reason := next((line for line in lines[1:] if line.startswith("why")), None):
            lines.remove(reason)
            lines.insert(1, reason)
        besides = _SEPARATOR.join(filter(None, [finding.saving, *finding.lines[:1]]))
        self.say([f"{start}{finding.kind} {finding.where}", besides, *lines, end])

    def say(self, said: Sequence[str]) -> None:
        """Show lines, wrapped to the width of the screen; empty lines are left out."""
        self._said = said
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines that fit into the screen."""
        return len(self._lines(viewport))

    def render(self) -> Text:
        """Return the lines that fit into the screen."""
        return Text("\n").join(self._lines(self.app.size))

    def _lines(self, screen: Size) -> Lines:
        whole = Text("\n".join(map(visible, filter(None, self._said))))
        lines = whole.wrap(self.app.console, max(1, screen.width - 2))
        most = max(_LEAST, min(int(_SHARE * screen.height), screen.height - _BESIDE))
        return lines if len(lines) <= most else Lines([*lines[: most - 1], Text(_LEFT_OUT)])
