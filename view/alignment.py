"""Report when an interval of one trace occurs in other traces, and why the alignment may be wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from .place import visible
from .report import Cell, Report, Table
from .units import many

if TYPE_CHECKING:
    from ..experiment.trace import Series
    from ..timelines.warping import Alignment, Doubt

__all__ = ["SCHEMA", "alignment_report", "warnings_of"]

SCHEMA: Final = "autoanalyzer.alignment/1"

_FEW: Final = 3  # maximum number of warnings of each kind per trace


def alignment_report(reference: Series, interval: tuple[float, float], found: Sequence[Alignment]) -> Report:
    """Return a report on when an interval occurs in other traces.

    Args:
        reference: The metric in the trace in which the interval is known.
        interval: Start and end in seconds.
        found: The alignment with each of the other traces.
    """
    intervals = {reference.source: interval} | {each.other.source: each.times.carried(interval) for each in found}
    rows: list[list[Cell]] = [[reference.source, f"{interval[0]:.6g}", f"{interval[1]:.6g}", "", "reference"]]
    for each in found:
        start, end = intervals[each.other.source]
        rows.append([each.other.source, f"{start:.6g}", f"{end:.6g}", f"{each.error:.4g}", _how(each)])
    warnings = [warning for each in found for warning in warnings_of(reference, each)]
    header = ("trace", "from (s)", "to (s)", "error", "aligned by")
    return Report(
        [],
        [Table(f"The interval of {reference.name} in each trace", header, rows)],
        Table("alignment", header, rows),
        {
            "schema": SCHEMA,
            "metric": reference.name,
            "reference": reference.source,
            "interval": list(interval),
            "intervals": {source: list(each) for source, each in intervals.items()},
            "error": sum(each.error for each in found),
            "errors": {each.other.source: each.error for each in found},
            "by": {each.other.source: "warping" if each.path else "anchors" for each in found},
            "warnings": warnings,
        },
        list,
        [visible(warning) for warning in warnings],
    )


def _how(alignment: Alignment) -> str:
    if alignment.path is None:
        return "region entries"
    return f"warping, {many(len(alignment.path.x), 'pair')}"


def warnings_of(reference: Series, alignment: Alignment) -> Iterator[str]:
    """Yield the reasons why an alignment may be wrong."""
    kinds: dict[str, list[tuple[Doubt, float, float]]] = {}
    for each in alignment.doubts:
        kinds.setdefault(each[0].kind, []).append(each)
    for doubts in kinds.values():
        for each in doubts[:_FEW]:
            yield f"{alignment.other.source}: {_sentence(reference.name, each)}"
        if len(doubts) > _FEW:
            yield f"{alignment.other.source}: {len(doubts) - _FEW} more warnings of this kind"


def _sentence(metric: str, doubt: tuple[Doubt, float, float]) -> str:
    about, start, end = doubt
    span = f"{start:.4g} to {end:.4g} s"
    return {
        "constant": f"{metric} hardly changes from {span}: the interval may begin or end anywhere in this time",
        "noise-point": f"some values of {metric} from {span} each match many others, perhaps because of noise; "
        "try --penalty",
        "reordered": f"{metric} from {span} resembles another part of the trace more than the part that was matched "
        "to it: events may be in a different order",
        "unlike": f"{metric} differs too much between the runs, especially from {span}: the runs may do different work",
    }[about.kind]
