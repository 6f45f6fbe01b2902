"""Choose what to record after each period: the best metrics, and some others as probes (Vetter and Reed, 3.4, 4.6)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import Final

from .pursuit import Pursuit, index_of

__all__ = ["IDENTITY", "PROBED", "Reduction", "Turns", "next_selection"]

IDENTITY: Final = 3  # fields of each record besides metrics: time, process, thread

PROBED: Final = 0.25  # fraction of unselected metrics to probe, so that each metric is probed in one of four periods


@dataclass(frozen=True)
class Reduction:
    """The amount of data that recording only selected metrics saves.

    Attributes:
        records: The number of samples.
        fields: The number of fields if all metrics were recorded.
        kept: The number of fields with only the metrics that were selected at the time.
        metrics: The number of measured metrics.
        course: For each period: its end in seconds, and the share saved so far.
    """

    metrics: int
    records: int = 0
    fields: int = 0
    kept: int = 0
    course: tuple[tuple[float, float], ...] = field(default=())

    @property
    def share(self) -> float:
        """The share of data saved, from 0 to 1."""
        return 1 - self.kept / self.fields if self.fields else 0.0

    def after(self, end: float, records: int, selected: tuple[str, ...]) -> Reduction:
        """Return the reduction after one more period.

        Args:
            end: End of the period in seconds.
            records: Number of samples in the period.
            selected: The measured metrics that were recorded in the period; empty for all.
        """
        kept = len(selected) or self.metrics
        counted = replace(
            self,
            records=self.records + records,
            fields=self.fields + records * (IDENTITY + self.metrics),
            kept=self.kept + records * (IDENTITY + kept),
        )
        return replace(counted, course=(*self.course, (end, counted.share)))


def next_selection(before: tuple[str, ...], found: Pursuit | None, *, jitter: float) -> tuple[str, ...]:
    """Return the metrics to record after a period: those of its result or the previously recorded ones.

    The result's metrics replace the recorded ones if the result has structure and one of two conditions holds: their
    index exceeds that of the recorded metrics by more than the threshold, or a metric with camps is not recorded. Both
    indices are computed from the metrics themselves (``index_of``).

    Args:
        before: The recorded metrics; empty before the first selection.
        found: The result of this period, or None.
        jitter: The threshold as a fraction: 0.1 requires an index larger by a tenth.
    """
    if found is None or not found.worth:
        return before
    if not before or not set(before) <= set(found.seen.metrics):
        return found.metrics
    if found.camps and found.camps.worth and found.camps.metric not in before:
        return found.metrics
    better = index_of(found.seen, found.metrics) > (1 + jitter) * index_of(found.seen, before)
    return found.metrics if better else before


@dataclass(frozen=True)
class Turns:
    """The order in which unselected metrics are probed.

    Attributes:
        waiting: All metrics, starting with those that have not been recorded for the longest time.
        probed: The metrics that are recorded next as probes.
    """

    waiting: tuple[str, ...]
    probed: tuple[str, ...] = ()

    def after(self, recorded: frozenset[str], share: float) -> Turns:
        """Return the order with the next metrics to probe.

        Args:
            recorded: Metrics that are recorded in any case.
            share: The share of the other metrics to probe.
        """
        left = [name for name in self.waiting if name not in recorded]
        probed = left[: ceil(share * len(left))]
        seen = recorded.union(probed)
        last = [name for name in self.waiting if name in seen]
        return Turns((*(name for name in left if name not in seen), *last), tuple(probed))
