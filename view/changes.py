"""Describe derived experiments, and print the changes from one experiment to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from textwrap import shorten
from typing import Final

import numpy as np
import numpy.typing as npt

from ..errors import UsageError, way_out
from ..experiment import Experiment
from ..experiment.algebra import Integration
from ..experiment.algebra.doubts import lacking_operands
from ..experiment.algebra.history import listed
from ..experiment.grouping import over_locations
from ..experiment.metric import WEIGHING_TIMES, Metric
from .lines import print_lines
from .place import at_line, visible
from .table import print_table
from .units import amount, count, many

__all__ = ["operation_lines", "print_changes"]

_TITLES: Final = ("before", "after", "gain", "of total")
_FIRST_TO_GO: Final = ("source", "before", "after")  # columns to drop on a narrow terminal
_METRICS: Final = 16
_REGIONS: Final = 15
_NAMED: Final = 3  # number of unmeasured metrics to name
_DESCRIPTION: Final = 80  # maximum length of a description
_MANY: Final = 1000  # percentages of at least this have no decimals
_LEAST: Final = 0.001  # minimum change for which a region is listed, as a share of the total

_Values = npt.NDArray[np.float64]


def operation_lines(result: Experiment, file: Path | None) -> list[str]:
    """Return lines that describe a derived experiment: its warnings, operation, size, and file."""
    lines = [*result.notes.remarks, f"{result.notes.history[-1]}: {result.size}"]
    return [*map(visible, [*lines, *([f"data {file}"] if file else [])])]


@dataclass(frozen=True)
class _Change:
    """Exclusive values of a metric by call path, before and after, summed over all locations.

    Attributes:
        metric: The metric.
        before, after: ``float64[call path]``; NaN if no value is known.
        shared: Whether at least one call path and location has a value in both runs. If not, nothing is comparable.
        unknown: How many values are missing only in the first run, and only in the second, except on lost ranks.
    """

    metric: Metric
    before: _Values
    after: _Values
    shared: bool
    unknown: tuple[int, int]

    @property
    def totals(self) -> tuple[float, float]:
        """The totals over all call paths, before and after; NaN if not measured."""
        before, after = (float(np.nansum(each)) if _known(each).any() else np.nan for each in (self.before, self.after))
        return before, after


@np.errstate(over="ignore", invalid="ignore")
def print_changes(joined: Integration, chosen: str | None = None) -> None:
    """Print the changes from the first to the second experiment: totals of metrics, then one metric by region.

    Args:
        joined: The two experiments.
        chosen: Metric to show by region; None for the first metric with values; times come first.

    Raises:
        UsageError: The metric does not exist, is not additive, or was not measured by one of the experiments.
    """
    names = [each.name for each in joined.metrics]
    if chosen is not None and chosen not in names:
        raise UsageError(f"--metric {chosen}: no such metric; {way_out(chosen, names)}")
    metrics = [each for each in joined.metrics if each.aggregation == "sum"]
    if chosen in {*names} - {each.name for each in metrics}:
        raise UsageError(f"--metric {chosen}: cannot be summed over call paths and ranks; choose another metric")
    changes = {each.name: _change(joined, each) for each in metrics}
    if chosen is not None and not changes[chosen].shared:
        raise UsageError(
            f"--metric {chosen}: not measured in {_lacking(joined, changes[chosen])}; choose another metric"
        )
    _print_metrics(joined, changes)
    change = _by_region(changes, chosen)
    if change is not None:
        _print_regions(joined, change, _whole(joined, changes, change.metric))


def _known(values: _Values) -> npt.NDArray[np.bool_]:
    return ~np.isnan(values)


def _change(joined: Integration, metric: Metric) -> _Change:
    """Return the values of a metric in both experiments.

    If a value is missing in one experiment, it is also left out of the other, because it would look like a gain or a
    loss. If no values would be left, each experiment keeps its own values.
    """
    lost = {*joined.lost(0), *joined.lost(1)}
    there = np.array([place.process not in lost for place in joined.locations]) if lost else slice(None)
    alone: list[_Values] = []  # per block of call paths: sums over locations, before and after
    together: list[_Values] = []
    unknown = np.zeros(2, dtype=int)
    shared = False
    for before, after in joined.blocks(metric.name):
        parts = [
            values if metric.name in names else np.full_like(values, np.nan)
            for values, names in zip((before, after), joined.names, strict=True)
        ]
        known = [_known(each) for each in parts]
        both = known[0] & known[1]
        shared = shared or bool(both.any())
        sums = np.array([over_locations(metric, each) for each in parts])
        alone.append(sums)
        if not both.all():
            unknown += [int((~both & each)[:, there].sum()) for each in reversed(known)]
            sums = np.array([over_locations(metric, np.where(both, each, np.nan)) for each in parts])
        together.append(sums)
    before, after = np.concatenate([np.zeros((2, 0)), *(together if shared else alone)], axis=1)
    return _Change(metric, before, after, shared, (int(unknown[0]), int(unknown[1])))


def _whole(joined: Integration, changes: Mapping[str, _Change], metric: Metric) -> float:
    """Return the base of percentages: the total of the metric's root in the first run (Song et al. 2004, Fig. 2)."""
    metrics = {each.name: each for each in joined.metrics}
    while metric.parent is not None and metric.parent in changes and changes[metric.parent].shared:
        metric = metrics[metric.parent]
    return changes[metric.name].totals[0]


