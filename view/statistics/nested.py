"""Combine the reports on clusters within clusters into one report (Ahn and Vetter 2002, section 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ...multivariate.partition import Part
from ..metric_space import dropped
from ..report import Report, Table

__all__ = ["nested_report"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class _Part:
    """The report on a cluster, or on all locations, and the reports on the clusters within it.

    Attributes:
        path: Numbers of the clusters, from the outermost one; empty for all locations.
        report: The report.
        dropped: Metric that is left out here, but not in the enclosing cluster → the reason.
        without: Number of an inner cluster that has no report → the reason.
        within: The reports on the inner clusters.
    """

    path: tuple[int, ...]
    report: Report
    dropped: Mapping[str, str]
    without: Mapping[int, str]
    within: tuple[_Part, ...]

    @property
    def title(self) -> str:
        """The prefix of texts about this cluster: ``Within cluster 1.2: ``; empty for all locations."""
        return f"Within cluster {_numbers(self.path)}: " if self.path else ""

    @property
    def sentences(self) -> list[str]:
        """The sentences of this report, and a sentence for each inner cluster that has no report."""
        said = [*self.report.sentences, *([] if self.path else self.report.caveats), *dropped(self.dropped)]
        none = [f"Cluster {_numbers((*self.path, each))} is not analysed: {why}." for each, why in self.without.items()]
        return [*(f"{self.title}{each}" for each in said), *none]

    @property
    def document(self) -> dict[str, Any]:
        """The JSON data of the report, including the reports on inner clusters."""
        return {
            **self.report.document,
            "path": list(self.path),
            "within": [each.document for each in self.within],
            "without": {str(number): why for number, why in self.without.items()},
        }

    def walk(self) -> Iterator[_Part]:
        """Yield this report, then all reports within it."""
        yield self
        for each in self.within:
            yield from each.walk()


def nested_report(whole: Part[Result], report: Callable[[Result], Report]) -> Report:
    """Return one report that combines the reports on all locations and on clusters within clusters.

    Args:
        whole: The results of the analysis.
        report: Returns the report on a single result.
    """
    top = _reported(whole, report)
    parts = list(top.walk())
    ended = [f"Clusters are not analysed further: {whole.ended}."] if whole.ended else []
    return Report(
        [*(sentence for each in parts for sentence in each.sentences), *ended],
        [
            Table(f"{each.title}{table.title}", table.header, table.rows)
            for each in parts
            for table in each.report.tables
        ],
        _data(parts),
        top.document,
        lambda: [
            replace(picture, title=f"{each.title}{picture.title}")
            for each in parts
            for picture in each.report.pictures()
        ],
    )


def _reported(part: Part[Result], report: Callable[[Result], Report], around: Collection[str] | None = None) -> _Part:
    made = report(part.result)
    whys = made.document["dropped"]
    fresh = {} if around is None else {name: why for name, why in whys.items() if name not in around}
    return _Part(part.path, made, fresh, part.without, tuple(_reported(each, report, whys) for each in part.parts))


def _numbers(path: Sequence[int]) -> str:
    return ".".join(map(str, path))


def _data(parts: Sequence[_Part]) -> Table:
    """Return a table for CSV with the rows of all reports, and the number of the cluster of each row.

    If a report does not contain a metric, its cells are empty.
    """
    header = list(dict.fromkeys(name for each in parts for name in each.report.data.header))
    rows = []
    for each in parts:
        for row in each.report.data.rows:
            cells = dict(zip(each.report.data.header, row, strict=True))
            rows.append((_numbers(each.path), *(cells.get(name) for name in header)))
    return Table(parts[0].report.data.title, ("part", *header), rows)
