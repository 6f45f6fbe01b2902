"""The values of each metric in samples of time lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment.metric import SYSTEM_METRICS, Metric
from .recorded_metrics import FIELDS, SCALES, SYSTEM_FIELDS, counted_metrics, event_metrics, timed_metrics
from .recorded_values import are_recorded
from .samples import ThreadSamples
from .shard import Shard
from .shard_layout import SYSTEM_VALUES

__all__ = ["SYSTEM", "SampledMetrics"]

# System metric → the values of a sample that add up to it.
SYSTEM: Final = {metric.name: SYSTEM_FIELDS[metric.name] for metric in SYSTEM_METRICS}


@dataclass(frozen=True, slots=True)
class SampledMetrics:
    """The metrics that the samples of all processes have.

    Attributes:
        metrics: The metrics, in the order of the columns of their values.
        events: Metric → the field of a node, for the events that the user has named.
    """

    metrics: tuple[Metric, ...]
    events: Mapping[str, str]

    @classmethod
    def of(cls, shards: Iterable[Shard]) -> SampledMetrics:
        """Return the metrics in the samples of some processes."""
        shards = list(shards)
        timed = (metric for metric in timed_metrics(shards) if metric.name in FIELDS)
        # Every sample contains the system's values, so events that count the same values are left out.
        events = {field: each for field, each in event_metrics(shards).items() if each.name not in SYSTEM}
        metrics = (*timed, *counted_metrics(shards), *SYSTEM_METRICS, *events.values())
        return cls(metrics, {metric.name: field for field, metric in events.items()})

    def values_of(self, samples: ThreadSamples) -> npt.NDArray[np.float64]:
        """Return the amounts in each sample, ``float64[sample, metric]``; NaN if not recorded."""
        return np.column_stack([self._column(samples, metric.name) for metric in self.metrics])

    def _column(self, samples: ThreadSamples, metric: str) -> npt.NDArray[np.float64]:
        fields = SYSTEM.get(metric) or FIELDS.get(metric, (self.events.get(metric, metric),))
        if metric in SYSTEM:
            values = samples.system[:, [SYSTEM_VALUES.index(name) for name in fields]].sum(axis=1)
        else:
            values = np.zeros(len(samples.end))
            for name in fields:
                values += samples.values[name]
            values *= SCALES.get(metric, 1)
        return np.where(are_recorded(samples.recorded, fields), values, np.nan)
