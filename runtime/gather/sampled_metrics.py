"""What the samples of time lines have of each metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment.metric import SYSTEM_METRICS, Metric
from .merge import FIELDS, SYSTEM_FIELDS, counted_metrics, timed_metrics
from .recorded_values import are_recorded
from .samples import ThreadSamples
from .shard import Shard
from .shard_layout import SYSTEM_VALUES

__all__ = ["SYSTEM", "sampled_metrics", "values_of"]

# System metric → the values of a sample that add up to it.
SYSTEM: Final = {metric.name: SYSTEM_FIELDS[metric.name] for metric in SYSTEM_METRICS}


def sampled_metrics(shards: Iterable[Shard]) -> list[Metric]:
    """Give the metrics that the samples of all processes have."""
    shards = list(shards)
    timed = (metric for metric in timed_metrics(shards) if metric.name in FIELDS)
    return [*timed, *counted_metrics(shards), *SYSTEM_METRICS]


def values_of(samples: ThreadSamples, metrics: Sequence[Metric]) -> npt.NDArray[np.float64]:
    """Give what passed in each sample, ``float64[sample, metric]``; NaN where it was not recorded."""
    return np.column_stack([_column(samples, metric.name) for metric in metrics])


def _column(samples: ThreadSamples, metric: str) -> npt.NDArray[np.float64]:
    fields = SYSTEM.get(metric) or FIELDS.get(metric, (metric,))
    if metric in SYSTEM:
        values = samples.system[:, [SYSTEM_VALUES.index(name) for name in fields]].sum(axis=1)
    else:
        values = np.zeros(len(samples.end))
        for name in fields:
            values += samples.values[name]
    return np.where(are_recorded(samples.recorded, fields), values, np.nan)
