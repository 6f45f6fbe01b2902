"""Write speedscope's own JSON: one profile per rank and thread, with shared frames.

https://www.speedscope.app/file-format-schema.json describes the format.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from ...atomic_file import replacing
from ..experiment import Experiment
from ..metric import Metric
from ..region import Region
from .call_stacks import CallStacks
from .part import titles
from .weights import unit_of, weights

__all__ = ["write_speedscope"]

_SCHEMA: Final = "https://www.speedscope.app/file-format-schema.json"
_UNITS: Final = frozenset({"bytes", "nanoseconds"})  # units that ``unit_of`` may return and that speedscope supports


def write_speedscope(experiment: Experiment, path: Path, metric: Metric, *, together: bool) -> None:
    """Write a profile for each location, with the stacks in the order of the call tree.

    Args:
        experiment: The experiment to write.
        path: The file, which is replaced only when the new file is complete.
        metric: The metric whose values, rounded to integers, are written.
        together: Whether to add up all locations in a single profile.

    Raises:
        InputError: A value is below 0 or too large, or the file cannot be written.
    """
    stacks, title = CallStacks(experiment.call_paths), titles(experiment)
    unit, _ = unit_of(metric)
    name = f"{metric.name} of {experiment.notes.program or 'the program'}"
    head = json.dumps({"$schema": _SCHEMA, "name": name, "exporter": "autoanalyzer"})
    with replacing(path) as stream:
        _put(stream, f'{head[:-1]},\n"shared": {{"frames": [')
        for number, region in enumerate(stacks.frames):
            _put(stream, f"{',' if number else ''}\n{json.dumps(_frame(region))}")
        _put(stream, ']},\n"profiles": [')
        for number, (place, found) in enumerate(weights(experiment, metric, together=together)):
            about = {
                "type": "sampled",
                "name": " ".join(title(place)) or "all ranks",
                "unit": unit if unit in _UNITS else "none",
                "startValue": 0,
                "endValue": sum(found.tolist()),  # Python's integers cannot overflow
            }
            _put(stream, f"{',' if number else ''}\n{json.dumps(about)[:-1]}")
            _put_stacks(stream, stacks, found)
        _put(stream, "]}\n")


def _put_stacks(stream: IO[bytes], stacks: CallStacks, found: npt.NDArray[np.int64]) -> None:
    shown = stacks.order[found[stacks.order] > 0].tolist()
    _put(stream, ',\n"weights": ' + json.dumps(found[shown].tolist()) + ',\n"samples": [')
    for number, each in enumerate(shown):
        _put(stream, f"{',' if number else ''}{json.dumps(stacks.frames_of(each))}")
    _put(stream, "]}")


def _frame(region: Region) -> dict[str, Any]:
    frame: dict[str, Any] = {"name": region.name}
    if region.file:
        frame["file"] = region.file
    if region.first_line > 0:
        frame["line"] = region.first_line
    return frame


def _put(stream: IO[bytes], text: str) -> None:
    stream.write(text.encode())
