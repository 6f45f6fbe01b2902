"""The scores of a suite's verdicts, summed up in a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .score import Hit
from .table import Outcome


@dataclass(frozen=True)
class Sums:
    """How many of the planted faults were found, and how many others were invented.

    Attributes:
        apart: Places of imbalances: found, planted, invented.
        heavy: Places of faults of all ranks: found, planted, invented.
        clusters: Right clusters, and all that were judged.
        causes: Right causes, and all that were judged.
        alarms: Programs without a fault for which a verdict reports one: an imbalance with medium or high confidence,
            an imbalance with low confidence alone, an invented cause.
    """

    apart: tuple[int, int, int]
    heavy: tuple[int, int, int]
    clusters: tuple[int, int]
    causes: tuple[int, int]
    alarms: tuple[int, int, int]

    TITLE: ClassVar[str] = "F1 imbalances  F1 weights  clusters    causes  false: firm, hedged, causes"

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Sums:
        """Add up the scores of verdicts."""
        hits = [hit for each in outcomes for hit in each.score.hits]
        parted = [hit for hit in hits if hit.truth.parts_ranks]
        heavy = [hit for hit in hits if not hit.truth.parts_ranks]
        scores = [each.score for each in outcomes]
        clean = [each.score for each in outcomes if not each.key.planted]
        firm = sum(bool(each.imbalances) for each in clean)
        hedged = sum(bool(each.hedged) and not each.imbalances for each in clean)
        return cls(
            (*_found(parted), sum(len(each.imbalances) + len(each.hedged) for each in scores)),
            (*_found(heavy), sum(len(each.causes) for each in scores)),
            _right([hit.clusters for hit in hits]),
            _right([hit.cause for hit in hits]),
            (firm, hedged, sum(bool(each.causes) for each in clean)),
        )

    def __str__(self) -> str:
        pairs = ["/".join(map(str, each)) for each in (self.clusters, self.causes)]
        return (
            f"{f1(*self.apart):13.2f}  {f1(*self.heavy):10.2f}  {pairs[0]:>8}  {pairs[1]:>8}  "
            f"{', '.join(map(str, self.alarms)):>27}"
        )


def f1(true: int, planted: int, invented: int) -> float:
    """Return the harmonic mean of precision and recall; 1 if nothing was planted or invented."""
    return 2 * true / (planted + true + invented) if planted + true + invented else 1.0


def _found(hits: Sequence[Hit]) -> tuple[int, int]:
    return sum(hit.found for hit in hits), len(hits)


def _right(judged: Sequence[bool | None]) -> tuple[int, int]:
    judged = [each for each in judged if each is not None]
    return sum(map(bool, judged)), len(judged)
