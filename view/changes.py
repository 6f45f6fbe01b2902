"""What an operation of the algebra came to, and what changed from one experiment to another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ..errors import UsageError, way_out
from ..experiment import Experiment
from ..experiment.algebra import Integration
from ..experiment.grouping import over_locations
from ..experiment.metric import Metric
from .place import at_line, visible
from .table import print_table
from .units import amount, count, many

__all__ = ["operation_lines", "print_changes"]

_PREFERRED: Final = ("wall_time", "time")
_TITLES: Final = ("before", "after", "gain", "")
_METRICS: Final = 16
_REGIONS: Final = 15
_MANY: Final = 1000  # times as much: then no digits after the point
_LEAST: Final = 0.001  # of the whole: smaller changes of a region are not listed

_Totals = npt.NDArray[np.float64]


def operation_lines(result: Experiment, file: Path | None) -> list[str]:
    """Say what a derived experiment holds, how it came about, and where it was written."""
    lines = [*result.notes.remarks, f"{result.notes.history[-1]}: {result.size}"]
    return [*map(visible, [*lines, *([f"data {file}"] if file else [])])]


@np.errstate(over="ignore", invalid="ignore")
def print_changes(joined: Integration, chosen: str | None = None) -> None:
    """Print what changed from the first to the second of two experiments: totals of metrics, then one by region.

    Args:
        joined: The two.
        chosen: Metric that is shown by region; None for the time on the wall clock, or what comes nearest to it.

    Raises:
        UsageError: There is no such metric.
    """
    names = [each.name for each in joined.metrics]
    if chosen is not None and chosen not in names:
        raise UsageError(f"--metric {chosen}: no such metric; {way_out(chosen, names)}")
    metrics = [each for each in joined.metrics if each.aggregation == "sum"]
    if chosen in {*names} - {each.name for each in metrics}:
        raise UsageError(f"--metric {chosen}: it cannot be summed over call paths and ranks; choose another metric")
    totals = {each.name: _totals(joined, each) for each in metrics}
    _print_metrics(joined, totals)
    metric = _by_region(joined, totals, chosen)
    if metric is not None:
        _print_regions(joined, metric, *totals[metric.name])


def _totals(joined: Integration, metric: Metric) -> tuple[_Totals, _Totals]:
    """Give the values of each call path alone, of all locations together, before and after; ``float64[call path]``.

    A value that one of the two misses is left out of the other, too: else it would pass for a gain or a loss.
    """
    before, after = (joined.severity(operand, metric.name) for operand in (0, 1))
    missing = np.isnan(before) | np.isnan(after)
    if missing.any():
        before, after = (np.where(missing, np.nan, each) for each in (before, after))
    return over_locations(metric, before), over_locations(metric, after)


def _print_metrics(joined: Integration, totals: dict[str, tuple[_Totals, _Totals]]) -> None:
    rows = []
    depths: dict[str, int] = {}
    for metric in joined.metrics:
        depths[metric.name] = depths[metric.parent] + 1 if metric.parent is not None else 0
        if metric.name not in totals:
            continue
        before, after = (float(np.nansum(each)) for each in totals[metric.name])
        if before or after:
            rows.append((*_cells(before, after, metric.unit), "  " * depths[metric.name] + metric.name))
    if rows:
        print_table((*_TITLES, "metric"), rows[:_METRICS], range(len(_TITLES)))


def _by_region(joined: Integration, totals: dict[str, tuple[_Totals, _Totals]], chosen: str | None) -> Metric | None:
    """Choose the metric that is shown by region."""
    known = {each.name: each for each in joined.metrics if each.name in totals}
    wanted = [chosen] if chosen is not None else [*_PREFERRED, *known]
    return next((known[name] for name in wanted if name in known and any(map(np.any, totals[name]))), None)


def _print_regions(joined: Integration, metric: Metric, before: _Totals, after: _Totals) -> None:
    gains = np.nan_to_num(before - after)
    whole = max(float(np.nansum(np.abs(each))) for each in (before, after))
    order = np.argsort(-np.abs(gains), kind="stable")
    listed = [int(path) for path in order[:_REGIONS] if abs(gains[path]) >= _LEAST * whole]
    caption = f"{visible(metric.name)} of each call path alone, over {_locations(joined)}"
    sys.stdout.write("\n")
    if not listed:
        sys.stdout.write(f"{caption}: no change\n")
        return
    rows = []
    for path in sorted(listed, key=lambda each: -gains[each]):
        region = joined.call_paths[path].region
        cells = _cells(float(before[path]), float(after[path]), metric.unit)
        rows.append((*cells, joined.path_name(path), at_line(region.file, region.first_line)))
    print_table((*_TITLES, "region", "source"), rows, range(len(_TITLES)))
    sys.stdout.write(f"{caption}\n")


def _locations(joined: Integration) -> str:
    """Count the locations that both experiments know something of."""
    lost = {*joined.lost(0), *joined.lost(1)}
    count = sum(place.process not in lost for place in joined.locations)
    return many(count, "location") + (" that both have" if lost else "") + (" together" if count != 1 else "")


def _cells(before: float, after: float, unit: str) -> tuple[str, str, str, str]:
    gain = before - after + 0.0
    return amount(before, unit), amount(after, unit), amount(gain, unit), _relative(before, after, gain)


def _relative(before: float, after: float, gain: float) -> str:
    """Write a gain as a percentage, or what has doubled at least as ``× 12``; nothing where neither informs."""
    factor = after / before if before else np.nan
    if 2 <= factor < np.inf:
        return f"× {factor:.3g}" if factor < _MANY else f"× {count(factor)}"
    return f"{100 * gain / abs(before):+.1f} %" if abs(gain) <= 2 * abs(before) and before else ""
