"""Collect the contents of the page that shows the history of programs: each value over the runs, and its changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ...analyze.history import History, Trend
from ..history import commit_of, history_lines, name_of_value, title_of_history
from ..marks import Axis, Chart, Series
from ..marks.mark import COLOURS
from ..picture import Picture, picture_html
from ..place import visible
from ..units import amount, many
from .document import Page

__all__ = ["history_page"]


def history_page(histories: Sequence[History], file: str) -> Page:
    """Return the contents of a page on the histories in a file."""
    return Page(
        f"{file}: history",
        "; ".join(map(_answer, histories)) or "no runs",
        [file],
        verdict=history_lines(histories),
        counters="".join(picture_html(each, level=2) for history in histories for each in _pictures(history)),
    )


def _answer(history: History) -> str:
    commits = [*dict.fromkeys(commit_of(history, each.change.run) for each in history.changes)]
    said = f"lasting changes since {', '.join(commits)}" if commits else f"no change in {many(history.series, 'value')}"
    return f"{title_of_history(history)}: {said}"


def _pictures(history: History) -> list[Picture]:
    """Return a chart for each metric and machine; the charts with changes come first."""
    of_each = [[*of] for _, of in groupby(history.trends, key=lambda each: (each.metric, each.host))]
    return [_picture(history, each) for each in sorted(of_each, key=lambda of: not any(each.changes for each in of))]


def _picture(history: History, trends: Sequence[Trend]) -> Picture:
    """Return a metric's chart: lines for the program and each region that changed, and marks at the changes."""
    first, *_ = shown = trends[:COLOURS]
    top = max(value for each in shown for value in each.values)
    lines = [_line(history, each, colour) for colour, each in enumerate(shown)]
    places = sorted({(change.last + change.run) / 2 + 1 for each in trends for change in each.changes})
    marks = [
        Series("a lasting change" * (not number), [place] * 2, [0, top], style="dashed", colour=-1)
        for number, place in enumerate(places)
    ]
    left_out = len(trends) - len(shown)
    more = [f"{many(left_out, 'more region')} changed: see autoanalyzer history show --json"] if left_out else []
    title = f"{title_of_history(history)}: {first.metric}{f' on {first.host}' if first.host else ''}"
    chart = Chart([*lines, *marks], Axis("run", whole=True), Axis(f"{first.metric} ({first.unit})", zero=True))
    return Picture(visible(title), [chart], more)


def _line(history: History, trend: Trend, colour: int) -> Series:
    points = zip(trend.runs, trend.values, strict=True)
    return Series(
        visible(name_of_value(trend.metric, trend.region)),
        [run + 1 for run in trend.runs],
        trend.values,
        [f"{commit_of(history, run)}: {amount(value, trend.unit)}" for run, value in points],
        style="both",
        colour=colour,
    )
