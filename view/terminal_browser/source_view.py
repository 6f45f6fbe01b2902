"""Show the source of the selection, with marks at its lines and at advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...experiment import Region
from ..place import at_line, visible
from ..source_file import SourceFile

__all__ = ["SourceView"]

_ABOVE = 3  # lines to show before the region


class SourceView(ScrollView, can_focus=True):
    """A widget that shows the lines of a file, with a region marked."""

    DEFAULT_CSS = """
    SourceView { height: 40%; border: round $foreground 40%; }
    SourceView:focus { border: round $accent; }
    """

    def __init__(self) -> None:
        super().__init__(id="source")
        self.source: SourceFile | None = None
        self.lines: tuple[str, ...] = ()
        self.marked = range(0)
        self.tips: Mapping[int, Sequence[str]] = {}

    def show(self, region: Region, source: SourceFile | None, tips: Mapping[int, Sequence[str]]) -> None:
        """Show the source of a region, with advice.

        Args:
            region: The region, whose lines are marked.
            source: The source file; None if the region has none.
            tips: Line number → the advice at this line; empty for a line that advice only mentions.
        """
        self.source, self.tips = source, tips
        self.lines = source.lines if source else ()
        self.marked = range(region.first_line, max(region.first_line, region.last_line) + 1)
        self.border_title = at_line(region.file, region.first_line) if region.file else "source"
        self.border_subtitle = source.warning if source else f"{visible(region.name)} has no source file"
        width = max((len(self._text(number)) for number in range(1, len(self.lines) + 1)), default=0)
        self.virtual_size = Size(width + 8, len(self.lines))
        if self.lines:
            self.scroll_to(0, max(0, region.first_line - 1 - _ABOVE), animate=False, force=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a visible line."""
        left, top = self.scroll_offset
        width, number = self.size.width, y + top + 1
        if number > len(self.lines):
            return Strip.blank(width, self.rich_style)
        style = self.rich_style + Style(bold=number in self.marked)
        bar = "▌" if number in self.marked else " "
        text, tip = self._text(number)[left:], "◆" if number in self.tips else " "
        return Strip(
            [Segment(f"{number:>5}{bar}{tip}", style + Style(dim=True)), Segment(text, style)]
        ).adjust_cell_length(width, style)

    def _text(self, number: int) -> str:
        """Return the text of a line, followed by the advice for it."""
        return "   ◆ ".join((self.lines[number - 1].expandtabs(8), *self.tips.get(number, ())))
