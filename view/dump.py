"""Print an experiment's values as CSV, JSON or tables."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Final, TextIO

import numpy as np
import orjson

from ..experiment import Experiment, Metric, Region
from ..experiment.aggregate import Level, columns_at
from ..experiment.experiment import Severity
from ..multivariate.formula import Formula
from .csv_rows import write_rows
from .lines import print_lines
from .numbers import Numbers
from .place import at_line, visible
from .table import print_table
from .units import amount, ranks, titled

__all__ = ["print_dump", "print_regions", "shown_metrics", "write_csv", "write_json"]

SCHEMA: Final = "autoanalyzer.dump/1"

_ALSO: Final = frozenset({"mpi_time", "io_time", "mpi", "mpi_io"})  # shown by default in addition to root metrics
_MOST: Final = 12
_RANKS: Final = {"process": "rank", "thread": "rank.thread"}


def write_csv(
    experiment: Experiment, metrics: Sequence[str], stream: TextIO, *, formulas: Sequence[Formula] = ()
) -> None:
    """Write CSV with one line per call path: its number, and exclusive values of metrics, summed over all locations.

    Values also exclude child metrics. Call paths are numbered as in the file, and sorted by number. As in CUBE's
    tools, values have six significant digits, minima and maxima have twelve, and integers have all their digits.
    """
    numbers = Numbers.of(experiment, formulas)
    kinds = [numbers.kind(name) for name in metrics]
    sums = numbers.own_totals(metrics)
    columns = [sums[name].tolist() for name in metrics]
    rows = (
        [number, *(_field(kind, column[path]) for kind, column in zip(kinds, columns, strict=True))]
        for number, path in sorted(zip(experiment.numbers, range(len(experiment.numbers)), strict=True))
    )
    write_rows(chain([["Cnode ID", *metrics]], rows), stream)


def _field(metric: Metric, value: float) -> str:
    if metric.aggregation in ("min", "max"):
        return f"{value + 0.0:.12g}"  # adding 0.0 turns -0 into 0
    return str(int(value)) if metric.integral and value.is_integer() else f"{value:.6g}"


def write_json(
    experiment: Experiment,
    file: Path,
    metrics: Sequence[str],
    level: Level | None,
    stream: TextIO,
    *,
    formulas: Sequence[Formula] = (),
) -> None:
    """Write JSON with all values of metrics: ``[call path]``, or ``[call path][element]`` if a level is given.

    Values include child metrics. ``exclusive`` values are for the call path alone; ``inclusive`` values include its
    descendants. Missing values are null. To save memory, metrics are read one at a time.

    Args:
        experiment: The experiment.
        file: The experiment's file.
        metrics: Names of the metrics.
        level: Level of the system whose elements have separate values; None to sum over all locations.
        stream: The output stream.
        formulas: Formulas of derived metrics.
    """
    for part in _document(Numbers.of(experiment, formulas), file, metrics, level):
        stream.write(part)


def _document(numbers: Numbers, file: Path, metrics: Sequence[str], level: Level | None) -> Iterator[str]:
    experiment = numbers.experiment
    columns = list(columns_at(experiment, level)) if level else None
    yield f'{{"schema": {json.dumps(SCHEMA)},\n"experiment": {json.dumps(str(file))},\n"metrics": '
    yield from _list(json.dumps(_metric(numbers.kind(name))) for name in metrics)
    yield ',\n"call_paths": '
    yield from _list(json.dumps(_call_path(experiment, path)) for path in range(len(experiment.call_paths)))
    yield f',\n"columns": {json.dumps(columns)}'
    yield f',\n"inside": {json.dumps([asdict(each) for each in experiment.notes.inside])}'
    for title, inclusive in (("exclusive", False), ("inclusive", True)):
        yield f',\n"{title}": {{'
        for place, name in enumerate(metrics):
            yield f"{',' if place else ''}\n{json.dumps(name)}: "
            yield from _list(map(_numbers, numbers.values(name, level, inclusive=inclusive)))
        yield "}"
    yield "}\n"


def _list(items: Iterable[str]) -> Iterator[str]:
    yield "["
    for place, each in enumerate(items):
        yield f"{',' if place else ''}\n{each}"
    yield "]"


def _numbers(values: Severity) -> str:
    """Return a number or an array as JSON, with all digits; NaN becomes null."""
    return orjson.dumps(values.tolist()).decode()


def _metric(metric: Metric) -> dict[str, str | None]:
    return {
        "name": metric.name,
        "unit": metric.unit,
        "parent": metric.parent,
        "source": metric.source,
        "display": metric.display or metric.name,
        "aggregation": metric.aggregation,
    }


def _call_path(experiment: Experiment, number: int) -> dict[str, str | int | None]:
    path = experiment.call_paths[number]
    return {
        "id": number,
        "number": experiment.numbers[number],
        "parent": path.parent,
        "path": experiment.path_name(number),
        "name": path.region.name,
        "kind": path.region.kind,
        "file": path.region.file,
        "line": path.region.first_line,
        "site": path.called_at,
    }


def shown_metrics(experiment: Experiment, level: Level | None) -> list[str]:
    """Return the metrics that a table shows by default: root metrics, and times in MPI and I/O.

    Metrics that are 0 or missing everywhere are left out, unless this applies to all of them.
    """
    roots = [each.name for each in experiment.metrics if each.parent is None or each.name in _ALSO]
    numbers = Numbers(experiment)
    values = ((name, numbers.values(name, level, inclusive=False)) for name in roots)
    return [name for name, each in values if np.any(np.nan_to_num(each))][:_MOST] or roots[:_MOST]


def print_dump(
    experiment: Experiment,
    metrics: Sequence[str],
    level: Level | None,
    roots: Collection[Region],
    *,
    inclusive: bool,
    formulas: Sequence[Formula] = (),
) -> None:
    """Print one table with a column per metric, or one table per metric if a level of the system is given.

    Args:
        experiment: The experiment.
        metrics: Names of the metrics to print.
        level: Level of the system that has one column per element; None to sum over all locations.
        roots: The regions that are roots of the call tree.
        inclusive: Whether values include the descendants of a call path.
        formulas: Formulas of derived metrics.
    """
    numbers = Numbers.of(experiment, formulas)
    if level is None:
        kinds = [numbers.kind(name) for name in metrics]
        values = [_known(numbers, name, level, roots, inclusive=inclusive) for name in metrics]
        columns = [(titled(kind.name, kind.unit), kind, each) for kind, each in zip(kinds, values, strict=True)]
        _print(experiment, columns, _together(experiment), inclusive=inclusive)
        if any(kind.aggregation == "none" and not np.isfinite(values).any() for _, kind, values in columns):
            print_lines(["metrics that cannot be summed are not shown; to see them, use --by thread"])
        return
    titles = [".".join(map(str, label)) for label in columns_at(experiment, level)]
    for place, name in enumerate(metrics):
        if place:
            print_lines([""])
        kind = numbers.kind(name)
        below = inclusive and numbers.is_summed_up(name)
        closed = _known(numbers, name, level, roots, inclusive=below)
        columns = [(title, kind, closed[:, column]) for column, title in enumerate(titles)]
        _print(experiment, columns, f"{visible(titled(name, kind.unit))} by {level}", inclusive=below)


def print_regions(
    experiment: Experiment,
    metrics: Sequence[str],
    level: Level,
    roots: Collection[Region],
    paths: Sequence[int],
    *,
    inclusive: bool,
    formulas: Sequence[Formula] = (),
) -> None:
    """Print a table for each of the given call paths, with a row per element of a level and a column per metric.

    Args:
        experiment: The experiment.
        metrics: Names of the metrics to print.
        level: Level of the system that has one row per element.
        roots: The regions that are roots of the call tree.
        paths: Indices of the call paths.
        inclusive: Whether values include the descendants of a call path.
        formulas: Formulas of derived metrics.
    """
    numbers = Numbers.of(experiment, formulas)
    kinds = [numbers.kind(name) for name in metrics]
    below = [inclusive and numbers.is_summed_up(name) for name in metrics]
    every = [
        _known(numbers, name, level, roots, inclusive=sums)[paths] for name, sums in zip(metrics, below, strict=True)
    ]
    labels = [".".join(map(str, label)) for label in columns_at(experiment, level)]
    titles = [_RANKS.get(level, level), *(titled(kind.name, kind.unit) for kind in kinds)]
    for row, path in enumerate(paths):
        cells = [
            [amount(float(value), kind.unit) for value in values[row]]
            for kind, values in zip(kinds, every, strict=True)
        ]
        region = experiment.call_paths[path].region
        name = visible(experiment.path_name(path) or region.name)
        print_lines([f"{name}  {at_line(region.file, region.first_line)}".rstrip()])
        print_table(titles, zip(labels, *cells, strict=True), range(len(titles)))


def _known(numbers: Numbers, name: str, level: Level | None, roots: Collection[Region], *, inclusive: bool) -> Severity:
    """Return a metric's values, ``float64[call path]``, or ``float64[call path, element]`` if a level is given.

    If a metric is measured only for whole processes, values that are not stored are NaN below the roots, and on all
    threads but the first.
    """
    experiment = numbers.experiment
    values = numbers.values(name, level, inclusive=inclusive)
    if not numbers.kind(name).at_root:
        return values
    places = zip(experiment.call_paths, experiment.depths, strict=True)
    unknown = [depth > 0 or path.region not in roots for path, depth in places]
    blank = np.array(unknown).reshape(-1, *[1] * (values.ndim - 1))
    if level == "thread":  # the first thread's column contains the values of the process
        blank = blank | [thread != 0 for _, thread in columns_at(experiment, level)]
    return np.where(blank & (values == 0), np.nan, values)


def _print(
    experiment: Experiment, columns: Sequence[tuple[str, Metric, Severity]], caption: str, *, inclusive: bool
) -> None:
    rows = [
        (
            *(amount(float(values[index]), kind.unit) for _, kind, values in columns),
            "  " * depth + path.region.name,
            at_line(path.region.file, path.region.first_line),
        )
        for index, (path, depth) in enumerate(zip(experiment.call_paths, experiment.depths, strict=True))
    ]
    titles = [*(title for title, _, _ in columns), "region", "source"]
    print_table(titles, rows, range(len(columns)), first_to_go=[titles.index("source", len(columns))])
    below = f", {'inclusive' if inclusive else 'exclusive'}" if any(experiment.depths) else ""
    print_lines([f"{caption}{below}"])


def _together(experiment: Experiment) -> str:
    """Return a phrase with the number of locations that were summed, and the lost ranks, which have no values."""
    lost = [place for place in experiment.locations if place.process in experiment.notes.missing]
    count = len(experiment.locations) - len(lost)
    whose = f"sum over {count} locations" if count != 1 else "1 location"
    return f"{whose} ({ranks(sorted({place.process for place in lost}))} missing)" if lost else whose
