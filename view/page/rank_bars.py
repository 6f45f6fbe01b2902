"""Draw the values of all ranks, or threads, in a finding's region: the picture beside the first finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isnan
from typing import Final

import numpy as np

from ...analyze import Findings
from ...analyze.comparison import Changes
from ...analyze.run.foreign_metrics import replaced
from ...analyze.verdict import Finding, Kind, sums_in
from ...experiment import Experiment
from ..browser import Browser, browse
from ..gains import labels_of, name_of
from ..marks.mark import COLOURS, element, text
from ..place import visible
from ..units import amount
from ..verdict import Entry, Highlight
from ..verdict.alike import busy_of_ranks

__all__ = ["RankBar", "RankBars", "change_bars", "rank_bars"]

_WIDTH: Final = 340
_ROWS: Final = 8  # maximum number of ranks that are drawn as rows with their values; more ranks are drawn as columns
_ROW: Final = 19
_NAME: Final = 62  # width of the longest name, such as "thread 12.3", in pixels
_BAR: Final = 205  # length of the longest bar in pixels
_BAR_OF_CHANGE: Final = 180  # length of the longest bar of a change; shorter, because a word follows its value
_APART: Final = 12  # minimum distance in pixels between two numbers beside the columns
_COLUMNS: Final = 240  # maximum number of columns; if there are more ranks, each column shows the largest of several
_HIGH: Final = 120  # height of the longest column in pixels
_AXIS: Final = 58  # width in pixels of the numbers beside the columns
_AXIS_OF_CHANGE: Final = 36  # the additional width for the word "less" or "more"
_NAMES: Final = {"mpi_time": "time in MPI, including waiting,"}
_TICK: Final = 30  # minimum distance in pixels between two named ranks


@dataclass(frozen=True, slots=True)
class RankBar:
    """The bar of a rank, or of a thread.

    Attributes:
        name: ``3``, or ``3.1`` for a thread.
        value: The value; None if it is missing. In a difference, a decrease is positive.
        colour: Index of the colour, which shows the rank's cluster.
    """

    name: str
    value: float | None
    colour: int


@dataclass(frozen=True)
class RankBars:
    """Bars of all ranks.

    Attributes:
        bars: The bars, in the order of the ranks.
        noun: ``rank`` or ``thread``.
        what: A title that names the values.
        unit: Unit of the values.
        is_change: Whether the values are changes.
    """

    bars: Sequence[RankBar]
    noun: str
    what: str
    unit: str
    is_change: bool = False

    def html(self) -> str:
        """Return a figure as HTML: rows with values or, if there are many ranks, columns with a scale."""
        size = self._size
        drawn = self._rows() if len(self.bars) <= _ROWS else self._columns(size)
        largest = f"; each column shows the largest value of {size} {self.noun}s" if size > 1 else ""
        return element("figure", drawn, element("figcaption", text(f"{self.what}{largest}")), class_="ranks")

    @property
    def _size(self) -> int:
        """The number of ranks per column."""
        return ceil(len(self.bars) / _COLUMNS)

    @property
    def _low(self) -> float:
        return min(0.0, *map(self._drawn, self.bars))

    @property
    def _high(self) -> float:
        return max(0.0, *map(self._drawn, self.bars))

    @property
    def _span(self) -> float:
        return self._high - self._low or 1.0

    def _drawn(self, bar: RankBar) -> float:
        """Return the length of a bar, to the right or upwards if positive: for a change, the increase."""
        return -(bar.value or 0.0) if self.is_change else bar.value or 0.0

    def _said(self, value: float | None) -> str:
        if value is None:
            return "not measured"
        said = amount(abs(value) if self.is_change else value, self.unit)
        return f"{said} {'less' if value > 0 else 'more'}" if self.is_change and value else said

    def _rows(self) -> str:
        parts, scale = [], (_BAR_OF_CHANGE if self.is_change else _BAR) / self._span
        zero = _NAME + 6 - scale * self._low
        for place, each in enumerate(self.bars):
            y = place * _ROW
            name = f"{self.noun} {each.name}"
            value = self._drawn(each)
            left, width = zero + scale * min(0.0, value), scale * abs(value)
            parts += [
                element("text", text(name), x=_NAME, y=y + 13, text_anchor="end"),
                element("rect", class_=f"c{each.colour}", x=left, y=y + 3, width=width, height=_ROW - 6),
                element("text", text(self._said(each.value)), x=left + width + 5, y=y + 13),
            ]
        return self._svg(parts, _ROW * len(self.bars))

    def _columns(self, size: int) -> str:
        axis = _AXIS + _AXIS_OF_CHANGE * self.is_change
        groups = [self.bars[start : start + size] for start in range(0, len(self.bars), size)]
        wide = (_WIDTH - axis - 4) / len(groups)
        scale = (_HIGH - 4) / self._span
        zero, sign = 8 + scale * self._high, -1 if self.is_change else 1
        parts = [
            element("text", text(said), x=axis - 6, y=y, text_anchor="end")
            for y, said in (
                (12, self._said(sign * self._high)),
                (zero + 2, "0"),
                (_HIGH + 6, self._said(sign * self._low)),
            )
            if said == "0" or abs(y - zero - 2) > _APART
        ]
        for place, group in enumerate(groups):
            largest = max(group, key=lambda each: abs(each.value or 0.0))
            height = scale * abs(largest.value or 0.0)
            x, y = axis + place * wide, zero - scale * max(0.0, self._drawn(largest))
            title = element("title", text(f"{self.noun} {largest.name}: {self._said(largest.value)}"))
            gap = 1.0 if wide > 3 else 0.0
            bar = {"x": x, "y": y, "width": wide - gap, "height": height}
            parts.append(element("rect", title, class_=f"c{largest.colour}", **bar))
        named = max(_TICK, 8.0 * len(self.bars[-1].name))
        for place in range(0, len(groups), ceil(named / wide)):
            x = axis + (place + 0.5) * wide
            parts.append(element("text", text(groups[place][0].name), x=x, y=_HIGH + 20, text_anchor="middle"))
        before = axis - 6 - 4 * (len(self.bars[0].name) - 1)  # to the left of the first rank's number
        parts.append(element("text", text(self.noun), x=before, y=_HIGH + 20, text_anchor="end"))
        return self._svg(parts, _HIGH + 26)

    def _svg(self, parts: Sequence[str], height: int) -> str:
        box = f"0 0 {_WIDTH} {height}"
        return element("svg", *parts, viewBox=box, role="img", aria_label=self.what)


def rank_bars(findings: Findings, experiment: Experiment, entry: Entry) -> RankBars | None:
    """Return the bars of all ranks, or threads, in the region of the first finding.

    None if there is only one rank, or if all values are 0 or missing.

    If ranks differ in the region, or the finding's text contains their busy time, the bars show the values in the text;
    otherwise they show the values in the trees.

    Args:
        findings: The findings.
        experiment: The experiment that the page shows.
        entry: The text of the first finding.
    """
    finding = findings.verdict.findings[0]
    if finding.groups:
        found: RankBars | None = _compared(findings, finding)
    elif entry.highlight.without_parts or _is_of_files(finding, experiment):
        found = _busy(findings, experiment, finding, entry.highlight)
    else:
        found = _shown(experiment, entry.highlight)
    if found is None or len(found.bars) < 2 or not any(each.value for each in found.bars):
        return None
    differs = f", one colour per group of similar {found.noun}s" if len(finding.groups) > 1 else ""
    differs += "; equal work counts as equal time" if _is_by_work(findings, finding) else ""
    return replace(found, what=f"{found.what} of each {found.noun} in {entry.place or entry.title}{differs}")


def change_bars(experiment: Experiment, entry: Entry) -> RankBars | None:
    """Return a bar per rank, or thread, with its change in the call path that changed most; None if there is none.

    Args:
        experiment: A difference.
        entry: The text of the first change.
    """
    changes = Changes.of(experiment)
    if changes is None or not changes.paths or changes.paths[0].is_of_path_alone or not changes.paths[0].locations:
        return None
    bars = [
        RankBar(str(label), value, int(value < 0))
        for label, value in zip(labels_of(experiment), changes.paths[0].by_location.tolist(), strict=True)
    ]
    noun = "thread" if "." in bars[0].name else "rank"
    what = f"{name_of(changes.of_ranks)} of each {noun} in {entry.place or entry.title}, compared with before"
    return RankBars(bars, noun, what, changes.unit, is_change=True)


def _is_by_work(findings: Findings, finding: Finding) -> bool:
    """Return whether the compared times in a finding's region differ from the measured times, which the trees show.

    In the compared times, ranks share the region's time in proportion to their work.
    """
    if not finding.groups or finding.gain is None or finding.difference is None:
        return False
    shares = np.broadcast_to(findings.vectors.measured_share, len(findings.vectors.regions))
    return bool(shares[finding.difference] < 1)


def _compared(findings: Findings, finding: Finding) -> RankBars:
    """Return the bars of the compared ranks, or threads, with the values of the finding's groups."""
    vectors = findings.vectors
    regions = vectors.top if finding.difference is None else [finding.difference]
    values = sums_in(vectors, regions, compared=finding.gain is not None)
    clusters = {each: number for number, group in enumerate(findings.dissimilarity.clusters) for each in group}
    bars = [
        RankBar(str(label), None if isnan(value) else value, clusters.get(column, 0) % COLOURS)
        for column, (label, value) in enumerate(zip(vectors.labels, values.tolist(), strict=True))
    ]
    is_wall = replaced(findings.experiment, "cpu_time")
    what = f"{'wall' if is_wall else 'CPU'} time outside MPI" if vectors.metric == "compute_time" else vectors.metric
    unit = findings.experiment.metric(what if what in findings.experiment else "wall_time").unit
    return RankBars(bars, "thread" if vectors.threads else "rank", visible(what), unit)


