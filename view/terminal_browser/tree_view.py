"""Show one of the three trees. Only visible lines are drawn, so large trees are fast, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..browser import Legend, Row
from ..browser.browser import Dimension
from ..browser.tally import Value
from ..browser.written import written
from .line import line

__all__ = ["TreeView"]


class TreeView(ScrollView, can_focus=True):
    """A widget that shows rows of a tree, and sends the user's actions as messages."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"selected"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("home", "end(0)", "First", show=False),
        Binding("end", "end(1)", "Last", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("right", "inwards", "Open"),
        Binding("left", "outwards", "Close"),
        Binding("enter,space", "choose(False)", "Select", show=False),
        Binding("m", "choose(True)", "Add to selection", show=False),
    ]
    DEFAULT_CSS = """
    TreeView {
        width: 1fr; height: 1fr; border: round $foreground 40%; overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    TreeView:focus { border: round $accent; }
    TreeView#program { width: 1.35fr; }
    TreeView#system { width: 1.15fr; }
    TreeView > .selected { background: $primary 40%; }
    """

    class Asked(Message):
        """A message: the user wants to select, open, close or unfold a row.

        Attributes:
            dimension: The tree.
            row: The row.
            what: The action: ``select``, ``add``, ``open``, ``close`` or ``unfold``.
        """

        def __init__(self, dimension: Dimension, row: Row, what: str) -> None:
            self.dimension = dimension
            self.row = row
            self.what = what
            super().__init__()

    def __init__(self, dimension: Dimension, title: str) -> None:
        super().__init__(id=dimension)
        self.dimension: Dimension = dimension
        self.border_title = title
        self.rows: Sequence[Row] = ()
        self.cursor = 0
        self.signed = self.gains = False

    def show(self, rows: Sequence[Row], legend: Legend | None, *, signed: bool, gains: bool) -> None:
        """Show new rows; the cursor stays at its node if the node is still shown.

        Args:
            rows: The rows.
            legend: The colour scale; None if there is none.
            signed: Whether to mark the signs of values.
            gains: Whether values are gains, so that positive values became less.
        """
        at = self.current.nodes[0] if self.rows else None
        self.rows, self.signed, self.gains = rows, signed, gains
        same = (place for place, row in enumerate(rows) if row.nodes[0] == at)
        self.cursor = next(same, min(self.cursor, max(0, len(rows) - 1)))
        self.border_subtitle = f"■ 0 … {written(Value(legend.top), legend.unit)[0]}" if legend else "not summed"
        self.virtual_size = Size(1, len(rows))
        self._into_view()
        self.refresh()

    def aim(self, node: int) -> None:
        """Move the cursor to a node."""
        self.cursor = next((place for place, row in enumerate(self.rows) if node in row.nodes), self.cursor)
        self._into_view()
        self.refresh()

    @property
    def current(self) -> Row:
        """The row at the cursor."""
        return self.rows[min(self.cursor, len(self.rows) - 1)]

    def render_line(self, y: int) -> Strip:
        """Draw a visible line."""
        place = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if place >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        row = self.rows[place]
        style = self.get_component_rich_style("selected") if row.selected else self.rich_style
        if place == self.cursor and self.has_focus:
            style += Style(bold=True, underline=True)
        drawn = line(row, width, signed=self.signed, gains=self.gains)
        segments = [
            Segment(each.text, style + each.style if each.style else style) for each in drawn.render(self.app.console)
        ]
        return Strip(segments).adjust_cell_length(width, style)

    def action_move(self, step: int) -> None:
        """Go up or down by some rows, and select the row."""
        self._go(self.cursor + step)

    def action_end(self, last: int) -> None:
        """Go to the first or the last row, and select it."""
        self._go((len(self.rows) - 1) * last)

    def action_page(self, step: int) -> None:
        """Go a page up or down, and select the row."""
        self._go(self.cursor + step * max(1, self.size.height - 1))

    def action_inwards(self) -> None:
        """Open a node, or go to its first child."""
        if not self.rows:
            return
        row = self.current
        if row.state == "open":
            self._go(self.cursor + 1)
        elif row.state != "leaf":
            self.post_message(self.Asked(self.dimension, row, "unfold" if row.state == "folded" else "open"))

    def action_outwards(self) -> None:
        """Close a node, or go to its parent."""
        if not self.rows:
            return
        row = self.current
        if row.state == "open":
            self.post_message(self.Asked(self.dimension, row, "close"))
            return
        above = (place for place in range(self.cursor - 1, -1, -1) if self.rows[place].depth < row.depth)
        self._go(next(above, self.cursor))

    def action_choose(self, beside: bool) -> None:
        """Select the row, or add it to the selection; if it contains folded nodes, show them instead."""
        if not self.rows:
            return
        row = self.current
        what = "unfold" if row.state == "folded" else "add" if beside else "select"
        self.post_message(self.Asked(self.dimension, row, what))

    def on_click(self, event: events.Click) -> None:
        """Select the clicked row; after a click on its triangle, open or close it instead."""
        offset = event.get_content_offset(self)
        if offset is None or (place := offset.y + self.scroll_offset.y) >= len(self.rows):
            return
        self.cursor = place
        row = self.rows[place]
        marks = {"open": "close", "closed": "open"}
        drawn = line(row, self.scrollable_content_region.width, signed=self.signed, gains=self.gains).plain
        if row.state in marks and abs(offset.x - max(map(drawn.find, "▾▸"))) <= 1:
            self.post_message(self.Asked(self.dimension, row, marks[row.state]))
        else:
            self.action_choose(beside=event.ctrl)

    def _go(self, place: int) -> None:
        if not self.rows:
            return
        self.cursor = max(0, min(len(self.rows) - 1, place))
        self._into_view()
        self.refresh()
        if self.current.state != "folded":
            self.post_message(self.Asked(self.dimension, self.current, "select"))

    def _into_view(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
