"""Write traces in CSV for ``csv_reader``; additive metrics become rates, because samples in CSV have no length."""

from __future__ import annotations

import csv
from io import TextIOWrapper
from pathlib import Path
from typing import Final

import numpy as np

from ...atomic_file import replacing
from .csv_reader import COLUMNS
from .means import rates
from .time_line import Trace

__all__ = ["write_trace"]

_DIGITS: Final = 9  # significant digits of a value; times are in nanoseconds


def write_trace(trace: Trace, path: Path) -> None:
    """Write a trace line by line, location by location. Call paths are omitted.

    Args:
        trace: The trace to write.
        path: The file, which is replaced only when the new file is complete.

    Raises:
        InputError: The file cannot be written.
    """
    units = [f"{metric.unit}/sec" if metric.additive else metric.unit for metric in trace.metrics]
    with replacing(path) as stream:
        text = TextIOWrapper(stream, encoding="utf-8", newline="")
        rows = csv.writer(text, lineterminator="\n")
        names = [f"{metric.name}[{unit}]" for metric, unit in zip(trace.metrics, units, strict=True)]
        rows.writerow([*COLUMNS, *names])
        for place, line in zip(trace.locations, trace.lines(), strict=True):
            longer = line.end > line.begin
            shown = rates(trace.metrics, line.begin, line.end, line.values)
            for end, row in zip(line.end[longer], shown[longer], strict=True):
                fields = ("" if np.isnan(value) else f"{value:.{_DIGITS}g}" for value in row)
                rows.writerow([f"{end:.{_DIGITS}f}", place.process, place.thread, *fields])
        text.detach()
