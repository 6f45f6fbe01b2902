"""Report which metrics are related to a target metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from .alignment import warnings_of
from .place import visible
from .report import Cell, Report, Table
from .units import many

if TYPE_CHECKING:
    from ..timelines.correlators import Correlated, Ranking
    from ..timelines.warping import OnTime

__all__ = ["SCHEMA", "correlation_report"]

SCHEMA: Final = "autoanalyzer.correlation/1"

_NAMED: Final = 6  # maximum number of omitted metrics to name
_HOW: Final = {
    "anchors": "aligned by region entries",
    "warping": "aligned by warping {metric}",
    "none": "not aligned: the trace's own times were used",
}


def correlation_report(
    ranking: Ranking, others: Sequence[OnTime], *, intervals: Sequence[tuple[float, float]], by: str, top: int
) -> Report:
    """Return a report on the metrics that are related to a target metric.

    Args:
        ranking: The ranked metrics.
        others: The other traces, with their times mapped to times of the target's trace.
        intervals: The compared intervals, in seconds; empty for the whole trace.
        by: Name of the correlator by which metrics are ranked.
        top: The number of metrics to print.
    """
    target = ranking.target
    warnings = [warning for each in others if each.alignment for warning in warnings_of(target, each.alignment)]
    several = len({each.source for each in ranking.ranked}) > 1
    header = ["rank", "metric", *(["trace"] if several else []), "sign", "lag (s)", *_scores(ranking)]
    rows = [_row(each, several) for each in ranking.ranked]
    span = " and ".join(f"{start:g} to {end:g} s" for start, end in intervals) or "the whole trace"
    title = f"Metrics that change with {target.name} in {target.source}, {span}, ranked by {by}"
    return Report(
        [],
        [Table(title, header, [_short(row) for row in rows[: max(top, 0)]])],
        Table("correlation", ["rank", "metric", "source", "sign", "lag", *_scores(ranking)], _full(ranking)),
        {
            "schema": SCHEMA,
            "target": target.name,
            "source": target.source,
            "intervals": [list(each) for each in intervals],
            "by": by,
            "segments": ranking.segments,
            "pattern": [list(point) for point in ranking.pattern],
            "ranking": [_entry(each) for each in ranking.ranked],
            "omitted": [
                {"metric": metric, "source": source, "reason": reason} for metric, source, reason in ranking.omitted
            ],
            "aligned": {
                each.series[0].source: {"by": each.by, "metric": each.metric or None} for each in others if each.series
            },
            "warnings": warnings,
            "notes": list(ranking.notes),
        },
        list,
        [visible(line) for line in (*_about(ranking, others, top), *warnings)],
    )


def _scores(ranking: Ranking) -> list[str]:
    names = list(ranking.ranked[0].scores) if ranking.ranked else []
    return sorted(names, key=lambda name: name != "combined")


def _row(each: Correlated, several: bool) -> list[Cell]:
    trace = [each.source] if several else []
    scores = sorted(each.scores.items(), key=lambda pair: pair[0] != "combined")
    return [each.rank, each.metric, *trace, each.sign, each.lag, *(score for _, score in scores)]


def _short(row: Sequence[Cell]) -> list[Cell]:
    return [f"{cell:.3g}" if isinstance(cell, float) else cell for cell in row]


def _full(ranking: Ranking) -> list[list[Cell]]:
    return [_row(each, several=True) for each in ranking.ranked]


def _entry(each: Correlated) -> dict[str, object]:
    return {
        "metric": each.metric,
        "source": each.source,
        "rank": each.rank,
        "sign": each.sign,
        "lag": each.lag,
        "scores": dict(each.scores),
    }


def _about(ranking: Ranking, others: Sequence[OnTime], top: int) -> list[str]:
    lines = []
    if not ranking.ranked:
        lines.append("There is no other metric to compare with the target.")
    if len(ranking.ranked) > top:
        more = many(len(ranking.ranked) - max(top, 0), "more metric")
        lines.append(f"{more}: use --top, --csv or --json to see them.")
    if ranking.omitted:
        reasons: dict[str, list[str]] = {}
        for metric, _, reason in ranking.omitted:
            reasons.setdefault(reason, []).append(metric)
        for reason, metrics in reasons.items():
            rest = f" and {len(metrics) - _NAMED} more" if len(metrics) > _NAMED else ""
            lines.append(f"Left out ({reason}): {', '.join(metrics[:_NAMED])}{rest}.")
    aligned = [
        f"{each.series[0].source} was {_HOW[each.by].format(metric=each.metric)}." for each in others if each.series
    ]
    return [*lines, *aligned, *(f"{note}." for note in ranking.notes)]
