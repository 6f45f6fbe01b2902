"""Write JSON lines for a database: one object per call path, location and metric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ...atomic_file import replacing
from ...errors import InputError
from ..experiment import Experiment, Location
from ..metric import Metric
from ..severities import Severity
from .part import parts

__all__ = ["write_json_lines"]


def write_json_lines(experiment: Experiment, path: Path, metrics: Sequence[Metric], *, together: bool) -> None:
    """Write one line per value, with all digits; missing values are null.

    Args:
        experiment: The experiment to write.
        path: The file, which is replaced only when the new file is complete.
        metrics: The metrics to write.
        together: Whether to aggregate all locations; machine, node, process and thread are then null.

    Raises:
        InputError: A sum overflows, or the file cannot be written.
    """
    with replacing(path) as stream:
        for part in parts(experiment, together=together):
            places = [_members(_place(each)) for each in part.whose]
            for metric in metrics:
                about = _members({"metric": metric.name, "unit": metric.unit})
                values = part.read(metric.name)
                for number, row in enumerate(values):
                    start = f"{{{_members(_call_path(experiment, number))},{about},"
                    for place, value in zip(places, _texts(row, metric), strict=True):
                        stream.write(f'{start}{place},"value":{value}}}\n'.encode())


def _texts(row: Severity, metric: Metric) -> list[str]:
    if np.isinf(row).any():
        raise InputError(f"the sums of metric {metric.name!r} overflow")
    return orjson.dumps(row.tolist()).decode()[1:-1].split(",")


def _call_path(experiment: Experiment, number: int) -> dict[str, Any]:
    path = experiment.call_paths[number]
    return {
        "call_path": number,
        "parent": path.parent,
        "path": experiment.path_name(number),
        "region": path.region.name,
        "kind": path.region.kind,
        "file": path.region.file,
        "line": path.region.first_line,
    }


def _place(place: Location | None) -> dict[str, Any]:
    return {name: getattr(place, name, None) for name in ("machine", "node", "process", "thread")}


def _members(found: dict[str, Any]) -> str:
    return json.dumps(found, separators=(",", ":"))[1:-1]
