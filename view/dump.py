"""The numbers of an experiment as CSV, JSON and tables."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..experiment import Experiment, Metric
from ..experiment.aggregate import Level, by_level, columns_at, over_locations, own_totals, totals
from ..experiment.experiment import Severity
from .place import at_line, visible
from .units import amount

__all__ = ["dump_document", "print_dump", "shown_metrics", "write_csv"]

SCHEMA: Final = "autoanalyzer.dump/1"

_ALSO: Final = frozenset({"mpi_time", "io_time", "mpi", "mpi_io"})  # beside the metrics that no other one includes
_MOST: Final = 12


def write_csv(experiment: Experiment, metrics: Sequence[str], stream: TextIO) -> None:
    """Write a line a call path: its number, and of each metric what its parts do not hold, of all locations together.

    Six digits; of whole numbers all, of minima and maxima twelve: as the tools of CUBE do.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["Cnode ID", *metrics])
    kinds = [experiment.metric(name) for name in metrics]
    sums = own_totals(experiment, [kind.name for kind in kinds if _adds_up(kind)])
    columns = [
        (sums[name] if name in sums else _values(experiment, name, None, inclusive=False)).tolist() for name in metrics
    ]
    for path in range(len(experiment.call_paths)):
        writer.writerow([path, *(_field(kind, column[path]) for kind, column in zip(kinds, columns, strict=True))])


def _field(metric: Metric, value: float) -> str:
    if metric.aggregation != "sum":
        return f"{value:.12g}"
    return str(int(value)) if metric.integral and value.is_integer() else f"{value:.6g}"


def dump_document(experiment: Experiment, file: Path, metrics: Sequence[str], level: Level | None) -> dict[str, Any]:
    """Give all numbers for JSON: a list a metric, a number a call path, or a list a call path where a level is given.

    Metrics hold their parts; ``exclusive`` is of the call path alone, ``inclusive`` with all below it. None is missing.
    """
    return {
        "schema": SCHEMA,
        "experiment": str(file),
        "metrics": [
            {
                "name": each.name,
                "unit": each.unit,
                "parent": each.parent,
                "source": each.source,
                "display": each.display or each.name,
            }
            for each in map(experiment.metric, metrics)
        ],
        "call_paths": [
            {
                "id": index,
                "parent": path.parent,
                "path": experiment.path_name(index),
                "name": path.region.name,
                "kind": path.region.kind,
                "file": path.region.file,
                "line": path.region.first_line,
                "site": path.site,
            }
            for index, path in enumerate(experiment.call_paths)
        ],
        "columns": list(columns_at(experiment, level)) if level else None,
        "exclusive": {name: _numbers(_values(experiment, name, level, inclusive=False).tolist()) for name in metrics},
        "inclusive": {name: _numbers(_values(experiment, name, level, inclusive=True).tolist()) for name in metrics},
    }


def _numbers(values: Any) -> Any:
    """Give numbers as JSON can hold them."""
    if isinstance(values, list):
        return [_numbers(each) for each in values]
    return None if math.isnan(values) else values


def _values(experiment: Experiment, metric: str, level: Level | None, *, inclusive: bool) -> Severity:
    """Give ``float64[call path]``, or ``float64[call path, column]`` of a level of the system.

    What does not add up is of each call path alone, and missing where several locations would be put together.
    """
    if _adds_up(experiment.metric(metric)):
        return _sums(experiment, metric, level, inclusive=inclusive)
    columns = list(columns_at(experiment, level).values()) if level else [list(range(len(experiment.locations)))]
    values = experiment.exclusive(metric)
    nothing = np.full(len(values), np.nan)
    found = np.stack([values[:, each[0]] if len(each) == 1 else nothing for each in columns], axis=1)
    return found if level else found[:, 0]


def _adds_up(metric: Metric) -> bool:
    return not metric.source.startswith(("derived:ratio", "derived:stddev"))


def _sums(experiment: Experiment, metric: str, level: Level | None, *, inclusive: bool) -> Severity:
    if level:
        values = experiment.inclusive(metric) if inclusive else experiment.exclusive(metric)
        return by_level(experiment, metric, values, level)[1]
    if not inclusive:
        return totals(experiment, metric)
    kind, stored = experiment.metric(metric), experiment.stored_inclusive(metric)
    if stored is not None:
        return over_locations(kind, stored)
    return experiment.summed_up(totals(experiment, metric)[:, None], kind)[:, 0]


def shown_metrics(experiment: Experiment) -> list[str]:
    """Choose what a table shows unless asked for: metrics that no other one includes, and times in MPI and I/O."""
    roots = [each.name for each in experiment.metrics if each.parent is None or each.name in _ALSO]
    return [name for name in roots if np.any(totals(experiment, name))][:_MOST] or roots[:_MOST]


def print_dump(experiment: Experiment, metrics: Sequence[str], level: Level | None, *, inclusive: bool) -> None:
    """Print tables: a column a metric, or, where a level of the system is given, a table a metric."""
    kept = f"{'with' if inclusive else 'without'} what is below"
    if level is None:
        columns = [
            (name, experiment.metric(name), _values(experiment, name, None, inclusive=inclusive)) for name in metrics
        ]
        _print(experiment, columns, f"all {len(experiment.locations)} locations together, {kept}")
        return
    for name in metrics:
        labels = columns_at(experiment, level)
        closed = _values(experiment, name, level, inclusive=inclusive)
        kind = experiment.metric(name)
        titles = [".".join(map(str, label)) for label in labels]
        _print(
            experiment,
            [(title, kind, closed[:, column]) for column, title in enumerate(titles)],
            f"{visible(name)} by {level}, {kept}",
        )


def _print(experiment: Experiment, columns: Iterable[tuple[str, Metric, Severity]], caption: str) -> None:
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = list(columns)
    for title, _, _ in columns:
        table.add_column(Text(visible(title)), justify="right", no_wrap=True)
    table.add_column("region", no_wrap=True)
    table.add_column("source", no_wrap=True)
    depths: list[int] = []
    for index, path in enumerate(experiment.call_paths):
        depths.append(0 if path.parent is None else depths[path.parent] + 1)
        region = path.region
        table.add_row(
            *(amount(float(values[index]), kind.unit) for _, kind, values in columns),
            Text("  " * depths[index] + visible(region.name)),
            Text(at_line(region.file, region.first_line)),
        )
    if not console.is_terminal:
        console.width = 10_000
    console.print(table)
    console.print(Text(caption))
