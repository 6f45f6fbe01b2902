"""Show the predictions of counts, and the models behind them."""

from __future__ import annotations

from typing import Final

from ....analyze.scaling import Prediction, Scaling
from ...marks import Html, Mark
from ...marks.mark import folded, table
from ...picture import Picture
from ...place import visible
from ...scaling import counted, error_of, model_documents, prediction_lines

__all__ = ["predictions_picture"]

_METRICS: Final = {"instructions": "instructions", "mpi_bytes_sent": "bytes sent", "visits": "visits to regions"}


def predictions_picture(scaling: Scaling) -> Picture:
    """Return the predictions of counts: for the largest run, which is held out, and for twice as many ranks."""
    rows = [_prediction(each) for each in scaling.predictions]
    header = ("count", "ranks", "predicted", "measured", "error")
    marks: list[Mark] = []
    if rows:
        marks.append(Html(table(header, rows)))
    models = [
        (
            _METRICS.get(each["metric"], each["metric"]),
            visible(each["path"] or each["function"]),
            each["formula"] or "none fits",
        )
        for each in model_documents(scaling)
    ]
    if models:
        head = ("count", "call path", "per rank, for P ranks")
        marks.append(
            Html(folded("models of call paths with at least 1 % of a count, fitted to all runs", table(head, models)))
        )
    said = [] if rows else [f"{each[0].upper()}{each[1:]}." for each in prediction_lines(scaling)]
    if rows:
        said.append(
            "Models fitted to all runs except the largest predict the counts of the largest run. If predicted and "
            "measured counts agree to within 3 %, models fitted to all runs predict the counts of twice as many ranks. "
            "Times are not predicted."
        )
    return Picture("Predictions", marks, said or ["No count was measured in all runs."])


def _prediction(each: Prediction) -> tuple[str, ...]:
    unknown = "several models fit" if each.is_unclear else "no model fits"
    return (
        _METRICS.get(each.metric, each.metric),
        str(each.ranks),
        unknown if each.predicted is None else counted(each.metric, each.predicted),
        "not run" if each.measured is None else counted(each.metric, each.measured),
        error_of(each),
    )