def _print_metrics(joined: Integration, changes: Mapping[str, _Change]) -> None:
    rows = []
    unknown: dict[str, list[str]] = {}
    depths: dict[str, int] = {}
    for metric in joined.metrics:
        depths[metric.name] = depths[metric.parent] + 1 if metric.parent is not None else 0
        if metric.name not in changes:
            continue
        change = changes[metric.name]
        before, after = change.totals
        if np.nan_to_num(before) or np.nan_to_num(after):
            cells = _cells(before, after, metric.unit, _whole(joined, changes, metric))
            rows.append((*cells, "  " * depths[metric.name] + metric.name))
            for said in _left_out(joined, change):
                unknown.setdefault(said, []).append(metric.name)
    if rows:
        print_lines(map(visible, _meanings(joined, changes)))
        print_table((*_TITLES, "metric"), rows[:_METRICS], range(len(_TITLES)))
    print_lines(f"{visible(listed(names, _NAMED))}: {visible(said)}" for said, names in unknown.items())


def _meanings(joined: Integration, changes: Mapping[str, _Change]) -> Iterator[str]:
    """Yield warnings about metrics with different descriptions, because their values may not be comparable."""
    for name, change in changes.items():
        if not (change.shared and np.nan_to_num(change.totals).any()):
            continue
        metrics = [each.metric(names[name]) for each, names in zip(joined.operands, joined.names, strict=True)]
        described = [" ".join(each.description.split()) for each in metrics]
        imported = any(
            each.source.startswith("imported:") for each in metrics
        )  # only other tools' descriptions differ in meaning
        if imported and all(described) and len(set(described)) > 1:
            words = "; ".join(
                f"in {label} {shorten(each, _DESCRIPTION, placeholder=' …')}"
                for label, each in zip(joined.labels, described, strict=True)
            )
            yield f"{name} may have different meanings: {words}"


def _left_out(joined: Integration, change: _Change) -> Iterator[str]:
    """Yield warnings about values of a metric that were measured in only one of the two experiments."""
    if not change.shared:
        if _nowhere(joined, change.metric):
            yield f"not measured in {_lacking(joined, change)}, so the gain is unknown"
        return
    for label, missing in zip(joined.labels, change.unknown, strict=True):
        if missing:
            was = "was" if missing == 1 else "were"
            yield f"{many(missing, 'value')} not measured in {label} {was} left out of both experiments"


def _nowhere(joined: Integration, metric: Metric) -> bool:
    """Return whether a metric needs a warning if none of its values can be compared.

    No warning is needed if both experiments have the metric, but at different places in the metric tree.
    """
    return all(metric.name in names for names in joined.names) or bool(lacking_operands(joined, metric.name))


def _lacking(joined: Integration, change: _Change) -> str:
    """Return where a metric was not measured: the labels of the experiments without values, or a phrase for both."""
    lacking = [label for label, total in zip(joined.labels, change.totals, strict=True) if np.isnan(total)]
    return " and ".join(lacking) or "any part that both experiments contain"


def _by_region(changes: Mapping[str, _Change], chosen: str | None) -> _Change | None:
    """Return the changes of the metric to show by region: the chosen metric or, by default, the first with values.

    By default, times come before other metrics. None if no metric was measured in both experiments, or all are 0.
    """
    if chosen is not None:
        return changes[chosen]
    known = (changes[name] for name in (*WEIGHING_TIMES, *changes) if name in changes and changes[name].shared)
    return next((each for each in known if np.nan_to_num([each.before, each.after]).any()), None)


def _print_regions(joined: Integration, change: _Change, whole: float) -> None:
    metric, before, after = change.metric, change.before, change.after
    gains = np.nan_to_num(before - after)
    larger = max(float(np.nansum(np.abs(each))) for each in (before, after))
    order = np.argsort(-np.abs(gains), kind="stable")
    largest = [int(path) for path in order[:_REGIONS] if abs(gains[path]) >= _LEAST * larger and gains[path]]
    caption = f"{visible(metric.name)} of each call path, exclusive, {_locations(joined)}"
    print_lines([""])
    if not largest:
        print_lines([f"{caption}: no change"])
        return
    rows = []
    for path in sorted(largest, key=lambda each: -gains[each]):
        region = joined.call_paths[path].region
        cells = _cells(float(before[path]), float(after[path]), metric.unit, whole)
        rows.append((*cells, joined.path_name(path), at_line(region.file, region.first_line)))
    titles = (*_TITLES, "region", "source")
    print_table(titles, rows, range(len(_TITLES)), first_to_go=[titles.index(each) for each in _FIRST_TO_GO])
    print_lines([caption])


def _locations(joined: Integration) -> str:
    """Return the number of locations whose values are compared, as text."""
    lost = {*joined.lost(0), *joined.lost(1)}
    count = sum(place.process not in lost for place in joined.locations)
    return (
        ("sum over " if count != 1 else "")
        + many(count, "location")
        + (" (common to both experiments)" if lost else "")
    )


def _cells(before: float, after: float, unit: str, whole: float) -> tuple[str, str, str, str]:
    gain = before - after + 0.0
    return amount(before, unit), amount(after, unit), amount(gain, unit), _share(gain, whole)


def _share(gain: float, whole: float) -> str:
    """Return a gain in percent of the base ``whole``, as text; empty if it is undefined."""
    share = 100 * gain / abs(whole) if whole else np.nan
    if not isfinite(share):
        return ""
    if abs(share) < _MANY:
        return f"{round(share, 1) + 0.0:+.1f} %"
    return f"{'-' if share < 0 else '+'}{count(abs(share))} %"