def _is_of_files(finding: Finding, experiment: Experiment) -> bool:
    """Return whether a finding is about file I/O, and its text contains busy time."""
    return finding.kind is Kind.FILE_IO and finding.weight is not None and "cpu_time" in experiment


def _busy(findings: Findings, experiment: Experiment, finding: Finding, highlight: Highlight) -> RankBars | None:
    """Return the bars of all ranks, or threads, with their busy time: CPU time in the program's code, and file I/O.

    None if the highlighted metric is not additive, or if nothing is highlighted.
    """
    if finding.weight is not None and not findings.vectors.threads:
        weighed = findings.run.weighed
        values = busy_of_ranks(findings, finding.weight).tolist()
        bars = [RankBar(str(rank), value, 0) for rank, value in zip(weighed.ranks, values, strict=True)]
        return RankBars(bars, "rank", "busy time", experiment.metric("cpu_time").unit)
    found = _shown(experiment, replace(highlight, metric="cpu_time", without_parts=True))
    if found is None:
        return None
    in_files = _shown(experiment, Highlight("io_time", path=highlight.path)) if "io_cpu_time" in experiment else None
    added = [each.value or 0.0 for each in in_files.bars] if in_files else [0.0] * len(found.bars)
    bars = [
        replace(each, value=None if each.value is None else each.value + more)
        for each, more in zip(found.bars, added, strict=True)
    ]
    return replace(found, bars=bars, what="busy time")


