"""Show three trees, findings and source in a terminal (Song et al. 2004, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import ClassVar, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from ...analyze import analyze
from ...errors import InputError
from ...experiment import Experiment
from ..advice import find_advice, tips
from ..browser import Browser, Row, Sums, at_start, legend, rows
from ..browser.browser import Dimension
from ..browser.percentages import Basis
from ..gains import gain_entries, total_gains
from ..place import visible
from ..sources import Sources
from ..title import title_of
from ..units import many
from ..verdict import Entry, balanced, base, entries, headline, master, too_short
from .finding_view import FindingView
from .source_view import SourceView
from .tree_view import TreeView

__all__ = ["BrowserApp", "browse_in_terminal"]

_SEPARATOR: Final = " · "
_DIMENSIONS: Final[tuple[Dimension, ...]] = ("metrics", "program", "system")
_TITLES: Final = {"metrics": "Metric", "program": "Call path", "system": "Machine, rank"}

_HELP: Final = """\
↑ ↓        select the row above or below; trees to the right show its values
→ ←        open a node, or go to its first child; close a node, or go to its parent
Home End   go to the first row, or to the last row
Enter      select; on “n more”: show these rows
m          add to the selection
Tab        go to the next tree
/  n N     search in this tree; go to the next match, or to the previous match
v          switch values: absolute, or % of program, selection or other experiment
f          switch between call tree and flat profile
s          show or hide the source
[ ]        go to the previous finding, or to the next finding
q          quit

A closed node includes all nodes below it; an open node excludes its children.
░ marks values that were not measured (unlike 0), ~ partly measured values.
In differences, ▼ marks what became less (a gain), ▲ what became more.
◆ marks source lines with advice."""


class _Help(ModalScreen[None]):
    """The screen that explains the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter", "dismiss", "Close")]
    DEFAULT_CSS = """
    _Help { align: center middle; }
    _Help Static { width: auto; height: auto; border: round $accent; padding: 1 2; }
    _Help Static { background: $surface; }
    """

    def compose(self) -> ComposeResult:
        yield Static(Text(_HELP))


