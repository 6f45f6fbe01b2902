"""Memory in use that grows as long as the program runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from ...experiment.trace import Series
from .anomaly import Anomaly
from .pace import LEAST, STRONG
from .run import Run
from .shapes import best_shape

__all__ = ["memory_growth"]

_METRIC: Final = "resident_memory"
_PARTS: Final = 100
_LONG: Final = 0.25  # of the run: what is allocated within less is part of the start


def memory_growth(run: Run, series: Mapping[str, Series]) -> Iterator[Anomaly]:
    """Find memory that grows, all ranks together; ``series`` are the run's metrics."""
    memory = series[_METRIC].known() if _METRIC in series else None
    if memory is None or len(memory) < _PARTS:
        return
    edges = np.linspace(memory.begin[0], memory.times[-1], _PARTS + 1)
    values = memory.over(edges[:-1], edges[1:])
    if np.isnan(values).any() or values.min() <= 0:
        return
    shape = best_shape(np.log(values))
    if shape is None or shape.kind != "gradual change" or shape.height < np.log1p(LEAST):
        return
    if shape.strength >= STRONG and shape.last - shape.first >= _LONG * _PARTS:
        yield Anomaly(
            shape.kind,
            _METRIC,
            float(edges[shape.first]),
            float(edges[shape.last]),
            tuple(sorted({place.process for place in run.trace.locations})),
            None,
            float(np.exp(shape.height)),
            shape.strength,
            1,
        )