def _shown(experiment: Experiment, highlight: Highlight) -> RankBars | None:
    """Return the bars of all locations with the values that the trees show when a highlight is selected.

    None if the highlight has no metric or no call path, or if its metric is not additive.
    """
    if highlight.metric is None or highlight.path is None:
        return None
    metric = experiment.metric(highlight.metric)
    if metric.aggregation != "sum":
        return None
    browser = _browser_at(experiment, highlight)
    own = browser.of_system[0]
    threads = any(place.thread for place in experiment.locations)
    bars = []
    for number, place in enumerate(experiment.locations):
        value = own.value(int(browser.system.tree.home[number]), has_cells=True).amount
        bars.append(RankBar(f"{place.process}.{place.thread}" if threads else str(place.process), value, 0))
    return RankBars(bars, "thread" if threads else "rank", _NAMES.get(metric.name) or visible(metric.name), metric.unit)


def _browser_at(experiment: Experiment, highlight: Highlight) -> Browser:
    """Return the browser in which a finding's metric and call path are selected."""
    browser = browse(experiment)
    node = next(place for place, each in enumerate(experiment.metrics) if each.name == highlight.metric)
    browser = browser.selecting("metrics", node)
    if highlight.without_parts:
        browser = browser.opened("metrics", node)
    assert highlight.path is not None
    return browser.selecting("program", highlight.path)