class BrowserApp(App[None]):
    """The app that shows an experiment.

    Args:
        experiment: An experiment with a metric and a call path.
        file: The experiment's file; folders around it are also searched for sources.
        other: Another experiment that can serve as the base of percentages, and its name.
        flat: Whether to start with the flat profile.
        folders: Folders to search first for sources.
        advice: Whether to show advice in the source.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "autoanalyzer"
    CSS = """
    #headline { height: auto; max-height: 3; text-style: bold; padding: 0 1; }
    .-narrow TreeView#metrics { width: 5; }
    .-narrow TreeView#metrics:focus { width: 1fr; }
    #search { display: none; }
    #search.asked { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search"),
        Binding("n", "again(1)", "Next match", show=False),
        Binding("N", "again(-1)", "Previous match", show=False),
        Binding("v", "values", "Values"),
        Binding("f", "flat", "Flat"),
        Binding("s", "source", "Source"),
        Binding("left_square_bracket", "finding(-1)", "Previous finding", show=False),
        Binding("right_square_bracket", "finding(1)", "Next finding"),
        Binding("question_mark", "help", "Help"),
        Binding("escape", "leave", "Back", show=False),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(
        self,
        experiment: Experiment,
        file: Path,
        *,
        other: tuple[Experiment, str] | None = None,
        flat: bool = False,
        folders: Sequence[Path] = (),
        advice: bool = True,
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
        self.experiment = experiment
        self.file = file
        self.folders = folders
        self.sources = Sources(experiment, file, folders)
        self.browser = at_start(experiment, flat=flat)
        self._start = self.browser
        self.flat = flat
        self.advice = advice
        self.bases: list[tuple[str, Basis | None]] = [
            ("absolute", None),
            ("% of the program", "root"),
            ("% of the selection", "selection"),
            *([(f"% of {visible(other[1])}", Sums(other[0]))] if other else []),
        ]
        self.basis = 0
        self._rows: dict[Dimension, list[Row]] = {}
        self.findings: list[Entry] = []
        self.said = ""
        self.shown_finding = -1
        self.wanted = ""
        self.last_tree: Dimension = "program"

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Static(Text(visible(title_of(self.experiment, self.file))), id="headline")
        yield FindingView()
        with Horizontal():
            for dimension in _DIMENSIONS:
                yield TreeView(dimension, _TITLES[dimension])
        yield SourceView()
        yield Input(placeholder="search", id="search")
        yield Footer()

    def on_mount(self) -> None:
        """Show the trees, and start the analysis, whose findings are shown later."""
        self.query_one(SourceView).display = False
        self._show()
        for dimension in _DIMENSIONS:
            self._aim(dimension)
        self.query_one("#program", TreeView).focus()
        self.run_worker(self._analyse, thread=True)

    def _analyse(self) -> None:
        try:
            findings = analyze(self.experiment)
        except InputError as error:
            differs = self.experiment.notes.is_difference
            changes = gain_entries(self.experiment) if differs else []
            said = (total_gains(self.experiment) if differs else []) or [str(error)]
            what = self.experiment.notes.history[-1] if changes else self.experiment.size
            self.call_from_thread(self._report, [title_of(self.experiment, self.file), what], said, changes)
            return
        said = [too_short()] if findings.verdict.too_short else [*master(findings), *balanced(findings)]
        whole = [line.partition(":")[0] for line in base(findings)]  # what 100 % means in the savings
        title = [*headline(findings, self.file), *whole]
        self.call_from_thread(self._report, title, said, entries(findings, highlights=True))
        if self.advice:  # shown later than the findings, because reading sources takes time
            advised = find_advice(findings, self.file, folders=self.folders)
            self.call_from_thread(self._advise, entries(findings, advised, whole=True, highlights=True))

    def _advise(self, findings: list[Entry]) -> None:
        """Show the findings again, with the advice that was found in the sources."""
        self.findings = findings
        self._show_finding()
        if self.query_one(SourceView).display:
            self._show_source()

    def _report(self, title: Sequence[str], lines: Sequence[str], findings: list[Entry]) -> None:
        self.findings = findings
        self.query_one("#headline", Static).update(Text(visible(_SEPARATOR.join(title))))
        self.said = "; ".join(lines)
        if findings:
            self._show_finding()
            if self.browser is self._start and not self.flat:
                self._highlight(findings[0])
        else:
            self.query_one(FindingView).say([self.said])

    def _show(self, since: Dimension = "metrics") -> None:
        """Draw a tree and the trees to its right, whose values depend on its selection."""
        name, basis = self.bases[self.basis]
        for dimension in _DIMENSIONS[_DIMENSIONS.index(since) :]:
            self._rows[dimension] = [*rows(self.browser, dimension, basis)]
        gains = self.experiment.notes.is_difference
        # Other values have signs only if negative values are visible.
        signed = gains or any(row.relief == "sunken" for row in chain(*self._rows.values()))
        for dimension in _DIMENSIONS:
            view = self.query_one(f"#{dimension}", TreeView)
            view.show(self._rows[dimension], legend(self.browser, dimension, basis), signed=signed, gains=gains)
        title = "Region" if self.flat else _TITLES["program"]
        metrics = [row.label for row in self._rows["metrics"] if row.selected]  # a narrow screen hides these names
        self.query_one("#program", TreeView).border_title = Text(", ".join([title, *metrics]))
        self.query_one("#metrics", TreeView).border_title = f"Metric, {name}"
        if self.query_one(SourceView).display:
            self._show_source()

    def _show_source(self) -> None:
        node = min(self.browser.program.selected)
        cells = self.browser.program.tree.cells([node])
        region = self.experiment.call_paths[int(cells[0])].region
        source = self.sources.find(region.file) if region.file else None
        advice = chain.from_iterable(each.advice for each in self.findings)
        self.query_one(SourceView).show(region, source, tips(advice, region.file))

    def on_tree_view_asked(self, message: TreeView.Asked) -> None:
        """Select, open, close or unfold a row, as a tree's message requests."""
        dimension, row = message.dimension, message.row
        pane = self.browser.pane(dimension)
        node = row.nodes[0]
        actions: dict[str, Callable[[], Browser]] = {
            "open": lambda: self.browser.opened(dimension, node),
            "close": lambda: self.browser.closed(dimension, node),
            "unfold": lambda: self.browser.unfolding(dimension, pane.tree.parents[node]),
            "select": lambda: self.browser.selecting(dimension, node),
            "add": lambda: self.browser.selecting(dimension, *self._toggled(dimension, node)),
        }
        self.last_tree = dimension
        self.browser = actions[message.what]()
        if dimension == "system" and message.what in ("select", "add"):
            self._mark_ranks()
        else:
            self._show(dimension)

    def _mark_ranks(self) -> None:
        """Mark the selected rows of the system tree without computing all rows again, because there may be 100,000."""
        selected = self.browser.system.selected
        found = self._rows["system"]
        for place, row in enumerate(found):
            if row.selected != (row.nodes[0] in selected):
                found[place] = replace(row, selected=not row.selected)
        self.query_one("#system", TreeView).refresh()

    def _toggled(self, dimension: Dimension, node: int) -> list[int]:
        selected = self.browser.pane(dimension).selected
        left = selected ^ {node}
        return sorted(left) if left or dimension == "system" else sorted(selected)

    def _aim(self, dimension: Dimension) -> None:
        selected = self.browser.pane(dimension).selected
        if selected:
            self.query_one(f"#{dimension}", TreeView).aim(min(selected))

    def action_values(self) -> None:
        """Switch to percentages of the next base; after the last base, to absolute values."""
        self.basis = (self.basis + 1) % len(self.bases)
        self._show()

    def action_flat(self) -> None:
        """Switch between call tree and flat profile."""
        at = int(self.browser.program.tree.cells([min(self.browser.program.selected)])[0])
        self.flat = not self.flat
        program = at_start(self.experiment, flat=self.flat).program
        self.browser = replace(self.browser, program=program.selecting([int(program.tree.home[at])]))
        self._show()
        self._aim("program")

    def action_source(self) -> None:
        """Show or hide the source."""
        view = self.query_one(SourceView)
        view.display = not view.display
        self._show()

    def action_finding(self, step: int) -> None:
        """Go to another finding, and select its metric, call path and ranks."""
        if not self.findings:
            return
        number = max(0, min(len(self.findings) - 1, self.shown_finding + step))
        self.shown_finding = number
        self._highlight(self.findings[number])
        self._show_finding()

    def _show_finding(self) -> None:
        """Show the text of the finding that is selected in the trees; if none is selected, the text of the first."""
        if not self.findings:
            return
        finding = self.findings[max(0, self.shown_finding)]
        start = f"{self.shown_finding + 1} of {len(self.findings)}  "
        if self.shown_finding < 0:
            noun = "change" if self.experiment.notes.is_difference else "finding"
            more = "; press ] for the next. First" * (len(self.findings) > 1)
            start = f"{many(len(self.findings), noun)}{more}: "
        self.query_one(FindingView).show_finding(start, finding, self.said if self.shown_finding < 0 else "")

    def _highlight(self, finding: Entry) -> None:
        highlight, browser = finding.highlight.within(self.experiment), at_start(self.experiment)
        self.flat = False
        if highlight.metric is not None:
            metric = [each.name for each in self.experiment.metrics].index(highlight.metric)
            browser = browser.selecting("metrics", metric)
            browser = browser.opened("metrics", metric) if highlight.without_parts else browser
        if highlight.path is not None:
            browser = browser.closed("program", highlight.path).selecting("program", highlight.path)
        if highlight.locations:
            home = browser.system.tree.home
            browser = browser.selecting("system", *sorted({int(home[each]) for each in highlight.locations}))
        self.browser = browser
        self._show()
        for dimension in _DIMENSIONS:
            self._aim(dimension)

    def action_search(self) -> None:
        """Prompt for a text to search for in the focused tree."""
        if isinstance(self.focused, TreeView):
            self.last_tree = self.focused.dimension
        asked = self.query_one("#search", Input)
        asked.add_class("asked")
        asked.placeholder = f"search in {_TITLES[self.last_tree]}"
        asked.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Search for the submitted text."""
        self.wanted = message.value
        self._end_search()
        self.action_again(1, here=True)

    def _end_search(self) -> None:
        self.query_one("#search", Input).remove_class("asked")
        self.query_one(f"#{self.last_tree}", TreeView).focus()

    def action_again(self, step: int, *, here: bool = False) -> None:
        """Go to the next node, visible or not, whose name contains the search text.

        Args:
            step: 1 to search forwards, -1 backwards.
            here: Whether the current node may be found as well.
        """
        if not self.wanted:
            return
        view = self.query_one(f"#{self.last_tree}", TreeView)
        labels = self.browser.pane(self.last_tree).tree.labels
        at = view.current.nodes[0]
        places = ((at + away * step) % len(labels) for away in range(0 if here else 1, len(labels) + 1))
        found = next((node for node in places if self.wanted.lower() in labels[node].lower()), None)
        if found is None:
            self.notify(visible(f"{_TITLES[self.last_tree]}: no name contains {self.wanted!r}"))
            return
        self.browser = self.browser.selecting(self.last_tree, found)
        self._show()
        self._aim(self.last_tree)

    def action_help(self) -> None:
        """Show the screen that explains the keys."""
        self.push_screen(_Help())

    def action_leave(self) -> None:
        """Close the search or the source if one is open; otherwise leave the browser."""
        source = self.query_one(SourceView)
        if self.query_one("#search", Input).has_class("asked"):
            self._end_search()
        elif source.display:
            source.display = False
        else:
            self.exit()


def browse_in_terminal(
    experiment: Experiment,
    file: Path,
    *,
    other: tuple[Experiment, str] | None = None,
    flat: bool = False,
    folders: Sequence[Path] = (),
    advice: bool = True,
) -> int:
    """Show an experiment until the user leaves, and return the exit status; for the arguments, see ``BrowserApp``."""
    app = BrowserApp(experiment, file, other=other, flat=flat, folders=folders, advice=advice)
    app.run()
    return app.return_code or 0
