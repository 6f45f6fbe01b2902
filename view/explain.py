"""Show how causes were found: decision tables, discernibility matrices and reducts (Liu et al. 2011, section 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ..analyze import Findings
from ..analyze.choices import PAPER
from ..analyze.disparity.classes import LABELS
from ..analyze.evidence.decision_table import DecisionTable, Row
from ..analyze.run.code_regions import CodeRegion
from .place import Place
from .units import many

__all__ = ["explanation_lines"]

_MOST_ROWS: Final = 40
_MEANING: Final = {
    "crnm": ": share of the run x cycles per instruction",
    "cpi": ": cycles per instruction",
}
_WIDEST_MATRIX: Final = 16


def explanation_lines(findings: Findings) -> list[str]:
    """Return lines with both decision tables and the resulting causes (Liu et al. 2011, Tables 3, 4, Figs. 9-12)."""
    return [*_dissimilarity(findings), "", *_disparity(findings), ""]


def _dissimilarity(findings: Findings) -> Iterator[str]:
    found, causes, vectors = findings.dissimilarity, findings.dissimilarity_causes, findings.vectors
    yield f"DISSIMILARITY by {vectors.metric}"
    yield ""
    compared = "thread" if vectors.threads else "rank"
    clusters = "is 1 cluster" if len(found.clusters) == 1 else f"are {len(found.clusters)} clusters"
    yield f"there {clusters} of {compared}s"
    for number, members in enumerate(found.clusters[:_MOST_ROWS]):
        yield f"cluster {number}: {_members([vectors.labels[column] for column in members])}"
    if len(found.clusters) > _MOST_ROWS:
        yield f"… and {len(found.clusters) - _MOST_ROWS} more: --json lists all"
    if found.programs > 1:
        yield f"the ranks run {found.programs} different programs, which are not compared with each other"
    yield f"severity S: {found.severity:.6f}"
    if not found.exists:
        return
    regions = findings.vectors.regions
    yield from _regions(findings, "critical", [regions[each] for each in found.critical])
    yield from _regions(findings, "named", [regions[each] for each in found.culprits])
    yield ""
    yield from _table(findings, causes.table, compared, "cluster", str)
    yield f"root causes: {_names(each.attribute for each in causes.differences)}"


def _disparity(findings: Findings) -> Iterator[str]:
    found, causes = findings.disparity, findings.disparity_causes
    meaning = _MEANING.get(findings.weights.metric, "") if findings.weights.cycles else ""
    yield f"DISPARITY by {findings.weights.metric}{meaning}"
    yield ""
    if not found.classes:
        yield "all regions have the same value"
        if not found.exists:
            return
    for severity in reversed(range(len(LABELS))) if found.classes else ():
        of_class = [index for index, its in enumerate(found.classes) if its == severity]
        regions = [findings.run.weighed.regions[index] for index in of_class]
        yield from _regions(findings, LABELS[severity], regions, [found.values[index] for index in of_class])
    if not found.exists:
        yield "no region is critical"
        return
    yield ""
    named: dict[int | str, str] = {each.id: _named(findings, each) for each in findings.run.weighed.regions}
    decision = "critical" if findings.method == PAPER else "named"
    yield from _table(findings, causes.table, "region", decision, named.__getitem__)
    for culprit in found.culprits:
        names = _names(each.attribute for each in causes.causes[culprit])
        yield f"root causes of region {_named(findings, findings.run.weighed.regions[culprit])}: {names}"


def _regions(
    findings: Findings, what: str, regions: Sequence[CodeRegion], values: Sequence[float] = ()
) -> Iterator[str]:
    """Yield a title with the number of regions, then a line per region, with its value if ``values`` are given."""
    if not regions:
        yield f"{what}: none"
        return
    yield f"{what}: {many(len(regions), 'region')}"
    ends = [f"  {value:.2f}" for value in values] or [""] * len(regions)
    yield from (f"  {_named(findings, each)}{end}" for each, end in zip(regions[:_MOST_ROWS], ends, strict=False))
    if len(regions) > _MOST_ROWS:
        yield f"  … and {len(regions) - _MOST_ROWS} more: --json lists all"


def _named(findings: Findings, region: CodeRegion) -> str:
    """Return a region's number, source location and title."""
    place = Place.of(findings.experiment, region)
    return f"{region.id}  {place.source}  {place.title}" if place.file else f"{region.id}  {place.title}"


