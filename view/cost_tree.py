"""Print the tree of code regions with their costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from ..analyze import Findings
from ..analyze.run.costs import Cost
from .lines import print_lines
from .place import Place
from .table import print_table
from .times import time_of
from .units import percent, spread

__all__ = ["print_tree"]

_WAITING: Final = "waiting"
_TITLES: Final = ("share", "wall", "compute", "over ranks", "MPI", _WAITING, "I/O", "visits", "region", "source")
# Columns to omit on a narrow terminal, in this order; the region and its share are kept.
_FIRST_TO_GO: Final = ("visits", "I/O", _WAITING, "MPI", "source", "over ranks", "compute", "wall")


def print_tree(findings: Findings, *, least: float = 0.0, stderr: bool = False) -> None:
    """Print the tree of code regions with their mean times over the ranks.

    Args:
        findings: The findings.
        least: Minimum inclusive time of a region to show, as a share of the run. If regions are left out, a row
            contains their number.
        stderr: Whether to print to standard error.
    """
    measured = any(each.mpi_wait_time is not None for each in findings.run.costs)
    titles = [title for title in _TITLES if measured or title != _WAITING]
    rows = []
    for each in _shown(findings, least):
        row = _left_out(each, least) if isinstance(each, _LeftOut) else _row(findings, each)
        rows.append([cell for title, cell in zip(_TITLES, row, strict=True) if title in titles])
    numbers = range(titles.index("region"))
    order = [titles.index(each) for each in _FIRST_TO_GO if each in titles]
    print_table(titles, rows, numbers, stderr=stderr, first_to_go=order)
    of_ranks = "compute" if any(each.compute_time is not None for each in findings.run.costs) else "wall"
    said = f"times: means over the ranks; over ranks: shortest and longest {of_ranks} time of a rank; visits: sums"
    waiting = "; waiting: time before collectives until the last rank arrives" if measured else ""
    print_lines([f"{said}{waiting}"], stderr=stderr)


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """A row for regions that are left out below a parent, with their number and their depth in the tree."""

    count: int
    depth: int


def _shown(findings: Findings, least: float) -> Iterator[int | _LeftOut]:
    """Yield the indices of the regions to show, parents first, and a row for the omitted regions below each parent.

    Args:
        findings: The findings.
        least: Minimum inclusive time of a region to show, as a share of the run.
    """
    regions, costs = findings.vectors.regions, findings.run.costs
    small = [cost.wall_time is not None and cost.share < least for cost in costs]
    sizes = [1] * len(regions)
    for position in reversed(range(len(regions))):
        children = regions[position].children
        small[position] = small[position] and all(small[each] for each in children)
        sizes[position] += sum(sizes[each] for each in children)

    def of(positions: tuple[int, ...]) -> list[int | _LeftOut]:
        kept: list[int | _LeftOut] = [each for each in positions if not small[each]]
        count = sum(sizes[each] for each in positions if small[each])
        return [*kept, _LeftOut(count, regions[positions[0]].depth)] if count else kept

    waiting = of(findings.vectors.top)[::-1]
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, _LeftOut):
            waiting += of(regions[each].children)[::-1]


def _row(findings: Findings, position: int) -> tuple[str, ...]:
    region, cost = findings.vectors.regions[position], findings.run.costs[position]
    place, time = Place.of(findings.experiment, region), partial(_time, findings)
    return (
        percent(100 * cost.share),
        time(cost.wall_time),
        time(cost.compute_time),
        _over_ranks(findings, cost),
        time(cost.mpi_time),
        time(cost.mpi_wait_time),
        time(cost.io_time),
        "-" if cost.visits is None else str(cost.visits),
        "  " * (region.depth - 1) + place.title,
        place.source if place.file else "",
    )


def _time(findings: Findings, value: float | None) -> str:
    return "-" if value is None else time_of(findings.experiment, value)


def _over_ranks(findings: Findings, cost: Cost) -> str:
    if cost.least is None or cost.most is None:
        return "-"
    return spread(cost.least, cost.most, partial(time_of, findings.experiment))


def _left_out(rows: _LeftOut, least: float) -> tuple[str, ...]:
    said = f"{'  ' * (rows.depth - 1)}{rows.count} more below {100 * least:g} %"
    return tuple(said if title == "region" else "" for title in _TITLES)
