"""What to record after each period (paper 004, 3.4 and 4.6): no change without a reason, and the others in turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import Final

from .pursuit import Pursuit, index_of

__all__ = ["IDENTITY", "PROBED", "Reduction", "Turns", "next_selection"]

IDENTITY: Final = 3  # fields of a record that no selection saves: time, process, thread

PROBED: Final = 0.25  # of the metrics left out: each is looked at in one of four periods


@dataclass(frozen=True)
class Reduction:
    """Fields of records, with all metrics and with those alone that were selected when a record was made.

    Attributes:
        records: How many samples there were.
        fields: With all metrics.
        kept: With the selected ones; all of them before the first selection.
        metrics: How many metrics are measured.
        course: After each period: its end, and the share that was saved until then.
    """

    metrics: int
    records: int = 0
    fields: int = 0
    kept: int = 0
    course: tuple[tuple[float, float], ...] = field(default=())

    @property
    def share(self) -> float:
        """What was saved, from 0 to 1."""
        return 1 - self.kept / self.fields if self.fields else 0.0

    def after(self, end: float, records: int, selected: tuple[str, ...]) -> Reduction:
        """Count the records of a period, made by the measured metrics that were selected before it."""
        kept = len(selected) or self.metrics
        counted = replace(
            self,
            records=self.records + records,
            fields=self.fields + records * (IDENTITY + self.metrics),
            kept=self.kept + records * (IDENTITY + kept),
        )
        return replace(counted, course=(*self.course, (end, counted.share)))


def next_selection(before: tuple[str, ...], found: Pursuit | None, *, jitter: float) -> tuple[str, ...]:
    """Choose what to record after a period.

    What was found takes the place of what is recorded if its status says that it is worth something, and if in this
    period the index of its metrics is larger than that of the recorded ones by more than the threshold, or if among
    them is one that shows camps and is not recorded. Both are compared as metrics alone, without what others add to a
    projection.

    Args:
        before: What is recorded; nothing at first.
        found: In this period; None if it had no result.
        jitter: A share: 0.1 asks for an index larger by a tenth.
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
    """Whose turn it is.

    Attributes:
        waiting: All metrics, the longest not recorded first.
        probed: Those that are recorded next, besides the selected ones.
    """

    waiting: tuple[str, ...]
    probed: tuple[str, ...] = ()

    def after(self, recorded: frozenset[str], share: float) -> Turns:
        """Choose whom to look at next.

        Args:
            recorded: Metrics that are recorded anyway.
            share: Of the others.
        """
        left = [name for name in self.waiting if name not in recorded]
        probed = left[: ceil(share * len(left))]
        seen = recorded.union(probed)
        last = [name for name in self.waiting if name in seen]
        return Turns((*(name for name in left if name not in seen), *last), tuple(probed))