def _table(
    findings: Findings, table: DecisionTable, what: str, decision: str, title: Callable[[int | str], str]
) -> Iterator[str]:
    """Yield the lines of a decision table, its discernibility matrix and function, its reducts, and contradictory rows.

    Args:
        findings: The findings.
        table: The decision table.
        what: What a row stands for, such as ``rank``.
        decision: The meaning of the decision column.
        title: Returns the title of a row from its identifier.
    """
    if not table.attributes:
        yield "no attribute was measured"
        return
    short = {name: f"a{number}" for number, name in enumerate(table.attributes, start=1)}
    yield f"decision table: {', '.join(f'{key} {name}' for name, key in short.items())}; D {decision}"
    if findings.lacking:
        yield f"not measured: {', '.join(findings.lacking)}"
    yield ""
    rows = [(row, title(row.id)) for row in table.rows]
    if len(rows) > _MOST_ROWS:
        rows = [(row, f"{title(row.id)}{_and_more(ids)}") for row, ids in table.distinct]
    yield "".join(f"{head:>4}" for head in (*short.values(), "D")) + f"   {what}"
    for row, name in rows[:_MOST_ROWS]:
        yield "".join(f"{value:>4}" for value in (*row.values, row.decision)) + f"   {name}"
    if len(rows) > _MOST_ROWS:
        yield f"   … and {len(rows) - _MOST_ROWS} more: --json lists all"
    yield ""
    yield from _matrix(table, short)
    yield f"discernibility function: {_function(table, short)}"
    yield f"smallest reducts: {' or '.join(_set(each, short) for each in table.reducts) or 'none'}"
    for ids in table.inconsistent:
        yield f"inconsistent (same attributes, different decisions): {_members(ids)}"


def _members(ids: Sequence[int | str]) -> str:
    more = f" … and {len(ids) - _MOST_ROWS} more" if len(ids) > _MOST_ROWS else ""
    return " ".join(map(str, ids[:_MOST_ROWS])) + more


def _and_more(ids: Sequence[int | str]) -> str:
    return f"  (and {len(ids) - 1} more like it)" if len(ids) > 1 else ""


def _matrix(table: DecisionTable, short: dict[str, str]) -> Iterator[str]:
    """Yield the upper triangle of the discernibility matrix; if there are too many rows, of distinct rows only."""
    rows: list[Row] = list(table.rows)
    if len(rows) > _WIDEST_MATRIX:
        rows = [row for row, _ in table.distinct]
    if len(rows) > _WIDEST_MATRIX:
        yield f"discernibility matrix: {len(rows)} distinct rows, too wide to print"
        return
    yield "discernibility matrix:" if len(rows) == len(table.rows) else "discernibility matrix of distinct rows:"
    entries = [
        ["" if j < i else ",".join(short[name] for name in entry) or "-" for j, entry in enumerate(line)]
        for i, line in enumerate(DecisionTable.matrix(table.attributes, rows))
    ]
    widths = [max(map(len, column)) for column in zip(*entries, strict=True)]
    for row, line in zip(rows, entries, strict=True):
        cells = "  ".join(entry.ljust(width) for entry, width in zip(line, widths, strict=True))
        yield f"{row.id:>4}   {cells}".rstrip()


def _function(table: DecisionTable, short: dict[str, str]) -> str:
    clauses = [" ∨ ".join(short[name] for name in clause) for clause in table.function]
    return " ∧ ".join(f"({clause})" for clause in clauses) or "none, because there is nothing to distinguish"


def _set(names: Sequence[str], short: dict[str, str]) -> str:
    return "{" + ", ".join(f"{short[name]} {name}" for name in names) + "}"


def _names(names: Iterator[str]) -> str:
    return ", ".join(names) or "none"
